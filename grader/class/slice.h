// slice.h - grade class --slice I/N: the part of a class that one of several machines grades.
//
//   folder ──┬─ grade class --slice 1/3 ──> slice 1's gradebook ──┐
//            ├─ grade class --slice 2/3 ──> slice 2's gradebook ──┼─ grade collect ──> gradebook
//            └─ grade class --slice 3/3 ──> slice 3's gradebook ──┘      (gather.c)
//
// A slice has a gradebook of its own, for SQLite's locks are not to be trusted on a disk that
// several machines share. The runs of one batch, a word that the caller chooses, become one run
// of the gradebook, as if one machine had graded everybody.
//
// Who belongs to which slice depends on the student's key and on N alone. So late hand-ins move
// nobody, a slice that is graded again finds the people it had, and no two slices have anybody
// in common.

#ifndef GRADER_SLICE_H
#define GRADER_SLICE_H

#include <stdbool.h>

#include "class/class.h"

enum { MOST_SLICES = 10000 };

// "3/8" into part and parts; false when it is none.
bool slice_read(const char *word, int *part, int *parts);

// The slice from 1 to parts that the student with this key belongs to.
int slice_of(const char *key, int parts);

// The run of this slice and batch in the slice's gradebook, begun again if it is there; 0 if not.
// Ends the program when the batch was begun with other options.
int64_t slice_run(struct class *class);
// Notes that the class's run is this slice's, not finished yet.
void slice_note(struct class *class);
// All of the slice is graded.
void slice_finish(struct class *class);

#endif
