// available.h - finds out whether boxes work on this machine.

#ifndef GRADER_AVAILABLE_H
#define GRADER_AVAILABLE_H

#include <stdbool.h>
#include <stddef.h>

// Tries a box. On failure sets reason to one line. root: the workbook's folder.
bool box_available(const char *root, char *reason, size_t size);

#endif
