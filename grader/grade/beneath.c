// beneath.c - the failing exercises that an exercise builds on.

#define _GNU_SOURCE
#include "grade/beneath.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "grade/grading.h"
#include "grade/side.h"
#include "judge/result.h"

void add_failing(struct failing *failing, const struct result *result)
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

void find_failing(const struct grading *grading, const struct exercise *exercise,
                  const struct lab_place *where, struct failing *failing)
{
    const char *const *uses = exercise_uses(exercise, where->gpu);
    for (size_t u = 0; u < MAX_USES && uses[u] != NULL; u++) {
        const struct result *used = grade_find_on(grading, uses[u], where->gpu);
        if (used == NULL) {
            continue; // no GPU variant
        }
        if (used->place == where && used->verdict != PASS) {
            add_failing(failing, used);
        }
        find_failing(grading, used->exercise, where, failing);
    }
}

void list_used(const struct grading *grading, const struct exercise *exercise,
               const struct lab_place *where, struct failing *used)
{
    const char *const *uses = exercise_uses(exercise, where->gpu);
    for (size_t u = 0; u < MAX_USES && uses[u] != NULL; u++) {
        const struct result *result = grade_find_on(grading, uses[u], where->gpu);
        if (result != NULL && result->place == where) {
            add_failing(used, result);
        }
        if (result != NULL) {
            list_used(grading, result->exercise, where, used);
        }
    }
}

static const char *why_not(const struct result *result, bool one)
{
    return result->absent                 ? (one ? "is not there" : "are not there")
           : result->verdict == TODO      ? (one ? "is todo" : "are todo")
           : result->verdict == NOCOMPILE ? (one ? "does not compile" : "do not compile")
           : one                          ? "fails"
                                          : "fail";
}

// How many from i on fail for the same reason.
static size_t count_alike(const struct failing *failing, size_t i)
{
    size_t count = 0;
    while (i + count < failing->count &&
           strcmp(why_not(failing->results[i + count], true),
                  why_not(failing->results[i], true)) == 0) {
        count++;
    }
    return count;
}

void name_failing(FILE *file, const struct failing *failing)
{
    for (size_t i = 0, alike; i < failing->count; i += alike) {
        alike = count_alike(failing, i);
        fputs(i > 0 ? ", and " : "", file);
        for (size_t j = 0; j < alike; j++) {
            fprintf(file, "%s%s",
                    j == 0           ? ""
                    : j + 1 == alike ? " and "
                                     : ", ",
                    failing->results[i + j]->exercise->id);
        }
        fprintf(file, "%s, which %s", failing->results[i]->place->gpu ? " (gpu)" : "",
                why_not(failing->results[i], alike == 1));
    }
}

bool is_among(const struct result *result, const struct failing *failing)
{
    for (size_t i = 0; i < failing->count; i++) {
        if (failing->results[i] == result) {
            return true;
        }
    }
    return false;
}

// ---- told, not diagnosed ------------------------------------------------------------------

// Returns true if other is the lab itself or a lab that its sources call. (The GPU side of
// lab 6 calls none of the labs that its CPU side uses.)
static bool calls_lab(const struct lab_place *place, const struct lab_place *other)
{
    bool found = place == other;
    for (size_t u = 0; u < MAX_USED && place->uses[u] != NULL; u++) {
        found = found || strcmp(place->uses[u], other->folder) == 0;
    }
    return found;
}

// The first unwritten exercise that a written one builds on, directly or indirectly, or NULL.
static const struct result *find_awaited(const struct grading *grading,
                                         const struct result *result)
{
    const char *const *uses = exercise_uses(result->exercise, result->place->gpu);
    const struct result *awaited = NULL;
    for (size_t u = 0; u < MAX_USES && uses[u] != NULL && awaited == NULL; u++) {
        const struct result *used = grade_find_on(grading, uses[u], result->place->gpu);
        if (used != NULL && used->verdict == TODO &&
            (used->place == result->place || result->lent == NULL)) {
            awaited = used->written ? find_awaited(grading, used) : used;
        }
    }
    return awaited;
}

// "uses 1.1, which fails". Of two that are todo, "builds on 1.1, also todo", or if this one is written,
// "waits for 1.1, which is not written yet".
static void name_reason(FILE *file, const struct result *result,
                        const struct failing *failing)
{
    const struct result *used = failing->results[0];
    if (result->waits_for != NULL) {
        fprintf(file, "waits for %s%s, which is not written yet", result->waits_for->id,
                result->place->gpu ? " (gpu)" : "");
        return;
    }
    if (result->verdict == TODO && used->verdict == TODO) {
        fprintf(file, "builds on %s%s, also todo", used->exercise->id,
                used->place->gpu ? " (gpu)" : "");
        return;
    }
    fputs(result->verdict == TODO ? "builds on " : "uses ", file);
    name_failing(file, failing);
}

// Of an exercise with several functions, the needed one may be right.
static bool is_partly_right(const struct result *result)
{
    return result->unwritten != NULL && result->exercise->parts[1].function != NULL;
}

void trace_failure(const struct grading *grading, struct result *result)
{
    struct failing failing = {.count = 0};
    if (result->followed || result->apart || result->never_starts || result->unjudged ||
        result->verdict == PASS || result->verdict == NOCOMPILE ||
        result->verdict == GRADER_ERROR || result->verdict == NOT_RUN || result->absent ||
        result->unwritten != NULL) {
        return;
    }
    const char *const *uses = exercise_uses(result->exercise, result->place->gpu);
    for (size_t u = 0; u < MAX_USES && uses[u] != NULL; u++) {
        const struct result *used = grade_find_on(grading, uses[u], result->place->gpu);
        if (used != NULL && used->verdict != PASS &&
            calls_lab(result->place, used->place) &&
            (used->place == result->place || result->lent == NULL) &&
            !(result->verdict == TODO && is_partly_right(used))) {
            add_failing(&failing, used);
        }
    }
    if (failing.count == 0) {
        return;
    }
    struct text text;
    text_begin(&text);
    if (result->verdict == TODO) {
        failing.count = 1; // the first one is enough
        const struct result *awaited =
            result->written ? find_awaited(grading, result) : NULL;
        result->waits_for = awaited != NULL ? awaited->exercise : NULL;
    }
    const char *first = result->waits_for != NULL ? result->waits_for->id
                                                  : failing.results[0]->exercise->id;
    name_reason(text.file, result, &failing);
    free(result->headline);
    free(result->details);
    result->headline = text_end(&text);
    result->details = grader_print("  fix %s%s first, then check this one again\n", first,
                                   failing.results[0]->place->gpu ? " (gpu)" : "");
    result->diagnosis = NULL;
    result->traced = true;
}
