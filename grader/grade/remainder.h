// remainder.h - two mistakes, of which one is a slip: what is left once the slip is corrected.
//
//     attention.c, line 83: s < S - 1     wrong values, no known mistake
//     a copy of it with     s < S         "the scores are not divided by sqrt(d)", in all calls
//     so the file has both

#ifndef GRADER_REMAINDER_H
#define GRADER_REMAINDER_H

#include "exercises/exercise.h"
#include "judge/result.h"

// The number of wrong calls of a corrected copy, by its result. 0 unless all calls of the copy return, and fewer of
// them are wrong than before: a change that hides what was wrong corrects none. Also 0 if the file's failure is explained.
size_t fewer_failures(const struct result *file, const struct result *copy);

// The known mistake that such a copy makes in every call, or NULL. NULL for masks.
const struct mistake *remainder_of(const struct result *file, const struct result *copy);

#endif
