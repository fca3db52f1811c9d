// run.c - from chosen exercises to results.
//
//   compile every file ──> one object ──> link a worker ──> judge, lab after lab
//   draw cases meanwhile    for each lab   for each lab           │
//                                                                 │
//            an earlier lab's function that this lab calls does not pass? then its worker is
//            linked again, with the solutions of that earlier lab beneath
//
// What can be done at the same time is: a verdict is awaited, so no processor should be idle.
//
// So a lab is judged on its own work: neither a mistake in an earlier lab nor its absence
// costs a later one, and the result says what it was judged on. Inside one lab an exercise
// that builds on a failing one fails with it, and says so (trace).

#define _GNU_SOURCE
#include "judge/run.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "judge/build.h"
#include "judge/judge.h"
#include "judge/memory.h"
#include "judge/pool.h"
#include "judge/surroundings.h"

enum { MAX_LABS = 64, MAX_USED = 8, MAX_FAILING = 16, MAX_RESULTS = 512 };
_Static_assert((int)MAX_USED == (int)MAX_FILES, "as in struct lab_place");

// One thing to do before anything is judged.
struct chore {
    struct build *build; // compile its file, or NULL: draw the cases of result
    size_t file;
    struct result *result;
    size_t size;
};

// How far a lab has come; only looked at and changed under the lock.
struct progress_of_lab {
    size_t files_left;    // to compile
    bool joined, linking; // its one object is there; a thread links its worker
    size_t unjudged;      // exercises that have no verdict yet
    enum { NOT_YET, NOW, DONE } firm; // is it decided what lies beneath?
};

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
    struct chore chores[MAX_LABS * MAX_FILES + MAX_RESULTS];
    size_t chore_count;
    struct result *order[MAX_RESULTS]; // in which exercises are judged
    pthread_mutex_t lock, compiling;   // the latter while a solution is compiled
    pthread_cond_t change;
    struct progress_of_lab progress[MAX_LABS];
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

// Is this exercise judged, and on this side?
static bool is_ours(const struct run *run, const struct result *result)
{
    return result->chosen && result->place->gpu == (run->places == gpu_places);
}

static bool is_judged(const struct run *run, size_t lab)
{
    for (size_t i = 0; i < run->grading->count; i++) {
        const struct result *result = &run->grading->results[i];
        if (result->chosen && result->place == &run->places[lab]) {
            return true;
        }
    }
    return false;
}

// The labs that a lab calls: each as its number here.
static size_t used_labs(const struct run *run, size_t lab, size_t used[MAX_USED])
{
    size_t count = 0;
    while (count < MAX_USED && run->places[lab].uses[count] != NULL) {
        used[count] = lab_index(run, run->places[lab].uses[count]);
        count++;
    }
    return count;
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

// ---- before anything is judged ------------------------------------------------------------

static void add_chore(struct run *run, struct chore chore)
{
    if (run->chore_count == sizeof run->chores / sizeof *run->chores) {
        grader_fail("too much to do at once");
    }
    run->chores[run->chore_count++] = chore;
}

static int larger_first(const void *one, const void *other)
{
    size_t a = ((const struct chore *)one)->size, b = ((const struct chore *)other)->size;
    return a < b ? 1 : a > b ? -1 : 0;
}

// Files first, the largest in front: no worker can be linked before the last one is compiled.
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
    for (size_t i = 0; i < run->grading->count; i++) {
        struct result *result = &run->grading->results[i];
        if (is_ours(run, result)) {
            add_chore(run, (struct chore){.result = result});
        }
    }
}

// Is everything there that the worker of a lab is linked from? Asked under the lock.
static bool can_link(const struct run *run, size_t lab)
{
    size_t used[MAX_USED], count = used_labs(run, lab, used);
    bool can = is_judged(run, lab) && run->progress[lab].joined;
    for (size_t u = 0; u < count; u++) {
        can = can && run->progress[used[u]].joined;
    }
    return can && !run->progress[lab].linking;
}

static void link_lab(struct run *run, size_t lab)
{
    size_t used[MAX_USED], count = used_labs(run, lab, used);
    struct build *builds[MAX_USED] = {NULL};
    for (size_t u = 0; u < count; u++) {
        builds[u] = &run->own[used[u]];
    }
    if (run->own[lab].compiled) {
        build_link(run->workshop, &run->own[lab], builds);
    }
}

// Links the workers for which everything is there and which no other thread links.
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

