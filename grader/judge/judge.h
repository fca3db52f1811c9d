// judge.h - judges one exercise.

#ifndef GRADER_JUDGE_H
#define GRADER_JUDGE_H

#include "build/build.h"
#include "judge/options.h"
#include "judge/result.h"

// Judges one exercise, with the cases drawn earlier if there are any. Does not consider the
// exercises that it builds on; grader/grade does.
void judge_exercise(const struct options *options, const struct build *build,
                    struct result *result);

#endif
