// stand_in.c - replaces an earlier lab that is missing or does not pass by its solution.
// The results say so.

#define _GNU_SOURCE
#include "grade/stand_in.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "build/build.h"
#include "build/link.h"
#include "grade/beneath.h"
#include "grade/grading.h"
#include "grade/side.h"
#include "judge/result.h"

// ---- what a student's file calls ----------------------------------------------------------

// The exercise that judges a function, or NULL.
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

void choose_called(struct run *run)
{
    for (size_t lab = run->labs; lab-- > 0;) { // a lab calls only earlier labs
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

// The failing functions of `where` that the lab's object calls, directly or through another
// lab, whether or not the exercises declare them.
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
            find_failing(run->grading, result->exercise, &run->places[used], &failing);
        }
    }
    return failing;
}

// Functions that the lab's files call although no exercise declares it. It is unknown which
// exercise calls them.
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
    find_failing(run->grading, result->exercise, &run->places[used], &failing);
    bool declared = failing.count > 0;
    if (!declared) {
        failing = find_undeclared(run, lab, used);
    }
    if (failing.count == 0) {
        return;
    }
    struct text text;
    text_begin(&text);
    if (result->lent != NULL) {
        fprintf(text.file, "%s; ", result->lent);
        free(result->lent);
    }
    fputs(declared ? "uses " : "its lab calls ", text.file);
    name_failing(text.file, &failing);
    fprintf(text.file, ": judged with the workbook's own lab %d",
            run->places[used].number);
    result->lent = text_end(&text);
}

// One line for all exercises of the lab.
static void note_loan(struct run *run, size_t lab, size_t used)
{
    struct grading *grading = run->grading;
    struct failing failing = find_declared(run, lab, used), in_order = {.count = 0};
    struct text text;
    find_called(run, lab, used, &failing);
    for (size_t i = 0; i < grading->count; i++) {
        if (is_among(&grading->results[i], &failing)) {
            add_failing(&in_order, &grading->results[i]);
        }
    }
    text_begin(&text);
    fprintf(text.file, "judged with the workbook's own lab %d instead of ",
            run->places[used].number);
    name_failing(text.file, &in_order);
    struct loan *grown =
        realloc(grading->loans, (grading->loan_count + 1) * sizeof *grown);
    if (grown == NULL) {
        grader_fail("out of memory");
    }
    grading->loans = grown;
    grading->loans[grading->loan_count++] =
        (struct loan){.place = &run->places[lab], .line = text_end(&text)};
}

static bool needs_stand_in(const struct run *run, size_t lab, size_t used)
{
    struct failing failing = find_declared(run, lab, used);
    find_called(run, lab, used, &failing);
    return run->own[lab].compiled && failing.count > 0;
}

bool lacks_a_lab(const struct run *run, size_t lab)
{
    size_t used[MAX_USED], count = used_labs(run, lab, used);
    bool lacks = false;
    for (size_t u = 0; u < count; u++) {
        lacks = lacks || run->own[used[u]].absent;
    }
    return lacks;
}

void stand_in(struct run *run, size_t lab)
{
    size_t used[MAX_USED], count = used_labs(run, lab, used);
    struct build *own = &run->own[lab];
    for (size_t u = 0; u < count; u++) {
        if (!needs_stand_in(run, lab, used[u]) || reference_of(run, used[u]) == NULL) {
            continue;
        }
        run->stood_in[lab][u] = true;
        own->lends = true;
        note_loan(run, lab, used[u]);
        for (size_t i = 0; i < run->grading->count; i++) {
            if (run->grading->results[i].place == &run->places[lab]) {
                note_stand_in(run, &run->grading->results[i], lab, used[u]);
            }
        }
    }
    if (own->lends || (own->compiled && lacks_a_lab(run, lab))) {
        struct build *beneath[MAX_USED];
        list_beneath(run, lab, beneath);
        build_link(run->workshop, own, beneath);
    }
}
