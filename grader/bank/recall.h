// recall.h - remembers the outputs of calls while the bank of one part is written and checked.
//
// A mistake is called for the bank's rows, and again when the bank is checked: on the CPU's cases, on the
// GPU's, which are mostly the same, and when another mistake is diagnosed. The second time the outputs are
// copied.

#ifndef GRADER_BANK_RECALL_H
#define GRADER_BANK_RECALL_H

#include "cases/case.h"

// As case_call. test->row is the case's row in the bank: cases with the same row are the same call.
lab_status recall_call(const struct test_case *test, adaptor *call, any_function f,
                       void *output[MAX_TENSORS]);

// Forgets everything, because the rows of the next part are others.
void recall_end(void);

#endif
