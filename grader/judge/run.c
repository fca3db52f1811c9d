// run.c - from chosen exercises to results.
//
//   compile every lab ──> link a worker for each ──> judge, lab after lab
//                                                        │
//            an earlier lab's function that this lab calls does not pass? then its worker is
//            linked again, with the solutions of that earlier lab beneath
//
// So a lab is judged on its own work: neither a mistake in an earlier lab nor its absence
// costs a later one, and the result says what it was judged on. Inside one lab an exercise
// that builds on a failing one fails with it, and says so (trace).

#define _GNU_SOURCE
#include "judge/run.h"

#include <stdlib.h>
#include <string.h>

#include "judge/build.h"
#include "judge/judge.h"
#include "judge/memory.h"
#include "judge/pool.h"
#include "judge/surroundings.h"

enum { MAX_LABS = 64, MAX_USED = 8, MAX_FAILING = 16 };

// One side of the labs, CPU or GPU: each has its own files, objects and workers. Labs are
// numbered here by their place in .places.
struct run {
    struct grading *grading;
    const struct workshop *workshop;
    const struct lab_place *places;
    size_t labs;
    bool wanted[MAX_LABS];            // something of it is judged, or calls it
    struct build own[MAX_LABS];       // from the student's tree
    struct build reference[MAX_LABS]; // from solutions/, once it is needed
    size_t judging;                   // the lab whose exercises are being judged
};

// ---- who is wanted ------------------------------------------------------------------------

static size_t lab_index(const struct run *run, const char *folder)
{
    size_t i = 0;
    while (run->places[i].folder != NULL && strcmp(run->places[i].folder, folder) != 0) {
        i++;
    }
    if (run->places[i].folder == NULL) {
        grader_fail("the lab %s is used by another and not known", folder);
    }
    return i;
}

static bool is_judged(const struct run *run, size_t lab)
{
    for (size_t i = 0; i < run->grading->count; i++) {
        if (run->grading->results[i].place == &run->places[lab]) {
            return true;
        }
    }
    return false;
}

static void list_labs(struct run *run)
{
    for (; run->places[run->labs].folder != NULL; run->labs++) {
        if (run->labs == MAX_LABS) {
            grader_fail("more than %d labs", (int)MAX_LABS);
        }
        enum backend backend =
            run->places[run->labs].gpu ? run->grading->options.gpu : CPU;
        run->own[run->labs].place = &run->places[run->labs];
        run->own[run->labs].backend = backend;
        run->reference[run->labs].place = &run->places[run->labs];
        run->reference[run->labs].backend = backend;
        run->reference[run->labs].reference = true;
    }
    for (size_t lab = 0; lab < run->labs; lab++) {
        if (!is_judged(run, lab)) {
            continue;
        }
        run->wanted[lab] = true;
        for (size_t u = 0; u < MAX_USED && run->places[lab].uses[u] != NULL; u++) {
            run->wanted[lab_index(run, run->places[lab].uses[u])] = true;
        }
    }
}

static void compile_task(void *context, size_t lab)
{
    struct run *run = context;
    if (run->wanted[lab]) {
        build_compile(run->workshop, &run->own[lab]);
    }
}

static void link_task(void *context, size_t lab)
{
    struct run *run = context;
    struct build *used[MAX_USED] = {NULL};
    if (!is_judged(run, lab) || !run->own[lab].compiled) {
        return;
    }
    for (size_t u = 0; u < MAX_USED && run->places[lab].uses[u] != NULL; u++) {
        used[u] = &run->own[lab_index(run, run->places[lab].uses[u])];
    }
    build_link(run->workshop, &run->own[lab], used);
}

// ---- what does not pass beneath an exercise -----------------------------------------------

struct failing {
    const struct result *results[MAX_FAILING];
    size_t count;
};

static void add_failing(struct failing *failing, const struct result *result)
{
    for (size_t i = 0; i < failing->count; i++) {
        if (failing->results[i] == result) {
            return;
        }
    }
    if (failing->count < MAX_FAILING) {
        failing->results[failing->count++] = result;
    }
}

