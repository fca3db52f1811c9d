// link.c - links a worker: a lab's harness, the student's objects, and the common code.
//
// There are two ways. A linker command that grader/tools/link_line.sh has prepared takes
// half the time. If there is none, if it fails because the student calls other functions
// (such as LAPACK), or if the linker's error message is needed, the compiler links the
// worker.
//
// The prepared command makes the worker a shared object, which a program that is already
// running loads (worker/start.c). In a box, and with the compiler, the worker is a program.

#define _GNU_SOURCE
#include "build/link.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "build/backend.h"
#include "build/build.h"
#include "build/command.h"
#include "build/cuda.h"
#include "build/symbols.h"
#include "build/workshop.h"

// The inputs of one worker.
struct ingredients {
    const struct workshop *workshop;
    const struct build *build;
    struct build *const *used;
    char *worker;
};

static void add_stub(struct command *command, const char *option,
                     const struct lab_place *place, const char *name)
{
    command_add(command, grader_print("%s=%s%s=lab_function_missing", option, name,
                                      place->gpu ? "_gpu" : ""));
}

static bool has_function(const struct build *build, const char *name)
{
    const struct entry *entry = build->place->entries;
    while (entry->name != NULL && strcmp(entry->name, name) != 0) {
        entry++;
    }
    return build->compiled && entry->name != NULL;
}

// Does another lab of this worker have a function of the same name? (Labs 1 and 2 do.)
static bool is_elsewhere(const struct ingredients *in, const struct build *missing,
                         const char *name)
{
    bool found = in->build != missing && has_function(in->build, name);
    for (size_t i = 0; i < MAX_FILES && in->build->place->uses[i] != NULL; i++) {
        found = found || (in->used[i] != missing && has_function(in->used[i], name));
    }
    return found;
}

// Missing functions of a lab return LAB_TODO (lab_function_missing).
static void add_missing(struct command *command, const char *option,
                        const struct ingredients *in, const struct build *build)
{
    const struct entry *entry = build->place->entries;
    for (; !build->compiled && entry->name != NULL; entry++) {
        if (!is_elsewhere(in, build, entry->name)) {
            add_stub(command, option, build->place, entry->name);
        }
    }
    if (build->compiled) {
        command_add(command, grader_print("%s", build->object));
    }
    if (build->compiled && build->instead != NULL) {
        command_add(command, grader_print("%s", build->instead));
    }
    for (size_t i = 0; build->compiled && i < build->missing_count; i++) {
        add_stub(command, option, build->place, build->missing[i]);
    }
}

char *link_harness(const struct workshop *workshop, const struct build *build)
{
    static const char *const folders[] = {
        [CPU] = "worker", [GPU_SIMULATED] = "worker/gpu", [GPU_DEVICE] = "worker/device"};
    char *harness = grader_print("%s/build/%s/lab%02d.o", workshop->root,
                                 folders[build->backend], build->place->number);
    if (access(harness, R_OK) != 0) {
        grader_fail("%s is missing: run make programs in %s, then this command again",
                    harness, workshop->root);
    }
    return harness;
}

// Labs 1 and 2 both have a matmul. A lab above both gets lab 2's, which comes first.
static bool has_both(const struct lab_place *place)
{
    bool first = false, second = false;
    for (size_t i = 0; i < MAX_FILES && place->uses[i] != NULL; i++) {
        first = first || strncmp(place->uses[i], "01_", 3) == 0;
        second = second || strncmp(place->uses[i], "02_", 3) == 0;
    }
    return first && second;
}

// option is --defsym in the syntax of the command's program.
static void add_objects(struct command *command, const char *option,
                        const struct ingredients *in)
{
    const struct lab_place *place = in->build->place;
    command_add(command, link_harness(in->workshop, in->build));
    add_missing(command, option, in, in->build);
    for (size_t i = 0; i < MAX_FILES && place->uses[i] != NULL; i++) {
        add_missing(command, option, in, in->used[i]);
    }
}

static void add_word(struct command *command, const char *word,
                     const struct ingredients *in)
{
    if (strcmp(word, "INPUT") == 0) {
        add_objects(command, "--defsym", in);
        if (in->workshop->fast) {
            command_add(command, grader_print("%s/build/worker/lib/libfast.a",
                                              in->workshop->root));
        }
        command_add(command,
                    grader_print("%s/build/worker/lib/libcommon.a", in->workshop->root));
    } else if (strcmp(word, "OUTPUT") == 0) {
        command_add(command, grader_print("%s", in->worker));
    } else if (strcmp(word, "OPENBLAS") == 0) {
        command_add(command, grader_print("%s/build/worker/link/libopenblas.so",
                                          in->workshop->root));
    } else if (*word != '\0') {
        command_add(command, grader_print("%s", word));
    }
}

