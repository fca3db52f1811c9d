// run.c - compiles, links and judges the chosen exercises.
//
//   compile every file ──> one object ──> link a worker ──> judge, lab after lab
//   draw cases and start    for each lab   for each lab           │
//   workers meanwhile                                             │
//                                                                 │
//            an earlier lab's function that this lab calls does not pass? then its worker is
//            linked again, with the solutions of that earlier lab beneath
//
// Independent steps run in parallel, so that no processor is idle while the student waits.
//
// So each lab is judged by itself: a mistake in an earlier lab, or a missing one, costs
// nothing in a later lab, and the result names the replaced functions. By default, the same
// holds within a lab (follow.c). With --follow none, an exercise that builds on a failing
// one may fail with it, and the report says so.

#define _GNU_SOURCE
#include "grade/run.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/pool.h"
#include "base/surroundings.h"
#include "build/backend.h"
#include "build/build.h"
#include "build/command.h"
#include "build/link.h"
#include "build/memoryless.h"
#include "build/workshop.h"
#include "grade/beneath.h"
#include "grade/earlier.h"
#include "grade/fault.h"
#include "grade/follow.h"
#include "grade/grading.h"
#include "grade/repair.h"
#include "grade/reuse.h"
#include "grade/side.h"
#include "grade/stand_in.h"
#include "grade/variables.h"
#include "grade/written.h"
#include "judge/draw.h"
#include "judge/hide.h"
#include "judge/result.h"
#include "judge/together.h"
#include "judge/worker.h"

// ---- who is wanted ------------------------------------------------------------------------

// In a run on hidden cases, exercises that failed on the public cases have their verdict
// already.
static void take_given(const struct grading *grading, struct result *result)
{
    const struct grading *shown = grading->options.shown;
    const struct result *other =
        shown != NULL ? grade_find_on(shown, result->exercise->id, result->place->gpu)
                      : NULL;
    if (other != NULL && other->verdict != PASS && !result->given) {
        result->given = true;
        result->verdict = other->verdict;
        result->absent = other->absent;
        result->headline = grader_print("%s", "");
        result->details = grader_print("%s", "");
    }
}

static void list_labs(struct run *run)
{
    for (size_t i = 0; i < run->grading->count; i++) {
        struct result *result = &run->grading->results[i];
        if (is_ours(run, result)) {
            take_given(run->grading, result);
        }
    }

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
        size_t used[MAX_USED], count = used_labs(run, lab, used);
        for (size_t u = 0; u < count; u++) {
            run->wanted[used[u]] = true;
        }
    }
}

// ---- before anything is judged ------------------------------------------------------------

static void add_chore(struct run *run, struct chore chore)
{
    if (run->chore_count == sizeof run->chores / sizeof *run->chores) {
        grader_fail("too many tasks at once");
    }
    run->chores[run->chore_count++] = chore;
}

static int larger_first(const void *one, const void *other)
{
    size_t a = ((const struct chore *)one)->size, b = ((const struct chore *)other)->size;
    return a < b ? 1 : a > b ? -1 : 0;
}

// Returns true if the tree has a file of this lab. Otherwise its exercises are "todo" and
// need no cases.
static bool is_in_tree(const struct run *run, const struct lab_place *place)
{
    bool found = false;
    for (size_t f = 0; !found && f < MAX_FILES && place->sources[f] != NULL; f++) {
        char *path = lab_file(run->workshop->source, place, place->sources[f]);
        found = path != NULL;
        free(path);
    }
    return found;
}

// Drawing early pays only if a worker is then started early: cases of all labs together are half a
// gigabyte. In a box none is (build/link.c). Cases of labs without a selected exercise are drawn later,
// if at all: most of them passed before (reuse.c).
static bool is_drawn_early(const struct run *run, const struct result *result)
{
    return !run->workshop->untrusted && is_ours(run, result) && !result->given &&
           !is_second(run, result) && is_in_tree(run, result->place) &&
           is_asked(run, (size_t)(result->place - run->places));
}

