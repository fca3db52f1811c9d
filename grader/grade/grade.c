// grade.c - a whole run: chooses, compiles and judges exercises, and finds failures that
// follow from others.

#define _GNU_SOURCE
#include "grade/grade.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "base/memory.h"
#include "build/backend.h"
#include "cases/tables.h"
#include "grade/grading.h"
#include "grade/run.h"
#include "judge/options.h"
#include "judge/result.h"
#include "sandbox/allowance.h"
#include "sandbox/available.h"

// ---- choosing -----------------------------------------------------------------------------

static _Noreturn void usage_fail(const char *format, const char *name)
{
    fprintf(stderr, "grade: ");
    fprintf(stderr, format, name);
    fputc('\n', stderr);
    exit(EXIT_USAGE);
}

static bool in_tree(const char *source, const struct lab_place *place)
{
    char *folder = grader_print("%s/%s", source, place->folder);
    struct stat status;
    bool there = stat(folder, &status) == 0 && S_ISDIR(status.st_mode);
    free(folder);
    return there;
}

static void check_source(const struct options *options)
{
    struct stat status;
    if (stat(options->source, &status) != 0) {
        fprintf(stderr, "grade: cannot read %s: %s\n", options->source, strerror(errno));
        exit(EXIT_USAGE);
    }
    if (!S_ISDIR(status.st_mode)) {
        usage_fail("%s is not a folder. Give a folder with the file in it, as "
                   "FOLDER/01_simple_attention/attention.c",
                   options->source);
    }
    if (access(options->source, R_OK | X_OK) != 0) {
        usage_fail("%s cannot be read", options->source);
    }
    bool any = false;
    for (const struct lab_place *place = lab_places; place->folder != NULL; place++) {
        any = any || in_tree(options->source, place);
    }
    if (!any) {
        usage_fail("%s holds no lab: a file belongs in a folder with its lab's name, as "
                   "01_simple_attention/attention.c",
                   options->source);
    }
}

// An exercise is judged on hidden cases only if it passes on the public ones.
static bool may_be_hidden(const struct options *options, const struct result *result)
{
    const struct result *shown =
        options->shown != NULL
            ? grade_find_on(options->shown, result->exercise->id, result->place->gpu)
            : NULL;
    return options->shown == NULL || (shown != NULL && shown->verdict == PASS);
}

// Adds one result for every exercise of one side, in order.
static void list_side(struct grading *grading, const struct lab_place *places)
{
    const struct options *options = &grading->options;
    for (const struct lab_place *place = places; place->folder != NULL; place++) {
        const struct exercise *const *each = place->lab->exercises;
        for (; *each != NULL; each++) {
            const struct exercise *exercise = *each;
            if (place->gpu && !has_gpu_variant(place, exercise)) {
                continue;
            }
            char *line = grader_print("%s%s", exercise->id, place->gpu ? "g" : "");
            struct result *result = &grading->results[grading->count++];
            result->place = place;
            result->exercise = exercise;
            result->backend = place->gpu ? options->gpu : CPU;
            result->rule = rubric_need(grading->rubric, line);
            result->asked = options_choose(options, place->number, exercise->id) &&
                            may_be_hidden(options, result);
            result->chosen = result->asked;
            free(line);
        }
    }
}

static size_t count_exercises(const struct lab_place *places)
{
    size_t count = 0;
    for (const struct lab_place *place = places; place->folder != NULL; place++) {
        const struct exercise *const *each = place->lab->exercises;
        for (; *each != NULL; each++) {
            count++;
        }
    }
    return count;
}

// Creates a result for every exercise that can be judged.
static void list_results(struct grading *grading)
{
    size_t most = count_exercises(lab_places) + count_exercises(gpu_places);
    grading->results = grader_alloc(most * sizeof *grading->results);
    if (!grading->options.no_cpu) {
        list_side(grading, lab_places);
    }
    if (grading->options.gpu != CPU) {
        list_side(grading, gpu_places);
    }
}

static double seconds_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// Untrusted code is judged in a box or not at all.
static void check_box(const struct options *options)
{
    char reason[512];
    if (options->untrusted && options->gpu == GPU_DEVICE) {
        grader_fail("there is no box for untrusted code on a CUDA device; use --backend "
                    "gpu-simulated");
    }
    if (options->untrusted && !box_available(options->root, reason, sizeof reason)) {
        grader_fail("no box for untrusted code on this machine: %s", reason);
    }
}

struct grading grade_run(const struct options *options)
{
    double start = seconds_now();
    struct grading grading = {.options = *options};
    grading.options.strangers = options->strangers || options->untrusted;
    check_box(options);
    check_source(options);
    if (options->allowance == NULL) {
        grading.options.allowance = grading.own_allowance = allowance_new();
    }
    grading.hung = options->hung != NULL ? grader_print("%s", options->hung) : NULL;
    char *table = grader_print("%s/grader/points.txt", options->root);
    grading.rubric = rubric_read(table);
    list_results(&grading);
    grade_choose_used(&grading);
    grade_allow(&grading);
    run_grading(&grading);
    free(table);
    grading.seconds = seconds_now() - start;
    return grading;
}
