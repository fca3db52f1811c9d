// diagonal.h - the diagonal of a case of 10.1.

#ifndef GRADER_10_DIAGONAL_H
#define GRADER_10_DIAGONAL_H

#include "exercises/exercise.h"

static inline void set_diagonal(struct test_case *test, ptrdiff_t diagonal)
{
    *case_difference(test, "diagonal") = diagonal;
}

static inline ptrdiff_t get_diagonal(const struct test_case *test)
{
    return *(const ptrdiff_t *)case_input(test, "diagonal");
}

#endif