// Files first, the largest at the front, because linking must wait for the last one.
static void list_chores(struct run *run)
{
    for (size_t lab = 0; lab < run->labs; lab++) {
        struct build *build = &run->own[lab];
        for (size_t f = 0; run->wanted[lab] && f < build_files(build); f++) {
            size_t size = build_file_size(run->workshop, build, f);
            add_chore(run, (struct chore){.build = build, .file = f, .size = size});
            run->progress[lab].files_left++;
        }
    }
    qsort(run->chores, run->chore_count, sizeof *run->chores, larger_first);
    size_t drawn = 0;
    for (size_t i = 0; i < run->grading->count && drawn < MOST_AHEAD; i++) {
        struct result *result = &run->grading->results[i];
        if (is_drawn_early(run, result)) {
            add_chore(run, (struct chore){.result = result});
            drawn++;
        }
    }
}

// Returns true if all inputs for linking the worker of a lab exist, and the lab is surely
// needed. Call it with the lock held.
static bool can_link(const struct run *run, size_t lab)
{
    size_t used[MAX_USED], count = used_labs(run, lab, used);
    bool can = is_asked(run, lab) && run->progress[lab].joined;
    for (size_t u = 0; u < count; u++) {
        can = can && run->progress[used[u]].joined;
    }
    return can && !run->progress[lab].linking;
}

// If an earlier lab is missing, stand_in links the worker with that lab's solution. A worker
// without it would be useless.
static void link_lab(struct run *run, size_t lab)
{
    struct build *beneath[MAX_USED];
    list_beneath(run, lab, beneath);
    if (run->own[lab].compiled && !lacks_a_lab(run, lab)) {
        build_link(run->workshop, &run->own[lab], beneath);
    }
}

// Links all workers whose inputs exist and that no other thread is linking.
static void link_what_can_be(struct run *run)
{
    for (size_t lab = 0; lab < run->labs; lab++) {
        pthread_mutex_lock(&run->lock);
        bool mine = can_link(run, lab);
        run->progress[lab].linking |= mine;
        pthread_mutex_unlock(&run->lock);
        if (mine) {
            link_lab(run, lab);
        }
    }
}

// Draws the cases of an exercise and, if possible, starts its worker early.
static void draw(struct run *run, struct result *result)
{
    judge_draw(&run->grading->options, result);
    bool ours = pthread_equal(pthread_self(), run->starter) != 0;
    if (ours && run->ahead < MOST_AHEAD) {
        run->ahead++;
        const struct build *build = &run->own[result->place - run->places];
        judge_ahead(&run->grading->options, run->workshop, build, result);
    }
}

// The reason for not compiling a file, or NULL. After one file that takes the compiler too
// much time or memory, no other file is tried, so a hand-in can cause this only once. A
// file that did not compile for the public cases is not compiled again for the hidden ones.
// Caller frees.
static char *why_not_compiled(struct run *run, size_t lab)
{
    const struct grading *shown = run->grading->options.shown;
    char *why = NULL;
    pthread_mutex_lock(&run->lock);
    if (run->grading->hung != NULL) {
        why = grader_print(
            "not compiled: the compiler took too much time or memory for %s, so no "
            "later file was tried",
            run->grading->hung);
    }
    pthread_mutex_unlock(&run->lock);
    for (size_t i = 0; why == NULL && shown != NULL && i < shown->count; i++) {
        const struct result *result = &shown->results[i];
        if (result->verdict == NOCOMPILE && result->place == &run->places[lab]) {
            why = grader_print("does not compile");
        }
    }
    return why;
}

static void compile(struct run *run, struct build *build, size_t file)
{
    size_t lab = (size_t)(build - run->own);
    char *why_not = why_not_compiled(run, lab);
    build_file(run->workshop, build, file, why_not);
    free(why_not);
    const struct unit *unit = &build->units[file];
    pthread_mutex_lock(&run->lock);
    if (unit->message != NULL && command_gave_up(unit->message) &&
        run->grading->hung == NULL) {
        run->grading->hung =
            grader_print("%s/%s", build->place->folder, build->place->sources[file]);
    }
    pthread_mutex_unlock(&run->lock);
}

