// status.c - see status.h.

#include "judge/status.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cases/compare.h"
#include "cases/show.h"
#include "judge/clause.h"

// The outputs are right, but the student forgot to change the last line, which returns
// LAB_TODO.
static bool right_but_todo(const struct test_case *test)
{
    for (size_t i = 0; i < test->tensors; i++) {
        if (compare_tensor(&test->tensor[i]).fault != NO_FAULT) {
            return false;
        }
    }
    return test->got_status == LAB_TODO && test->expected_status == LAB_OK;
}

static bool is_a_status(int status)
{
    return strcmp(lab_status_name((lab_status)status), "(not a lab_status)") != 0;
}

char *status_headline(const struct test_case *test)
{
    if (right_but_todo(test)) {
        return grader_print(
            "the outputs are right, but it still returns LAB_TODO (1): return "
            "LAB_OK at the end");
    }
    if (test->got_status == LAB_TODO) {
        return grader_print("still returns LAB_TODO for some sizes");
    }
    if (!is_a_status(test->got_status)) {
        return grader_print(
            "returns %d, which is not a lab_status, instead of %s: does every path "
            "through the function end in a return?",
            test->got_status, lab_status_name(test->expected_status));
    }
    return grader_print("returns %s (%d) instead of %s",
                        lab_status_name((lab_status)test->got_status), test->got_status,
                        lab_status_name(test->expected_status));
}

// A function whose memory is limited may have been refused some (worker/heap.c).
static void show_memory_limit(const struct trial *trial)
{
    const struct exercise *exercise = trial->result->exercise;
    if (exercise->heap_kilobytes > 0 && trial->result->backend == CPU) {
        fprintf(
            trial->text.file,
            "  a call gets at most %zu kilobytes from malloc, and little on the stack "
            "or from mmap:\n"
            "  %s\n",
            exercise->heap_kilobytes, exercise->heap_reason);
    }
}

// The header's sentences about a status, or else what the status means.
static void show_clause(const struct trial *trial, const struct test_case *test,
                        const char *before, lab_status status)
{
    const struct lab_place *place = trial->build->place;
    char *folder = grader_print("%s/labs/%s", trial->options->root, place->folder);
    char *function = grader_print("%s%s", test->part->function, function_suffix(place));
    char *clause = clause_about(folder, function, lab_status_name(status));
    const char *name = lab_status_name(status), *means = lab_status_message(status);
    // What LAB_ESHAPE means says nothing about sizes that are too large. A header of the GPU side
    // leaves much to the other one.
    char *line =
        test->beyond != 0 && clause != NULL
            ? grader_print("%s %s. The header: \"%s\"", before, test->note, clause)
        : clause == NULL ? grader_print("%s %s means: %s.", before, name, means)
        : place->gpu ? grader_print("%s %s means: %s. The header: \"%s\"", before, name,
                                    means, clause)
                     : grader_print("%s The header: \"%s\"", before, clause);
    show_wrapped(trial->text.file, "  ", line);
    free(line);
    free(clause);
    free(function);
    free(folder);
}

void show_refusal_due(const struct trial *trial, const struct test_case *test)
{
    show_clause(trial, test, "The function must refuse this call.",
                test->expected_status);
}

void show_status(const struct trial *trial, const struct test_case *test)
{
    if (test->beyond == 0) { // otherwise the tensors are smaller than the call says
        show_call_inputs(trial, test);
    }
    if (test->got_status == LAB_ENOMEM) {
        show_memory_limit(trial);
    } else if (test->expected_status != LAB_OK) {
        show_refusal_due(trial, test);
    } else if (is_a_status(test->got_status) && test->got_status != LAB_TODO) {
        const bool calls =
            exercise_uses(trial->result->exercise, trial->build->place->gpu)[0] != NULL;
        show_clause(trial, test,
                    calls
                        ? "All arguments of this call are allowed. Is this the status of "
                          "a function that yours calls?"
                        : "All arguments of this call are allowed.",
                    (lab_status)test->got_status);
    }
}
