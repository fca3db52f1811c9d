// remainder.c - see remainder.h.

#include "grade/remainder.h"

#include <string.h>

#include "cases/several.h"

// The mistake in the tables that the result names. Two parts of an exercise may have one of the same id.
static const struct mistake *named_mistake(const struct result *result)
{
    const struct part *part = result->exercise->parts;
    for (; part->function != NULL; part++) {
        const struct mistake *mistake = part->mistakes;
        for (; mistake != NULL && mistake->id != NULL; mistake++) {
            if (strcmp(mistake->id, result->diagnosis) == 0 &&
                strstr(result->headline, mistake->what) != NULL) {
                return gives_mask(part) ? NULL : mistake;
            }
        }
    }
    return NULL;
}

size_t fewer_failures(const struct result *file, const struct result *copy)
{
    const bool fewer = file->failures == 0 || copy->failures < file->failures;
    return file->diagnosis == NULL && copy->verdict == WRONG && fewer ? copy->failures
                                                                      : 0;
}

const struct mistake *remainder_of(const struct result *file, const struct result *copy)
{
    const bool named = copy->diagnosis != NULL && !copy->guessed;
    return named && fewer_failures(file, copy) > 0 ? named_mistake(copy) : NULL;
}
