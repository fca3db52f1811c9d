// gather.h - grade collect --db GRADEBOOK SLICE.db ...: merges the results of several
// machines.
//
// Each slice's gradebook (slice.h) is only read. Its runs are merged into the runs of the
// same batch, in one transaction per slice, by the rules for a single machine: a lab's
// files are judged once for all students, older marks stay, the newest run counts. So the
// order and number of merges do not matter:
//
//   collected before           nothing happens
//   graded again since then    its students' marks are replaced, the others' stay
//   not finished               its gradings count, but never replace a finished slice
//   missing or damaged         the others are merged; it is reported, also in the exit status

#ifndef GRADER_GATHER_H
#define GRADER_GATHER_H

#include <stdbool.h>

// Returns true if this command line of "collect" is about gradebooks.
bool gather_meant(int argc, char **argv);

// The command. Returns an exit status of class.h.
int gather_command(int argc, char **argv);

extern const char gather_help[];

#endif
