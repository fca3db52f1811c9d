// written.h - which functions a student still has to write, from the text of the files.

#ifndef GRADER_WRITTEN_H
#define GRADER_WRITTEN_H

#include "grade/grading.h"

// Sets file and written of each "todo" whose files lie in the folder `source`.
void find_unwritten(struct grading *grading, const char *source);

#endif
