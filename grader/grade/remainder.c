// remainder.c - see remainder.h.

#include "grade/remainder.h"

#include <string.h>

// A byte of a mask can only be the other one of 0 and 1: too many changes lead to a known mistake.
static bool gives_mask(const struct part *part)
{
    bool any = false;
    for (size_t i = 0; i < MAX_TENSORS && part->tensors[i].name != NULL; i++) {
        const struct tensor_spec *spec = &part->tensors[i];
        any = any || (spec->type == U8 && spec->role != INPUT);
    }
    return any;
}

static const struct mistake *find_mistake(const struct exercise *exercise, const char *id)
{
    const struct part *part = exercise->parts;
    for (; part->function != NULL; part++) {
        const struct mistake *mistake = part->mistakes;
        for (; mistake != NULL && mistake->id != NULL; mistake++) {
            if (strcmp(mistake->id, id) == 0) {
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
    return named && fewer_failures(file, copy) > 0
               ? find_mistake(copy->exercise, copy->diagnosis)
               : NULL;
}
