// walls.c - see walls.h. Start reading at look_around.

#define _GNU_SOURCE
#include "walls.h"

#include <dirent.h>
#include <ftw.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "knowledge.h"
#include "sandbox/box.h"
#include "sandbox/paths.h"
#include "sandbox/process.h"
#include "sandbox/wall.h"

enum { PROBE_SECONDS = 60, MOST_STEPS = 64, MOST_WALLS = 2000 };

static const struct limits probe_limits = {
    .seconds = PROBE_SECONDS, .megabytes = 1024, .output_bytes = 0};

struct reach reach;
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

// ---- allowed files ------------------------------------------------------------------------

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), behind = strlen(end);
    return length >= behind && strcmp(text + length - behind, end) == 0;
}

static bool is_in(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    return begins_with(path, folder) && path[length] == '/';
}

// The argument of -o; for a tool that changes a file in place, that file; NULL for a worker.
static const char *output_of(char *const *arguments)
{
    const char *last = NULL;
    for (size_t i = 0; arguments[i] != NULL; i++) {
        last = arguments[i];
        if (strcmp(last, "-o") == 0) {
            return arguments[i + 1];
        }
    }
    return strcmp(arguments[0], "objcopy") == 0 ? last : NULL;
}

// Does the command name this file, or does the file lie beside its output?
static bool is_named(const char *path, char *const *arguments)
{
    const char *output = output_of(arguments);
    size_t folder = output != NULL ? (size_t)(strrchr(output, '/') - output) : 0;
    bool named = folder > 0 && strncmp(path, output, folder + 1) == 0;
    for (size_t i = 0; arguments[i] != NULL && !named; i++) {
        const char *word = arguments[i] + (*arguments[i] == '@');
        char *real = realpath(word, NULL);
        named = strcmp(path, word) == 0 || (real != NULL && strcmp(path, real) == 0);
        free(real);
    }
    return named;
}

// A step that compiles the solutions and no student code.
static bool is_ours(char *const *arguments)
{
    const char *output = output_of(arguments);
    return output != NULL && strstr(output, "/reference.") != NULL;
}

// By design, the workbook's functions replace a student's failing ones: the step that links them may
// read their object and no other, and what it makes contains them.
static struct paths lent;

static bool may_know(const char *path)
{
    bool may = strstr(path, "/reference.") != NULL;
    for (size_t i = 0; i < lent.count && !may; i++) {
        may = strcmp(path, lent.path[i]) == 0;
    }
    return may;
}

static void note_lent(char *const *arguments)
{
    const char *output = output_of(arguments);
    bool lends = false;
    for (size_t i = 0; arguments[i] != NULL; i++) {
        lends = lends || may_know(arguments[i]);
    }
    if (lends && output != NULL && !may_know(output)) {
        paths_add(&lent, output);
    }
}

static bool has_word(char *const *arguments, const char *word)
{
    for (size_t i = 0; arguments[i] != NULL; i++) {
        if (strcmp(arguments[i], word) == 0) {
            return true;
        }
    }
    return false;
}

// A header of the simulated GPU; those of namespace cuda::std are named without .h, as in CUDA.
static bool is_gpu_header(const char *path)
{
    char *gpu = grader_print("%s/grader/gpu/include/", reach.root);
    const char *below = begins_with(path, gpu) ? path + strlen(gpu) : NULL;
    const bool header =
        below != NULL && (ends_with(path, ".h") || begins_with(below, "cuda/std/"));
    free(gpu);
    return header;
}

// A header made for students: a lab's, or one that every lab includes.
static bool is_header(const char *path)
{
    char *labs = grader_print("%s/labs/", reach.root);
    const char *below = begins_with(path, labs) ? path + strlen(labs) : NULL;
    const bool header =
        below != NULL && ends_with(path, ".h") &&
        (strchr("0123456789", *below) != NULL || begins_with(below, "common/gpu/") ||
         (begins_with(below, "common/") && strchr(below + 7, '/') == NULL));
    free(labs);
    return header || is_gpu_header(path);
}

static bool is_for(const struct program *program, const char *path)
{
    char *const *arguments = program->arguments;
    bool compiles = has_word(arguments, "-c");
    return strcmp(path, reach.probe) == 0 || strcmp(path, "/inside") == 0 ||
           begins_with(path, "/etc/ld.so.") || begins_with(path, "/etc/alternatives/") ||
           is_named(path, arguments) || ends_with(path, "/build/worker/link/start") ||
           ends_with(path, "/build/worker/link/start-blas") ||
           (compiles && is_header(path)) ||
           (compiles && strstr(path, "/build/worker/gpu/precompiled/cuda_runtime.h")) ||
           (compiles && program->box == NULL && is_in(path, reach.source)) ||
           (begins_with(path, "/submission/") && program->box != NULL);
}

static void complain(const struct program *program, const char *path, const char *known)
{
    reach.failures++;
    fprintf(stderr, "%s%s %s can read %s%s%s\n", program->box != NULL ? "in a box " : "",
            program->arguments[0],
            program->arguments[1] != NULL ? program->arguments[1] : "", path,
            known != NULL ? ", which knows: " : "", known != NULL ? known : "");
}

