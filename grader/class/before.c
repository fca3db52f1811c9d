// before.c - see before.h.

#include "class/before.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "class/gradebook.h"

// Adds ", TEXT" to a list, which the caller frees.
static void add(char **list, char *text)
{
    char *longer = grader_print("%s%s%s", *list, **list != '\0' ? ", " : "", text);
    free(*list);
    free(text);
    *list = longer;
}

static void add_hidden(char **list, const char *before, const char *now)
{
    if (*now == '\0') {
        add(list, grader_print("no hidden seed (the run before had one)"));
    } else if (*before == '\0') {
        add(list, grader_print("a hidden seed (the run before had none)"));
    } else {
        add(list, grader_print("another hidden seed"));
    }
}

void before_tell(struct class *class)
{
    const struct class_options *options = &class->options;
    sqlite3_stmt *run = gradebook_query(
        &class->book,
        "SELECT seed, hidden_seed, backend, follow FROM run WHERE lab = ? AND id < ? "
        "AND id NOT IN (SELECT run FROM undone) ORDER BY id DESC LIMIT 1",
        "ii", (int64_t)options->lab, class->run);
    if (options->parts > 0 || !gradebook_next(&class->book, &run)) {
        sqlite3_finalize(run);
        return;
    }
    char *list = grader_print("%s", "");
    const char *before[4];
    for (int i = 0; i < 4; i++) {
        before[i] = gradebook_text(run, i);
    }
    if (strcmp(before[0], options->seed) != 0) {
        add(&list, grader_print("--seed %s instead of %s", options->seed, before[0]));
    }
    if (strcmp(before[1], options->hidden_seed) != 0) {
        add_hidden(&list, before[1], options->hidden_seed);
    }
    if (strcmp(before[2], options->backend) != 0) {
        add(&list,
            grader_print("--backend %s instead of %s", options->backend, before[2]));
    }
    if (strcmp(before[3], options->follow) != 0) {
        add(&list, grader_print("--follow %s instead of %s", options->follow, before[3]));
    }
    if (*list != '\0') {
        fprintf(stderr,
                "grade: new in this run: %s. Hand-ins not yet judged this way are "
                "judged now, and this run's marks count (grade undo removes them)\n",
                list);
    }
    free(list);
    sqlite3_finalize(run);
}
