// build.c - compiling a student's files, fencing their symbols in, linking the worker.

#define _GNU_SOURCE
#include "judge/build.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <glob.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "judge/cuda.h"
#include "judge/memory.h"
#include "judge/command.h"

// ---- the scratch folder -------------------------------------------------------------------

static int remove_entry(const char *path, const struct stat *status, int kind,
                        struct FTW *where)
{
    (void)status;
    (void)kind;
    (void)where;
    return remove(path);
}

// Folders of graders that were killed: their process is gone.
static void sweep(const char *parent)
{
    DIR *directory = opendir(parent);
    if (directory == NULL) {
        return;
    }
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        char *end;
        long pid = strtol(entry->d_name, &end, 10);
        if (pid > 0 && *end == '.' && kill((pid_t)pid, 0) != 0 && errno == ESRCH) {
            char *path = grader_print("%s/%s", parent, entry->d_name);
            nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
            free(path);
        }
    }
    closedir(directory);
}

// ---- what the compiler may see ------------------------------------------------------------

static void may_read(struct workshop *workshop, char *path)
{
    if (workshop->readable_count + 1 == MAX_READABLE) {
        grader_fail("more than %d paths for the compiler", (int)MAX_READABLE);
    }
    workshop->readable[workshop->readable_count++] = path;
}

// The system, what every lab is given, and the headers: neither solutions nor other labs.
static void list_readable(struct workshop *workshop)
{
    static const char *const system[] = {"/usr", "/lib", "/lib64", "/bin",
                                         "/etc", "/opt", NULL};
    static const char *const given[] = {"labs/common", "build/worker", "build/lib", NULL};
    for (size_t i = 0; system[i] != NULL; i++) {
        may_read(workshop, grader_print("%s", system[i]));
    }
    for (size_t i = 0; given[i] != NULL; i++) {
        may_read(workshop, grader_print("%s/%s", workshop->root, given[i]));
    }
    glob_t headers;
    char *pattern = grader_print("%s/labs/[0-9]*/*.h", workshop->root);
    if (glob(pattern, 0, NULL, &headers) == 0) {
        for (size_t i = 0; i < headers.gl_pathc; i++) {
            may_read(workshop, grader_print("%s", headers.gl_pathv[i]));
        }
        globfree(&headers);
    }
    free(pattern);
    workshop->writable[0] = workshop->folder;
    workshop->writable[1] = "/dev/null";
}

struct workshop workshop_open(const char *root, const char *source)
{
    char *absolute = realpath(root, NULL); // the worker runs in another folder
    if (absolute == NULL) {
        grader_fail("cannot find %s: %s", root, strerror(errno));
    }
    char *parent = grader_print("%s/build/tmp", absolute);
    free(absolute);
    if (mkdir(parent, 0777) != 0 && errno != EEXIST) {
        grader_fail("cannot make %s: %s", parent, strerror(errno));
    }
    sweep(parent);
    struct workshop workshop = {.root = root, .source = source};
    workshop.folder = grader_print("%s/%ld.XXXXXX", parent, (long)getpid());
    if (mkdtemp(workshop.folder) == NULL) {
        grader_fail("cannot make a folder in %s: %s", parent, strerror(errno));
    }
    free(parent);
    list_readable(&workshop);
    return workshop;
}

