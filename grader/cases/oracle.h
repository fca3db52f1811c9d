// oracle.h - the source of expected results: the solutions, or the bank of the student
// archive.
//
// Each case has a pointer to its oracle: the solutions (solutions.c) if cases_draw drew it,
// or a bank if bank_draw did (bank/read.c). Only judge/draw.c chooses between the two.

#ifndef GRADER_ORACLE_H
#define GRADER_ORACLE_H

#include <stdbool.h>

#include "cases/case.h"
#include "exercises/exercise.h"

struct case_list;

struct oracle {
    // Computes the expected results of each case.
    void (*expect)(struct case_list *list, const struct entry *reference);

    // Returns true if the student's status and outputs equal those of a mistake. or_right:
    // also accept outputs that differ if the student's are right.
    bool (*agrees)(const struct test_case *test, const struct entry *entry,
                   const struct mistake *mistake, bool or_right);

    // Returns true if the mistake goes out of bounds in this call.
    bool (*leaves_arguments)(const struct test_case *test, const struct entry *entry,
                             const struct mistake *mistake);

    // Frees the oracle's data; may be NULL.
    void (*close)(struct case_list *list);

    bool
        // the expected results depend on the student's, so compute them again after each
        // run
        looks_at_outputs;
};

// The solutions and the known mistakes, which are functions, too.
extern const struct oracle solutions_oracle;

#endif