static void do_chore(void *context, size_t i)
{
    struct run *run = context;
    const struct chore *chore = &run->chores[i];
    if (chore->build == NULL) {
        judge_draw(&run->grading->options, chore->result);
        return;
    }
    size_t lab = (size_t)(chore->build - run->own);
    build_file(run->workshop, chore->build, chore->file);
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

static void link_task(void *context, size_t lab)
{
    struct run *run = context;
    if (is_judged(run, lab) && !run->progress[lab].linking) {
        link_lab(run, lab);
    }
}

// ---- what a student's file calls ----------------------------------------------------------

// The exercise that a function is judged in, or NULL.
static struct result *result_of(const struct run *run, size_t lab, const char *function)
{
    for (size_t i = 0; i < run->grading->count; i++) {
        struct result *result = &run->grading->results[i];
        const struct part *part = result->exercise->parts;
        for (; result->place == &run->places[lab] && part->function != NULL; part++) {
            if (strcmp(part->function, function) == 0) {
                return result;
            }
        }
    }
    return NULL;
}

static bool calls(const struct build *build, const struct lab_place *place,
                  const struct entry *entry)
{
    char *symbol = build_symbol(place, entry);
    bool needed = symbol != NULL && symbols_need(&build->symbols, symbol);
    free(symbol);
    return needed;
}

// Students may call a function of an earlier lab where the solution does not. What is called
// has to be judged as well, so that it is known whether it needs a stand-in.
static void choose_called(struct run *run)
{
    for (size_t lab = run->labs; lab-- > 0;) { // a lab calls earlier ones only
        size_t used[MAX_USED], count = used_labs(run, lab, used);
        for (size_t u = 0; is_judged(run, lab) && u < count; u++) {
            const struct entry *entry = run->places[used[u]].entries;
            for (; entry->name != NULL; entry++) {
                struct result *result = result_of(run, used[u], entry->name);
                if (result != NULL &&
                    calls(&run->own[lab], &run->places[used[u]], entry)) {
                    result->chosen = true;
                }
            }
        }
        grade_choose_used(run->grading);
    }
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
    const char *const *uses = exercise_uses(exercise, where->gpu);
    for (size_t u = 0; u < MAX_USES && uses[u] != NULL; u++) {
        const struct result *used = grade_find_on(run->grading, uses[u], where->gpu);
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

// The functions of `where` that the lab's object calls, or that of another lab beneath it does,
// and that do not pass: whether or not the exercises say that they use them.
static void find_called(const struct run *run, size_t lab, size_t where,
                        struct failing *failing)
{
    size_t used[MAX_USED + 1], count = used_labs(run, lab, used);
    used[count++] = lab;
    for (const struct entry *entry = run->places[where].entries; entry->name != NULL;
         entry++) {
        const struct result *result = result_of(run, where, entry->name);
        for (size_t u = 0; u < count; u++) {
            if (result != NULL && result->verdict != PASS &&
                calls(&run->own[used[u]], &run->places[where], entry)) {
                add_failing(failing, result);
            }
        }
    }
}

// ---- standing in --------------------------------------------------------------------------

static struct failing find_declared(const struct run *run, size_t lab, size_t used)
{
    struct failing failing = {.count = 0};
    for (size_t i = 0; i < run->grading->count; i++) {
        const struct result *result = &run->grading->results[i];
        if (result->chosen && result->place == &run->places[lab]) {
            find_failing(run, result->exercise, &run->places[used], &failing);
        }
    }
    return failing;
}

static bool is_among(const struct result *result, const struct failing *failing)
{
    for (size_t i = 0; i < failing->count; i++) {
        if (failing->results[i] == result) {
            return true;
        }
    }
    return false;
}

// What the lab's files call although no exercise of it says that it uses that. Which of them
// calls it is not known.
static struct failing find_undeclared(const struct run *run, size_t lab, size_t used)
{
    struct failing called = {.count = 0}, left = {.count = 0};
    struct failing declared = find_declared(run, lab, used);
    find_called(run, lab, used, &called);
    for (size_t i = 0; i < called.count; i++) {
        if (!is_among(called.results[i], &declared)) {
            add_failing(&left, called.results[i]);
        }
    }
    return left;
}

static void note_stand_in(struct run *run, struct result *result, size_t lab, size_t used)
{
    struct failing failing = {.count = 0};
    find_failing(run, result->exercise, &run->places[used], &failing);
    bool declared = failing.count > 0;
    if (!declared) {
        failing = find_undeclared(run, lab, used);
    }
    if (failing.count == 0) {
        return;
    }
    struct text text;
    text_begin(&text);
    if (result->note != NULL) {
        fprintf(text.file, "%s; ", result->note);
        free(result->note);
    }
    fputs(declared ? "uses " : "its lab calls ", text.file);
    name_failing(text.file, &failing);
    fprintf(text.file, ": judged on the workbook's own lab %d", run->places[used].number);
    result->note = text_end(&text);
}

static bool needs_stand_in(const struct run *run, size_t lab, size_t used)
{
    struct failing failing = find_declared(run, lab, used);
    find_called(run, lab, used, &failing);
    return run->own[lab].compiled && failing.count > 0;
}

// Links the worker anew where an earlier lab has to be stood in for.
static void stand_in(struct run *run, size_t lab)
{
    size_t used[MAX_USED], count = used_labs(run, lab, used);
    struct build *builds[MAX_USED] = {NULL};
    bool changed = false;
    for (size_t u = 0; u < count; u++) {
        struct build *reference = &run->reference[used[u]];
        builds[u] = &run->own[used[u]];
        if (!needs_stand_in(run, lab, used[u])) {
            continue;
        }
        pthread_mutex_lock(&run->compiling);
        if (reference->object == NULL) {
            build_compile(run->workshop, reference);
        }
        pthread_mutex_unlock(&run->compiling);
        if (!reference->compiled) {
            continue; // a hand-out without solutions
        }
        builds[u] = reference;
        changed = true;
        for (size_t i = 0; i < run->grading->count; i++) {
            if (run->grading->results[i].place == &run->places[lab]) {
                note_stand_in(run, &run->grading->results[i], lab, used[u]);
            }
        }
    }
    if (changed) {
        build_link(run->workshop, &run->own[lab], builds);
    }
}

// ---- judging ------------------------------------------------------------------------------

// Lab after lab, for a lab waits for those beneath; in a lab the longest first.
static int judged_before(const void *one, const void *other)
{
    const struct result *a = *(struct result *const *)one;
    const struct result *b = *(struct result *const *)other;
    if (a->place != b->place) {
        return a->place < b->place ? -1 : 1;
    }
    size_t work_a = a->drawn != NULL ? a->drawn->elements : 0;
    size_t work_b = b->drawn != NULL ? b->drawn->elements : 0;
    return work_a != work_b ? (work_a > work_b ? -1 : 1) : (a < b ? -1 : 1);
}

// How many exercises of this side are judged.
static size_t list_order(struct run *run)
{
    struct grading *grading = run->grading;
    size_t count = 0;
    for (size_t i = 0; i < grading->count; i++) {
        struct result *result = &grading->results[i];
        if (!is_ours(run, result)) {
            continue;
        }
        if (count == MAX_RESULTS) {
            grader_fail("more than %d exercises", (int)MAX_RESULTS);
        }
        run->order[count++] = result;
        run->progress[result->place - run->places].unjudged++;
    }
    qsort(run->order, count, sizeof *run->order, judged_before);
    return count;
}

// Returns once it is decided what lies beneath a lab. The exercises waited for are in front of
// this lab's in the order, so a thread has them in hand.
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
        pthread_mutex_lock(&run->lock);
        progress->firm = DONE;
        pthread_cond_broadcast(&run->change);
    }
    while (progress->firm != DONE) {
        pthread_cond_wait(&run->change, &run->lock);
    }
    pthread_mutex_unlock(&run->lock);
}

static void judge_task(void *context, size_t i)
{
    struct run *run = context;
    size_t lab = (size_t)(run->order[i]->place - run->places);
    settle_beneath(run, lab);
    judge_exercise(&run->grading->options, &run->own[lab], run->order[i]);
    pthread_mutex_lock(&run->lock);
    run->progress[lab].unjudged--;
    pthread_cond_broadcast(&run->change);
    pthread_mutex_unlock(&run->lock);
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

// Is other the lab itself, or one that its sources call? The GPU side of lab 6 calls no lab
// that its CPU side builds on.
static bool calls_lab(const struct lab_place *place, const struct lab_place *other)
{
    bool found = place == other;
    for (size_t u = 0; u < MAX_USED && place->uses[u] != NULL; u++) {
        found = found || strcmp(place->uses[u], other->folder) == 0;
    }
    return found;
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
    const char *const *uses = exercise_uses(result->exercise, result->place->gpu);
    for (size_t u = 0; u < MAX_USES && uses[u] != NULL; u++) {
        const struct result *used = grade_find_on(grading, uses[u], result->place->gpu);
        if (used != NULL && used->verdict != PASS && calls_lab(result->place, used->place) &&
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
    run->grading = grading;
    run->workshop = workshop;
    run->places = places;
    pthread_mutex_init(&run->lock, NULL);
    pthread_mutex_init(&run->compiling, NULL);
    pthread_cond_init(&run->change, NULL);
    list_labs(run);
    list_chores(run);
    for_each(run->chore_count, do_chore, run);
    choose_called(run);
    for_each(run->labs, link_task, run);
    for_each(list_order(run), judge_task, run);
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
    grade_drop_others(grading);
    // From the last to the first, so that each looks at verdicts and not at rewritten ones.
    for (size_t i = grading->count; i-- > 0;) {
        trace(grading, &grading->results[i]);
    }
    workshop_close(&workshop);
}
