// gather.h - grade collect --db GRADEBOOK SLICE.db ...: what several machines graded, together.
//
// Each slice's gradebook (slice.h) is read, never written. Its runs are put into the runs of the
// same batch here, one transaction for each slice, by the rules that one machine follows: a lab's
// files are judged once for everybody, older marks stay, the newest run counts. So it does not
// matter in which order slices come, how often, or how late:
//
//   collected before           nothing happens
//   graded again since then    its people's marks are replaced, the others' stay
//   not finished               what is graded counts; but never in place of a finished one
//   missing or damaged         the others are collected; it is named, and the exit status tells

#ifndef GRADER_GATHER_H
#define GRADER_GATHER_H

#include <stdbool.h>

// Does this command line of "collect" mean gradebooks?
bool gather_meant(int argc, char **argv);

// The command. Returns an exit status of class.h.
int gather_command(int argc, char **argv);

extern const char gather_help[];

#endif
