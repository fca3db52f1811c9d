// describe.h - what can be said of a wrong output that matches no known mistake.

#ifndef GRADER_DESCRIBE_H
#define GRADER_DESCRIBE_H

#include <stdbool.h>
#include <stdio.h>

#include "cases/case.h"

// One line: where NaNs come from, a transposed matrix, or a common factor. Nothing if there is
// nothing to say.
void describe_output(FILE *file, const struct tensor *tensor);

// Returns true if only some bytes of an element were set, as by memcpy with a number of elements in
// place of a number of bytes.
bool sets_single_bytes(const struct test_case *test, const struct tensor *tensor);

#endif
