// written.c - see written.h. A call that returns LAB_TODO does not say whose LAB_TODO it is: that of
// the function itself or of one that it calls. The text says it: the skeleton's functions contain
// "return lab_todo(...)". This decides only words, never a verdict.

#define _GNU_SOURCE
#include "grade/written.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build/build.h"
#include "cases/tables.h"
#include "judge/result.h"

enum found { ABSENT, WRITTEN, STUB };

// Does this line begin the definition of the function, or its declaration? The name stands before the
// first parenthesis, and the line begins in the first column.
static bool begins(const char *line, const char *function)
{
    const char *end = strchr(line, '(');
    const size_t length = strlen(function);
    return (isalpha((unsigned char)*line) || *line == '_') && end != NULL &&
           (size_t)(end - line) > length &&
           strncmp(end - length, function, length) == 0 &&
           !isalnum((unsigned char)end[-1 - (long)length]) &&
           end[-1 - (long)length] != '_';
}

static enum found look(FILE *file, const char *function)
{
    char *line = NULL;
    size_t size = 0;
    bool inside = false, open = false;
    enum found found = ABSENT;
    while (found != STUB && getline(&line, &size, file) > 0) {
        line[strcspn(line, "\r\n")] = '\0';
        char *comment = strstr(line, "//");
        if (comment != NULL) {
            *comment = '\0';
        }
        if (begins(line, function)) {
            inside = true, open = false;
        }
        open = open || strchr(line, '{') != NULL;
        if (inside && open) {
            found = strstr(line, "return lab_todo(") != NULL ? STUB : WRITTEN;
        }
        inside = inside && line[0] != '}' && (open || strchr(line, ';') == NULL);
    }
    free(line);
    return found;
}

// Looks for a function in a lab's files, and sets *name to that of the file.
static enum found find(const char *source, const struct lab_place *place,
                       const char *function, const char **name)
{
    enum found found = ABSENT;
    for (size_t i = 0; i < MAX_FILES && place->sources[i] != NULL && found == ABSENT;
         i++) {
        char *path = lab_file(source, place, place->sources[i]);
        FILE *file = path != NULL ? fopen(path, "re") : NULL;
        if (file != NULL) {
            found = look(file, function);
            *name = place->sources[i];
            fclose(file);
        }
        free(path);
    }
    return found;
}

static void look_at_parts(struct result *result, const char *source)
{
    const struct part *part = result->exercise->parts;
    for (result->written = true; part->function != NULL; part++) {
        const char *name = NULL;
        char *symbol = build_symbol(result->place, part_entry(result->place, part));
        const enum found found =
            symbol != NULL ? find(source, result->place, symbol, &name) : WRITTEN;
        result->written = result->written && found == WRITTEN;
        if (found == STUB && result->file == NULL) {
            result->file = name;
        }
        free(symbol);
    }
}

void find_unwritten(struct grading *grading, const char *source)
{
    for (size_t i = 0; i < grading->count; i++) {
        struct result *result = &grading->results[i];
        if (result->verdict == TODO && !result->absent && !result->unjudged &&
            !result_is_answers(result)) {
            look_at_parts(result, source);
        }
    }
}
