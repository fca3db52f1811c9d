// earlier.h - finds a failure that comes from an earlier lab although that lab passes.

#ifndef GRADER_EARLIER_H
#define GRADER_EARLIER_H

#include "grade/side.h"

// A function of an earlier lab may pass its own exercise and be wrong all the same where a later
// lab calls it: its exercise does not judge workspaces, and has other sizes. So an exercise of
// this lab that fails for no known reason is judged once more with the workbook's versions of
// the earlier labs. If it passes then, this counts, and the result's note names the lab.
void judge_above_ours(struct run *run, size_t lab);

#endif