// The exercises that one builds on, directly or not, that lie in `where` and do not pass.
static void find_failing(const struct run *run, const struct exercise *exercise,
                         const struct lab_place *where, struct failing *failing)
{
    for (size_t u = 0; u < MAX_USES && exercise->uses[u] != NULL; u++) {
        const struct result *used =
            grade_find_on(run->grading, exercise->uses[u], where->gpu);
        if (used == NULL) {
            continue; // it has no GPU variant
        }
        if (used->place == where && used->verdict != PASS) {
            add_failing(failing, used);
        }
        find_failing(run, used->exercise, where, failing);
    }
}

static const char *why_not(const struct result *result)
{
    return result->absent                 ? "is not there"
           : result->verdict == TODO      ? "is todo"
           : result->verdict == NOCOMPILE ? "does not compile"
                                          : "fails";
}

// "2.2, which fails, and 2.3, which is todo"
static void name_failing(FILE *file, const struct failing *failing)
{
    for (size_t i = 0; i < failing->count; i++) {
        fprintf(file, "%s%s, which %s", i > 0 ? ", and " : "",
                failing->results[i]->exercise->id, why_not(failing->results[i]));
    }
}

// ---- standing in --------------------------------------------------------------------------

static bool needs_stand_in(const struct run *run, size_t lab, size_t used)
{
    struct failing failing = {.count = 0};
    for (size_t i = 0; i < run->grading->count; i++) {
        const struct result *result = &run->grading->results[i];
        if (result->place == &run->places[lab]) {
            find_failing(run, result->exercise, &run->places[used], &failing);
        }
    }
    return failing.count > 0;
}

static void note_stand_in(struct run *run, struct result *result, size_t used)
{
    struct failing failing = {.count = 0};
    find_failing(run, result->exercise, &run->places[used], &failing);
    if (failing.count == 0) {
        return;
    }
    struct text text;
    text_begin(&text);
    if (result->note != NULL) {
        fprintf(text.file, "%s; ", result->note);
        free(result->note);
    }
    fputs("uses ", text.file);
    name_failing(text.file, &failing);
    fprintf(text.file, ": judged on the workbook's own lab %d", run->places[used].number);
    result->note = text_end(&text);
}

// Links the worker anew where an earlier lab has to be stood in for.
static void stand_in(struct run *run, size_t lab)
{
    struct build *used[MAX_USED] = {NULL};
    bool changed = false;
    for (size_t u = 0; u < MAX_USED && run->places[lab].uses[u] != NULL; u++) {
        size_t other = lab_index(run, run->places[lab].uses[u]);
        struct build *reference = &run->reference[other];
        used[u] = &run->own[other];
        if (!run->own[lab].compiled || !needs_stand_in(run, lab, other)) {
            continue;
        }
        if (reference->object == NULL) {
            build_compile(run->workshop, reference);
        }
        if (!reference->compiled) {
            continue; // a hand-out without solutions
        }
        used[u] = reference;
        changed = true;
        for (size_t i = 0; i < run->grading->count; i++) {
            if (run->grading->results[i].place == &run->places[lab]) {
                note_stand_in(run, &run->grading->results[i], other);
            }
        }
    }
    if (changed) {
        build_link(run->workshop, &run->own[lab], used);
    }
}

// ---- judging ------------------------------------------------------------------------------

static void judge_task(void *context, size_t i)
{
    struct run *run = context;
    struct result *result = &run->grading->results[i];
    if (result->place == &run->places[run->judging]) {
        judge_exercise(&run->grading->options, &run->own[run->judging], result);
    }
}

// ---- whose fault? -------------------------------------------------------------------------

// Does the lab's own solution of an exercise compile and pass on this machine?
static bool machine_works(struct run *run, size_t lab, const struct result *doubtful)
{
    struct build *used[MAX_USED] = {NULL};
    struct build *reference = &run->reference[lab];
    struct result result = {.exercise = doubtful->exercise,
                            .rule = doubtful->rule,
                            .place = doubtful->place,
                            .backend = doubtful->backend};
    if (reference->object == NULL) {
        build_compile(run->workshop, reference);
    }
    for (size_t u = 0; u < MAX_USED && run->places[lab].uses[u] != NULL; u++) {
        used[u] = &run->reference[lab_index(run, run->places[lab].uses[u])];
        if (used[u]->object == NULL) {
            build_compile(run->workshop, used[u]);
        }
    }
    if (reference->compiled) {
        build_link(run->workshop, reference, used);
    }
    judge_exercise(&run->grading->options, reference, &result);
    free(result.headline);
    free(result.details);
    free(result.printed);
    free(result.profile);
    return result.verdict == PASS;
}

