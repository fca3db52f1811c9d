// slice.h - grade class --slice I/N: the part of a class that one of several machines grades.
//
//   folder ──┬─ grade class --slice 1/3 ──> slice 1's gradebook ──┐
//            ├─ grade class --slice 2/3 ──> slice 2's gradebook ──┼─ grade collect ──> gradebook
//            └─ grade class --slice 3/3 ──> slice 3's gradebook ──┘      (gather.c)
//
// Each slice has its own gradebook, because SQLite's locks are unreliable on a shared disk.
// The runs of one batch, which the caller names, become one run of the final gradebook, as
// if one machine had graded everyone.
//
// A student's slice depends only on the student's key and N. So late hand-ins do not move
// other students, a slice that is graded again has the same students, and no student is in
// two slices.

#ifndef GRADER_SLICE_H
#define GRADER_SLICE_H

#include <stdbool.h>

#include "class/class.h"

enum { MOST_SLICES = 10000 };

// Parses "3/8" into part and parts. Returns false if it is invalid.
bool slice_read(const char *word, int *part, int *parts);

// The slice of the student with this key, from 1 to parts.
int slice_of(const char *key, int parts);

// The run of this slice and batch in the slice's gradebook, restarted if it exists; 0 if it
// does not. Ends the program if the batch was started with other options.
int64_t slice_run(struct class *class);
// Records that this run belongs to this slice and is not finished.
void slice_note(struct class *class);
// Records that the whole slice is graded.
void slice_finish(struct class *class);

#endif