static void do_chore(void *context, size_t i)
{
    struct run *run = context;
    const struct chore *chore = &run->chores[i];
    if (chore->build == NULL) {
        draw(run, chore->result);
        return;
    }
    size_t lab = (size_t)(chore->build - run->own);
    compile(run, chore->build, chore->file);
    pthread_mutex_lock(&run->lock);
    bool last = --run->progress[lab].files_left == 0;
    pthread_mutex_unlock(&run->lock);
    if (last) {
        build_join(run->workshop, chore->build);
        pthread_mutex_lock(&run->lock);
        run->progress[lab].joined = true;
        pthread_mutex_unlock(&run->lock);
        link_what_can_be(run);
    }
}

static bool is_left_to_judge(const struct run *run, size_t lab)
{
    bool left = false;
    for (size_t i = 0; i < run->grading->count; i++) {
        const struct result *result = &run->grading->results[i];
        left = left ||
               (result->chosen && !result->given && result->place == &run->places[lab]);
    }
    return left;
}

static void link_task(void *context, size_t lab)
{
    struct run *run = context;
    if (is_left_to_judge(run, lab) && !run->progress[lab].linking) {
        link_lab(run, lab);
    }
}

// ---- judging ------------------------------------------------------------------------------

// Returns true if it builds on exercises of its own lab, whose ids begin with the same
// number.
static bool builds_on_others(const struct result *result)
{
    const char *const *uses = exercise_uses(result->exercise, result->place->gpu);
    size_t lab = strcspn(result->exercise->id, ".") + 1;
    bool builds = false;
    for (size_t u = 0; u < MAX_USES && uses[u] != NULL; u++) {
        builds = builds || strncmp(uses[u], result->exercise->id, lab) == 0;
    }
    return builds;
}

// Lab by lab, because a lab waits for the labs it uses. Within a lab, exercises that were asked
// for come first, then exercises come after those they build on, and otherwise the longest
// first.
static int judged_before(const void *one, const void *other)
{
    const struct result *a = *(struct result *const *)one;
    const struct result *b = *(struct result *const *)other;
    if (a->place != b->place) {
        return a->place < b->place ? -1 : 1;
    }
    if (a->asked != b->asked) {
        return a->asked ? -1 : 1;
    }
    bool a_builds = builds_on_others(a), b_builds = builds_on_others(b);
    if (a_builds != b_builds) {
        return b_builds ? -1 : 1;
    }
    size_t work_a = a->drawn != NULL ? a->drawn->elements : 0;
    size_t work_b = b->drawn != NULL ? b->drawn->elements : 0;
    return work_a != work_b ? (work_a > work_b ? -1 : 1) : (a < b ? -1 : 1);
}

// The number of exercises judged on this side.
static size_t list_order(struct run *run)
{
    struct grading *grading = run->grading;
    size_t count = 0;
    for (size_t i = 0; i < grading->count; i++) {
        struct result *result = &grading->results[i];
        if (!is_ours(run, result)) {
            continue;
        }
        take_given(grading, result); // after choosing the functions that the files call
        if (count == MAX_RESULTS) {
            grader_fail("more than %d exercises", (int)MAX_RESULTS);
        }
        run->order[count++] = result;
        run->progress[result->place - run->places].unjudged++;
        run->progress[result->place - run->places].asked_left += result->asked;
    }
    qsort(run->order, count, sizeof *run->order, judged_before);
    return count;
}

// Returns true if it uses an exercise of its lab that did not return and so would not
// return either. follow_through judges it later with the workbook's version of that
// exercise. Call it with the lock held.
static bool uses_what_hangs(const struct run *run, size_t lab,
                            const struct result *result)
{
    struct failing used = {.count = 0};
    bool hangs = false;
    if (!may_put_off(run, lab)) {
        return false;
    }
    list_used(run->grading, result->exercise, result->place, &used);
    for (size_t i = 0; i < run->hang_count; i++) {
        hangs = hangs || is_among(run->hangs[i], &used);
    }
    return hangs;
}

// Can no exercise of a lab find what another one has left? The workbook's own labs keep nothing.
static bool keeps_nothing(const struct run *run, size_t lab)
{
    struct build *beneath[MAX_USED];
    size_t used[MAX_USED];
    const size_t count = used_labs(run, lab, used);
    list_beneath(run, lab, beneath);
    bool keeps = !build_is_memoryless(run->workshop, &run->own[lab]);
    for (size_t u = 0; u < count; u++) {
        const bool own = !beneath[u]->reference && beneath[u]->compiled;
        keeps = keeps || (own && !build_is_memoryless(run->workshop, beneath[u]));
    }
    return !keeps;
}

