// withhold.h - what a stranger is not told.

#ifndef GRADER_WITHHOLD_H
#define GRADER_WITHHOLD_H

#include "build/build.h"
#include "judge/options.h"
#include "judge/trial.h"

// Is the program a stranger's, with functions of the workbook in it? Then this removes
// from the result everything that its code could have chosen, except the verdict.
bool lends_to_a_stranger(const struct options *options, const struct build *build);
void tell_verdict_alone(struct trial *trial);

#endif
