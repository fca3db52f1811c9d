// near.c - see near.h.

#include "build/near.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/distance.h"
#include "base/memory.h"
#include "build/image.h"

// The name as it is written: of a C++ function, _Z19attention_score_gpuPfPKf, the 19 characters.
static const char *written(const char *name, size_t *length)
{
    char *end;
    if (strncmp(name, "_Z", 2) == 0 && isdigit((unsigned char)name[2])) {
        const size_t given = strtoul(name + 2, &end, 10), rest = strlen(end);
        *length = given < rest ? given : rest;
        return end;
    }
    *length = strcspn(name, "."); // of a part that gcc splits off
    return name;
}

// The assembler takes any text for a name.
static bool is_name(const char *name, size_t length)
{
    bool is = !isdigit((unsigned char)*name);
    for (size_t i = 0; i < length; i++) {
        is = is && (isalnum((unsigned char)name[i]) || name[i] == '_');
    }
    return is;
}

static bool is_in_lab(const struct lab_place *place, const char *name, size_t length)
{
    bool found = false;
    for (const struct entry *entry = place->entries; entry->name != NULL; entry++) {
        char *symbol = build_symbol(place, entry);
        found = found || (symbol != NULL && strlen(symbol) == length &&
                          strncmp(symbol, name, length) == 0);
        free(symbol);
    }
    return found;
}

// Its distance, or more than any near one's. A file may have a million names: what takes long comes last.
static size_t far_from(const struct build *build, const char *symbol, const char *name,
                       size_t length)
{
    const size_t wanted = strlen(symbol), near = distance_near(wanted);
    if (length + near < wanted || length > wanted + near || !is_name(name, length)) {
        return DISTANCE_LONGEST;
    }
    const size_t far = distance_between(symbol, wanted, name, length);
    return far > near || is_in_lab(build->place, name, length) ? DISTANCE_LONGEST : far;
}

char *build_near(const struct build *build, const char *symbol)
{
    struct image image;
    size_t best = distance_near(strlen(symbol)), count = 0;
    char *near = NULL;
    if (build->object == NULL || !image_read(&image, build->object)) {
        return NULL;
    }
    for (size_t i = 0; i < image.count; i++) {
        size_t length;
        const char *name = written(image.functions[i].name, &length);
        const size_t far = far_from(build, symbol, name, length);
        if (far > best || (near != NULL && strlen(near) == length &&
                           strncmp(near, name, length) == 0)) {
            continue;
        }
        count = far < best ? 1 : count + 1;
        best = far;
        free(near);
        near = grader_print("%.*s", (int)length, name);
    }
    image_free(&image);
    if (count != 1) {
        free(near);
        near = NULL;
    }
    return near;
}
