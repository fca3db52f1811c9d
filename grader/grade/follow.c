// follow.c - keeps one early mistake from costing the whole lab.
//
// An exercise that builds on failing exercises of its lab is judged again, in a worker with
// the workbook's versions of these:
//
//     lab.o      objcopy --weaken-symbol=attention_scores   ──┐
//                (the student's other functions now call       ├─> worker ──> judge 1.6
//                whichever attention_scores is strong)         │
//     solution.o objcopy --keep-global-symbol=attention_scores ┘
//
// Only the functions of failing exercises that this one builds on are linked, never its
// own, because a student's program can call anything linked into it. The new verdict
// counts, and the result names the replaced functions.
//
// By default, exercises that are not written are not judged again, because a student who
// writes one after the other would wait for nothing.

#define _GNU_SOURCE
#include "grade/follow.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/pool.h"
#include "build/backend.h"
#include "build/build.h"
#include "build/calls.h"
#include "build/link.h"
#include "build/variant.h"
#include "cases/tables.h"
#include "grade/beneath.h"
#include "grade/grading.h"
#include "grade/side.h"
#include "grade/variables.h"
#include "judge/options.h"
#include "judge/result.h"

// Exercises that build on the same failing ones share a worker.
struct variant {
    struct failing failing;
    struct build build; // a copy of the lab's, with another object and worker
};

struct follower {
    struct result *result, again;
    size_t variant;
    struct failing used; // of the failing ones, those that its code uses
};

struct following {
    struct run *run;
    size_t lab;
    struct variant variants[MAX_RESULTS];
    struct follower followers[MAX_RESULTS];
    size_t variant_count, follower_count;
    size_t linked;           // variants from earlier rounds
    bool tried[MAX_RESULTS]; // indexed like the grading's results
};

// ---- who is judged again -------------------------------------------------------------------

static bool may_follow(const struct options *options, const struct result *result)
{
    if (result->unjudged || result->never_starts) {
        return false;
    }
    switch (result->verdict) {
    case WRONG:
    case CRASH:
    case TIMEOUT:
    case MEMORY:
        return true;
    case TODO:
        return options->follow == FOLLOW_ALL;
    default:
        return false;
    }
}

static bool same(const struct failing *a, const struct failing *b)
{
    for (size_t i = 0; i < a->count; i++) {
        if (!is_among(a->results[i], b)) {
            return false;
        }
    }
    return a->count == b->count;
}

static size_t variant_of(struct following *following, const struct failing *failing)
{
    size_t i = 0;
    while (i < following->variant_count &&
           !same(&following->variants[i].failing, failing)) {
        i++;
    }
    if (i == following->variant_count) {
        following->variants[following->variant_count++].failing = *failing;
    }
    return i;
}

// Returns true if an exercise that it builds on has no verdict yet.
static bool must_wait(const struct grading *grading, const struct result *result)
{
    struct failing used = {.count = 0};
    bool wait = false;
    list_used(grading, result->exercise, result->place, &used);
    for (size_t i = 0; i < used.count; i++) {
        wait = wait || used.results[i]->put_off;
    }
    return wait;
}

enum { MOST_FUNCTIONS = 64 };

// The symbol names of the functions of failing exercises; ends with NULL. The caller frees
// each.
static void list_functions(const struct lab_place *place, const struct failing *failing,
                           char *functions[MOST_FUNCTIONS + 1])
{
    size_t count = 0;
    for (size_t i = 0; i < failing->count; i++) {
        const struct part *part = failing->results[i]->exercise->parts;
        for (; part->function != NULL && count < MOST_FUNCTIONS; part++) {
            char *symbol = build_symbol(place, part_entry(place, part));
            if (symbol != NULL) {
                functions[count++] = symbol;
            }
        }
    }
    functions[count] = NULL;
}

static void free_functions(char *functions[MOST_FUNCTIONS + 1])
{
    for (size_t f = 0; functions[f] != NULL; f++) {
        free(functions[f]);
    }
}

// A function with loops of its own may use none of those that it could build on.
static bool uses(const struct build *own, const struct result *result,
                 const struct result *failing)
{
    const struct failing one = {.results = {failing}, .count = 1};
    const struct part *part = result->exercise->parts;
    char *functions[MOST_FUNCTIONS + 1];
    bool used = false;
    list_functions(result->place, &one, functions);
    for (; !used && part->function != NULL; part++) {
        used = calls_use(own, part_entry(result->place, part),
                         (const char *const *)functions);
    }
    free_functions(functions);
    return used;
}

static void list_uses(const struct build *own, const struct result *result,
                      const struct failing *failing, struct failing *used)
{
    for (size_t i = 0; i < failing->count; i++) {
        if (uses(own, result, failing->results[i])) {
            add_failing(used, failing->results[i]);
        }
    }
}

static void list_followers(struct following *following)
{
    struct grading *grading = following->run->grading;
    const struct lab_place *place = &following->run->places[following->lab];
    for (size_t i = 0; i < grading->count; i++) {
        struct result *result = &grading->results[i];
        struct failing failing = {.count = 0};
        if (!result->chosen || result->given || result->place != place ||
            following->tried[i] || !may_follow(&grading->options, result) ||
            must_wait(grading, result)) {
            continue;
        }
        following->tried[i] = true;
        find_failing(grading, result->exercise, place, &failing);
        if (failing.count > 0) {
            struct follower *follower =
                &following->followers[following->follower_count++];
            *follower = (struct follower){.result = result,
                                          .variant = variant_of(following, &failing)};
            list_uses(&following->run->own[following->lab], result, &failing,
                      &follower->used);
        }
    }
}

