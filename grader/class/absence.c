// absence.c - see absence.h.

#define _GNU_SOURCE
#include "class/absence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exercises/exercise.h"
#include "base/memory.h"

void absence_add(struct absence *absence, int lab)
{
    if (absence->count < MOST_ABSENT) {
        absence->labs[absence->count++] = lab;
    }
}

char *absence_files(int lab)
{
    struct text names;
    text_begin(&names);
    for (const struct lab_place *place = lab_places; place->folder != NULL; place++) {
        for (size_t i = 0; place->number == lab && i < 8 && place->sources[i] != NULL;
             i++) {
            fprintf(names.file, "%s%s", i > 0 ? ", " : "", place->sources[i]);
        }
    }
    return text_end(&names);
}

bool absence_has_remark(int lab, const char *others)
{
    bool has = false;
    for (const struct lab_place *place = lab_places; place->folder != NULL; place++) {
        for (size_t i = 0; place->number == lab && i < 8 && place->sources[i] != NULL;
             i++) {
            char *name = grader_print("%s (", place->sources[i]);
            has = has || strstr(others, name) != NULL;
            free(name);
        }
    }
    return has;
}

char *absence_line(const struct absence *absence, const char *others)
{
    struct text line;
    text_begin(&line);
    fprintf(line.file, "no file of lab%s", absence->count == 1 ? "" : "s");
    for (int i = 0; i < absence->count; i++) {
        fprintf(line.file, "%s%d", i > 0 ? ", " : " ", absence->labs[i]);
    }
    if (absence->count == 1) {
        char *files = absence_files(absence->labs[0]);
        fprintf(line.file, *files != '\0' ? " (%s)" : "%s", files);
        free(files);
    }
    fprintf(line.file, *others != '\0' ? "; there is %s" : "%s", others);
    return text_end(&line);
}
