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

static void say(const struct trial *trial, const char *line)
{
    show_wrapped(trial->text.file, "  ", line);
}

static void say_variant(const struct trial *trial, const struct mistake *mistake)
{
    char *line =
        grader_print("it may be a variant of a known mistake (%s): that mistake "
                     "gives the same numbers in this call, but not in all others",
                     mistake->what);
    say(trial, line);
    free(line);
}

// Only small calls are compared, so there may be more.
static void say_calls(const struct trial *trial, const struct seen *seen,
                      const char *other)
{
    char *call = name_call(trial, seen->smallest);
    char *who = seen->tensor != NULL ? grader_print("%s has", seen->tensor->name)
                                     : grader_print("your code gives");
    char *line =
        grader_print("in at least %zu %sfailing calls (such as %s), %s exactly the "
                     "numbers of a known mistake: %s",
                     seen->calls, other, call, who, seen->mistake->what);
    say(trial, line);
    say(trial, seen->mistake->why);
    free(line);
    free(who);
    free(call);
}

static void say_all(const struct trial *trial, const struct mistake *variant,
                    const struct seen *seen, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const bool first = i == 0 && variant == NULL;
        say_calls(trial, &seen[i], first || seen[i].tensor != NULL ? "" : "other ");
    }
    if (count + (variant != NULL) > 1) {
        say(trial, "Your code may make both mistakes.");
    } else if (count > 0) {
        say(trial, "This does not explain everything that is wrong: it may be one of two "
                   "mistakes, a variant of that mistake, or a coincidence.");
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
