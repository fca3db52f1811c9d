// copy.h - copies a case, to make its call once more.

#ifndef GRADER_COPY_H
#define GRADER_COPY_H

#include "cases/case.h"

// The call that produced a case's got, with separate outputs and the inputs of the case.
struct test_case case_copy(const struct test_case *test);
void case_free_copy(struct test_case *copy);

#endif
