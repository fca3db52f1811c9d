// grade.c - a whole run: choose, compile, judge, and say which failures follow from others.

#define _GNU_SOURCE
#include "judge/grade.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "judge/build.h"
#include "judge/judge.h"
#include "judge/memory.h"

enum { MAX_THREADS = 16 };

const char *verdict_name(enum verdict verdict)
{
    static const char *const names[] = {
        [PASS] = "pass",    [WRONG] = "wrong",         [TODO] = "todo",
        [CRASH] = "crash",  [TIMEOUT] = "timeout",     [MEMORY] = "memory",
        [FLOOD] = "output", [NOCOMPILE] = "nocompile", [GRADER_ERROR] = "grader_error"};
    return names[verdict];
}

double result_score(const struct result *result)
{
    return result->verdict == PASS ? result->rule->points : 0;
}

// ---- doing things two at a time -----------------------------------------------------------

struct pool {
    pthread_mutex_t lock;
    size_t next, count;
    void (*task)(void *context, size_t i);
    void *context;
};

static void *work(void *argument)
{
    struct pool *pool = argument;
    for (;;) {
        pthread_mutex_lock(&pool->lock);
        size_t i = pool->next < pool->count ? pool->next++ : pool->count;
        pthread_mutex_unlock(&pool->lock);
        if (i == pool->count) {
            return NULL;
        }
        pool->task(pool->context, i);
    }
}

