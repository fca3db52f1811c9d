// judge.h - one exercise, from a worker to a result.

#ifndef GRADER_JUDGE_H
#define GRADER_JUDGE_H

#include "build/build.h"
#include "judge/options.h"
#include "judge/result.h"

// Judges one exercise on its own, on the cases drawn for it if there are any. Does not look at what it builds on (grader/grade does).
void judge_exercise(const struct options *options, const struct build *build,
                    struct result *result);

#endif