// ---- their workers ------------------------------------------------------------------------

static void link_variant(void *context, size_t i)
{
    struct following *following = context;
    struct run *run = following->run;
    struct variant *variant = &following->variants[i];
    struct build *reference = reference_of(run, following->lab);
    if (reference == NULL) {
        return; // the student archive without solutions
    }
    char *functions[MOST_FUNCTIONS + 1];
    list_functions(&run->places[following->lab], &variant->failing, functions);
    struct build *beneath[MAX_USED];
    list_beneath(run, following->lab, beneath);
    variant->build = build_variant(run->workshop, &run->own[following->lab], reference,
                                   (const char *const *)functions, following->linked + i);
    if (variant->build.compiled) {
        build_link(run->workshop, &variant->build, beneath);
    }
    free_functions(functions);
}

// ---- judging again -------------------------------------------------------------------------

// The new result counts unless the grader itself failed.
static void take_over(struct result *result, struct result *again,
                      const struct failing *failing)
{
    bool counts = again->verdict != GRADER_ERROR && again->verdict != NOCOMPILE &&
                  again->verdict != NOT_RUN &&
                  (again->verdict != TODO || result->put_off);
    if (!counts) {
        result_clear(again);
        return;
    }
    if (again->unjudged) { // so it was not judged on anything
        result_clear(result);
        *result = *again;
        return;
    }
    struct text text;
    text_begin(&text);
    if (result->note != NULL) {
        fprintf(text.file, "%s; ", result->note);
    }
    fputs("uses ", text.file);
    name_failing(text.file, failing);
    fprintf(text.file, ": judged with the workbook's own %s",
            failing->count == 1 ? failing->results[0]->exercise->id : "versions");
    char *note = text_end(&text), *lent = result->lent;
    result->lent = NULL;
    result_clear(result);
    *result = *again;
    result->note = note;
    result->lent = lent;
    result->followed = true;
}

// Its own verdict stays if it uses none of the failing ones and they change nothing. (A function can be used
// in a way that its code does not show, such as through a table.)
static void take_over_or_not(struct follower *follower, const struct failing *failing)
{
    struct result *result = follower->result;
    const bool none = follower->used.count == 0;
    if (none && !result->put_off && follower->again.verdict == result->verdict) {
        result_clear(&follower->again);
        result->apart = true;
        return;
    }
    take_over(result, &follower->again, none ? failing : &follower->used);
}

static void judge_follower(void *context, size_t i)
{
    struct following *following = context;
    struct follower *follower = &following->followers[i];
    const struct variant *variant = &following->variants[follower->variant];
    const struct result *old = follower->result;
    if (variant->build.worker == NULL) {
        return;
    }
    struct result again = {.exercise = old->exercise,
                           .rule = old->rule,
                           .place = old->place,
                           .backend = old->backend,
                           .asked = old->asked,
                           .chosen = old->chosen};
    judge_with_own_variables(following->run, following->lab, &variant->build, &again);
    follower->again = again;
}

// nvcc's objects cannot be split by function. So the program would contain the solution, and
// untrusted code could find and call it.
static bool brings_the_answer(const struct run *run, size_t lab)
{
    return run->grading->options.strangers && run->own[lab].backend == GPU_DEVICE;
}

// The exercises that do not depend on a postponed one. Their results decide which others
// are judged.
static bool follow_once(struct following *following)
{
    size_t jobs = following->run->grading->options.jobs;
    following->variant_count = following->follower_count = 0;
    memset(following->variants, 0, sizeof following->variants);
    memset(following->followers, 0, sizeof following->followers);
    list_followers(following);
    for_each(jobs, following->variant_count, link_variant, following);
    for_each(jobs, following->follower_count, judge_follower, following);
    // Done last, because the messages describe the original verdicts.
    for (size_t i = 0; i < following->follower_count; i++) {
        struct follower *follower = &following->followers[i];
        if (following->variants[follower->variant].build.worker != NULL) {
            take_over_or_not(follower, &following->variants[follower->variant].failing);
        }
        follower->result->put_off = false;
    }
    for (size_t i = 0; i < following->variant_count; i++) {
        build_free_variant(&following->variants[i].build);
    }
    following->linked += following->variant_count;
    return following->follower_count > 0;
}

void follow_through(struct run *run, size_t lab)
{
    if (run->grading->options.follow == FOLLOW_NONE || !run->own[lab].compiled ||
        brings_the_answer(run, lab)) {
        return;
    }
    struct following *following = grader_alloc(sizeof *following);
    following->run = run;
    following->lab = lab;
    while (follow_once(following)) {
    }
    free(following);
}

bool may_put_off(const struct run *run, size_t lab)
{
    return run->grading->options.follow != FOLLOW_NONE && run->own[lab].compiled &&
           !brings_the_answer(run, lab) && has_solutions(run);
}
