// locals.c - see locals.h.

#define _GNU_SOURCE
#include "build/locals.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const char option[] = "-ftrivial-auto-var-init=pattern";

// Learned once in a run: an older compiler then has no two tries for each file.
static atomic_bool refused;

void locals_fill(struct command *command)
{
    if (!atomic_load(&refused)) {
        command_add(command, grader_print("%s", option));
    }
}

static struct command copy_without(const struct command *command)
{
    struct command copy = {.count = 0};
    for (size_t i = 0; i < command->count; i++) {
        if (strcmp(command->arguments[i], option) != 0) {
            command_add(&copy, grader_print("%s", command->arguments[i]));
        }
    }
    return copy;
}

// Is the first line "gcc: error: unrecognized command-line option '-ftrivial...'", or "clang: error: unknown
// argument: '-ftrivial...'"? A student's #error has a line's number: "attention.c:3:2: error: ...".
static bool is_refusal(const struct outcome *outcome)
{
    if (command_succeeded(outcome) || outcome->output_size == 0) {
        return false;
    }
    const char *line = outcome->output;
    const char *end = memchr(line, '\n', outcome->output_size);
    const size_t size = end != NULL ? (size_t)(end - line) : outcome->output_size;
    const char *colon = memchr(line, ':', size);
    return colon != NULL && colon + 1 < line + size && colon[1] == ' ' &&
           memmem(line, size, option, sizeof option - 1) != NULL;
}

struct outcome locals_compile(const struct workshop *workshop, struct command *command,
                              const char *source)
{
    struct command without = copy_without(command);
    const bool filled = without.count < command->count;
    struct outcome outcome = command_run(workshop, command, source);
    if (!filled || !is_refusal(&outcome)) {
        command_free(&without);
        return outcome;
    }
    atomic_store(&refused, true);
    free(outcome.output);
    return command_run(workshop, &without, source);
}
