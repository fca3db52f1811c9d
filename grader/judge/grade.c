// grade.c - a whole run: choose, compile, judge, and say which failures follow from others.

#define _GNU_SOURCE
#include "judge/grade.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "judge/run.h"
#include "judge/memory.h"
#include "sandbox/box.h"

const char *verdict_name(enum verdict verdict)
{
    static const char *const names[] = {
        [PASS] = "pass",           [WRONG] = "wrong",
        [TODO] = "todo",           [CRASH] = "crash",
        [TIMEOUT] = "timeout",     [MEMORY] = "memory",
        [NOCOMPILE] = "nocompile", [GRADER_ERROR] = "grader_error",
        [NOT_RUN] = "not_run",
    };
    return names[verdict];
}

const char *backend_name(enum backend backend)
{
    static const char *const names[] = {
        [CPU] = "cpu", [GPU_SIMULATED] = "gpu-simulated", [GPU_DEVICE] = "gpu-device"};
    return names[backend];
}

void result_clear(struct result *result)
{
    free(result->headline);
    free(result->note);
    free(result->details);
    free(result->printed);
    free(result->profile);
    free(result->call);
}

char *result_title(const struct result *result)
{
    return grader_print("%s %s%s", result->exercise->id, result->exercise->name,
                        result->place->gpu ? " (gpu)" : "");
}

double result_score(const struct result *result)
{
    return result->verdict == PASS ? result->rule->points : 0;
}

// ---- choosing -----------------------------------------------------------------------------

bool find_exercise(const char *id, const struct lab_place **place,
                   const struct exercise **exercise)
{
    for (*place = lab_places; (*place)->folder != NULL; (*place)++) {
        const struct exercise *const *each = (*place)->lab->exercises;
        for (; *each != NULL; each++) {
            *exercise = *each;
            if (strcmp((*exercise)->id, id) == 0) {
                return true;
            }
        }
    }
    return false;
}

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
        usage_fail("%s is not a folder", options->source);
    }
    if (access(options->source, R_OK | X_OK) != 0) {
        usage_fail("%s cannot be read", options->source);
    }
    bool any = false;
    for (const struct lab_place *place = lab_places; place->folder != NULL; place++) {
        any = any || in_tree(options->source, place);
    }
    if (!any) {
        usage_fail("%s holds no lab: expected folders like 01_simple_attention in it",
                   options->source);
    }
}

static bool asked_for(const struct options *options, const struct lab_place *place,
                      const struct exercise *exercise)
{
    if (options->exercise != NULL) {
        return strcmp(options->exercise, exercise->id) == 0;
    }
    return options->lab == 0 || options->lab == place->number;
}

// Of hidden cases only those of an exercise that passes on the others.
static bool may_be_hidden(const struct options *options, const struct result *result)
{
    const struct result *shown =
        options->shown != NULL
            ? grade_find_on(options->shown, result->exercise->id, result->place->gpu)
            : NULL;
    return options->shown == NULL || (shown != NULL && shown->verdict == PASS);
}

bool has_gpu_variant(const struct lab_place *place, const struct exercise *exercise)
{
    const struct part *part = exercise->parts;
    for (; part->function != NULL; part++) {
        const struct entry *entry = place->entries;
        while (entry->name != NULL && strcmp(entry->name, part->function) != 0) {
            entry++;
        }
        if (entry->gpu) {
            return true;
        }
    }
    return false;
}

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
            result->asked =
                asked_for(options, place, exercise) && may_be_hidden(options, result);
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

// One result for every exercise that could be judged.
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

// So that a failure can be traced to its root. Exercises only build on earlier ones: one pass
// from the last to the first finds all.
void grade_choose_used(struct grading *grading)
{
    for (size_t i = grading->count; i-- > 0;) {
        const struct result *result = &grading->results[i];
        const char *const *uses = exercise_uses(result->exercise, result->place->gpu);
        for (size_t u = 0; result->chosen && u < MAX_USES && uses[u] != NULL; u++) {
            struct result *used = find_result(grading, uses[u], result->place->gpu);
            if (used == NULL && result->place->gpu) {
                continue; // what it builds on has no GPU variant
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

static double seconds_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// Strangers' code is judged in a box or not at all.
static void check_box(const struct options *options)
{
    char reason[512];
    if (options->untrusted && options->gpu == GPU_DEVICE) {
        grader_fail("there is no box for strangers' code on a CUDA device; say --backend "
                    "gpu-simulated");
    }
    if (options->untrusted && !box_available(options->root, reason, sizeof reason)) {
        grader_fail("no box for strangers' code on this machine: %s", reason);
    }
}

struct grading grade_run(const struct options *options)
{
    double start = seconds_now();
    struct grading grading = {.options = *options};
    grading.options.strangers = options->strangers || options->untrusted;
    check_box(options);
    check_source(options);
    grading.hung = options->hung != NULL ? grader_print("%s", options->hung) : NULL;
    char *table = grader_print("%s/grader/points.txt", options->root);
    grading.rubric = rubric_read(table);
    list_results(&grading);
    grade_choose_used(&grading);
    run_grading(&grading);
    free(table);
    grading.seconds = seconds_now() - start;
    return grading;
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
    free(grading->hung);
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
