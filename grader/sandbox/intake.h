// intake.h - taking the files that are asked for out of a stranger's submission, and no others.
//
//   submission/01_simple_attention/attention.c ──> scratch/submission/01_simple_attention/...
//
// Never through a link: of a path below the submission's own folder every part is opened with
// O_NOFOLLOW, and what was opened is looked at, not what has the name. A file is taken when it
// is a regular one, has no second name somewhere (a hard link), and is at most a megabyte.
// Nothing else of the submission is ever read: not a header of the student's own, and no file
// whose name is odd.

#ifndef GRADER_INTAKE_H
#define GRADER_INTAKE_H

#include "exercises/exercise.h"

enum { INTAKE_BYTES = 1 << 20 };

// Copies the files of all places that are in source to the same names in the folder `to`. One
// that is refused becomes a file of one line that does not compile, and says why: #error. A
// copy that cannot be written ends the grader.
void intake_take(const char *source, const struct lab_place *places, const char *to);

#endif
