// filter.h - the system calls that a boxed program may make.

#ifndef GRADER_FILTER_H
#define GRADER_FILTER_H

#include <stddef.h>

#include "sandbox/box.h"

// The filter program for the kernel, created once per kind and never freed. NULL if
// libseccomp fails.
const void *filter_program(enum box_kind kind, size_t *bytes);

#endif
