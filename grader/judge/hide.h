// hide.h - a report says nothing of where on a machine the grader lies.

#ifndef GRADER_HIDE_H
#define GRADER_HIDE_H

#include "judge/options.h"

// The bytes without the paths of this machine: of the workbook, and, where a stranger's work is
// judged, of the tree and the home folder. What lies below them is named from there
// ("01_simple_attention/attention.c"). *size is changed. Caller frees; a NUL is added.
char *hide_paths(const struct options *options, const char *bytes, size_t *size);

// The same for a string that is ours to free; NULL is allowed.
void hide_paths_in(const struct options *options, char **text);

#endif
