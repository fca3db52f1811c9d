// ask_call.h - the call that a question is about, small enough to work out by hand.

#ifndef GRADER_ASK_CALL_H
#define GRADER_ASK_CALL_H

#include <stddef.h>
#include <stdio.h>

#include "cases/case.h"
#include "class/ask.h"

enum { MOST_ELEMENTS = 64 }; // of one of its tensors

// A call of the part with numbers of this student's, and the solution's results. An empty list
// if the part has no small call. Free it with cases_free.
struct case_list call_small(const struct subject *subject);

// One element of a tensor, and "q (2, 4)" with its rows.
void call_write_number(FILE *file, const struct tensor *tensor, const void *values,
                       size_t i);
void call_write_tensor(FILE *file, const struct tensor *tensor, const void *values);

// The call with its inputs. Caller frees.
char *call_show(const struct test_case *test);

// The number of the first output of floats.
size_t call_main_output(const struct test_case *test);

#endif
