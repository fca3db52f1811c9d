// build.c - compiles a student's files and hides their symbols. link.c links the worker.

#define _GNU_SOURCE
#include "build/build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "build/backend.h"
#include "build/cache.h"
#include "build/command.h"
#include "build/cuda.h"
#include "build/device.h"
#include "build/foreign.h"
#include "build/workshop.h"

// A new message replaces the old one.
static void say(char **message, char *text)
{
    free(*message);
    *message = text;
}

// ---- compiling ----------------------------------------------------------------------------

char *lab_file(const char *source, const struct lab_place *place, const char *file)
{
    char *path = grader_print("%s/%s/%s", source, place->folder, file);
    struct stat status;
    if (stat(path, &status) == 0 && S_ISREG(status.st_mode)) {
        return path;
    }
    free(path);
    return NULL;
}

// The real folder of a file, after following symbolic links. Caller frees.
static char *folder_of(const char *path)
{
    char *real = realpath(path, NULL);
    char *slash = real != NULL ? strrchr(real, '/') : NULL;
    if (slash != NULL) {
        *slash = '\0';
    }
    return real;
}

// Disables four optimization passes. This makes gcc 5 % faster and changes neither warnings
// nor checks.
static void add_haste(struct command *command)
{
    static const char *const flags[] = {"-fno-guess-branch-probability",
                                        "-fno-forward-propagate", "-fno-compare-elim",
                                        "-fno-dce", NULL};
    if (strcmp(command->arguments[0], "gcc") == 0) { // other compilers may not know them
        command_add_words(command, flags);
    }
}

// Returns true if an exercise of the lab limits the memory of a call.
static bool limits_memory(const struct lab_place *place)
{
    bool any = false;
    for (const struct exercise *const *e = place->lab->exercises; *e != NULL; e++) {
        any = any || (*e)->heap_kilobytes > 0;
    }
    return any && !place->gpu;
}

static void add_compiler(const struct workshop *workshop, const struct build *build,
                         struct command *command)
{
    static const char *const flags[] = {
        "-std=gnu17", // standard C17 plus M_PI
        // a third faster than -O1, and unlike -O0 it warns of uninitialized variables
        "-Og",
        "-U_FORTIFY_SOURCE", // Ubuntu's gcc defines it; its checks name no line
        "-fPIC",             // lets the linker replace functions that call each other
        "-g1",               // lines and function names for the sanitizers' reports
        "-Wall",
        "-Wextra",
        "-Wno-unused-parameter",
        "-Werror=implicit-function-declaration",
        "-Werror=incompatible-pointer-types",
        "-Werror=int-conversion",
        "-Werror=return-type",
        "-fsanitize=address,undefined,float-cast-overflow",
        "-fno-sanitize-recover=all",
        "-fno-omit-frame-pointer",
        "-fdiagnostics-color=never",
        "-fmax-errors=5",
        "-pipe",
        NULL,
    };
    command_add(command, command_compiler());
    command_add_words(command, flags);
    add_haste(command);
    if (build->reference || limits_memory(build->place)) {
        command_add(command, grader_print("-ffunction-sections")); // see collect
    }
    if (limits_memory(build->place)) {
        command_add(command, grader_print("-fdata-sections")); // see build_alone
    }
    command_add(command, grader_print("-I%s/labs", workshop->root));
    if (workshop->fast) {
        command_add(command, grader_print("-I%s/solutions", workshop->root));
    }
}

static bool run_compiler(const struct workshop *workshop, struct command *command,
                         struct unit *unit, const char *source_path)
{
    char *folder = folder_of(source_path);
    struct outcome outcome = command_run(workshop, command, folder);
    free(folder);
    bool fine = command_succeeded(&outcome);
    if (!fine || outcome.output_size > 0) {
        say(&unit->message, command_complaint("compiler", &outcome));
    }
    free(outcome.output);
    return fine;
}

