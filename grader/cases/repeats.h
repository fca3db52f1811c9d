// repeats.h - a call is made again on outputs and workspaces with other contents.

#ifndef GRADER_REPEATS_H
#define GRADER_REPEATS_H

#include "cases/case.h"

// Sets the repeats of a function's cases, by their size: small cases and the first large one repeat on all
// contents, other large ones on one, very large ones on none. The lists of draw and bank have them already.
void cases_choose_repeats(struct case_list *list);

// If the first call is right but a repeat fails, replaces the results (got, got_status) by
// those of the repeat and sets contents. Call it after cases_expect.
void cases_settle(struct case_list *list);

// Returns true if the results of a case are those of a repeat.
static inline bool case_is_repeat(const struct test_case *test)
{
    return test->contents != POISONED && !test->again;
}

#endif
