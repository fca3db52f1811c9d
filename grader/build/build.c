// build.c - compiles a student's files. join.c joins their objects, and link.c links the worker.

#define _GNU_SOURCE
#include "build/build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "build/backend.h"
#include "build/cache.h"
#include "build/command.h"
#include "build/cuda.h"
#include "build/foreign.h"
#include "build/join.h"
#include "build/locals.h"
#include "build/workshop.h"

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
        "-pipe",
        NULL,
    };
    char *compiler = command_compiler();
    const char *slash = strrchr(compiler, '/');
    const char *name = slash != NULL ? slash + 1 : compiler;
    const bool clang = strstr(name, "clang") != NULL; // it warns of gcc's option
    command_add(command, compiler);
    command_add_words(command, flags);
    command_add(command, grader_print(clang ? "-ferror-limit=5" : "-fmax-errors=5"));
    add_haste(command);
    locals_fill(command);
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
    struct outcome outcome = locals_compile(workshop, command, folder);
    free(folder);
    bool fine = command_succeeded(&outcome);
    if (!fine || outcome.output_size > 0) {
        join_say(&unit->message, command_complaint("compiler", &outcome));
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
        join_say(&unit->message, message);
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
        join_say(&unit->message, sentence);
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
    const bool there = lstat(path, &status) == 0;
    const char *why = !there                    ? "is missing"
                      : access(path, F_OK) != 0 ? "is a link to a missing file"
                      : S_ISLNK(status.st_mode) ? "is a link: hand in the file itself"
                      : S_ISDIR(status.st_mode) ? "is a folder, not a file"
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
        join_say(&unit->message,
                 why_absent(tree,
                            build->reference || build->trial ? tree : workshop->named,
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
            join_say(&build->message, unit->message);
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
        join_say(&build->message, all);
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
    build->compiled = gather_units(build) && join_objects(&workplace, build);
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
    changed.compiled = gather_units(&changed) && join_objects(&workplace, &changed);
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