// Judges the exercises of a lab together that run in a box of their own otherwise.
static void judge_lab_together(struct run *run, size_t lab)
{
    const struct build *build = &run->own[lab];
    struct result *results[MAX_RESULTS];
    size_t count = 0;
    if (build->worker == NULL || build->shared || build->place->gpu ||
        !keeps_nothing(run, lab)) {
        return;
    }
    pthread_mutex_lock(&run->lock);
    for (size_t i = 0; i < run->grading->count; i++) {
        struct result *result = &run->grading->results[i];
        if (is_ours(run, result) && result->place == &run->places[lab] &&
            !result->given && !is_second(run, result) &&
            !uses_what_hangs(run, lab, result)) {
            results[count++] = result;
        }
    }
    pthread_mutex_unlock(&run->lock);
    judge_together(&run->grading->options, build, results, count);
}

// Waits until the labs that a lab uses are final. The exercises it waits for come earlier
// in the order, so another thread is judging them.
static void settle_beneath(struct run *run, size_t lab)
{
    size_t used[MAX_USED], count = used_labs(run, lab, used);
    struct progress_of_lab *progress = &run->progress[lab];
    pthread_mutex_lock(&run->lock);
    for (size_t u = 0; u < count; u++) {
        while (run->progress[used[u]].unjudged > 0) {
            pthread_cond_wait(&run->change, &run->lock);
        }
    }
    if (progress->firm == NOT_YET) {
        progress->firm = NOW;
        pthread_mutex_unlock(&run->lock);
        stand_in(run, lab);
        judge_lab_together(run, lab);
        pthread_mutex_lock(&run->lock);
        progress->firm = DONE;
        pthread_cond_broadcast(&run->change);
    }
    while (progress->firm != DONE) {
        pthread_cond_wait(&run->change, &run->lock);
    }
    pthread_mutex_unlock(&run->lock);
}

// Waits until those that were asked for have a verdict; they come earlier in the order. Returns
// true if all pass. Then the verdicts of what they use are not needed.
static bool all_asked_pass(struct run *run, struct progress_of_lab *progress)
{
    pthread_mutex_lock(&run->lock);
    while (progress->asked_left > 0) {
        pthread_cond_wait(&run->change, &run->lock);
    }
    const bool all = !progress->needs_seconds;
    pthread_mutex_unlock(&run->lock);
    return all;
}

static void judge_or_skip(struct run *run, size_t lab, struct result *result)
{
    if (!result->given && is_second(run, result) &&
        (run->grading->options.others_pass || all_asked_pass(run, &run->progress[lab]))) {
        give_pass(result);
    }
    if (!result->given && !result->together) {
        judge_with_own_variables(run, lab, &run->own[lab], result);
    }
}

// Returns true if it uses an exercise that did not return before, and that another thread is
// judging now: if that one times out, this one need not. Call it with the lock held.
static bool waits_for_late(const struct run *run, size_t lab, const struct result *result)
{
    struct failing used = {.count = 0};
    bool waits = false;
    if (may_put_off(run, lab)) {
        list_used(run->grading, result->exercise, result->place, &used);
    }
    for (size_t i = 0; i < used.count; i++) {
        waits = waits || (used.results[i]->late && used.results[i]->judging);
    }
    return waits;
}

static void judge_task(void *context, size_t i)
{
    struct run *run = context;
    size_t lab = (size_t)(run->order[i]->place - run->places);
    struct result *result = run->order[i];
    settle_beneath(run, lab);
    pthread_mutex_lock(&run->lock);
    while (waits_for_late(run, lab, result)) {
        pthread_cond_wait(&run->change, &run->lock);
    }
    result->judging = true;
    result->never_starts = !result->given && run->never_starts[lab];
    result->put_off =
        !result->given && !result->never_starts && uses_what_hangs(run, lab, result);
    pthread_mutex_unlock(&run->lock);
    judge_or_skip(run, lab, result);
    pthread_mutex_lock(&run->lock);
    result->judging = result->late = false;
    run->progress[lab].asked_left -= result->asked;
    run->progress[lab].needs_seconds |= result->asked && result->verdict != PASS;
    run->hangs[run->hang_count] = result;
    run->hang_count +=
        result->verdict == TIMEOUT && !result->unjudged && !result->never_starts;
    run->never_starts[lab] = run->never_starts[lab] || result->never_starts;
    run->progress[lab].unjudged--;
    pthread_cond_broadcast(&run->change);
    pthread_mutex_unlock(&run->lock);
}