static void look_at(const struct program *program, const char *path)
{
    const char *known = may_know(path) ? NULL : knowledge_in(path);
    reach.files++;
    if (!is_for(program, path) || known != NULL) {
        complain(program, path, known);
    }
}

static void look_into(const struct program *program, const char *path)
{
    struct stat status;
    const bool file = stat(path, &status) == 0 && S_ISREG(status.st_mode);
    const char *known = file && !may_know(path) ? knowledge_in(path) : NULL;
    if (known != NULL) {
        complain(program, path, known);
    }
}

// The files that the walls name. Behind walls that are alike, their contents differ; in a box, a file
// may have another name.
static void look_at_named(const struct program *program)
{
    const struct box_path *moved = program->box != NULL ? program->box->moved : NULL;
    for (const char *const *path = program->wall->readable; *path != NULL; path++) {
        look_into(program, *path);
    }
    for (; moved != NULL && moved->outside != NULL; moved++) {
        look_into(program, moved->outside);
    }
}

// ---- the probe ----------------------------------------------------------------------------

static FILE *list;

static int list_file(const char *path, const struct stat *status, int kind,
                     struct FTW *at)
{
    (void)status;
    (void)at;
    if (kind == FTW_F) {
        fprintf(list, "%s\n", path);
    }
    return 0;
}

// Links are not followed: other tests, which may be running, link to the workbook's folders.
static void list_files(const char *folder)
{
    nftw(folder, list_file, 32, FTW_PHYS);
}

// The files of build/tmp and build/cache come and go. All others are listed once for each workbook.
static int list_lasting_file(const char *path, const struct stat *status, int kind,
                             struct FTW *at)
{
    if (kind == FTW_D && at->level == 2 &&
        (ends_with(path, "/build/tmp") || ends_with(path, "/build/cache"))) {
        return FTW_SKIP_SUBTREE;
    }
    list_file(path, status, kind, at);
    return FTW_CONTINUE;
}

static void list_changing_files(const char *workbook)
{
    static const char *const folders[] = {"tmp", "cache"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char *folder = grader_print("%s/build/%s", workbook, folders[i]);
        list_files(folder);
        free(folder);
    }
}

static const char *lasting_files(void)
{
    static char *listed, *files;
    if (listed == NULL || strcmp(listed, reach.root) != 0) {
        struct text text;
        text_begin(&text);
        list = text.file;
        char *workbook = realpath(".", NULL);
        nftw(workbook, list_lasting_file, 32, FTW_PHYS | FTW_ACTIONRETVAL);
        if (strcmp(reach.root, workbook) != 0) {
            nftw(reach.root, list_lasting_file, 32, FTW_PHYS | FTW_ACTIONRETVAL);
        }
        free(workbook);
        free(files);
        free(listed);
        files = text_end(&text);
        listed = grader_print("%s", reach.root);
    }
    return files;
}

// Lists every file of the workbook and of this test, and some files of the machine.
static int make_list(void)
{
    int file = memfd_create("paths", MFD_CLOEXEC);
    const char *lasting = lasting_files();
    list = fdopen(dup(file), "w");
    fputs(lasting, list);
    char *workbook = realpath(".", NULL);
    const char *const of[] = {workbook, reach.root};
    for (size_t i = 0; i < 2; i++) {
        if (i == 0 || strcmp(workbook, reach.root) != 0) {
            list_changing_files(of[i]);
        }
    }
    free(workbook);
    fputs("/etc/passwd\n/etc/shadow\n/proc/1/environ\n/proc/1/root/etc/passwd\n", list);
    fprintf(list, "/proc/%d/cmdline\n/proc/%d/environ\n", (int)getpid(), (int)getpid());
    fclose(list);
    return file;
}

// ---- the walls ----------------------------------------------------------------------------

// Replaces what differs between two runs or two labs: the name of the scratch folder, a lab's name, and
// numbers. "/book/build/tmp/6541.t4CZe7/03_causal_mask/1.3.o" becomes "/book/build/tmp/*/LAB/#.#.o".
static void write_alike(FILE *to, const char *path)
{
    static const char scratch[] = "/build/tmp/";
    for (const char *c = path; *c != '\0'; c++) {
        size_t digits = strspn(c, "0123456789");
        if (begins_with(c, scratch)) {
            fprintf(to, "%s*", scratch);
            c += strlen(scratch);
            c += strcspn(c, "/") - 1;
        } else if (digits == 2 && c[2] == '_') {
            fputs("LAB", to);
            c += 2 + strspn(c + 2, "_abcdefghijklmnopqrstuvwxyz0123456789") - 1;
        } else if (digits > 0) {
            fputc('#', to);
            c += digits - 1;
        } else {
            fputc(*c, to);
        }
    }
    fputc('\n', to);
}

// A step may read everything in a folder that it may write.
static void write_folder(FILE *to, const char *folder)
{
    struct dirent **entries;
    const int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        write_alike(to, entries[i]->d_name);
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
}

