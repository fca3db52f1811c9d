// tables.c - see tables.h.

#include "cases/tables.h"

#include <string.h>

#include "base/memory.h"

const struct entry *part_entry(const struct lab_place *place, const struct part *part)
{
    for (const struct entry *entry = place->entries; entry->name != NULL; entry++) {
        if (strcmp(entry->name, part->function) == 0) {
            return entry;
        }
    }
    grader_fail("%s: no ENTRY(%s) in its exercise file", place->folder, part->function);
}

bool has_gpu_variant(const struct lab_place *place, const struct exercise *exercise)
{
    const struct part *part = exercise->parts;
    for (; part->function != NULL; part++) {
        const struct entry *entry = place->entries;
        while (entry->name != NULL && strcmp(entry->name, part->function) != 0) {
            entry++;
        }
        if (entry->gpu) {
            return true;
        }
    }
    return false;
}

bool find_exercise(const char *id, const struct lab_place **place,
                   const struct exercise **exercise)
{
    for (*place = lab_places; (*place)->folder != NULL; (*place)++) {
        const struct exercise *const *each = (*place)->lab->exercises;
        for (; *each != NULL; each++) {
            *exercise = *each;
            if (strcmp((*exercise)->id, id) == 0) {
                return true;
            }
        }
    }
    return false;
}

const struct lab_place *last_place(const struct lab_place *places)
{
    while (places[1].folder != NULL) {
        places++;
    }
    return places;
}
