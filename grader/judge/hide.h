// hide.h - removes this machine's paths from reports.

#ifndef GRADER_HIDE_H
#define GRADER_HIDE_H

#include "judge/options.h"

// Returns the bytes without the path of the workbook and, for untrusted code, of the tree
// and the home folder. Files in them keep their relative path
// ("01_simple_attention/attention.c"). Adds a final NUL and changes *size. Caller frees.
char *hide_paths(const struct options *options, const char *bytes, size_t *size);

// The same for a string, which it frees; NULL is allowed.
void hide_paths_in(const struct options *options, char **text);

#endif
