// available.h - can boxes be had here?

#ifndef GRADER_AVAILABLE_H
#define GRADER_AVAILABLE_H

#include <stdbool.h>
#include <stddef.h>

// Tries one. If not, reason is one line on why not. root: the workbook's
// folder.
bool box_available(const char *root, char *reason, size_t size);

#endif
