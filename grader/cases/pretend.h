// pretend.h - runs one of the grader's functions as if it were a student's.

#ifndef GRADER_PRETEND_H
#define GRADER_PRETEND_H

#include "cases/case.h"

// Sets got and the other results as if f were a student's function, including repeats. The
// expected results must be known. For a bank they are computed again, because for long
// outputs they depend on the student's.
void cases_pretend(struct case_list *cases, const struct entry *entry, any_function f);

// Forgets the results of the last function: outputs and workspaces start as in a first call.
void cases_start_over(struct case_list *cases);

// The same for two lists of equal cases; f is called once for both, through `caller`, which does
// what case_call does.
typedef lab_status case_caller(const struct test_case *test, adaptor *call,
                               any_function f, void *output[MAX_TENSORS]);
void cases_pretend_both(struct case_list *one, struct case_list *other,
                        const struct entry *entry, any_function f, case_caller *caller);

#endif
