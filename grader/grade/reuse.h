// reuse.h - reuses passes of an earlier run, for exercises that were not selected.

#ifndef GRADER_REUSE_H
#define GRADER_REUSE_H

#include "grade/side.h"

// Makes an exercise that is not judged a pass.
void give_pass(struct result *result);

// Sets the verdict of exercises that are only used by others and passed in an earlier run with the same
// worker and the same cases (build/known.h). Call it when all files are compiled and nothing is judged.
void reuse_passes(struct run *run);

// Keeps the passes of this run.
void keep_passes(struct run *run);

#endif
