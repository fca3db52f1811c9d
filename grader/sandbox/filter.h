// filter.h - the list of system calls that a boxed program may make.

#ifndef GRADER_FILTER_H
#define GRADER_FILTER_H

#include <stddef.h>

#include "sandbox/box.h"

// The program for the kernel, made once per kind; lives until the end. NULL when libseccomp
// cannot make it.
const void *filter_program(enum box_kind kind, size_t *bytes);

#endif
