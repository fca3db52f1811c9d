// copy.h - copies a case, to make its call once more.

#ifndef GRADER_COPY_H
#define GRADER_COPY_H

#include "cases/case.h"

// Forgets what wire_read found, so that it may read another answer.
void case_forget_repeats(struct test_case *test);

// The call that produced a case's got, with separate outputs and the inputs of the case.
struct test_case case_copy(const struct test_case *test);
void case_free_copy(struct test_case *copy);

#endif