// task(context, 0 .. count-1), one per processor at a time; returns when all are done.
static void for_each(size_t count, void (*task)(void *, size_t), void *context)
{
    struct pool pool = {PTHREAD_MUTEX_INITIALIZER, 0, count, task, context};
    pthread_t threads[MAX_THREADS];
    size_t started = 0;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    while (started + 1 < count && started < MAX_THREADS &&
           (long)started + 1 < processors &&
           pthread_create(&threads[started], NULL, work, &pool) == 0) {
        started++;
    }
    work(&pool);
    for (size_t i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
}

// ---- choosing -----------------------------------------------------------------------------

bool find_exercise(const char *id, const struct lab_place **place,
                   const struct exercise **exercise)
{
    for (*place = lab_places; (*place)->folder != NULL; (*place)++) {
        for (*exercise = (*place)->lab->exercises; (*exercise)->id != NULL;
             (*exercise)++) {
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

static struct result *find_result(struct grading *grading, const char *exercise)
{
    for (size_t i = 0; i < grading->count; i++) {
        if (strcmp(grading->results[i].exercise->id, exercise) == 0) {
            return &grading->results[i];
        }
    }
    return NULL;
}

const struct result *grade_find(const struct grading *grading, const char *exercise)
{
    return find_result((struct grading *)grading, exercise);
}

// One result for every exercise there is, in order; chosen[i] says whether it is judged.
static void list_results(struct grading *grading)
{
    const struct exercise *exercise;
    for (const struct lab_place *place = lab_places; place->folder != NULL; place++) {
        for (exercise = place->lab->exercises; exercise->id != NULL; exercise++) {
            grading->count++;
        }
    }
    grading->results = grader_alloc(grading->count * sizeof *grading->results);
    size_t i = 0;
    for (const struct lab_place *place = lab_places; place->folder != NULL; place++) {
        for (exercise = place->lab->exercises; exercise->id != NULL; exercise++) {
            struct result *result = &grading->results[i++];
            result->place = place;
            result->exercise = exercise;
            result->rule = rubric_find(grading->rubric, exercise->id);
            if (result->rule == NULL) {
                grader_fail("the points table has no line for exercise %s", exercise->id);
            }
            result->asked = asked_for(&grading->options, place, exercise);
        }
    }
}

// Marks what the chosen ones build on, so that a failure can be traced to its root. Exercises
// only build on earlier ones, so one pass from the last to the first finds all.
static void choose_used(struct grading *grading, bool *chosen)
{
    for (size_t i = grading->count; i-- > 0;) {
        struct result *result = &grading->results[i];
        chosen[i] = chosen[i] || result->asked;
        for (size_t u = 0; chosen[i] && u < MAX_USES && result->exercise->uses[u] != NULL;
             u++) {
            struct result *used = find_result(grading, result->exercise->uses[u]);
            if (used == NULL || used >= result) {
                grader_fail("exercise %s uses %s, which is not an earlier one",
                            result->exercise->id, result->exercise->uses[u]);
            }
            chosen[used - grading->results] =
                chosen[used - grading->results] ||
                in_tree(grading->options.source, used->place);
        }
    }
}

// Drops the results that are not chosen.
static void keep_chosen(struct grading *grading, const bool *chosen)
{
    size_t kept = 0;
    for (size_t i = 0; i < grading->count; i++) {
        if (chosen[i]) {
            grading->results[kept++] = grading->results[i];
        }
    }
    grading->count = kept;
}

// ---- compiling and judging ----------------------------------------------------------------

struct run {
    struct grading *grading;
    struct workshop workshop;
    struct build *builds;
    size_t build_count;
};

static struct build *find_run_build(struct run *run, const char *folder)
{
    for (size_t i = 0; i < run->build_count; i++) {
        if (strcmp(run->builds[i].place->folder, folder) == 0) {
            return &run->builds[i];
        }
    }
    return NULL;
}

static void want_build(struct run *run, const struct lab_place *place, bool used)
{
    struct build *build = find_run_build(run, place->folder);
    if (build == NULL) {
        build = &run->builds[run->build_count++];
        build->place = place;
    }
    if (used && !in_tree(run->grading->options.source, place)) {
        build->reference = true;
    }
}

static const struct lab_place *find_place(const char *folder)
{
    for (const struct lab_place *place = lab_places; place->folder != NULL; place++) {
        if (strcmp(place->folder, folder) == 0) {
            return place;
        }
    }
    grader_fail("the lab %s is used by another and not known", folder);
}

static void list_builds(struct run *run)
{
    size_t places = 0;
    while (lab_places[places].folder != NULL) {
        places++;
    }
    run->builds = grader_alloc((places + 1) * sizeof *run->builds);
    for (size_t i = 0; i < run->grading->count; i++) {
        const struct lab_place *place = run->grading->results[i].place;
        want_build(run, place, false);
        for (size_t u = 0; u < 8 && place->uses[u] != NULL; u++) {
            want_build(run, find_place(place->uses[u]), true);
        }
    }
}

static void compile_task(void *context, size_t i)
{
    struct run *run = context;
    build_compile(&run->workshop, &run->builds[i]);
}

static bool is_judged(const struct run *run, const struct build *build)
{
    for (size_t i = 0; i < run->grading->count; i++) {
        if (run->grading->results[i].place == build->place) {
            return true;
        }
    }
    return false;
}

static void link_task(void *context, size_t i)
{
    struct run *run = context;
    if (run->builds[i].compiled && is_judged(run, &run->builds[i])) {
        build_link(&run->workshop, run->builds, run->build_count, i);
    }
}

static void judge_task(void *context, size_t i)
{
    struct run *run = context;
    struct result *result = &run->grading->results[i];
    struct build *build = find_run_build(run, result->place->folder);
    if (build->reference) {
        // A lab that is not in the tree may stand in for itself; its own exercises are absent.
        struct build absent = {.place = build->place, .absent = true};
        absent.message = grader_print("there is no folder %s/%s", run->workshop.source,
                                      build->place->folder);
        judge_exercise(&run->grading->options, &absent, result);
        free(absent.message);
        return;
    }
    judge_exercise(&run->grading->options, build, result);
}

// ---- what follows from what ---------------------------------------------------------------

static const char *why_not(enum verdict verdict)
{
    return verdict == TODO        ? "is todo"
           : verdict == NOCOMPILE ? "does not compile"
                                  : "fails";
}

// A failure on top of another failure is not diagnosed: it is told where to look first.
static void trace(struct grading *grading, struct result *result)
{
    if (result->verdict == PASS || result->verdict == TODO ||
        result->verdict == NOCOMPILE || result->verdict == GRADER_ERROR) {
        return;
    }
    struct text text;
    text_begin(&text);
    size_t blamed = 0;
    for (size_t u = 0; u < MAX_USES && result->exercise->uses[u] != NULL; u++) {
        struct result *used = find_result(grading, result->exercise->uses[u]);
        if (used != NULL && used->verdict != PASS) {
            fprintf(text.file, "%s%s, which %s", blamed++ > 0 ? ", and " : "uses ",
                    used->exercise->id, why_not(used->verdict));
        }
    }
    char *blame = text_end(&text);
    if (blamed == 0) {
        free(blame);
        return;
    }
    char *details = grader_print("  %s: mend that first, then look here again\n%s", blame,
                                 result->diagnosis != NULL ? "" : result->details);
    free(result->details);
    free(result->headline);
    result->details = details;
    result->headline = blame;
    result->diagnosis = NULL;
}

static void note_stand_ins(struct run *run)
{
    for (size_t i = 0; i < run->build_count; i++) {
        if (run->builds[i].reference) {
            fprintf(stderr,
                    "grade: %s is not in %s; what builds on it is judged on the "
                    "workbook's own\n",
                    run->builds[i].place->folder, run->workshop.source);
        }
    }
}

// Moves the compiler's warnings from the builds to the grading.
static void keep_warnings(struct run *run)
{
    struct grading *grading = run->grading;
    grading->warnings = grader_alloc(run->build_count * sizeof *grading->warnings);
    for (size_t i = 0; i < run->build_count; i++) {
        struct build *build = &run->builds[i];
        if (build->worker != NULL && build->message != NULL && !build->reference) {
            grading->warnings[grading->warning_count++] =
                (struct warnings){build->place, build->message};
            build->message = NULL;
        }
    }
}

static double seconds_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

struct grading grade_run(const struct options *options)
{
    double start = seconds_now();
    struct grading grading = {.options = *options};
    check_source(options);
    char *table = grader_print("%s/grader/points.txt", options->root);
    grading.rubric = rubric_read(table);
    list_results(&grading);
    bool *chosen = grader_alloc(grading.count);
    choose_used(&grading, chosen);
    keep_chosen(&grading, chosen);
    free(chosen);

    struct run run = {&grading, workshop_open(options->root, options->source), NULL, 0};
    list_builds(&run);
    note_stand_ins(&run);
    for_each(run.build_count, compile_task, &run);
    for_each(run.build_count, link_task, &run);
    for_each(grading.count, judge_task, &run);
    // From the last to the first, so that each looks at verdicts and not at rewritten ones.
    for (size_t i = grading.count; i-- > 0;) {
        trace(&grading, &grading.results[i]);
    }
    keep_warnings(&run);
    for (size_t i = 0; i < run.build_count; i++) {
        build_free(&run.builds[i]);
    }
    free(run.builds);
    workshop_close(&run.workshop);
    free(table);
    grading.seconds = seconds_now() - start;
    return grading;
}

void grade_free(struct grading *grading)
{
    for (size_t i = 0; i < grading->count; i++) {
        free(grading->results[i].headline);
        free(grading->results[i].details);
        free(grading->results[i].printed);
    }
    for (size_t i = 0; i < grading->warning_count; i++) {
        free(grading->warnings[i].text);
    }
    free(grading->warnings);
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