void workshop_close(struct workshop *workshop)
{
    nftw(workshop->folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    free(workshop->folder);
    workshop->folder = NULL;
    for (size_t i = 0; i < workshop->readable_count; i++) {
        free((char *)workshop->readable[i]);
    }
}

// ---- what a build says ------------------------------------------------------------------

// The latest thing to say of a build replaces what was said before.
static void say(struct build *build, char *message)
{
    free(build->message);
    build->message = message;
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

// The folder that a file really lies in, for a link may lead elsewhere. Caller frees.
static char *folder_of(const char *path)
{
    char *real = realpath(path, NULL);
    char *slash = real != NULL ? strrchr(real, '/') : NULL;
    if (slash != NULL) {
        *slash = '\0';
    }
    return real;
}

static bool compile_file(const struct workshop *workshop, struct build *build,
                         char *source_path, const char *object)
{
    static const char *const flags[] = {
        "-std=gnu17", // as strict as the labs ask, and M_PI is there
        "-O1",
        "-g",
        "-fno-var-tracking", // where variables live is not asked; a third of the time
        "-Wall",
        "-Wextra",
        "-Wno-unused-parameter",
        "-Werror=implicit-function-declaration",
        "-Werror=incompatible-pointer-types",
        "-Werror=int-conversion",
        "-Werror=return-type",
        "-fsanitize=address,undefined",
        "-fno-sanitize-recover=all",
        "-fno-omit-frame-pointer",
        "-fdiagnostics-color=never",
        "-fmax-errors=5",
        "-pipe",
        NULL,
    };
    struct command command = {.count = 0};
    command_add(&command, command_compiler());
    command_add_words(&command, flags);
    command_add(&command, grader_print("-I%s/labs", workshop->root));
    command_add(&command, grader_print("-c"));
    command_add(&command, grader_print("-o"));
    command_add(&command, grader_print("%s", object));
    command_add(&command, grader_print("%s", source_path));
    char *folder = folder_of(source_path);
    struct outcome outcome = command_run(workshop, &command, folder);
    free(folder);
    bool fine = command_succeeded(&outcome);
    if (!fine || outcome.output_size > 0) {
        say(build, command_complaint("compiler", &outcome));
    }
    free(outcome.output);
    return fine;
}

static bool compile_cuda(const struct workshop *workshop, struct build *build,
                         const char *source_path, const char *object)
{
    char *folder = folder_of(source_path);
    char *message = NULL;
    bool fine =
        cuda_compile(workshop, build->backend, source_path, folder, object, &message);
    if (message != NULL) {
        say(build, message);
    }
    free(folder);
    return fine;
}

// What an entry's function is called on this side of its lab; NULL when it has none there.
static char *symbol_of(const struct lab_place *place, const struct entry *entry)
{
    return place->gpu && !entry->gpu
               ? NULL
               : grader_print("%s%s", entry->name, place->gpu ? "_gpu" : "");
}

// Is there a line "name T ..." in nm's POSIX output?
static bool defines(const char *symbols, const char *name)
{
    size_t length = strlen(name);
    for (const char *line = symbols; line != NULL && *line != '\0';) {
        if (strncmp(line, name, length) == 0 && line[length] == ' ' &&
            strchr("TWVi", line[length + 1]) != NULL) {
            return true;
        }
        line = strchr(line, '\n');
        line = line != NULL ? line + 1 : NULL;
    }
    return false;
}

static bool find_missing(const struct workshop *workshop, struct build *build)
{
    struct command command = {.count = 0};
    static const char *const words[] = {"nm", "--defined-only", "--extern-only",
                                        "--format=posix", NULL};
    command_add_words(&command, words);
    command_add(&command, grader_print("%s", build->object));
    struct outcome outcome = command_run(workshop, &command, NULL);
    bool fine = command_succeeded(&outcome);
    const struct entry *entry = build->place->entries;
    for (; fine && entry->name != NULL && build->missing_count < MAX_MISSING; entry++) {
        char *symbol = symbol_of(build->place, entry);
        if (symbol != NULL && !defines(outcome.output, symbol)) {
            build->missing[build->missing_count++] = entry->name;
        }
        free(symbol);
    }
    if (!fine) {
        say(build, command_complaint("symbol lister", &outcome));
    }
    free(outcome.output);
    return fine;
}

// Joins the lab's objects into one that shows the contract's functions and nothing else.
static bool fence_symbols(const struct workshop *workshop, struct build *build,
                          char *const *objects, size_t count)
{
    struct command join = {.count = 0};
    static const char *const words[] = {"ld", "-r", "-o", NULL};
    // C++: a template's code of one object must not be taken for another's.
    static const char *const no_groups[] = {"ld", "-r", "--force-group-allocation", "-o",
                                            NULL};
    command_add_words(&join, build->place->gpu ? no_groups : words);
    command_add(&join, grader_print("%s", build->object));
    for (size_t i = 0; i < count; i++) {
        command_add(&join, grader_print("%s", objects[i]));
    }
    struct outcome outcome = command_run(workshop, &join, NULL);
    if (!command_succeeded(&outcome)) {
        say(build, command_complaint("linker", &outcome));
        free(outcome.output);
        return false;
    }
    free(outcome.output);
    char *refused = build->place->gpu ? cuda_refuses(workshop, build->object) : NULL;
    if (refused != NULL) {
        say(build, refused);
        return false;
    }
    struct command fence = {.count = 0};
    command_add(&fence, grader_print("objcopy"));
    // A name nobody has: with no --keep-global-symbol at all, objcopy would keep every one.
    command_add(&fence, grader_print("--keep-global-symbol=lab_no_function"));
    for (const struct entry *entry = build->place->entries; entry->name != NULL;
         entry++) {
        char *symbol = symbol_of(build->place, entry);
        if (symbol != NULL) {
            command_add(&fence, grader_print("--keep-global-symbol=%s", symbol));
        }
        free(symbol);
    }
    command_add(&fence, grader_print("%s", build->object));
    outcome = command_run(workshop, &fence, NULL);
    bool fine = command_succeeded(&outcome);
    if (!fine) {
        say(build, command_complaint("object copier", &outcome));
    }
    free(outcome.output);
    return fine && find_missing(workshop, build);
}

void build_compile(const struct workshop *workshop, struct build *build)
{
    build->not_run = build->backend == GPU_DEVICE ? cuda_not_here() : NULL;
    if (build->not_run != NULL) {
        return;
    }
    char *solutions = grader_print("%s/solutions", workshop->root);
    const char *source = build->reference ? solutions : workshop->source;
    const char *prefix = build->reference ? "reference." : "";
    char *name =
        grader_print("%s%s", build->place->folder, build->place->gpu ? ".gpu" : "");
    char *objects[8];
    size_t count = 0;
    bool fine = true;
    for (size_t i = 0; i < 8 && build->place->sources[i] != NULL && fine; i++) {
        const char *file = build->place->sources[i];
        char *path = lab_file(source, build->place, file);
        if (path == NULL) {
            say(build, grader_print("there is no regular file %s/%s/%s", source,
                                    build->place->folder, file));
            build->absent = true;
            fine = false;
            break;
        }
        objects[count] = grader_print("%s/%s%s.%zu.o", workshop->folder, prefix, name, i);
        fine = build->place->gpu ? compile_cuda(workshop, build, path, objects[count++])
                                 : compile_file(workshop, build, path, objects[count++]);
        free(path);
    }
    build->object = grader_print("%s/%s%s.o", workshop->folder, prefix, name);
    build->compiled = fine && fence_symbols(workshop, build, objects, count);
    for (size_t i = 0; i < count; i++) {
        free(objects[i]);
    }
    free(name);
    free(solutions);
}

// ---- linking ------------------------------------------------------------------------------

// gold links a worker in a third of the time of the default linker, where it is installed.
static bool have_gold(void)
{
    return access("/usr/bin/ld.gold", X_OK) == 0;
}

static void add_stub(struct command *command, const struct lab_place *place,
                     const char *name)
{
    command_add(command, grader_print("-Wl,--defsym=%s%s=lab_function_missing", name,
                                      place->gpu ? "_gpu" : ""));
}

// The functions of a lab that are not there return LAB_TODO (lab_function_missing).
static void add_missing(struct command *command, const struct build *build)
{
    if (!build->compiled) {
        for (const struct entry *entry = build->place->entries; entry->name != NULL;
             entry++) {
            add_stub(command, build->place, entry->name);
        }
        return;
    }
    command_add(command, grader_print("%s", build->object));
    for (size_t i = 0; i < build->missing_count; i++) {
        add_stub(command, build->place, build->missing[i]);
    }
}

// How the worker of a C lab is linked, and with what. -no-pie: so that --defsym means the same
// to all linkers.
static void add_linker(struct command *command)
{
    command_add(command, command_compiler());
    command_add(command, grader_print("-fsanitize=address,undefined"));
    command_add(command, grader_print("-no-pie"));
    if (have_gold()) {
        command_add(command, grader_print("-fuse-ld=gold"));
    }
}

static void add_libraries(struct command *command, const char *root)
{
    static const char *const libraries[] = {"-Wl,--as-needed", "-lopenblas", "-lm", NULL};
    command_add(command, grader_print("%s/build/lib/libcommon.a", root));
    command_add_words(command, libraries);
}

static char *harness_of(const struct workshop *workshop, const struct build *build)
{
    static const char *const folders[] = {
        [CPU] = "worker", [GPU_SIMULATED] = "worker/gpu", [GPU_DEVICE] = "worker/device"};
    char *harness = grader_print("%s/build/%s/lab%02d.o", workshop->root,
                                 folders[build->backend], build->place->number);
    if (access(harness, R_OK) != 0) {
        grader_fail("%s is missing: run make in %s", harness, workshop->root);
    }
    return harness;
}

void build_link(const struct workshop *workshop, struct build *build,
                struct build *const *used)
{
    struct command command = {.count = 0};
    char *worker = grader_print("%s/%s%s.worker", workshop->folder, build->place->folder,
                                build->place->gpu ? ".gpu" : "");
    if (build->place->gpu) {
        cuda_add_linker(&command, build->backend);
    } else {
        add_linker(&command);
    }
    command_add(&command, grader_print("-o"));
    command_add(&command, grader_print("%s", worker));
    command_add(&command, harness_of(workshop, build));
    add_missing(&command, build);
    for (size_t i = 0; i < 8 && build->place->uses[i] != NULL; i++) {
        add_missing(&command, used[i]);
    }
    if (build->place->gpu) {
        cuda_add_libraries(&command, build->backend, workshop->root);
    } else {
        add_libraries(&command, workshop->root);
    }
    struct outcome outcome = command_run(workshop, &command, NULL);
    free(build->worker); // of an earlier link, with other labs beneath
    build->worker = NULL;
    if (command_succeeded(&outcome)) {
        build->worker = worker;
    } else {
        say(build, command_complaint("linker", &outcome));
        free(worker);
    }
    free(outcome.output);
}

void build_free(struct build *build)
{
    free(build->message);
    free(build->object);
    free(build->worker);
}
