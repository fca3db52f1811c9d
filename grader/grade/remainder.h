// remainder.h - two mistakes, of which one is a slip: what is left once the slip is corrected.
//
//     attention.c, line 83: s < S - 1     wrong values, no known mistake
//     a copy of it with     s < S         "the scores are not divided by sqrt(d)", in all calls
//     so the file has both

#ifndef GRADER_REMAINDER_H
#define GRADER_REMAINDER_H

#include "exercises/exercise.h"
#include "judge/result.h"

// The known mistake that a corrected copy makes, by its result. NULL unless all calls of the copy return, and more
// of them are right than before: a change that hides what was wrong corrects none.
const struct mistake *remainder_of(const struct result *file, const struct result *copy);

#endif
