// copy.h - grade class --copy FILE: the gradebook in a file that can be read at any moment.
//
// A machine that grades a slice keeps its gradebook on a disk of its own, where SQLite is safe
// and fast, and leaves copies on the disk that all machines share: whole ones, under their name
// only when they are complete, without a log beside them. When the machine is lost, another one
// goes on from the last copy.

#ifndef GRADER_COPY_H
#define GRADER_COPY_H

#include "class/gradebook.h"

// When there is a copy, but no gradebook yet, the gradebook begins as that copy. Not yet open.
void copy_fetch(const char *copy, const char *db);

// Copies now. Ends the program when that cannot be.
void copy_store(struct gradebook *book, const char *copy);

// Copies now and then, such that it costs little: call it often. next is when to copy again,
// in slot_now's seconds, 0 at first. What goes wrong is said, and stops nothing.
void copy_sometimes(struct gradebook *book, const char *copy, double *next);

#endif
