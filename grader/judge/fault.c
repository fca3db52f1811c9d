// fault.c - whose failure was it, the student's or ours?

#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "judge/judge.h"
#include "judge/memory.h"
#include "judge/side.h"

// Does the lab's own solution of an exercise compile and pass on this machine?
static bool machine_works(struct run *run, size_t lab, const struct result *doubtful)
{
    struct build *reference = reference_of(run, lab);
    struct build *beneath[MAX_USED] = {NULL};
    size_t used[MAX_USED], count = used_labs(run, lab, used);
    struct result result = {.exercise = doubtful->exercise,
                            .rule = doubtful->rule,
                            .place = doubtful->place,
                            .backend = doubtful->backend};
    for (size_t u = 0; u < count; u++) {
        beneath[u] = reference_of(run, used[u]);
        if (beneath[u] == NULL) {
            return false;
        }
    }
    if (reference == NULL) {
        return false;
    }
    build_link(run->workshop, reference, beneath);
    judge_exercise(&run->grading->options, reference, &result);
    result_clear(&result);
    return result.verdict == PASS;
}

// A compiler that refuses a file says "error:"; anything else may be the machine.
static bool is_doubtful(const struct result *result)
{
    return result->verdict == GRADER_ERROR ||
           (result->verdict == NOCOMPILE && strstr(result->details, "error:") == NULL);
}

static bool has_solutions(const struct run *run)
{
    char *folder = grader_print("%s/solutions", run->workshop->root);
    bool has = access(folder, F_OK) == 0;
    free(folder);
    return has;
}

void decide_whose_fault(struct run *run)
{
    if (!has_solutions(run)) {
        return; // a hand-out: nothing to try the machine with
    }
    for (size_t lab = 0; lab < run->labs; lab++) {
        bool asked = false, works = false;
        for (size_t i = 0; i < run->grading->count; i++) {
            struct result *result = &run->grading->results[i];
            if (result->place != &run->places[lab] || !is_doubtful(result)) {
                continue;
            }
            works = asked ? works : machine_works(run, lab, result);
            asked = true;
            if (works && result->verdict == GRADER_ERROR) {
                result->verdict = CRASH;
            } else if (!works && result->verdict == NOCOMPILE) {
                result->verdict = GRADER_ERROR;
                free(result->headline);
                result->headline =
                    grader_print("not even the solution compiles and runs on "
                                 "this machine");
            }
        }
    }
}
