// hidden.c - judges again on secret cases.
//
// In the reports, every hidden failure looks the same: "wrong", "on hidden cases".
// Untrusted code could choose how it fails, and so use the verdict, the diagnosis or the
// kind of finding to reveal more about the cases than one bit. Inputs, outputs, sizes,
// printed text and run time are not recorded, so no report can leak them.

#include "grade/hidden.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "grade/grade.h"
#include "grade/grading.h"
#include "judge/options.h"
#include "judge/result.h"

static void take_failure(struct result *result)
{
    result->verdict = WRONG;
    result->headline = grader_print("on hidden cases");
    result->details =
        grader_print("  All cases that you can run pass. The exercise is also judged on "
                     "hidden cases,\n"
                     "  and it fails there: think about other sizes and values.\n");
}

// This is not a secret: the student knows how long the code takes.
static void take_unjudged(struct result *result, const struct result *hidden)
{
    result->unjudged = true;
    result->verdict = TIMEOUT;
    result->headline =
        grader_print("not judged on hidden cases: this hand-in used up its time");
    result->details = grader_print("%s", hidden->details);
}

// Prints the reason to stderr for the instructor; there is no verdict.
static void take_grader_error(struct result *result, const struct result *hidden)
{
    fprintf(stderr, "grade: %s, hidden cases: %s\n%s", result->exercise->id,
            hidden->headline, hidden->details);
    result->verdict = GRADER_ERROR;
    result->headline = grader_print("the grader failed on hidden cases");
    result->details = grader_print("%s", "");
}

static void take_over(struct result *result, const struct result *hidden)
{
    free(result->headline);
    free(result->details);
    free(result->call);
    result->diagnosis = NULL;
    result->hidden = true;
    result->printed_size = 0;
    result->call = NULL;
    // It passed on the public cases, so a missing device is not the student's fault.
    if (hidden->verdict == GRADER_ERROR || hidden->verdict == NOT_RUN) {
        take_grader_error(result, hidden);
    } else if (hidden->unjudged) {
        take_unjudged(result, hidden);
    } else {
        take_failure(result);
    }
}

static bool any_passes(const struct grading *grading)
{
    bool any = false;
    for (size_t i = 0; i < grading->count; i++) {
        any = any || (grading->results[i].asked && grading->results[i].verdict == PASS);
    }
    return any;
}

void grade_hidden(struct grading *grading, uint64_t seed)
{
    struct options options = grading->options;
    options.seed = seed;
    options.dump = NULL;
    options.shown = grading;
    if (!any_passes(grading)) {
        return;
    }
    struct grading hidden = grade_run(&options);
    for (size_t i = 0; i < grading->count; i++) {
        struct result *result = &grading->results[i];
        if (!result->asked || result->verdict != PASS) {
            continue;
        }
        const struct result *other =
            grade_find_on(&hidden, result->exercise->id, result->place->gpu);
        if (other == NULL) {
            grader_fail("%s was not judged on hidden cases", result->exercise->id);
        }
        if (other->verdict != PASS) {
            take_over(result, other);
        }
    }
    grade_free(&hidden);
}
