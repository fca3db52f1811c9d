// moodle.h - people by the names of Moodle's folders, which differ a little from their names.

#ifndef GRADER_MOODLE_H
#define GRADER_MOODLE_H

#include "class/gradebook.h"

// Looks on the roster for a person whose name Moodle writes like this: without ' " & < > and some others, with a
// space for _, and after "GROUP-" where groups hand in. Returns how many people it may be; *student is the last.
int moodle_find(struct gradebook *book, const char *written, int64_t *student);

#endif
