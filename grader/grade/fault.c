// fault.c - decides whether a failure is the student's or the grader's.

#define _GNU_SOURCE
#include "grade/fault.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "build/build.h"
#include "build/link.h"
#include "grade/side.h"
#include "judge/judge.h"
#include "judge/result.h"

// Builds the lab's solution like a student's code, with the same tools and walls.
static struct build try_to_build(const struct run *run, size_t lab)
{
    struct build build = {
        .place = &run->places[lab], .backend = run->own[lab].backend, .trial = true};
    build_compile(run->workshop, &build);
    return build;
}

static bool passes(struct run *run, struct build *trial, struct build *const *beneath,
                   const struct result *doubtful)
{
    struct result result = {.exercise = doubtful->exercise,
                            .rule = doubtful->rule,
                            .place = doubtful->place,
                            .backend = doubtful->backend};
    build_link(run->workshop, trial, beneath);
    judge_exercise(&run->grading->options, trial, &result);
    result_clear(&result);
    return result.verdict == PASS;
}

// Returns true if the lab's solution compiles and passes an exercise on this machine.
static bool machine_works(struct run *run, size_t lab, const struct result *doubtful)
{
    struct build trial = try_to_build(run, lab), trials[MAX_USED];
    struct build *beneath[MAX_USED] = {NULL};
    size_t used[MAX_USED], count = used_labs(run, lab, used);
    bool compiled = trial.compiled;
    for (size_t u = 0; u < count; u++) {
        trials[u] = try_to_build(run, used[u]);
        beneath[u] = &trials[u];
        compiled = compiled && trials[u].compiled;
    }
    bool works = compiled && passes(run, &trial, beneath, doubtful);
    for (size_t u = 0; u < count; u++) {
        build_free(&trials[u]);
    }
    build_free(&trial);
    return works;
}

// If a compiler rejects a file, it prints "error:"; any other failure may be the machine's.
// It also prints "error:" if it cannot write its output, which is the machine's fault, too.
static bool may_be_the_machine(const char *complaint)
{
    static const int troubles[] = {ENOSPC, EDQUOT, EIO, EROFS, ENOMEM, EMFILE, ENFILE};
    bool may = strstr(complaint, "error:") == NULL;
    for (size_t i = 0; !may && i < sizeof troubles / sizeof *troubles; i++) {
        // the tools run with LC_ALL=C
        may = strstr(complaint, strerror(troubles[i])) != NULL;
    }
    return may;
}

static bool is_doubtful(const struct result *result, const struct build *build)
{
    return result->verdict == GRADER_ERROR ||
           (result->verdict == NOCOMPILE && !build->refused &&
            may_be_the_machine(result->details));
}

void decide_whose_fault(struct run *run)
{
    if (!has_solutions(run)) {
        return; // the student archive has no solution to test the machine with
    }
    for (size_t lab = 0; lab < run->labs; lab++) {
        bool asked = false, works = false;
        for (size_t i = 0; i < run->grading->count; i++) {
            struct result *result = &run->grading->results[i];
            if (result->given || result->place != &run->places[lab] ||
                !is_doubtful(result, &run->own[lab])) {
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
