// variables.h - keeps one function's variables from costing the other exercises of its lab.

#ifndef GRADER_VARIABLES_H
#define GRADER_VARIABLES_H

#include "grade/side.h"

// judge_exercise. But if the exercise limits memory (.heap_kilobytes), and the lab's variables and constants
// exceed the limit, it is judged in a worker that has only the variables of its own functions. lab: the index
// of build's lab.
void judge_with_own_variables(struct run *run, size_t lab, const struct build *build,
                              struct result *result);

#endif
