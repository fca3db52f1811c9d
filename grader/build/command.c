// command.c - runs a compiler or linker on a student's file, within limits and walls.

#define _GNU_SOURCE
#include "build/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "build/foreign.h"
#include "build/stage.h"
#include "build/workshop.h"
#include "sandbox/allowance.h"
#include "sandbox/box.h"

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

char *command_in_one_line(const struct command *command)
{
    struct text text;
    text_begin(&text);
    for (size_t i = 0; i < command->count; i++) {
        fprintf(text.file, "%s ", command->arguments[i]);
    }
    return text_end(&text);
}

// ---- in a box -----------------------------------------------------------------------------

static bool is_in(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && path[length] == '/';
}

// The one file that a tool writes: the argument after -o, or, for objcopy, the last
// argument.
static char *output_of(const struct command *command)
{
    for (size_t i = 1; i + 1 < command->count; i++) {
        if (strcmp(command->arguments[i], "-o") == 0) {
            return command->arguments[i + 1];
        }
    }
    bool in_place = strcmp(command->arguments[0], "objcopy") == 0;
    return in_place ? command->arguments[command->count - 1] : NULL;
}

// bwrap can only bind an existing file. Everyone in the box may write this file, but only
// the grader can access its folder.
static void make_output(const char *path)
{
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0777);
    if (file < 0 || fchmod(file, 0777) != 0 || close(file) != 0) {
        grader_fail("cannot make %s: %s", path, strerror(errno));
    }
}

// If a word of a command names a file of the workbook, the submission or the scratch folder
// (the program itself, an input, a file after @), returns its path with links resolved.
// Otherwise returns NULL. Caller frees.
static char *named_file(const struct workshop *workshop, const char *word, bool program)
{
    struct stat status;
    const char *name = *word == '@' ? word + 1 : word;
    if (program && strchr(name, '/') == NULL) {
        return NULL; // found through PATH, so a system program
    }
    char *path = realpath(name, NULL);
    bool named = path != NULL && stat(path, &status) == 0 && S_ISREG(status.st_mode);
    for (size_t i = 0; named && i < workshop->system.count; i++) {
        named = !is_in(path, workshop->system.path[i]);
    }
    if (!named) {
        free(path);
        path = NULL;
    }
    return path;
}

// The box contains only those files of the workbook, the scratch folder and the submission
// that the command names. An untrusted source gets a short name that is fit for messages.
// Changes arguments to the paths in the box and returns how many were changed.
static size_t move_files(const struct workshop *workshop, char *output, char **arguments,
                         struct box_path *moved)
{
    size_t count = 0;
    for (size_t i = 0; arguments[i] != NULL; i++) {
        char *path =
            arguments[i] == output ? NULL : named_file(workshop, arguments[i], i == 0);
        if (path != NULL && is_in(path, workshop->taken)) {
            arguments[i] = path + strlen(workshop->folder);
            moved[count++] = (struct box_path){path, arguments[i]};
        } else if (path != NULL) {
            moved[count++] = (struct box_path){path, path};
        }
    }
    return count;
}

static struct outcome run_in_box(const struct workshop *workshop,
                                 const struct command *command,
                                 const struct program *plain, bool headers)
{
    struct box_path moved[MOST_ARGUMENTS + MOST_STAGED + 1] = {{NULL, NULL}};
    char *arguments[MOST_ARGUMENTS + 1];
    char *output = output_of(command);
    if (output != NULL) {
        make_output(output);
    }
    memcpy(arguments, command->arguments, sizeof arguments);
    const size_t staged = headers ? stage_mounts(workshop, moved) : 0;
    const size_t count = staged + move_files(workshop, output, arguments, moved + staged);
    char *helper = grader_print("%s/build/box/inside", workshop->root);
    const struct box box = {.kind = BOX_COMPILER,
                            .helper = helper,
                            .hidden = workshop->root,
                            .wall = plain->wall,
                            .moved = moved,
                            .scratch = plain->wall->writable[0],
                            .output = output};
    struct program program = *plain;
    program.arguments = arguments;
    program.box = &box;
    struct outcome outcome = process_run(&program);
    for (size_t i = 0; i < count; i++) {
        free((char *)moved[i].outside);
        if (i < staged) {
            free((char *)moved[i].inside);
        }
    }
    free(helper);
    return outcome;
}

// ---- anywhere -----------------------------------------------------------------------------

// Allows reading the files that the command names, if there is no box.
static void add_named(const struct workshop *workshop, const struct command *command,
                      struct paths *readable)
{
    for (size_t i = 0; i < command->count; i++) {
        char *path = named_file(workshop, command->arguments[i], i == 0);
        if (path != NULL) {
            paths_add(readable, path);
        }
        free(path);
    }
}

// The folder of the output, which contains nothing that this command must not see. Caller
// frees.
static char *folder_of_output(const struct workshop *workshop,
                              const struct command *command)
{
    const char *output = output_of(command);
    const char *slash = output != NULL ? strrchr(output, '/') : NULL;
    return slash != NULL ? grader_print("%.*s", (int)(slash - output), output)
                         : grader_print("%s", workshop->folder);
}