static bool compile_file(const struct workshop *workshop, const struct build *build,
                         struct unit *unit, const char *source_path)
{
    struct command command = {.count = 0};
    add_compiler(workshop, build, &command);
    char *how = command_in_one_line(&command);
    char *dependencies = grader_print("%s.d", unit->object);
    const struct recipe recipe = {
        .root = workshop->root, .source = source_path, .how = how};
    bool kept = !workshop->uncached;
    bool fine = kept && cache_fetch(&recipe, unit->object, &unit->message);
    if (fine) {
        command_free(&command);
    } else {
        struct timespec started;
        clock_gettime(CLOCK_REALTIME, &started);
        if (kept) {
            command_add(&command, grader_print("-MD"));
            command_add(&command, grader_print("-MF%s", dependencies));
        }
        command_add(&command, grader_print("-c"));
        command_add(&command, grader_print("-o"));
        command_add(&command, grader_print("%s", unit->object));
        command_add(&command, grader_print("%s", source_path));
        fine = run_compiler(workshop, &command, unit, source_path);
        if (fine && kept) {
            cache_keep(&recipe, unit->object, unit->message, dependencies, started);
        }
    }
    free(dependencies);
    free(how);
    return fine;
}

static bool compile_cuda(const struct workshop *workshop, const struct build *build,
                         struct unit *unit, const char *source_path)
{
    char *folder = folder_of(source_path);
    char *message = NULL;
    bool fine = cuda_compile(workshop, build->backend, source_path, folder, unit->object,
                             &message);
    if (message != NULL) {
        say(&unit->message, message);
    }
    free(folder);
    return fine;
}

char *build_symbol(const struct lab_place *place, const struct entry *entry)
{
    return place->gpu && !entry->gpu
               ? NULL
               : grader_print("%s%s", entry->name, place->gpu ? "_gpu" : "");
}

