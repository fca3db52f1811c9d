// oracle.h - who knows what is right: the solutions, or the bank of the student archive.
//
// Cases carry their oracle with them. cases_draw gives those of the solutions (solutions.c), bank_draw
// those of a bank (bank/read.c); judge/draw.c chooses between the two, and nobody else asks.

#ifndef GRADER_ORACLE_H
#define GRADER_ORACLE_H

#include <stdbool.h>

#include "cases/case.h"
#include "exercises/exercise.h"

struct case_list;

struct oracle {
    // Fills in what is expected of each case.
    void (*expect)(struct case_list *list, const struct entry *reference);

    // Are the student's status and outputs those of a mistake? or_right: an output in which the
    // student is right may be another.
    bool (*agrees)(const struct test_case *test, const struct entry *entry,
                   const struct mistake *mistake, bool or_right);

    // Does the mistake leave its arguments in this call?
    bool (*leaves_arguments)(const struct test_case *test, const struct entry *entry,
                             const struct mistake *mistake);

    // Frees what belongs to it, or NULL.
    void (*close)(struct case_list *list);

    bool
        looks_at_outputs; // what is expected depends on what came out: ask anew after each run
};

// The solutions, and the known mistakes, which are functions too.
extern const struct oracle solutions_oracle;

#endif
