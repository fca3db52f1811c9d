// pattern.h - reads the pattern of a wrong gradient.

#ifndef LAB_GRADCHECK_PATTERN_H
#define LAB_GRADCHECK_PATTERN_H

#include "common/gradcheck.h"

// Writes to text(size) what the differences have in common, as a sentence; "" if nothing simple.
void read_pattern(char *text, size_t size, const struct gradient *g,
                  const double *measured, const bool *differs);

#endif
