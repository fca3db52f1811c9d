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

const struct mistake *remainder_of(const struct result *file, const struct result *copy)
{
    const bool named =
        copy->verdict == WRONG && copy->diagnosis != NULL && !copy->guessed;
    const bool better = file->failures == 0 || copy->failures < file->failures;
    if (file->diagnosis != NULL || !named || copy->failures == 0 || !better) {
        return NULL;
    }
    return find_mistake(copy->exercise, copy->diagnosis);
}
