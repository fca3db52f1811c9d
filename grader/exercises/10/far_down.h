// far_down.h - scores below every number that a search for the largest may start with, but -INFINITY.

#ifndef GRADER_10_FAR_DOWN_H
#define GRADER_10_FAR_DOWN_H

#include "exercises/exercise.h"

#define FAR_DOWN_NOTE "all scores are below -2.5e30"
#define FAR_DOWN_WHY                                                                     \
    "Scores may be below any number that you choose. Only -INFINITY means that no key "  \
    "has been seen."

// Heads of width 1 with S keys each: the score of one key, another one in each head, is -2^101, and those of all others
// are -2^102. Powers of 2 are exact, also if they are multiplied by log2(e) first. No two keys share the weight, because
// log(2) is lost beside such a maximum. Use it where each query sees all keys: a mask of -1e9 counts as right.
void far_down(struct test_case *test, const char *keys, size_t S);

#endif