static bool find_missing(struct build *build)
{
    if (!symbols_read(&build->symbols, build->object)) {
        say(&build->message, grader_print("cannot read the object file that the "
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

static bool run_tool(const struct workshop *workshop, struct build *build,
                     struct command *command, const char *name)
{
    struct outcome outcome = command_run(workshop, command, NULL);
    bool fine = command_succeeded(&outcome);
    if (!fine) {
        say(&build->message, command_complaint(name, &outcome));
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
    return run_tool(workshop, build, &join, "linker");
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

// Joins the lab's objects into one that exports only the functions of the contract.
static bool fence_symbols(const struct workshop *workshop, struct build *build)
{
    bool one =
        build_files(build) == 1 && !build->place->gpu && !has_aliases(workshop, build);
    if (!one && !join_files(workshop, build)) {
        return false;
    }
    // Do not trust the symbol table of an untrusted object, which may be forged.
    if (one && !workshop->untrusted && is_fenced(build, build->units[0].object) &&
        rename(build->units[0].object, build->object) == 0) {
        return find_missing(build);
    }
    char *refused =
        build->place->gpu ? cuda_refuses(build->backend, build->object) : NULL;
    if (refused != NULL) {
        say(&build->message, refused);
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
    return run_tool(workshop, build, &fence, "object copier") && find_missing(build);
}

// The solutions are trusted and are compiled outside the box.
static struct workshop workplace_of(const struct workshop *workshop,
                                    const struct build *build)
{
    struct workshop workplace = *workshop;
    workplace.untrusted = workshop->untrusted && !build->reference;
    // Objects of untrusted code are never cached; their source is a new copy every time.
    // The trial compilation is not cached either, because it must show that the compiler
    // works now.
    workplace.uncached = workplace.untrusted || build->trial;
    return workplace;
}

static const char *prefix_of(const struct build *build)
{
    return build->reference ? "reference." : build->trial ? "trial." : "";
}

static char *tree_of(const struct workshop *workshop, const struct build *build)
{
    return build->reference || build->trial ? grader_print("%s/solutions", workshop->root)
                                            : grader_print("%s", workshop->source);
}

size_t build_files(const struct build *build)
{
    size_t count = 0;
    while (count < MAX_FILES && build->place->sources[count] != NULL) {
        count++;
    }
    return count;
}

size_t build_file_size(const struct workshop *workshop, const struct build *build,
                       size_t file)
{
    char *tree = tree_of(workshop, build);
    char *path = lab_file(tree, build->place, build->place->sources[file]);
    struct stat status = {.st_size = 0};
    if (path != NULL && stat(path, &status) != 0) {
        status.st_size = 0;
    }
    free(path);
    free(tree);
    return (size_t)status.st_size;
}

static bool mentions(const char *path, const char *word)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t size = 0;
    bool found = false;
    while (file != NULL && !found && getline(&line, &size, file) > 0) {
        found = strstr(line, word) != NULL;
    }
    free(line);
    if (file != NULL) {
        fclose(file);
    }
    return found;
}

bool build_may_need_blas(const struct workshop *workshop, const struct build *build)
{
    bool may = build->place->uses[0] != NULL;
    for (size_t i = 0; !may && i < build_files(build); i++) {
        char *path = lab_file(workshop->source, build->place, build->place->sources[i]);
        may = path != NULL && mentions(path, "cblas");
        free(path);
    }
    return may;
}

// A path in a separate folder. A tool may read files beside its output (command.c), and
// must not see the output of others. suffix distinguishes the folders of a lab. Caller
// frees.
static char *path_of_output(const struct workshop *workshop, const struct build *build,
                            const char *suffix, const char *name)
{
    char *folder =
        grader_print("%s/%s%s%s.%s", workshop->folder, prefix_of(build),
                     build->place->folder, build->place->gpu ? ".gpu" : "", suffix);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        grader_fail("cannot make %s: %s", folder, strerror(errno));
    }
    char *path = grader_print("%s/%s", folder, name);
    free(folder);
    return path;
}

// A line that says why a student's file must not be compiled, or NULL. Caller frees.
static char *refusal(const struct workshop *workshop, const char *path, const char *name)
{
    return workshop->strangers && !workshop_holds(workshop, path)
               ? grader_print("%s is a link that leads out of the hand-in; hand in the "
                              "file itself\n",
                              name)
               : foreign_refuses(path, name);
}

// Returns true if this file must not be compiled.
static bool is_refused(const struct workshop *workshop, const struct build *build,
                       struct unit *unit, const char *path, size_t file,
                       const char *why_not)
{
    char *name = grader_print("%s/%s", build->place->folder, build->place->sources[file]);
    char *sentence = why_not != NULL                    ? grader_print("%s\n", why_not)
                     : build->reference || build->trial ? NULL
                                                        : refusal(workshop, path, name);
    unit->refused = sentence != NULL;
    if (unit->refused) {
        say(&unit->message, sentence);
    }
    free(name);
    return unit->refused;
}

// Why there is no such file: it is missing, or has this name and is none.
static char *why_absent(const char *tree, const char *named, const char *folder,
                        const char *file)
{
    char *path = grader_print("%s/%s/%s", tree, folder, file);
    struct stat status;
    const char *why = lstat(path, &status) != 0  ? "is missing"
                      : stat(path, &status) != 0 ? "is a link to a missing file"
                      : S_ISDIR(status.st_mode)  ? "is a folder, not a file"
                                                 : "is not an ordinary file";
    free(path);
    return grader_print("%s/%s/%s %s", named, folder, file, why);
}

void build_file(const struct workshop *workshop, struct build *build, size_t file,
                const char *why_not)
{
    if (build->backend == GPU_DEVICE && cuda_not_here() != NULL) {
        return; // build_join reports it
    }
    char *tree = tree_of(workshop, build);
    struct unit *unit = &build->units[file];
    char *path = lab_file(tree, build->place, build->place->sources[file]);
    if (path == NULL) {
        unit->absent = true;
        say(&unit->message,
            why_absent(tree, build->reference || build->trial ? tree : workshop->named,
                       build->place->folder, build->place->sources[file]));
    } else if (!is_refused(workshop, build, unit, path, file, why_not)) {
        char *number = grader_print("%zu", file);
        unit->object = path_of_output(workshop, build, number, "unit.o");
        free(number);
        struct workshop workplace = workplace_of(workshop, build);
        unit->compiled = build->place->gpu ? compile_cuda(&workplace, build, unit, path)
                                           : compile_file(&workplace, build, unit, path);
    }
    free(path);
    free(tree);
}

// The message about the files: the error of the first file that failed, or else all
// warnings.
static bool gather_units(struct build *build)
{
    struct text warnings;
    text_begin(&warnings);
    bool any = false;
    for (size_t i = 0; i < build_files(build); i++) {
        struct unit *unit = &build->units[i];
        if (!unit->compiled) {
            build->absent = unit->absent;
            build->refused = unit->refused;
            say(&build->message, unit->message);
            unit->message = NULL;
            free(text_end(&warnings));
            return false;
        }
        if (unit->message != NULL) {
            fputs(unit->message, warnings.file);
            any = true;
        }
    }
    char *all = text_end(&warnings);
    if (any) {
        say(&build->message, all);
    } else {
        free(all);
    }
    return true;
}

void build_join(const struct workshop *workshop, struct build *build)
{
    build->not_run = build->backend == GPU_DEVICE ? cuda_not_here() : NULL;
    if (build->not_run != NULL) {
        return;
    }
    build->object = path_of_output(workshop, build, "lab", "lab.o");
    struct workshop workplace = workplace_of(workshop, build);
    build->compiled = gather_units(build) && fence_symbols(&workplace, build);
    if (build->compiled && build->reference) {
        build->compiled = chmod(build->object, 0644) == 0; // for tools in a box
    }
}

void build_compile(const struct workshop *workshop, struct build *build)
{
    for (size_t i = 0; i < build_files(build); i++) {
        build_file(workshop, build, i, NULL);
    }
    build_join(workshop, build);
}

// ---- variants -----------------------------------------------------------------------------

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
    return run_tool(workshop, build, &command, "object copier");
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
    return run_tool(workshop, build, &command, "linker");
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
                     find_missing(&alone);
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

// ---- a changed file -----------------------------------------------------------------------

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");
    const bool written = file != NULL && fputs(text, file) >= 0;
    if ((file != NULL && fclose(file) != 0) || !written) {
        grader_fail("cannot write %s: %s", path, strerror(errno));
    }
}

struct build build_changed(const struct workshop *workshop, const struct build *build,
                           size_t file, const char *text, const char *name)
{
    struct build changed = *build;
    struct unit *unit = &changed.units[file];
    struct workshop workplace = workplace_of(workshop, build);
    workplace.uncached = workplace.charges_compiler = true;
    changed.alone = true;
    changed.message = NULL;
    changed.worker = NULL;
    changed.missing_count = 0;
    changed.symbols = (struct symbols){.file = NULL};
    char *suffix = grader_print("changed.%s", name);
    char *path = path_of_output(workshop, build, suffix, build->place->sources[file]);
    changed.object = path_of_output(workshop, build, suffix, "lab.o");
    *unit = (struct unit){.object = path_of_output(workshop, build, suffix, "unit.o")};
    write_text(path, text);
    unit->compiled = build->place->gpu ? compile_cuda(&workplace, build, unit, path)
                                       : compile_file(&workplace, build, unit, path);
    changed.compiled = gather_units(&changed) && fence_symbols(&workplace, &changed);
    free(path);
    free(suffix);
    return changed;
}

void build_free_changed(struct build *changed, size_t file)
{
    free(changed->units[file].object);
    free(changed->units[file].message);
    free(changed->message);
    free(changed->object);
    free(changed->worker);
    symbols_free(&changed->symbols);
}

void build_free(struct build *build)
{
    for (size_t i = 0; i < MAX_FILES; i++) {
        free(build->units[i].object);
        free(build->units[i].message);
    }
    symbols_free(&build->symbols);
    free(build->message);
    free(build->object);
    free(build->worker);
}
