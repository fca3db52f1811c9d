// fold.h - breaks long lines where words end.

#ifndef GRADER_FOLD_H
#define GRADER_FOLD_H

#include <stdio.h>

// Prints text (UTF-8, may contain colors) in lines of at most `columns` columns. The rest of a long
// line begins two columns further right than the line. Lines with numbers side by side ("|") and
// words that are too long stay as they are. columns 0: prints the text unchanged.
void report_fold(FILE *file, const char *text, size_t columns);

#endif
