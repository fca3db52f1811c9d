// reuse.c - see reuse.h.

#include "grade/reuse.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "build/known.h"
#include "judge/draw.h"
#include "judge/result.h"

static bool is_listed(const char *passed, const struct exercise *exercise)
{
    char *word = grader_print(" %s ", exercise->id);
    bool listed = passed != NULL && strstr(passed, word) != NULL;
    free(word);
    return listed;
}

// Describes the worker of a lab and the cases that it would run.
static char *describe(const struct run *run, size_t lab)
{
    const struct options *options = &run->grading->options;
    struct build *beneath[MAX_USED];
    list_beneath(run, lab, beneath);
    char *worker = known_worker(run->workshop, &run->own[lab], beneath);
    char *cases = drawn_from(options, &run->places[lab]);
    char *words = worker == NULL
                      ? NULL
                      : grader_print("%s%slab %d, seed %llu, %g seconds\n", worker, cases,
                                     run->places[lab].number,
                                     (unsigned long long)options->seed, options->seconds);
    free(cases);
    free(worker);
    return words;
}

void give_pass(struct result *result)
{
    result->given = true;
    result->verdict = PASS;
    result->headline = grader_print("%s", "");
    result->details = grader_print("%s", "");
}

void reuse_passes(struct run *run)
{
    for (size_t lab = 0; lab < run->labs; lab++) {
        struct progress_of_lab *progress = &run->progress[lab];
        if (is_judged(run, lab)) {
            progress->worker = describe(run, lab);
        }
        if (progress->worker != NULL) {
            progress->passed = known_find(run->workshop->root, progress->worker);
        }
    }
    for (size_t i = 0; i < run->grading->count; i++) {
        struct result *result = &run->grading->results[i];
        if (!is_ours(run, result) || result->asked || result->given ||
            result->drawn != NULL) {
            continue;
        }
        const size_t lab = (size_t)(result->place - run->places);
        if (is_listed(run->progress[lab].passed, result->exercise)) {
            give_pass(result);
        }
    }
}

// Returns true if it was judged and passed, and no function in the worker was the workbook's.
static bool passed_itself(const struct run *run, size_t lab, const struct result *result)
{
    bool itself = result->place == &run->places[lab] && is_ours(run, result) &&
                  result->verdict == PASS && !result->given && !result->followed;
    for (size_t u = 0; u < MAX_USED; u++) {
        itself = itself && !run->stood_in[lab][u];
    }
    return itself;
}

static void keep_lab(const struct run *run, size_t lab)
{
    const struct progress_of_lab *progress = &run->progress[lab];
    struct text passed;
    bool more = false;
    text_begin(&passed);
    fputs(progress->passed != NULL ? progress->passed : " ", passed.file);
    for (size_t i = 0; i < run->grading->count; i++) {
        const struct result *result = &run->grading->results[i];
        if (passed_itself(run, lab, result) &&
            !is_listed(progress->passed, result->exercise)) {
            fprintf(passed.file, "%s ", result->exercise->id);
            more = true;
        }
    }
    char *list = text_end(&passed);
    if (more) {
        known_keep(run->workshop->root, progress->worker, list);
    }
    free(list);
}

void keep_passes(struct run *run)
{
    for (size_t lab = 0; lab < run->labs; lab++) {
        if (run->progress[lab].worker != NULL) {
            keep_lab(run, lab);
        }
        free(run->progress[lab].worker);
        free(run->progress[lab].passed);
    }
}
