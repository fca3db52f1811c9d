// filter.h - which system calls a boxed program may make: a list of what is allowed.

#ifndef GRADER_FILTER_H
#define GRADER_FILTER_H

#include <stddef.h>

#include "sandbox/box.h"

// The program for the kernel, made once per kind; lives until the end. NULL when libseccomp
// cannot make it.
const void *filter_program(enum box_kind kind, size_t *bytes);

#endif
