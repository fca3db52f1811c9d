// repair_try.c - see repair_try.h.

#include "grade/repair_try.h"

#include <stdlib.h>

#include "build/build.h"
#include "build/command.h"
#include "build/link.h"
#include "grade/grading.h"
#include "grade/remainder.h"
#include "grade/side.h"
#include "grade/variables.h"
#include "judge/options.h"
#include "sandbox/allowance.h"

enum { RUNS = 3 };

struct tried {
    bool pass;
    size_t failures; // fewer than before; 0: not fewer, or not every call returned
    const struct mistake *mistake; // or NULL
};

struct result judged_again(const struct result *result)
{
    return (struct result){.exercise = result->exercise,
                           .rule = result->rule,
                           .place = result->place,
                           .backend = result->backend,
                           .asked = result->asked,
                           .chosen = result->chosen};
}

// Judges a copy that passes more than once, because what differs from run to run may be right by chance.
static struct tried judge_copy(struct repair *repair, const struct build *changed)
{
    struct tried tried = {.pass = true};
    for (int i = 0; i < RUNS && tried.pass; i++) {
        struct result again = judged_again(repair->result);
        judge_with_own_variables(repair->run, repair->lab, changed, &again);
        tried.failures = fewer_failures(repair->result, &again);
        tried.mistake = remainder_of(repair->result, &again);
        result_clear(&again);
        repair->gave_up =
            again.unjudged || again.verdict == TIMEOUT || again.verdict == MEMORY;
        tried.pass = again.verdict == PASS && !repair->gave_up;
    }
    return tried;
}

static struct tried link_and_judge(struct repair *repair, struct build *changed)
{
    struct run *run = repair->run;
    struct build *beneath[MAX_USED];
    list_beneath(run, repair->lab, beneath);
    if (changed->compiled) {
        build_link(run->workshop, changed, beneath);
    }
    return changed->worker != NULL ? judge_copy(repair, changed)
                                   : (struct tried){.pass = false};
}

static struct tried try_slips(struct repair *repair, const struct slip *slips,
                              size_t count)
{
    const struct run *run = repair->run;
    repair->gave_up =
        repair->gave_up || allowance_is_low(run->grading->options.allowance);
    if (repair->gave_up) {
        return (struct tried){.pass = false};
    }
    char *text = change_slips(repair->text, slips, count);
    struct build changed =
        build_changed(run->workshop, &run->own[repair->lab], repair->file, text,
                      repair->result->exercise->id);
    const struct tried tried = link_and_judge(repair, &changed);
    repair->gave_up =
        repair->gave_up || (changed.message != NULL && command_gave_up(changed.message));
    build_free_changed(&changed, repair->file);
    free(text);
    return tried;
}

bool passes_with(struct repair *repair, const struct slip *slips, size_t count)
{
    return try_slips(repair, slips, count).pass;
}

// One that leaves a known mistake is better than any other.
static bool is_better(const struct tried *tried, const struct first_of_two *first)
{
    if (tried->failures == 0 || (first->mistake != NULL && tried->mistake == NULL)) {
        return false;
    }
    return first->failures == 0 || tried->failures < first->failures ||
           (first->mistake == NULL && tried->mistake != NULL);
}

bool passes_with_one(struct repair *repair, enum slip_kind kind, size_t i)
{
    const struct tried tried = try_slips(repair, &repair->slips[i], 1);
    const bool certain = kind != FRACTION_IN_INT && !repair->gave_up;
    if (certain && !tried.pass && is_better(&tried, &repair->first)) {
        repair->first = (struct first_of_two){.failures = tried.failures,
                                              .mistake = tried.mistake,
                                              .file = repair->file,
                                              .kind = kind,
                                              .slip = repair->slips[i]};
    }
    return tried.pass;
}
