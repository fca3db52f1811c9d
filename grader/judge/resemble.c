// resemble.c - see resemble.h.
//
// The numbers of some calls are those of a known mistake, and those of others are not: a variant of it, two mistakes at once,
// or a coincidence. So each sentence says in which calls, and claims no more.

#include "judge/resemble.h"

#include <stdlib.h>

#include "base/memory.h"
#include "cases/case.h"
#include "cases/diagnose.h"
#include "cases/several.h"
#include "cases/show.h"
#include "judge/library.h"
#include "judge/trial.h"

static void say(struct trial *trial, char *line)
{
    show_wrapped(trial->text.file, "  ", line);
    free(line);
}

static void say_variant(struct trial *trial, const struct mistake *mistake)
{
    say(trial, grader_print(
                   "it may be a variant of a known mistake (%s): that mistake gives the "
                   "same numbers in this call, but not in all others",
                   mistake->what));
}

// Only small calls are compared, so there may be more.
static void say_calls(struct trial *trial, const struct seen *seen, const char *other)
{
    char *call = name_call(trial, seen->smallest);
    char *who = seen->tensor != NULL ? grader_print("%s has", seen->tensor->name)
                                     : grader_print("your code gives");
    say(trial,
        grader_print(
            "in at least %zu %sfailing calls (such as %s), %s exactly the numbers of a "
            "known mistake: %s",
            seen->calls, other, call, who, seen->mistake->what));
    say(trial, grader_print("%s", seen->mistake->why));
    free(who);
    free(call);
}

static void say_how_sure(struct trial *trial, bool two)
{
    say(trial,
        grader_print(
            "%s",
            two ? "Your code may make both mistakes."
                : "This does not explain everything that is wrong: it may be one of two mistakes, "
                  "a variant of that mistake, or a coincidence."));
}

static void say_all(struct trial *trial, const struct mistake *variant,
                    const struct seen *seen, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const bool first = i == 0 && variant == NULL;
        say_calls(trial, &seen[i], first || seen[i].tensor != NULL ? "" : "other ");
    }
    if (count > 0) {
        say_how_sure(trial, count + (variant != NULL) > 1);
    }
}

// If a library rejected the call, what it was to compute is missing, and the numbers say nothing about the rest.
void name_resemblance(struct trial *trial, const struct wire_part *part,
                      const struct entry *entry, const struct test_case *shown)
{
    if (library_rejects(trial, shown)) {
        return;
    }
    const struct mistake *variant = resemblance(entry, shown);
    struct seen seen[MOST_SEEN];
    size_t count = 0;
    if (variant != NULL) {
        say_variant(trial, variant);
    } else {
        count = mistakes_by_output(&part->cases, entry, seen);
    }
    if (count == 0) {
        count = mistakes_seen(&part->cases, entry, variant, seen);
    }
    say_all(trial, variant, seen, count);
}
