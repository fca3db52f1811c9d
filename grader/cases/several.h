// several.h - two mistakes at once: what the failing calls show, call by call.

#ifndef GRADER_SEVERAL_H
#define GRADER_SEVERAL_H

#include <stdbool.h>
#include <stddef.h>

#include "cases/case.h"

enum { MOST_SEEN = 2 };

// A mistake whose numbers some of the failing calls have.
struct seen {
    const struct mistake *mistake;
    size_t calls;
    const struct test_case *smallest; // of these calls
    // the one output that has the numbers; NULL: all that are wrong
    const struct tensor_spec *tensor;
};

// Each of two mistakes shows alone in calls in which the other changes nothing: without the division by sqrt(d)
// where S is 1, and with a transposed k where d is 1. Finds the mistake that explains most of the small failing calls,
// and then another one that explains others. Only calls that none of `told` (or NULL) explains count. Returns how many it found.
size_t mistakes_seen(const struct case_list *cases, const struct entry *entry,
                     const struct mistake *told, struct seen seen[MOST_SEEN]);

// Each of two mistakes may also spoil an output of its own: dgain is set, and dx lacks a term. Finds outputs with a mistake
// that explains them in every small failing call, where other outputs are wrong, too. Returns how many it found.
size_t mistakes_by_output(const struct case_list *cases, const struct entry *entry,
                          struct seen seen[MOST_SEEN]);

// Is an output a mask, or another answer of yes and no? A wrong byte of it can only be the other one of 0 and 1, so many
// mistakes look alike.
bool gives_mask(const struct part *part);

#endif
