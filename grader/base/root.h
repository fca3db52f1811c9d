// root.h - finds the workbook's folder.

#ifndef GRADER_ROOT_H
#define GRADER_ROOT_H

// The first folder above this program that contains grader/points.txt. Ends the program if
// there is none. Caller frees.
char *workbook_root(void);

#endif
