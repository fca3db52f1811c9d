// variant.c - see variant.h.

#define _GNU_SOURCE
#include "build/variant.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "build/command.h"
#include "build/join.h"
#include "build/symbols.h"

static bool objcopy(const struct workshop *workshop, struct build *build,
                    const char *option, const char *const *functions, const char *from,
                    const char *to)
{
    struct command command = {.count = 0};
    command_add(&command, grader_print("objcopy"));
    for (; *functions != NULL; functions++) {
        command_add(&command, grader_print("%s=%s", option, *functions));
    }
    command_add(&command, grader_print("%s", from));
    command_add(&command, grader_print("%s", to));
    return join_run_tool(workshop, build, &command, "object copier");
}

static bool is_one_of(const char *symbol, const char *const *functions, size_t count)
{
    size_t i = 0;
    while (i < count && strcmp(symbol, functions[i]) != 0) {
        i++;
    }
    return i < count;
}

static size_t count_words(const char *const *words)
{
    size_t count = 0;
    while (words[count] != NULL) {
        count++;
    }
    return count;
}

// Writes the part of an object that these functions need: themselves, their callees and variables.
static bool collect(const struct workshop *workshop, struct build *build,
                    const char *const *functions, const char *from, const char *to)
{
    struct command command = {.count = 0};
    static const char *const words[] = {"ld", "-r", "--gc-sections", NULL};
    command_add_words(&command, words);
    for (; *functions != NULL; functions++) {
        command_add(&command, grader_print("--undefined=%s", *functions));
    }
    command_add(&command, grader_print("-o"));
    command_add(&command, grader_print("%s", to));
    command_add(&command, grader_print("%s", from));
    return join_run_tool(workshop, build, &command, "linker");
}

// The reference object reduced to these functions and their callees. A student's program
// could call anything else in it, including the answer.
static bool offer(const struct workshop *workshop, struct build *variant,
                  const struct build *reference, const char *const *functions)
{
    // nvcc does not put each function into a separate section
    if (variant->backend == GPU_DEVICE) {
        return objcopy(workshop, variant, "--keep-global-symbol", functions,
                       reference->object, variant->instead);
    }
    char *alone = grader_print("%s.alone", variant->instead);
    bool fine = objcopy(workshop, variant, "--keep-global-symbol", functions,
                        reference->object, alone) &&
                collect(workshop, variant, functions, alone, variant->instead);
    free(alone);
    return fine;
}

// A function missing in the student's files is not missing if the reference provides it.
static void drop_offered(struct build *variant, const char *const *functions,
                         size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < variant->missing_count; i++) {
        char *symbol =
            grader_print("%s%s", variant->missing[i], variant->place->gpu ? "_gpu" : "");
        if (!is_one_of(symbol, functions, count)) {
            variant->missing[kept++] = variant->missing[i];
        }
        free(symbol);
    }
    variant->missing_count = kept;
}

struct build build_variant(const struct workshop *workshop, const struct build *build,
                           const struct build *reference, const char *const *functions,
                           size_t number)
{
    struct build variant = *build;
    variant.message = NULL;
    variant.worker = NULL;
    variant.lends = true;
    variant.object = grader_print("%s.%zu", build->object, number);
    variant.instead = grader_print("%s.%zu", reference->object, number);
    variant.compiled = objcopy(workshop, &variant, "--weaken-symbol", functions,
                               build->object, variant.object) &&
                       offer(workshop, &variant, reference, functions);
    drop_offered(&variant, functions, count_words(functions));
    return variant;
}

void build_free_variant(struct build *variant)
{
    free(variant->message);
    free(variant->object);
    free(variant->instead);
    free(variant->worker);
}

// ---- a function alone ---------------------------------------------------------------------

// The lists of functions that run before main would keep everything that they name; among it are
// AddressSanitizer's lists of all variables.
static bool drop_lists(const struct workshop *workshop, struct build *alone,
                       const char *from, const char *to)
{
    static const char *const lists[] = {".init_array*", ".fini_array*", ".preinit_array*",
                                        ".ctors*",      ".dtors*",      NULL};
    return objcopy(workshop, alone, "--remove-section", lists, from, to);
}

// The reference's functions are not missing.
static void drop_lent(struct build *alone)
{
    struct symbols lent;
    if (alone->instead == NULL || !symbols_read(&lent, alone->instead)) {
        return;
    }
    drop_offered(alone, lent.defined, lent.defined_count);
    symbols_free(&lent);
}

struct build build_alone(const struct workshop *workshop, const struct build *build,
                         const char *const *functions, const char *name)
{
    struct build alone = *build;
    alone.alone = true;
    alone.message = NULL;
    alone.worker = NULL;
    alone.missing_count = 0;
    alone.symbols = (struct symbols){.file = NULL};
    alone.object = grader_print("%s.%s", build->object, name);
    char *plain = grader_print("%s.plain", alone.object);
    alone.compiled = drop_lists(workshop, &alone, build->object, plain) &&
                     collect(workshop, &alone, functions, plain, alone.object) &&
                     join_find_missing(&alone);
    drop_lent(&alone);
    free(plain);
    return alone;
}

void build_free_alone(struct build *alone)
{
    free(alone->message);
    free(alone->object);
    free(alone->worker);
    symbols_free(&alone->symbols);
}
