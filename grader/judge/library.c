// library.c - explains OpenBLAS's message about a rejected call.
//
// " ** On entry to SGEMM  parameter number 10 had an illegal value" fully explains a result that
// was never written, and it may occur in another call than the one shown. Only the routine and the
// number are used.

#define _GNU_SOURCE
#include "judge/library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cases/case.h"
#include "judge/trial.h"

static const char complaint[] = " ** On entry to ";

struct refusal {
    char routine[8];
    unsigned parameter;
};

static bool read_refusal(const char *line, struct refusal *refusal)
{
    return sscanf(line + strlen(complaint),
                  "%7[A-Z0-9] parameter number %2u had an illegal value",
                  refusal->routine, &refusal->parameter) == 2;
}

// The call in which something was printed, from the marks that the worker prints
// (keep_printed).
static const struct test_case *call_of(const struct trial *trial, const char *at)
{
    const char *mark =
        memrchr(trial->outcome.output, '\036', (size_t)(at - trial->outcome.output));
    size_t call = mark != NULL ? strtoul(mark + 1, NULL, 10) : 0;
    for (size_t p = 0; p < trial->part_count; p++) {
        const struct case_list *cases = &trial->parts[p].cases;
        if (call < cases->count) {
            return &cases->cases[call];
        }
        call -= cases->count;
    }
    return NULL;
}

// cblas numbers parameters as in Fortran, which has no row-major order, so A and B are
// swapped.
static const char *name_parameter(const struct refusal *refusal)
{
    static const char *const sgemm[] = {
        [3] = "n", [4] = "m", [5] = "k", [8] = "ldb", [10] = "lda", [13] = "ldc"};
    bool known = strcmp(refusal->routine, "SGEMM") == 0 &&
                 refusal->parameter < sizeof sgemm / sizeof *sgemm;
    return known ? sgemm[refusal->parameter] : NULL;
}

// "wrong values in out" is what follows from the rejected call, so its name comes first. Nothing is added to a
// crash or to a known mistake, which say more, or if the rejected call is another function's than the one shown.
static void put_first(const struct trial *trial, const struct test_case *test,
                      const struct refusal *refusal)
{
    struct result *result = trial->result;
    if (result->verdict != WRONG || result->diagnosis != NULL || trial->shown == NULL ||
        trial->shown->part != test->part) {
        return;
    }
    char *headline = result->headline;
    const char *name = name_parameter(refusal);
    result->headline = name != NULL
                           ? grader_print("OpenBLAS rejects %s; %s", name, headline)
                           : grader_print("OpenBLAS rejects parameter %u of %s; %s",
                                          refusal->parameter, refusal->routine, headline);
    free(headline);
}

// The next complaint from at on, or NULL.
static const char *next_complaint(const struct outcome *outcome, const char *at)
{
    const size_t left = outcome->output_size - (size_t)(at - outcome->output);
    return memmem(at, left, complaint, strlen(complaint));
}

bool library_rejects(const struct trial *trial, const struct test_case *test)
{
    const struct outcome *outcome = &trial->outcome;
    const char *line = next_complaint(outcome, outcome->output);
    while (line != NULL && call_of(trial, line) != test) {
        line = next_complaint(outcome, line + 1);
    }
    return line != NULL;
}

void explain_library(struct trial *trial)
{
    const struct outcome *outcome = &trial->outcome;
    FILE *file = trial->text.file;
    struct refusal refusal;
    const char *line = next_complaint(outcome, outcome->output);
    const struct test_case *test = line != NULL ? call_of(trial, line) : NULL;
    if (test == NULL || !read_refusal(line, &refusal)) {
        return;
    }
    fputs("  OpenBLAS rejects its arguments in the call ", file);
    describe_call(trial, test);
    fprintf(file, ":\n  %s: parameter %u has an illegal value", refusal.routine,
            refusal.parameter);
    const char *name = name_parameter(&refusal);
    fprintf(file, name != NULL ? ", %s in row-major order\n" : "%s\n",
            name != NULL ? name : "");
    put_first(trial, test, &refusal);
}
