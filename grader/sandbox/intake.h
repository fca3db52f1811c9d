// intake.h - copies only the contract's files from an untrusted submission.
//
//   submission/01_simple_attention/attention.c ──> scratch/submission/01_simple_attention/...
//
// Links are never followed: every component of a path is opened with O_NOFOLLOW, and checks
// use the open file, not the name. A file is accepted if it is a regular file without other
// hard links and has at most a megabyte. No other file of the submission is ever read, not
// even a student's own header.

#ifndef GRADER_INTAKE_H
#define GRADER_INTAKE_H

#include "exercises/exercise.h"

enum { INTAKE_BYTES = 1 << 20 };

// Copies the files of all places from source to the same names in the folder `to`. A
// refused file becomes a file with an #error line that gives the reason. Ends the grader if
// a copy cannot be written.
void intake_take(const char *source, const struct lab_place *places, const char *to);

#endif
