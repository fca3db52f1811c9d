// copy.h - grade class --copy FILE: keeps a copy of the gradebook that can be read at any
// time.
//
// A machine that grades a slice keeps its gradebook on a local disk, where SQLite is safe
// and fast, and puts copies on the shared disk. A copy is always complete, because it gets
// its name only when finished, and it has no log beside it. If the machine is lost, another
// one continues from the last copy.

#ifndef GRADER_COPY_H
#define GRADER_COPY_H

#include "class/gradebook.h"

// If there is a copy but no gradebook, restores the gradebook from the copy. Call it before
// opening the gradebook.
void copy_fetch(const char *copy, const char *db);

// Copies the gradebook now. Ends the program on failure.
void copy_store(struct gradebook *book, const char *copy);

// Call it often: it copies from time to time, at little cost. next is the time of the next
// copy (slot_now), initially 0. Errors are printed and otherwise ignored.
void copy_sometimes(struct gradebook *book, const char *copy, double *next);

#endif
