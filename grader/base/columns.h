// columns.h - how wide a report may be.

#ifndef GRADER_COLUMNS_H
#define GRADER_COLUMNS_H

#include <stddef.h>
#include <sys/ioctl.h>
#include <unistd.h>

// The columns of the terminal that standard output goes to, or those of the variable GRADE_COLUMNS,
// which a program sets that shows the report itself (make learn). From 40 up; 0 if neither is
// known: then reports have the same lines everywhere.
size_t grader_columns(void);

// The columns of the terminal that this descriptor is; 0 if it is none, or does not tell.
static inline size_t terminal_columns(int descriptor)
{
    struct winsize size;
    return isatty(descriptor) && ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col
                                                                           : 0;
}

#endif
