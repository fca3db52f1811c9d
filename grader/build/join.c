// join.c - see join.h.

#define _GNU_SOURCE
#include "build/join.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "build/backend.h"
#include "build/command.h"
#include "build/cuda.h"
#include "build/device.h"
#include "build/symbols.h"

void join_say(char **message, char *text)
{
    free(*message);
    *message = text;
}

bool join_find_missing(struct build *build)
{
    if (!symbols_read(&build->symbols, build->object)) {
        join_say(&build->message, grader_print("cannot read the object file that the "
                                               "compiler wrote"));
        return false;
    }
    const struct entry *entry = build->place->entries;
    for (; entry->name != NULL && build->missing_count < MAX_MISSING; entry++) {
        char *symbol = build_symbol(build->place, entry);
        if (symbol != NULL && !symbols_define(&build->symbols, symbol)) {
            build->missing[build->missing_count++] = entry->name;
        }
        free(symbol);
    }
    return true;
}

bool join_run_tool(const struct workshop *workshop, struct build *build,
                   struct command *command, const char *name)
{
    struct outcome outcome = command_run(workshop, command, NULL);
    bool fine = command_succeeded(&outcome);
    if (!fine) {
        join_say(&build->message, command_complaint(name, &outcome));
    }
    free(outcome.output);
    return fine;
}

static bool is_for(const struct alias *alias, const struct build *build)
{
    return alias->lab == build->place->number && !build->place->gpu &&
           !build->reference && !build->trial;
}

static bool has_aliases(const struct workshop *workshop, const struct build *build)
{
    bool any = false;
    const struct alias *alias = workshop->aliases;
    for (; alias != NULL && alias->lab != 0; alias++) {
        any = any || is_for(alias, build);
    }
    return any;
}

static void add_aliases(const struct workshop *workshop, const struct build *build,
                        struct command *join)
{
    const struct alias *alias = workshop->aliases;
    for (; alias != NULL && alias->lab != 0; alias++) {
        if (is_for(alias, build)) {
            command_add(join,
                        grader_print("--defsym=%s=%s", alias->function, alias->version));
        }
    }
}

// A lab's files call each other's functions, so they must be joined into one object before
// all other symbols can be hidden.
static bool join_files(const struct workshop *workshop, struct build *build)
{
    struct command join = {.count = 0};
    static const char *const words[] = {"ld", "-r", "-o", NULL};
    // C++: keep the template instances of different objects apart.
    static const char *const no_groups[] = {"ld", "-r", "--force-group-allocation", "-o",
                                            NULL};
    command_add_words(&join, build->place->gpu ? no_groups : words);
    command_add(&join, grader_print("%s", build->object));
    add_aliases(workshop, build, &join);
    for (size_t i = 0; i < build_files(build); i++) {
        command_add(&join, grader_print("%s", build->units[i].object));
    }
    return join_run_tool(workshop, build, &join, "linker");
}

static bool is_in_contract(const struct lab_place *place, const char *symbol)
{
    for (const struct entry *entry = place->entries; entry->name != NULL; entry++) {
        if (strcmp(entry->name, symbol) == 0) {
            return true;
        }
    }
    return false;
}

// Returns true if the object of a lab's only file has no symbols to hide. This is the usual
// case, because helpers are static.
static bool is_fenced(const struct build *build, const char *object)
{
    struct symbols symbols;
    bool fenced = symbols_read(&symbols, object);
    for (size_t i = 0; i < symbols.defined_count; i++) {
        fenced = fenced && is_in_contract(build->place, symbols.defined[i]);
    }
    symbols_free(&symbols);
    return fenced;
}

bool join_objects(const struct workshop *workshop, struct build *build)
{
    bool one =
        build_files(build) == 1 && !build->place->gpu && !has_aliases(workshop, build);
    if (!one && !join_files(workshop, build)) {
        return false;
    }
    // Do not trust the symbol table of an untrusted object, which may be forged.
    if (one && !workshop->untrusted && is_fenced(build, build->units[0].object) &&
        rename(build->units[0].object, build->object) == 0) {
        return join_find_missing(build);
    }
    char *refused =
        build->place->gpu ? cuda_refuses(build->backend, build->object) : NULL;
    if (refused != NULL) {
        join_say(&build->message, refused);
        return false;
    }
    struct command fence = {.count = 0};
    command_add(&fence, grader_print("objcopy"));
    // A dummy name: without any --keep-global-symbol, objcopy would keep all symbols.
    command_add(&fence, grader_print("--keep-global-symbol=lab_no_function"));
    for (const struct entry *entry = build->place->entries; entry->name != NULL;
         entry++) {
        char *symbol = build_symbol(build->place, entry);
        if (symbol != NULL) {
            command_add(&fence, grader_print("--keep-global-symbol=%s", symbol));
        }
        free(symbol);
    }
    // The program starts with its own loader, whatever the file names.
    command_add(&fence, grader_print("--rename-section=.interp=.rodata.interp"));
    if (build->backend == GPU_SIMULATED) {
        cuda_add_redirections(&fence);
    }
    if (one) {
        command_add(&fence, grader_print("%s", build->units[0].object));
    }
    command_add(&fence, grader_print("%s", build->object));
    return join_run_tool(workshop, build, &fence, "object copier") &&
           join_find_missing(build);
}