// Moves the compiler's warnings from the builds to the grading.
static void keep_warnings(struct run *run)
{
    struct grading *grading = run->grading;
    for (size_t lab = 0; lab < run->labs; lab++) {
        struct build *build = &run->own[lab];
        bool linked =
            build->worker != NULL || (build->compiled && !is_left_to_judge(run, lab));
        if (linked && build->message != NULL) {
            size_t count = grading->warning_count++;
            grading->warnings =
                grader_resize(grading->warnings, (count + 1) * sizeof *grading->warnings);
            hide_paths_in(&grading->options, &build->message);
            grading->warnings[count] = (struct warnings){build->place, build->message};
            build->message = NULL;
        }
    }
}

// Judges one side of the labs.
static void run_side(struct grading *grading, const struct workshop *workshop,
                     const struct lab_place *places)
{
    struct run *run = grader_alloc(sizeof *run);
    run->grading = grading;
    run->workshop = workshop;
    run->places = places;
    pthread_mutex_init(&run->lock, NULL);
    pthread_mutex_init(&run->compiling, NULL);
    pthread_cond_init(&run->change, NULL);
    list_labs(run);
    list_chores(run);
    size_t jobs = grading->options.jobs;
    run->starter = pthread_self();
    for_each_from_both_ends(jobs, run->chore_count, do_chore, run);
    choose_called(run);
    reuse_passes(run);
    grade_allow(grading);
    for_each(jobs, run->labs, link_task, run);
    for_each(jobs, list_order(run), judge_task, run);
    for (size_t lab = 0; lab < run->labs; lab++) {
        follow_through(run, lab);
        judge_above_ours(run, lab);
    }
    decide_whose_fault(run);
    for (size_t lab = 0; lab < run->labs; lab++) {
        repair_slips(run, lab); // last, because it changes no mark but takes time
    }
    keep_passes(run);
    keep_warnings(run);
    for (size_t lab = 0; lab < run->labs; lab++) {
        build_free(&run->own[lab]);
        build_free(&run->reference[lab]);
    }
    free(run);
}

static bool folder_is_asked(const struct grading *grading, const char *folder)
{
    for (size_t i = 0; i < grading->count; i++) {
        const struct result *result = &grading->results[i];
        if (result->asked && strcmp(result->place->folder, folder) == 0) {
            return true;
        }
    }
    return false;
}

// Counts edited .cu files in an untrusted hand-in if only the CPU side is judged.
static size_t count_unseen(const struct grading *grading, const char *source)
{
    size_t unseen = 0;
    for (const struct lab_place *place = gpu_places; place->folder != NULL; place++) {
        for (size_t i = 0;
             place->sources[i] != NULL && folder_is_asked(grading, place->folder); i++) {
            char *path = lab_file(source, place, place->sources[i]);
            unseen += path != NULL;
            free(path);
        }
    }
    return unseen;
}

void run_grading(struct grading *grading)
{
    struct workshop workshop =
        workshop_open(grading->options.root, grading->options.source);
    workshop.allowance = grading->options.allowance;
    workshop.aliases = grading->options.aliases;
    workshop.strangers = grading->options.strangers;
    if (grading->options.untrusted) {
        workshop_take(&workshop);
        bool cpu = grading->options.gpu == CPU && grading->options.exercise == NULL;
        grading->unseen = cpu ? count_unseen(grading, workshop.source) : 0;
    }
    surroundings_hide();
    run_side(grading, &workshop, lab_places);
    if (grading->options.gpu != CPU) {
        run_side(grading, &workshop, gpu_places);
    }
    surroundings_show();
    grade_drop_others(grading);
    find_unwritten(grading, workshop.source);
    // From last to first, so that each sees the original verdicts.
    for (size_t i = grading->count; i-- > 0;) {
        trace_failure(grading, &grading->results[i]);
    }
    workshop_close(&workshop);
}
