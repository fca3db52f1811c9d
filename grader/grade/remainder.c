// remainder.c - see remainder.h.

#include "grade/remainder.h"

#include <string.h>

static const struct mistake *find_mistake(const struct exercise *exercise, const char *id)
{
    const struct part *part = exercise->parts;
    for (; part->function != NULL; part++) {
        const struct mistake *mistake = part->mistakes;
        for (; mistake != NULL && mistake->id != NULL; mistake++) {
            if (mistake->id == id || strcmp(mistake->id, id) == 0) {
                return mistake;
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
    return named && fewer_failures(file, copy) > 0
               ? find_mistake(copy->exercise, copy->diagnosis)
               : NULL;
}
