// root.h - where the workbook lies.

#ifndef GRADER_ROOT_H
#define GRADER_ROOT_H

// The first folder above this program that holds grader/points.txt. Ends the program when there
// is none. Caller frees.
char *workbook_root(void);

#endif
