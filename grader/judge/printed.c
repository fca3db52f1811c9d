// printed.c - see printed.h.

#define _GNU_SOURCE
#include "judge/printed.h"

#include <stdio.h>
#include <string.h>

#include "cases/case.h"
#include "cases/repeats.h"
#include "judge/result.h"

// The number of marks that the worker printed in a call: one at its start, one for each
// repeat.
static size_t count_marks(const struct test_case *test, enum contents last)
{
    size_t marks = 1;
    for (size_t c = POISONED; c <= (size_t)last; c++) {
        marks += test->repeats >> c & 1;
    }
    return marks;
}

// The number of a call, as the worker counts them, and the number of marks after its own.
static size_t call_number(const struct trial *trial, const struct test_case *test,
                          size_t *behind)
{
    size_t call = 0, number = 0, marks = 0, own = 0;
    for (size_t p = 0; p < trial->part_count; p++) {
        for (size_t c = 0; c < trial->parts[p].cases.count; c++, call++) {
            const struct test_case *other = &trial->parts[p].cases.cases[c];
            bool whole = other->progress == RETURNED;
            if (other == test || call == 0) {
                number = call;
                own =
                    marks + count_marks(other, test != NULL ? other->contents : POISONED);
            }
            if (other->progress != NOT_REACHED) {
                marks += count_marks(other, whole ? CONTENTS - 1 : other->contents);
            }
        }
    }
    *behind = marks > own ? marks - own : 0;
    return number;
}

void keep_printed(struct trial *trial)
{
    const struct outcome *outcome = &trial->outcome;
    struct result *result = trial->result;
    size_t marks, shown = call_number(trial, trial->shown, &marks);
    const char *end = outcome->output + outcome->output_size;
    char mark[32];
    int length = trial->shown != NULL && case_is_repeat(trial->shown)
                     ? snprintf(mark, sizeof mark, "\036%zu+%u\n", shown,
                                (unsigned)trial->shown->contents)
                     : snprintf(mark, sizeof mark, "\036%zu\n", shown);
    const char *start =
        memmem(outcome->output, outcome->output_size, mark, (size_t)length);
    const char *gap =
        memmem(outcome->output, outcome->output_size, OUTPUT_GAP, strlen(OUTPUT_GAP));
    if (start == NULL) {
        result->printed_lines = gap != NULL ? outcome->output_lines : 0;
        result->printed_size = 0;
        return;
    }
    start += length;
    const char *next = memchr(start, '\036', (size_t)(end - start));
    next = next != NULL ? next : end;
    if (gap != NULL && next == gap + 1) { // the gap starts with a newline
        size_t before = count_lines(outcome->output, (size_t)(start - outcome->output));
        size_t behind = outcome->output_lines - before;
        result->printed_lines = behind > marks ? behind - marks : 0;
        result->printed_later = true;
        next = gap;
    } else {
        result->printed_lines = count_lines(start, (size_t)(next - start));
    }
    result->printed_size = (size_t)(next - start);
    memmove(outcome->output, start, result->printed_size);
}
