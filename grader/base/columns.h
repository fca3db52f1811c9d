// columns.h - how wide a report may be.

#ifndef GRADER_COLUMNS_H
#define GRADER_COLUMNS_H

#include <stddef.h>

// The columns of the terminal that standard output goes to, or those of the variable GRADE_COLUMNS,
// which a program sets that shows the report itself (make learn). From 40 up; 0 if neither is
// known: then reports have the same lines everywhere.
size_t grader_columns(void);

#endif
