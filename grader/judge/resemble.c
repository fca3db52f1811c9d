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

static void say_calls(struct trial *trial, const struct seen *seen, const char *which,
                      const char *whose)
{
    char *call = name_call(trial, seen->smallest);
    say(trial, grader_print("%zu %s, such as %s, have the numbers of %s: %s", seen->calls,
                            which, call, whose, seen->mistake->what));
    free(call);
}

static void say_how_many(struct trial *trial, bool two, const char *others)
{
    say(trial,
        two ? grader_print("Your code may make both mistakes.")
            : grader_print("%s. Your code may make a second mistake, or a variant of "
                           "this one.",
                           others));
}

static void say_others(struct trial *trial, const struct mistake *variant,
                       const struct seen *seen, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const bool first = i == 0 && variant == NULL;
        say_calls(trial, &seen[i], first ? "small failing calls" : "others",
                  first ? "a known mistake" : "another one");
    }
    if (count > 0) {
        say_how_many(trial, count + (variant != NULL) > 1, "Other failing calls do not");
    }
}

// Returns true if an output has the numbers of a known mistake.
static bool say_outputs(struct trial *trial, const struct wire_part *part,
                        const struct entry *entry)
{
    struct seen seen[MOST_SEEN];
    const size_t count = mistakes_by_output(&part->cases, entry, seen);
    for (size_t i = 0; i < count; i++) {
        say(trial,
            grader_print("%s has the numbers of a known mistake in every small failing "
                         "call: %s",
                         seen[i].tensor->name, seen[i].mistake->what));
    }
    if (count > 0) {
        say_how_many(trial, count > 1, "Other outputs are wrong in another way");
    }
    return count > 0;
}

// If a library rejected the call, what it was to compute is missing, and the numbers say nothing about the rest.
void name_resemblance(struct trial *trial, const struct wire_part *part,
                      const struct entry *entry, const struct test_case *shown)
{
    if (library_rejects(trial, shown)) {
        return;
    }
    const struct mistake *variant = resemblance(entry, shown);
    if (variant != NULL) {
        say_variant(trial, variant);
    } else if (say_outputs(trial, part, entry)) {
        return;
    }
    struct seen seen[MOST_SEEN];
    const size_t count = mistakes_seen(&part->cases, entry, variant, seen);
    say_others(trial, variant, seen, count);
}
