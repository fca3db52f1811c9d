// own.h - what the judge's own code needs: calls that must succeed, memory, a case's tensors.

#ifndef GRADER_COMMON_OWN_H
#define GRADER_COMMON_OWN_H

#include "exercises/exercise.h"

// The reference rejects a case that it should accept: a bug in these files.
void must(lab_status status);

// Allocates n floats, all 0, in the judge's memory; the caller frees them.
float *borrow(size_t n);

// All of these tensors of a case, inputs or updated, as an adaptor would get them.
void collect(void **t, struct test_case *test, const struct tensor_spec *specs,
             size_t count);

#endif
