// repeats.h - a call is made again on outputs and workspaces with other contents.

#ifndef GRADER_REPEATS_H
#define GRADER_REPEATS_H

#include "cases/case.h"

// The repeats of a case, by its size: small cases repeat on all contents, larger ones on
// one, very large ones on none. Drawn cases have them already.
uint32_t case_repeats(const struct test_case *test);

// If the first call is right but a repeat fails, replaces the results (got, got_status) by
// those of the repeat and sets contents. Call it after cases_expect.
void cases_settle(struct case_list *list);

// Returns true if the results of a case are those of a repeat.
static inline bool case_is_repeat(const struct test_case *test)
{
    return test->contents != POISONED && !test->again;
}

#endif
