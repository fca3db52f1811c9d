// beneath.h - finds the failing exercises that an exercise builds on, and describes them.

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

// The exercises in `where` that an exercise builds on, directly or indirectly, and that do
// not pass.
void find_failing(const struct grading *grading, const struct exercise *exercise,
                  const struct lab_place *where, struct failing *failing);

// The exercises in `where` that an exercise builds on, directly or indirectly.
void list_used(const struct grading *grading, const struct exercise *exercise,
               const struct lab_place *where, struct failing *used);

// "2.2, which fails, and 2.3 and 2.4, which are todo"; of kernels, "1.1 (gpu), which is todo"
void name_failing(FILE *file, const struct failing *failing);

// An exercise may fail because an exercise that it builds on fails. If the workbook's
// version was not linked instead, the result gets no diagnosis but names the exercise to
// fix first.
void trace_failure(const struct grading *grading, struct result *result);

#endif
