// progress.h - remembers which exercises passed, so that nothing is judged again at the next start.

#ifndef LAB_LEARN_PROGRESS_H
#define LAB_LEARN_PROGRESS_H

#include "programs/learn/course.h"

// Sets the states of all exercises, from the file and from the comments TODO. A lab whose files
// changed since then is UNKNOWN again.
void progress_read(struct course *course, const char *path);

// Replaces the file. If that fails, only the memory is lost, and nothing is said.
void progress_write(const struct course *course, const char *path);

#endif
