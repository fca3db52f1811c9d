// beneath.h - what an exercise builds on and does not pass, and the words for it.

#ifndef GRADER_BENEATH_H
#define GRADER_BENEATH_H

#include <stdio.h>

#include "grade/grading.h"
#include "grade/side.h"
#include "judge/result.h"

struct failing {
    const struct result *results[MAX_FAILING];
    size_t count;
};
void add_failing(struct failing *failing, const struct result *result);
bool is_among(const struct result *result, const struct failing *failing);

// The exercises that one builds on, directly or not, that lie in `where` and do not pass.
void find_failing(const struct grading *grading, const struct exercise *exercise,
                  const struct lab_place *where, struct failing *failing);

// Those that one builds on, directly or not, in `where`, whether they pass or not.
void list_used(const struct grading *grading, const struct exercise *exercise,
               const struct lab_place *where, struct failing *used);

// "2.2, which fails, and 2.3, which is todo"
void name_failing(FILE *file, const struct failing *failing);

// An exercise can fail because one that it builds on fails. Where the workbook's version was not
// linked in place of that one, the result gets no diagnosis; it names the exercise to fix first.
void trace_failure(const struct grading *grading, struct result *result);

#endif