static void add_all(struct paths *paths, const struct paths *more)
{
    for (size_t i = 0; i < more->count; i++) {
        paths_add(paths, more->path[i]);
    }
}

struct outcome command_run(const struct workshop *workshop, struct command *command,
                           const char *source)
{
    struct paths readable = {.count = 0};
    add_all(&readable, &workshop->system);
    if (!workshop->untrusted) {
        add_named(workshop, command, &readable);
        if (source != NULL) {
            add_all(&readable, &workshop->headers);
            if (workshop->precompiled != NULL) {
                paths_add(&readable, workshop->precompiled);
            }
            paths_add(&readable, source);
        }
    }
    char *folder = folder_of_output(workshop, command);
    const char *const writable[] = {folder, "/dev/null", NULL};
    const struct wall wall = {readable.path, writable, false};
    char *path = getenv("PATH");
    char *environment[] = {
        grader_print("PATH=%s", path != NULL ? path : "/usr/local/bin:/usr/bin:/bin"),
        grader_print("TMPDIR=%s", folder), "LC_ALL=C", NULL};
    struct program program = {.arguments = command->arguments,
                              .environment = environment,
                              .limits = &compiler_limits,
                              .wall = &wall};
    struct outcome outcome = workshop->untrusted
                                 ? run_in_box(workshop, command, &program, source != NULL)
                                 : process_run(&program);
    if (outcome.ending == NOT_STARTED) {
        grader_fail("cannot run %s: %s%s%s", command->arguments[0],
                    strerror(outcome.code), *outcome.output != '\0' ? ": " : "",
                    outcome.output);
    }
    const bool charged = source == NULL || workshop->charges_compiler;
    allowance_charge(charged ? workshop->allowance : NULL, outcome.used);
    command_free(command);
    free(environment[0]);
    free(environment[1]);
    free(folder);
    paths_free(&readable);
    return outcome;
}

bool command_succeeded(const struct outcome *outcome)
{
    return outcome->ending == EXITED && outcome->code == 0;
}

bool command_gave_up(const char *complaint)
{
    return strncmp(complaint, "the ", 4) == 0 && strchr(complaint, '\n') == NULL &&
           (strstr(complaint, " took ") != NULL ||
            strstr(complaint, " printed ") != NULL);
}

// gcc starts other programs, and calls their end by a signal an "internal compiler error".
static bool ended_by(const struct outcome *outcome, int signal, const char *name)
{
    char *error =
        grader_print(": internal compiler error: %s signal terminated program", name);
    const char *found = outcome->ending == EXITED ? strstr(outcome->output, error) : NULL;
    const size_t at = found != NULL ? (size_t)(found - outcome->output) : 0;
    // "gcc" or "g++" begins the line. In a student's #error, a place does.
    const bool compiler =
        at >= 3 && (at == 3 || found[-4] == '\n') &&
        (strncmp(found - 3, "gcc", 3) == 0 || strncmp(found - 3, "g++", 3) == 0);
    free(error);
    return compiler || (outcome->ending == SIGNALED && outcome->code == signal);
}

static bool wrote_too_much(const struct outcome *outcome)
{
    return ended_by(outcome, SIGXFSZ, "File size limit exceeded") ||
           (outcome->ending == EXITED &&
            strstr(outcome->output, ": File too large\n") != NULL);
}

// The kernel counts the ticks of its clock, on a busy machine up to a fifth more than the time that
// process.c measures. So the kernel's limit may end a compiler first.
static bool ran_too_long(const struct outcome *outcome)
{
    return (outcome->ending == TIMED_OUT && outcome->code != STARVES) ||
           ended_by(outcome, SIGXCPU, "CPU time limit exceeded");
}

char *command_complaint(const char *tool, struct outcome *outcome)
{
    if (wrote_too_much(outcome)) {
        return grader_print(
            "the %s would write a file that is too large: a global or static "
            "array with initial values is stored in it as a whole",
            tool);
    }
    if (ran_too_long(outcome)) {
        return grader_print("the %s took longer than %.0f seconds", tool,
                            compiler_limits.seconds);
    }
    switch (outcome->ending) {
    case TIMED_OUT:
        return grader_print("the %s took longer than %.0f seconds by the clock: the "
                            "machine is too busy, try again",
                            tool, wall_seconds(compiler_limits.seconds));
    case OUT_OF_MEMORY:
        return grader_print("the %s took more than %zu megabytes", tool,
                            compiler_limits.megabytes);
    case FLOODED:
        return grader_print("the %s printed more than %zu megabytes", tool,
                            compiler_limits.output_bytes >> 20);
    case SIGNALED:
        return grader_print("the %s was ended by signal %d", tool, outcome->code);
    default:
        return foreign_quote(outcome->output, outcome->output_size);
    }
}

char *command_compiler(void)
{
    const char *named = getenv("GRADE_CC");
    return grader_print("%s", named != NULL && *named != '\0' ? named : "gcc");
}

bool command_have_gold(void)
{
    return access("/usr/bin/ld.gold", X_OK) == 0;
}
