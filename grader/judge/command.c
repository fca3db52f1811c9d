// command.c - running a compiler or a linker on a student's file, within limits and walls.

#define _GNU_SOURCE
#include "judge/command.h"

#include <stdlib.h>
#include <string.h>

#include "judge/memory.h"

static const struct limits compiler_limits = {
    .seconds = 20, .megabytes = 1024, .output_bytes = 4 << 20, .address_space = 2048};

void command_add(struct command *command, char *argument)
{
    if (command->count == MOST_ARGUMENTS) {
        grader_fail("too many arguments for %s", command->arguments[0]);
    }
    command->arguments[command->count++] = argument;
}

void command_add_words(struct command *command, const char *const *words)
{
    for (; *words != NULL; words++) {
        command_add(command, grader_print("%s", *words));
    }
}

void command_free(struct command *command)
{
    for (size_t i = 0; i < command->count; i++) {
        free(command->arguments[i]);
    }
    command->count = 0;
}

struct outcome command_run(const struct workshop *workshop, struct command *command,
                           const char *source)
{
    const char *readable[MAX_READABLE + 1];
    memcpy(readable, workshop->readable, sizeof workshop->readable);
    readable[workshop->readable_count] = source;
    readable[workshop->readable_count + 1] = NULL;
    const struct wall wall = {readable, workshop->writable};
    char *path = getenv("PATH");
    char *environment[] = {
        grader_print("PATH=%s", path != NULL ? path : "/usr/local/bin:/usr/bin:/bin"),
        grader_print("TMPDIR=%s", workshop->folder), "LC_ALL=C", NULL};
    struct program program = {.arguments = command->arguments,
                              .environment = environment,
                              .limits = &compiler_limits,
                              .wall = &wall};
    struct outcome outcome = process_run(&program);
    if (outcome.ending == NOT_STARTED) {
        grader_fail("cannot run %s: %s", command->arguments[0], strerror(outcome.code));
    }
    command_free(command);
    free(environment[0]);
    free(environment[1]);
    return outcome;
}

bool command_succeeded(const struct outcome *outcome)
{
    return outcome->ending == EXITED && outcome->code == 0;
}

char *command_complaint(const char *tool, struct outcome *outcome)
{
    switch (outcome->ending) {
    case TIMED_OUT:
        return grader_print("the %s took longer than %.0f seconds", tool,
                            compiler_limits.seconds);
    case OUT_OF_MEMORY:
        return grader_print("the %s took more than %zu megabytes", tool,
                            compiler_limits.megabytes);
    case FLOODED:
        return grader_print("the %s printed more than %zu megabytes", tool,
                            compiler_limits.output_bytes >> 20);
    case SIGNALED:
        return grader_print("the %s was ended by signal %d", tool, outcome->code);
    default:
        return grader_print("%.*s", (int)outcome->output_size, outcome->output);
    }
}

char *command_compiler(void)
{
    const char *named = getenv("GRADE_CC");
    return grader_print("%s", named != NULL && *named != '\0' ? named : "gcc");
}
