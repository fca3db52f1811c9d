// callees.h - checks that a function returns the status of a function that it calls, if that
// fails.

#ifndef GRADER_CALLEES_H
#define GRADER_CALLEES_H

#include "judge/trial.h"

// Makes small calls of an exercise that passes, while one of the calls in its code fails. Each
// must then return the status of the call that failed, or be right without it. If one is
// neither, describes it, sets the result and returns true.
bool explain_ignored_status(struct trial *trial);

// The calls of an exercise, each with one call in it that fails.
struct attempts {
    struct wire_part parts[MAX_PARTS];
    size_t part_count;
    struct attempt_list *lists; // of each part
    bool returned;              // from all of them, and nothing else happened
};

// Most exercises pass, so a worker can make these calls after all others, which saves starting another one.
// If the worker ends in one, or one is not right, nothing is concluded: explain_ignored_status makes
// them again, in a worker of their own. The expected results must be known.
// attempts_are_well: is every one right? Call it after the run.
struct attempts *attempts_draw(const struct trial *trial);
bool attempts_are_well(const struct trial *trial);
void attempts_free(struct attempts *attempts); // NULL is allowed

#endif
