// kept.h - expected results that take long to compute, kept for other judges of the same cases.
//
// All hand-ins of a class are judged on the same cases, each by a process of its own. The first one
// keeps what a solution took more than a millisecond for, in one file for each case:
//
//     function, place, seed and sizes of the case  one line
//     the solution's status, four bytes
//     the expected content of each tensor that the function writes
//
// Its path is list->kept and a hash of the first line. The folder belongs to one run of a class
// (class/class.c), so the solutions and the cases cannot change in it. No student code may reach it.

#ifndef GRADER_KEPT_H
#define GRADER_KEPT_H

#include <stdbool.h>

#include "cases/case.h"

// Sets the expected results of case i from its file. Returns false if there is none.
bool kept_read(struct case_list *list, size_t i);

// Keeps them. If they cannot be written, they are not kept; this is not an error.
void kept_write(const struct case_list *list, size_t i);

#endif