// Returns false if there is no such command or it fails for any reason.
static bool link_by_line(const struct ingredients *in, const char *name)
{
    char *path = grader_print("%s/build/worker/link/%s", in->workshop->root, name);
    FILE *file = getenv("GRADE_CC") == NULL ? fopen(path, "re") : NULL;
    free(path);
    if (file == NULL) {
        return false;
    }
    struct command command = {.count = 0};
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        add_word(&command, line, in);
    }
    free(line);
    fclose(file);
    if (command.count == 0) { // link_line.sh found no linker, or no library
        return false;
    }
    if (has_both(in->build->place)) {
        command_add(&command, grader_print("--allow-multiple-definition"));
    }
    struct outcome outcome = command_run(in->workshop, &command, NULL);
    free(outcome.output);
    return command_succeeded(&outcome);
}

// -no-pie, so that --defsym means the same for all linkers.
static void add_linker(struct command *command)
{
    command_add(command, command_compiler());
    command_add(command, grader_print("-fsanitize=address,undefined"));
    command_add(command, grader_print("-no-pie"));
    if (command_have_gold()) {
        command_add(command, grader_print("-fuse-ld=gold"));
    }
}

static void add_libraries(struct command *command, const struct workshop *workshop)
{
    static const char *const libraries[] = {"-Wl,--as-needed", "-lopenblas", "-lm", NULL};
    if (workshop->fast) {
        command_add(command, grader_print("%s/build/lib/libfast.a", workshop->root));
    }
    command_add(command, grader_print("%s/build/lib/libcommon.a", workshop->root));
    command_add_words(command, libraries);
}

static bool link_by_compiler(const struct ingredients *in, char **complaint)
{
    const struct build *build = in->build;
    struct command command = {.count = 0};
    if (build->place->gpu) {
        cuda_add_linker(&command, build->backend);
    } else {
        add_linker(&command);
    }
    if (has_both(build->place)) {
        command_add(&command, grader_print("-Wl,--allow-multiple-definition"));
    }
    command_add(&command, grader_print("-o"));
    command_add(&command, grader_print("%s", in->worker));
    add_objects(&command, "-Wl,--defsym", in);
    if (build->place->gpu) {
        cuda_add_libraries(&command, build->backend, in->workshop->root);
    } else {
        add_libraries(&command, in->workshop);
    }
    struct outcome outcome = command_run(in->workshop, &command, NULL);
    bool fine = command_succeeded(&outcome);
    if (!fine) {
        *complaint = command_complaint("linker", &outcome);
    }
    free(outcome.output);
    return fine;
}

char *build_starter(const char *root, bool blas)
{
    char *path =
        grader_print("%s/build/worker/link/%s", root, blas ? "start-blas" : "start");
    // absolute, because it is started in another folder
    char *absolute = realpath(path, NULL);
    free(path);
    return absolute;
}

static bool is_whole(const struct build *build)
{
    return build->compiled && build->missing_count == 0;
}

// Returns true if a function of the contract has a stub. Linkers do not relocate --defsym symbols
// in a shared object.
static bool needs_stubs(const struct ingredients *in)
{
    bool whole = is_whole(in->build);
    for (size_t i = 0; i < MAX_FILES && in->build->place->uses[i] != NULL; i++) {
        whole = whole && is_whole(in->used[i]);
    }
    return !whole;
}

static bool may_be_shared(const struct workshop *workshop, const struct build *build)
{
    char *starter = build_starter(workshop->root, true);
    bool may = build->backend == CPU && !workshop->untrusted &&
               getenv("GRADE_CC") == NULL && starter != NULL;
    free(starter);
    return may;
}

char *build_shared_worker(const struct workshop *workshop, const struct build *build)
{
    if (!may_be_shared(workshop, build)) {
        return NULL;
    }
    char *folder = grader_print("%s/%s.shared", workshop->folder, build->place->folder);
    mkdir(folder, 0777); // it may exist
    char *path = grader_print("%s/%s.worker", folder, build->place->folder);
    free(folder);
    return path;
}

// Beside the object that it is linked from, because the linker may read that folder.
static char *worker_path(const struct workshop *workshop, const struct build *build)
{
    char *shared = build->instead == NULL && !build->reference && !build->alone
                       ? build_shared_worker(workshop, build)
                       : NULL;
    return shared != NULL ? shared : grader_print("%s.worker", build->object);
}

