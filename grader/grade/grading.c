// grading.c - see grading.h.

#include "grade/grading.h"

#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/memory.h"
#include "judge/result.h"
#include "judge/worker.h"
#include "sandbox/allowance.h"

static struct result *find_result(struct grading *grading, const char *exercise, bool gpu)
{
    for (size_t i = 0; i < grading->count; i++) {
        struct result *result = &grading->results[i];
        if (result->place->gpu == gpu && strcmp(result->exercise->id, exercise) == 0) {
            return result;
        }
    }
    return NULL;
}

const struct result *grade_find_on(const struct grading *grading, const char *exercise,
                                   bool gpu)
{
    return find_result((struct grading *)grading, exercise, gpu);
}

const struct result *grade_find(const struct grading *grading, const char *exercise)
{
    return grade_find_on(grading, exercise, false);
}

// Needed to trace a failure to its cause. Exercises build on earlier ones only, so one pass
// from the last to the first finds all.
void grade_choose_used(struct grading *grading)
{
    for (size_t i = grading->count; i-- > 0;) {
        const struct result *result = &grading->results[i];
        const char *const *uses = exercise_uses(result->exercise, result->place->gpu);
        for (size_t u = 0; result->chosen && u < MAX_USES && uses[u] != NULL; u++) {
            struct result *used = find_result(grading, uses[u], result->place->gpu);
            if (used == NULL && result->place->gpu) {
                continue; // the exercise it builds on has no GPU variant
            }
            if (used == NULL || used >= result) {
                grader_fail("exercise %s uses %s, which is not an earlier one",
                            result->exercise->id, uses[u]);
            }
            used->chosen = true;
        }
    }
}

void grade_drop_others(struct grading *grading)
{
    size_t kept = 0;
    for (size_t i = 0; i < grading->count; i++) {
        if (grading->results[i].chosen) {
            grading->results[kept++] = grading->results[i];
        }
    }
    grading->count = kept;
}

// The run on the public cases has already set the allowance for the hidden ones.
void grade_allow(const struct grading *grading)
{
    double seconds = 0;
    for (size_t i = 0; i < grading->count; i++) {
        const struct result *result = &grading->results[i];
        seconds += result->chosen ? seconds_of_run(&grading->options, result) : 0;
    }
    if (grading->options.shown == NULL) {
        allowance_set(grading->options.allowance, MOST_TIMES_ITS_LIMIT * seconds);
    }
}

void grade_free(struct grading *grading)
{
    for (size_t i = 0; i < grading->count; i++) {
        result_clear(&grading->results[i]);
    }
    for (size_t i = 0; i < grading->warning_count; i++) {
        free(grading->warnings[i].text);
    }
    free(grading->warnings);
    for (size_t i = 0; i < grading->loan_count; i++) {
        free(grading->loans[i].line);
    }
    free(grading->loans);
    free(grading->question_rows);
    free(grading->hung);
    allowance_free(grading->own_allowance);
    free(grading->results);
    rubric_free(grading->rubric);
}

enum exit_code grade_exit_code(const struct grading *grading)
{
    bool all = true;
    for (size_t i = 0; i < grading->count; i++) {
        const struct result *result = &grading->results[i];
        if (result->verdict == GRADER_ERROR) {
            return EXIT_GRADER;
        }
        all = all && (!result->asked || result->verdict == PASS);
    }
    return all ? EXIT_PASS : EXIT_FAIL;
}