// A compiler that refuses a file says "error:"; anything else may be the machine.
static bool is_doubtful(const struct result *result)
{
    return result->verdict == GRADER_ERROR ||
           (result->verdict == NOCOMPILE && strstr(result->details, "error:") == NULL);
}

// Our failure is never the student's, and a student cannot make theirs look like ours: where it
// is not clear, the solutions are tried in the same way.
static void decide_whose_fault(struct run *run)
{
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

// A failure on top of another failure of the same lab is not diagnosed: it is told where to
// look first.
static void trace(const struct grading *grading, struct result *result)
{
    struct failing failing = {.count = 0};
    if (result->verdict == PASS || result->verdict == NOCOMPILE ||
        result->verdict == GRADER_ERROR || result->verdict == NOT_RUN || result->absent) {
        return;
    }
    for (size_t u = 0; u < MAX_USES && result->exercise->uses[u] != NULL; u++) {
        const struct result *used =
            grade_find_on(grading, result->exercise->uses[u], result->place->gpu);
        if (used != NULL && used->verdict != PASS &&
            (used->place == result->place || result->note == NULL)) {
            add_failing(&failing, used);
        }
    }
    if (failing.count == 0) {
        return;
    }
    struct text text;
    text_begin(&text);
    if (result->verdict == TODO) {
        failing.count = 1; // what comes first is enough
    }
    fputs(result->verdict == TODO ? "builds on " : "uses ", text.file);
    name_failing(text.file, &failing);
    free(result->headline);
    free(result->details);
    result->headline = text_end(&text);
    result->details = grader_print("  mend %s first, then look here again\n",
                                   failing.results[0]->exercise->id);
    result->diagnosis = NULL;
    result->traced = true;
}

// Moves the compiler's warnings from the builds to the grading.
static void keep_warnings(struct run *run)
{
    struct grading *grading = run->grading;
    for (size_t lab = 0; lab < run->labs; lab++) {
        struct build *build = &run->own[lab];
        if (build->worker != NULL && build->message != NULL) {
            size_t count = grading->warning_count++;
            grading->warnings =
                grader_resize(grading->warnings, (count + 1) * sizeof *grading->warnings);
            grading->warnings[count] = (struct warnings){build->place, build->message};
            build->message = NULL;
        }
    }
}

// One side of the labs.
static void run_side(struct grading *grading, const struct workshop *workshop,
                     const struct lab_place *places)
{
    struct run *run = grader_alloc(sizeof *run);
    *run = (struct run){.grading = grading, .workshop = workshop, .places = places};
    list_labs(run);
    for_each(run->labs, compile_task, run);
    for_each(run->labs, link_task, run);
    for (run->judging = 0; run->judging < run->labs; run->judging++) {
        if (is_judged(run, run->judging)) {
            stand_in(run, run->judging);
            for_each(grading->count, judge_task, run);
        }
    }
    decide_whose_fault(run);
    keep_warnings(run);
    for (size_t lab = 0; lab < run->labs; lab++) {
        build_free(&run->own[lab]);
        build_free(&run->reference[lab]);
    }
    free(run);
}

void run_grading(struct grading *grading)
{
    struct workshop workshop =
        workshop_open(grading->options.root, grading->options.source);
    surroundings_hide();
    run_side(grading, &workshop, lab_places);
    if (grading->options.gpu != CPU) {
        run_side(grading, &workshop, gpu_places);
    }
    surroundings_show();
    // From the last to the first, so that each looks at verdicts and not at rewritten ones.
    for (size_t i = grading->count; i-- > 0;) {
        trace(grading, &grading->results[i]);
    }
    workshop_close(&workshop);
}