// ---- a function that is in no file ---------------------------------------------------------

static size_t name_length(const char *text)
{
    size_t n = 0;
    while (isalnum((unsigned char)text[n]) || text[n] == '_') {
        n++;
    }
    return n;
}

// gold: "lab.o:train.c:function f: error: undefined reference to 'g'". GNU ld: "lab.o: in function
// `f':" in one line, "undefined reference to `g'" in another. Sets *caller if the line names it.
static void find_caller(const char **caller, const char *line)
{
    static const char *const marks[] = {":function ", ": in function `", NULL};
    const char *end = line + strcspn(line, "\n");
    for (size_t i = 0; marks[i] != NULL; i++) {
        const char *found = strstr(line, marks[i]);
        if (found != NULL && found < end) {
            *caller = found + strlen(marks[i]);
        }
    }
}

// The lab that asks for a function of this name, on the same side; NULL if none does.
static const struct lab_place *lab_with(bool gpu, const char *name, size_t length)
{
    const struct lab_place *place = gpu ? gpu_places : lab_places;
    for (; place->folder != NULL; place++) {
        for (const struct entry *entry = place->entries; entry->name != NULL; entry++) {
            char *symbol = grader_print("%s%s", entry->name, gpu ? "_gpu" : "");
            const bool same =
                strlen(symbol) == length && strncmp(symbol, name, length) == 0;
            free(symbol);
            if (same) {
                return place;
            }
        }
    }
    return NULL;
}

// Another lab's function, for example softmax_rows in lab 4: right code, but not linked.
static void write_way_out(FILE *file, bool gpu, const char *name, size_t length)
{
    const struct lab_place *place = lab_with(gpu, name, length);
    if (place != NULL) {
        fprintf(file,
                "It is a function of lab %d, which is not part of this program: copy "
                "its body into a static function of yours.\n",
                place->number);
    }
}

// Writes that one function calls another. Returns false if the line does not say which is missing.
static bool write_missing(FILE *file, bool gpu, const char **caller, const char *line)
{
    static const char mark[] = "undefined reference to ";
    const char *end = line + strcspn(line, "\n"), *missing = strstr(line, mark);
    find_caller(caller, line);
    if (missing == NULL || missing > end) {
        return true; // another line of the linker
    }
    missing += sizeof mark; // behind the quotation mark
    const size_t length = name_length(missing);
    if (length == 0 || missing[length] != '\'') {
        return false;
    }
    const size_t known = *caller != NULL ? name_length(*caller) : 0;
    fprintf(file,
            "error: %.*s calls %.*s, which is in none of the files of this program\n",
            known > 0 ? (int)known : 2, known > 0 ? *caller : "it", (int)length, missing);
    write_way_out(file, gpu, missing, length);
    return true;
}

// The linker names the first file of the lab, whichever calls. Returns a message in words, or NULL if
// something else is wrong.
static char *explain_missing(const struct build *build, const char *complaint)
{
    struct text text;
    text_begin(&text);
    bool known = complaint != NULL;
    const char *caller = NULL;
    for (const char *line = complaint; known && *line != '\0';) {
        known = write_missing(text.file, build->place->gpu, &caller, line);
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    known = known && ftell(text.file) > 0;
    fprintf(text.file, "The program is linked from the files of %s",
            build->place->folder);
    for (size_t i = 0; i < MAX_FILES && build->place->uses[i] != NULL; i++) {
        fprintf(text.file, ", %s", build->place->uses[i]);
    }
    fputs(" and libraries.", text.file);
    char *message = text_end(&text);
    if (!known) {
        free(message);
        message = NULL;
    }
    return message;
}

void build_link(const struct workshop *workshop, struct build *build,
                struct build *const *used)
{
    free(build->worker); // from an earlier link with other labs
    build->worker = NULL;
    struct ingredients in = {workshop, build, used, worker_path(workshop, build)};
    char *complaint = NULL;
    build->shared = may_be_shared(workshop, build) && !needs_stubs(&in) &&
                    link_by_line(&in, "shared") && symbols_loadable(in.worker);
    if (build->shared || (!build->place->gpu && link_by_line(&in, "line")) ||
        link_by_compiler(&in, &complaint)) {
        build->worker = in.worker;
    } else {
        char *words = explain_missing(build, complaint);
        free(build->message);
        build->message = words != NULL ? words : complaint;
        if (words != NULL) {
            free(complaint);
        }
        free(in.worker);
    }
}
