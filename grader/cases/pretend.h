// pretend.h - a function of ours in the place of a student's.

#ifndef GRADER_PRETEND_H
#define GRADER_PRETEND_H

#include "cases/case.h"

// Fills in got and the rest as if f were a student's, and settles. What is expected must
// be known; a bank is asked once more, for of a long output it depends on what came out.
void cases_pretend(struct case_list *cases, const struct entry *entry, any_function f);

#endif
