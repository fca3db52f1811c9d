// earlier.c - see earlier.h.
//
//     5.3 leaves gelu(hidden) in hidden: passes, because only y is judged
//     6.11 calls it and reads hidden:    fails
//     6.11 above the workbook's lab 5:   passes, and the note names lab 5

#define _GNU_SOURCE
#include "grade/earlier.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "build/backend.h"
#include "build/build.h"
#include "build/link.h"
#include "cases/tables.h"
#include "grade/grading.h"
#include "grade/side.h"
#include "grade/variables.h"
#include "judge/options.h"
#include "judge/result.h"

// ---- which results ------------------------------------------------------------------------

// Does an exercise build on one of another lab?
static bool builds_on(const struct grading *grading, const struct exercise *exercise,
                      const struct lab_place *place, const struct lab_place *other)
{
    const char *const *uses = exercise_uses(exercise, place->gpu);
    bool builds = false;
    for (size_t u = 0; !builds && u < MAX_USES && uses[u] != NULL; u++) {
        const struct result *used = grade_find_on(grading, uses[u], place->gpu);
        builds = used != NULL && (used->place == other ||
                                  builds_on(grading, used->exercise, place, other));
    }
    return builds;
}

// It fails, and nothing says why: no known mistake, nothing missing.
static bool is_unexplained(const struct result *result)
{
    return result->asked && !result->given && !result->unjudged && !result->put_off &&
           (result->verdict == WRONG || result->verdict == CRASH) &&
           result->diagnosis == NULL && result->unwritten == NULL;
}

// The labs beneath that are the student's, as places in used_labs(). Returns their number.
static size_t list_suspects(struct run *run, size_t lab, const struct result *result,
                            size_t suspects[MAX_USED])
{
    size_t used[MAX_USED], count = used_labs(run, lab, used), found = 0;
    for (size_t u = 0; u < count; u++) {
        if (!run->stood_in[lab][u] && run->own[used[u]].compiled &&
            builds_on(run->grading, result->exercise, result->place,
                      &run->places[used[u]]) &&
            reference_of(run, used[u]) != NULL) {
            suspects[found++] = u;
        }
    }
    return found;
}

// ---- judging once more --------------------------------------------------------------------

// Judges with the workbook's versions of these labs. Returns true if it passes; the caller clears *again.
static bool passes_above(struct run *run, size_t lab, const struct result *result,
                         const size_t *replaced, size_t count, struct result *again)
{
    struct build above = run->own[lab], *beneath[MAX_USED];
    above.message = NULL;
    above.worker = NULL;
    above.lends = true;
    for (size_t i = 0; i < count; i++) {
        run->stood_in[lab][replaced[i]] = true;
    }
    list_beneath(run, lab, beneath);
    build_link(run->workshop, &above, beneath);
    *again = (struct result){.exercise = result->exercise,
                             .rule = result->rule,
                             .place = result->place,
                             .backend = result->backend,
                             .asked = result->asked,
                             .chosen = result->chosen};
    if (above.worker != NULL) {
        judge_with_own_variables(run, lab, &above, again);
    } else {
        again->verdict = GRADER_ERROR;
    }
    for (size_t i = 0; i < count; i++) {
        run->stood_in[lab][replaced[i]] = false;
    }
    free(above.message);
    free(above.worker);
    return again->verdict == PASS;
}

// The only suspect that explains the failure by itself; count if it takes several.
static size_t find_culprit(struct run *run, size_t lab, const struct result *result,
                           const size_t *suspects, size_t count)
{
    for (size_t i = count;
         count > 1 && i-- > 0;) { // the lab right below is the likeliest
        struct result again;
        const bool passes = passes_above(run, lab, result, &suspects[i], 1, &again);
        result_clear(&again);
        if (passes) {
            return i;
        }
    }
    return count == 1 ? 0 : count;
}

static char *name_culprit(const struct run *run, size_t lab, const size_t *suspects,
                          size_t count, size_t culprit)
{
    size_t used[MAX_USED];
    used_labs(run, lab, used);
    return culprit < count
               ? grader_print("lab %d", run->places[used[suspects[culprit]]].number)
               : grader_print("earlier labs");
}

static void judge_again(struct run *run, size_t lab, struct result *result)
{
    size_t suspects[MAX_USED], count = list_suspects(run, lab, result, suspects);
    struct result again;
    if (count == 0) {
        return;
    }
    if (!passes_above(run, lab, result, suspects, count, &again)) {
        result_clear(&again);
        return;
    }
    const size_t culprit = find_culprit(run, lab, result, suspects, count);
    char *name = name_culprit(run, lab, suspects, count, culprit);
    char *note = grader_print(
        "%s with your %s, whose exercises pass: judged with the workbook's own%s%s",
        result->headline, name, culprit < count ? " " : "", culprit < count ? name : "");
    char *lent = result->lent;
    result->lent = NULL;
    result_clear(result);
    *result = again;
    result->note = note;
    result->lent = lent;
    result->followed = true;
    free(name);
}

void judge_above_ours(struct run *run, size_t lab)
{
    const struct options *options = &run->grading->options;
    const struct build *own = &run->own[lab];
    if (options->follow == FOLLOW_NONE || options->others_pass || !own->compiled ||
        // its program would contain the solution (follow.c)
        (options->strangers && own->backend == GPU_DEVICE) || !has_solutions(run)) {
        return;
    }
    for (size_t i = 0; i < run->grading->count; i++) {
        struct result *result = &run->grading->results[i];
        if (result->place == &run->places[lab] && is_unexplained(result)) {
            judge_again(run, lab, result);
        }
    }
}
