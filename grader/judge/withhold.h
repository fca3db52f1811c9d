// withhold.h - shortens reports on untrusted code.

#ifndef GRADER_WITHHOLD_H
#define GRADER_WITHHOLD_H

#include "build/build.h"
#include "judge/options.h"
#include "judge/trial.h"

// If the program is untrusted and contains functions of the workbook, removes from the
// result everything that its code could have chosen, except the verdict.
bool lends_to_a_stranger(const struct options *options, const struct build *build);
void tell_verdict_alone(struct trial *trial);

#endif
