// finding.c - reports what the simulated GPU found in a student's kernel: a race, a missing
// barrier, an access outside an allocation.
//
// The worker (worker/gpu*.c) prints the first finding and ends. As with the sanitizers'
// reports, the text comes from the student's process. It only explains a failure; forging
// it can only cost marks.

#define _GNU_SOURCE
#include "judge/finding.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "build/backend.h"
#include "cases/case.h"
#include "judge/result.h"
#include "judge/trial.h"

// On a card, an invalid memory access ends the program. The other errors sometimes give
// wrong numbers.
static const struct {
    const char *kind;
    enum verdict verdict;
} kinds[] = {
    {"race-shared", WRONG},
    {"race-global", WRONG},
    {"barrier-divergent", WRONG},
    {"barrier-missed", WRONG},
    {"barrier-on-host", WRONG},
    {"warp-divergent", WRONG},
    {"warp-inactive", WRONG},
    {"warp-mask", WRONG},
    {"warp-width", WRONG},
    {"uninitialized-shared", WRONG},
    {"uninitialized-global", WRONG},
    {"order", WRONG},
    {"launch-unchecked", WRONG},
    {"wrong-stream", WRONG},
    {"launcher-waits", WRONG},
    {"launcher-allocates", WRONG},
    {"launcher-copies", WRONG},
    {"launch-invalid", WRONG},
    {"nothing-launched", WRONG},
    {"rows-missing", WRONG},
    {"launch-in-kernel", WRONG},
    {"call-in-kernel", WRONG},
    {"shared-too-large", WRONG},
    {"shift", WRONG},
    {"not-on-the-device", WRONG},
    {"input-written", CRASH},
    {"out-of-bounds", CRASH},
    {"index", CRASH},
    {"use-after-free", CRASH},
    {"double-free", CRASH},
    {"invalid-free", CRASH},
    {"memcpy-bounds", CRASH},
    {"memcpy-direction", CRASH},
    {"null-pointer", CRASH},
    {"host-pointer", CRASH},
    {"device-pointer", CRASH},
    {"misaligned", CRASH},
    {"stack-overflow", CRASH},
    {"assert", CRASH},
    {"division", CRASH},
    {"trap", CRASH},
};

static const char *line_end(const char *text, const char *end)
{
    const char *newline = memchr(text, '\n', (size_t)(end - text));
    return newline != NULL ? newline : end;
}

// The worker knows tensors only by their index. Replaces "\0362" by "weights (T S)".
// Forging this only changes a name in the report. Caller frees.
static char *name_tensors(const struct trial *trial, const char *from, const char *end)
{
    const struct test_case *test = case_entered(trial);
    struct text text;
    text_begin(&text);
    while (from < end) {
        const char *mark = memchr(from, *TENSOR_MARK, (size_t)(end - from));
        mark = mark != NULL ? mark : end;
        fprintf(text.file, "%.*s", (int)(mark - from), from);
        from = mark;
        if (mark == end) {
            break;
        }
        size_t index = 0;
        for (from++; from < end && *from >= '0' && *from <= '9' && index < MAX_TENSORS;
             from++) {
            index = 10 * index + (size_t)(*from - '0');
        }
        if (test != NULL && index < test->tensors) {
            const struct tensor_spec *spec = test->tensor[index].spec;
            fprintf(text.file, "%s (%s)", spec->name, spec->shape);
        } else {
            fputs("one of the arguments", text.file);
        }
    }
    return text_end(&text);
}

// Optional tensors that this call does not have.
static void name_absent(const struct trial *trial)
{
    const struct test_case *test = case_entered(trial);
    for (size_t i = 0; test != NULL && i < test->tensors; i++) {
        if (test->tensor[i].absent) {
            fprintf(trial->text.file, "  %s is NULL in this call\n",
                    test->tensor[i].spec->name);
        }
    }
}

// A size that is too large, which no launch can take.
static void show_refusal(const struct trial *trial)
{
    const struct test_case *test = case_entered(trial);
    if (test != NULL && test->beyond != 0 && !test->most) {
        fprintf(trial->text.file, "  The function must return %s and launch nothing.\n",
                lab_status_name(LAB_ESHAPE));
    }
}

// "kind\nheadline\ndetails ..."
static void conclude(struct trial *trial, const char *text, const char *end)
{
    struct result *result = trial->result;
    const char *after_kind = line_end(text, end);
    const char *headline = after_kind < end ? after_kind + 1 : end;
    const char *after_headline = line_end(headline, end);
    const char *details = after_headline < end ? after_headline + 1 : end;
    result->verdict = WRONG;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size_t length = strlen(kinds[i].kind);
        if (length == (size_t)(after_kind - text) &&
            memcmp(text, kinds[i].kind, length) == 0) {
            result->verdict = kinds[i].verdict;
            result->diagnosis = kinds[i].kind;
        }
    }
    result->headline = grader_print("%.*s", (int)(after_headline - headline), headline);
    if (result->diagnosis != NULL && strcmp(result->diagnosis, "null-pointer") == 0) {
        name_absent(trial);
    }
    show_refusal(trial);
    while (details < end) {
        const char *line = line_end(details, end);
        fprintf(trial->text.file, "  %.*s\n", (int)(line - details), details);
        details = line < end ? line + 1 : end;
    }
}

bool explain_finding(struct trial *trial)
{
    struct outcome *outcome = &trial->outcome;
    if (trial->result->backend == CPU || outcome->ending != EXITED ||
        outcome->code != WORKER_FINDING) {
        return false;
    }
    char *mark =
        memmem(outcome->output, outcome->output_size, FINDING_MARK, strlen(FINDING_MARK));
    if (mark == NULL) {
        return false;
    }
    char *named = name_tensors(trial, mark + strlen(FINDING_MARK),
                               outcome->output + outcome->output_size);
    conclude(trial, named, named + strlen(named));
    free(named);
    outcome_cut(outcome, mark);
    return true;
}
