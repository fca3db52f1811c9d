// repair.h - names a slip of one word in a failing function by undoing it.

#ifndef GRADER_REPAIR_H
#define GRADER_REPAIR_H

#include "grade/side.h"

// A function may be wrong only because a loop starts at 1 instead of 0, because a sum is an int, because exp2f stands
// where expf belongs, because a small number is added, because a sum is a float, because a maximum does not start at -INFINITY, or because memcpy
// gets a number of elements. If an exercise of this lab is wrong for no known reason, or the reason is a guess, such
// places in its functions (slips.h) are changed in a copy of the file. If the exercise passes then, its report names the
// line. So what is said is true, in every exercise, and it needs no known mistake with the same numbers. Verdicts and
// marks stay as they are.
void repair_slips(struct run *run, size_t lab);

#endif