// The files and folders behind the walls, as a text that is the same for steps that may read the same.
// Caller frees.
static char *describe_walls(const struct program *program)
{
    struct text text;
    text_begin(&text);
    fprintf(text.file, "%s, %s a box\n",
            program->arguments[0][0] == '/' ? "a worker" : program->arguments[0],
            program->box != NULL ? "in" : "without");
    for (const char *const *path = program->wall->readable; *path != NULL; path++) {
        write_alike(text.file, *path);
    }
    for (const char *const *path = program->wall->writable; *path != NULL; path++) {
        write_alike(text.file, *path);
        write_folder(text.file, *path);
    }
    const struct box_path *moved = program->box != NULL ? program->box->moved : NULL;
    for (; moved != NULL && moved->outside != NULL; moved++) {
        write_alike(text.file, moved->outside);
        write_alike(text.file, moved->inside);
    }
    return text_end(&text);
}

// Has the probe been behind such walls?
static bool is_known(const struct program *program)
{
    static char *known[MOST_WALLS];
    char *walls = describe_walls(program);
    for (int i = 0; i < reach.walls; i++) {
        if (strcmp(known[i], walls) == 0) {
            free(walls);
            return true;
        }
    }
    if (reach.walls == MOST_WALLS) {
        grader_fail("more than %d different walls", MOST_WALLS);
    }
    known[reach.walls++] = walls;
    return false;
}

struct outcome __real_process_run(const struct program *program);

// Runs the probe behind the same walls as the program.
static void look_around(const struct program *program)
{
    reach.steps++;
    note_lent(program->arguments);
    look_at_named(program);
    if (is_known(program)) {
        return;
    }
    struct paths readable = {.count = 0};
    for (const char *const *path = program->wall->readable; *path != NULL; path++) {
        paths_add(&readable, *path);
    }
    paths_add(&readable, reach.probe);
    const struct wall wall = {readable.path, program->wall->writable, false};
    struct box box;
    if (program->box != NULL) {
        box = *program->box;
        box.wall = &wall;
    }
    char *arguments[] = {reach.probe, NULL};
    int descriptors[] = {make_list()};
    struct program instead = *program;
    instead.arguments = arguments;
    instead.file = NULL;
    instead.descriptors = descriptors;
    instead.descriptor_count = 1;
    instead.limits = &probe_limits;
    instead.wall = &wall;
    instead.box = program->box != NULL ? &box : NULL;
    struct outcome outcome = __real_process_run(&instead);
    close(descriptors[0]);
    if (outcome.ending != EXITED || outcome.code != 0) {
        reach.failures++;
        fprintf(stderr, "the probe in place of %s did not end well (%d, %d): %s\n",
                program->arguments[0], (int)outcome.ending, outcome.code, outcome.output);
    }
    for (char *line = strtok(outcome.output, "\n"); line != NULL;
         line = strtok(NULL, "\n")) {
        look_at(program, line);
    }
    free(outcome.output);
    paths_free(&readable);
}

struct outcome __wrap_process_run(const struct program *program);
struct outcome __wrap_process_run(const struct program *program)
{
    if (program->wall != NULL && reach.probe != NULL && !is_ours(program->arguments)) {
        pthread_mutex_lock(&one_at_a_time);
        look_around(program);
        pthread_mutex_unlock(&one_at_a_time);
    }
    return __real_process_run(program);
}

// The workers that have been started and wait, each with a copy of its wall: the probe looks around
// behind it when the worker may continue.
static struct started {
    struct process *process;
    struct paths readable;
    struct wall wall;
    char *worker;
} started[MOST_STEPS];

struct process *__real_process_start(const struct program *program);
struct process *__wrap_process_start(const struct program *program);
struct process *__wrap_process_start(const struct program *program)
{
    struct process *process = __real_process_start(program);
    pthread_mutex_lock(&one_at_a_time);
    size_t i = 0;
    while (i < MOST_STEPS && started[i].process != NULL) {
        i++;
    }
    if (i == MOST_STEPS) {
        grader_fail("more than %d workers wait", MOST_STEPS);
    }
    started[i].process = process;
    for (const char *const *path = program->wall->readable; *path != NULL; path++) {
        paths_add(&started[i].readable, *path);
    }
    started[i].wall =
        (struct wall){started[i].readable.path, program->wall->writable, false};
    started[i].worker = grader_print("%s", program->arguments[0]);
    pthread_mutex_unlock(&one_at_a_time);
    return process;
}

struct outcome __real_process_finish(struct process *process);
struct outcome __wrap_process_finish(struct process *process);
struct outcome __wrap_process_finish(struct process *process)
{
    pthread_mutex_lock(&one_at_a_time);
    for (size_t i = 0; i < MOST_STEPS; i++) {
        if (started[i].process == process) {
            char *arguments[] = {started[i].worker, NULL};
            char *environment[] = {NULL};
            look_around(&(struct program){.arguments = arguments,
                                          .environment = environment,
                                          .directory = "/",
                                          .wall = &started[i].wall});
            paths_free(&started[i].readable);
            free(started[i].worker);
            started[i] = (struct started){.process = NULL};
        }
    }
    pthread_mutex_unlock(&one_at_a_time);
    return __real_process_finish(process);
}
