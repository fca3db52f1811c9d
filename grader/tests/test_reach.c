// test_reach.c - no step of the grader can read a solution.
//
// process_run and process_start are wrapped by the linker (--wrap): before each compiler,
// linker or worker runs, a probe (reach/probe.c) runs behind the same walls and lists the files
// that it can read. The step must need each of these files, and none may contain parts of a
// solution (reach/knowledge.h).
//
//   plain        Landlock alone: make check, class --trust, a Gradescope container without a box
//   box          grade check --untrusted: class, Gradescope
//   student archive     the workbook's folder without solutions, with expected numbers in grader/bank/cases
//   GPU          each of them for the simulated GPU
//
// Run from the workbook's folder.

#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <ftw.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "build/backend.h"
#include "grade/grade.h"
#include "grade/grading.h"
#include "judge/options.h"
#include "judge/result.h"
#include "reach/knowledge.h"
#include "sandbox/available.h"
#include "sandbox/box.h"
#include "sandbox/paths.h"
#include "sandbox/process.h"
#include "sandbox/wall.h"

enum { MANY_MINUTES = 600, PROBE_SECONDS = 60, MOST_STEPS = 64 };

static const struct limits probe_limits = {
    .seconds = PROBE_SECONDS, .megabytes = 1024, .output_bytes = 0};

static char scratch[64]; // build/tmp/reach.XXXXXX
static char *root,
    *probe;              // absolute: the workbook's folder as the runs see it; the probe
static char *source;     // the student's tree
static bool lends;       // may the workbook's functions be linked in?
static int steps, files; // looked at
static int failures;
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
    return lends && output != NULL && strstr(output, "/reference.") != NULL;
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
    char *gpu = grader_print("%s/grader/gpu/include/", root);
    const char *below = begins_with(path, gpu) ? path + strlen(gpu) : NULL;
    const bool header =
        below != NULL && (ends_with(path, ".h") || begins_with(below, "cuda/std/"));
    free(gpu);
    return header;
}

// A header made for students: a lab's, or one that every lab includes.
static bool is_header(const char *path)
{
    char *labs = grader_print("%s/labs/", root);
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
    return strcmp(path, probe) == 0 || strcmp(path, "/inside") == 0 ||
           begins_with(path, "/etc/ld.so.") || begins_with(path, "/etc/alternatives/") ||
           is_named(path, arguments) || ends_with(path, "/build/worker/link/start") ||
           ends_with(path, "/build/worker/link/start-blas") ||
           (compiles && is_header(path)) ||
           (compiles && strstr(path, "/build/worker/gpu/precompiled/cuda_runtime.h")) ||
           (compiles && program->box == NULL && is_in(path, source)) ||
           (begins_with(path, "/submission/") && program->box != NULL);
}

// By design, a step may read workbook functions that replace a student's: they are in the lent
// objects and the workers.
static bool may_know(const char *path)
{
    return lends && (strstr(path, "/reference.") != NULL || ends_with(path, ".worker"));
}

static void look_at(const struct program *program, const char *path)
{
    const char *known = may_know(path) ? NULL : knowledge_in(path);
    files++;
    if (!is_for(program, path) || known != NULL) {
        failures++;
        fprintf(stderr, "%s%s %s can read %s%s%s\n",
                program->box != NULL ? "in a box " : "", program->arguments[0],
                program->arguments[1] != NULL ? program->arguments[1] : "", path,
                known != NULL ? ", which knows: " : "", known != NULL ? known : "");
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

// Lists every file of the workbook and of this test, and some files of the machine.
static int make_list(void)
{
    int file = memfd_create("paths", MFD_CLOEXEC);
    list = fdopen(dup(file), "w");
    char *workbook = realpath(".", NULL);
    list_files(workbook);
    if (!is_in(root, workbook)) {
        list_files(root);
    }
    fputs("/etc/passwd\n/etc/shadow\n/proc/1/environ\n/proc/1/root/etc/passwd\n", list);
    fprintf(list, "/proc/%d/cmdline\n/proc/%d/environ\n", (int)getpid(), (int)getpid());
    fclose(list);
    free(workbook);
    return file;
}

struct outcome __real_process_run(const struct program *program);

// Runs the probe behind the same walls as the program.
static void look_around(const struct program *program)
{
    struct paths readable = {.count = 0};
    for (const char *const *path = program->wall->readable; *path != NULL; path++) {
        paths_add(&readable, *path);
    }
    paths_add(&readable, probe);
    const struct wall wall = {readable.path, program->wall->writable};
    struct box box;
    if (program->box != NULL) {
        box = *program->box;
        box.wall = &wall;
    }
    char *arguments[] = {probe, NULL};
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
    steps++;
    if (outcome.ending != EXITED || outcome.code != 0) {
        failures++;
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
    if (program->wall != NULL && probe != NULL && !is_ours(program->arguments)) {
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
    cr_assert_lt(i, MOST_STEPS);
    started[i].process = process;
    for (const char *const *path = program->wall->readable; *path != NULL; path++) {
        paths_add(&started[i].readable, *path);
    }
    started[i].wall = (struct wall){started[i].readable.path, program->wall->writable};
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

// ---- trees --------------------------------------------------------------------------------

static void shell(const char *command)
{
    cr_assert_eq(system(command), 0, "%s", command);
}

#define SHELL(...)                                                                       \
    do {                                                                                 \
        char *command_ = grader_print(__VA_ARGS__);                                      \
        shell(command_);                                                                 \
        free(command_);                                                                  \
    } while (0)

static void begin(void)
{
    if (wall_version() == 0) {
        cr_skip("no Landlock here");
    }
    strcpy(scratch, "build/tmp/reach.XXXXXX");
    cr_assert(mkdir("build/tmp", 0777) == 0 || access("build/tmp", W_OK) == 0);
    cr_assert_not_null(mkdtemp(scratch));
    SHELL("cd solutions && for f in [0-9]*/*.c [0-9]*/*.cu; do mkdir -p "
          "../%s/tree/${f%%%%/*} && "
          "awk -f ../grader/tools/skeleton.awk $f >../%s/tree/$f || exit 1; done",
          scratch, scratch);
    char *tree = grader_print("%s/tree", scratch);
    cr_assert_gt(knowledge_load(tree), 500);
    // A skeleton names each kernel's parameters. Its translation passes them on as a solution does.
    SHELL(
        "mkdir %s/translated && for f in %s/*/*.cu; do "
        "build/worker/cuda-to-cpp $f >%s/translated/$(basename ${f%%/*}).$(basename $f) || exit 1; done",
        scratch, tree, scratch);
    char *translated = grader_print("%s/translated/*", scratch);
    knowledge_forgive(translated);
    free(translated);
    root = realpath(".", NULL);
    source = realpath(tree, NULL);
    probe = realpath("build/box/reach-probe", NULL);
    cr_assert_not_null(probe);
    free(tree);
    lends = false;
    steps = files = failures = 0;
}

static void end(void)
{
    if (*scratch != '\0') {
        SHELL("rm -rf %s", scratch);
    }
}

TestSuite(reach, .init = begin, .fini = end, .timeout = MANY_MINUTES);

// ---- the modes ----------------------------------------------------------------------------

static void run(int lab, bool gpu, bool untrusted, enum follow follow)
{
    char reason[512];
    if (untrusted && !box_available(".", reason, sizeof reason)) {
        return;
    }
    const struct options options = {.source = source,
                                    .root = root,
                                    .seed = 1,
                                    .lab = lab,
                                    .no_cpu = gpu,
                                    .gpu = gpu ? GPU_SIMULATED : CPU,
                                    .follow = follow,
                                    .untrusted = untrusted,
                                    .jobs = 1};
    int before = steps;
    struct grading grading = grade_run(&options);
    for (size_t i = 0; i < grading.count; i++) {
        cr_expect_eq(grading.results[i].verdict, TODO, "%s: %s",
                     grading.results[i].exercise->id, grading.results[i].details);
    }
    grade_free(&grading);
    cr_expect_gt(steps, before + 3, "the probe was not there");
    cr_expect_gt(files, 0);
    cr_expect_eq(failures, 0, "lab %d%s%s: see above", lab, gpu ? " on the GPU" : "",
                 untrusted ? " in a box" : "");
    failures = 0;
}

Test(reach, a_student_s_steps_read_no_solution)
{
    for (int untrusted = 0; untrusted <= 1; untrusted++) {
        run(1, false, untrusted == 1, FOLLOW_NONE);
        run(1, true, untrusted == 1, FOLLOW_NONE);
    }
}

// A worker that is a complete program, as without gold or in a box.
Test(reach, nor_do_they_where_another_compiler_is_used)
{
    setenv("GRADE_CC", "gcc", 1);
    run(1, false, false, FOLLOW_NONE);
    unsetenv("GRADE_CC");
}

// The linker's command and the worker contain the lent objects; steps cannot read other parts
// of these objects.
Test(reach, nor_where_the_workbook_s_functions_stand_in)
{
    lends = true;
    for (int untrusted = 0; untrusted <= 1; untrusted++) {
        run(3, false, untrusted == 1, FOLLOW_ALL);
        run(2, true, untrusted == 1, FOLLOW_ALL);
    }
}

// The student archive has neither solutions nor the programs that contain some, but it has the
// expected numbers of its seed.
Test(reach, nor_the_expected_numbers_of_a_hand_out)
{
    SHELL(
        "mkdir -p %s/book/build/lib %s/book/grader/bank/cases && "
        "cp -R labs %s/book/ && rm -rf %s/book/labs/programs/variants "
        "%s/book/labs/programs/train_gpu %s/book/labs/programs/trained && cp -R grader/points.txt grader/gpu %s/book/grader/ && "
        "cp -R build/worker build/box %s/book/build/ && "
        "cp build/lib/libcommon.a build/lib/libgpu-checked.a %s/book/build/lib/ && "
        "echo '" EXPECTED_NUMBERS "' >%s/book/grader/bank/cases/1.1.bank",
        scratch, scratch, scratch, scratch, scratch, scratch, scratch, scratch, scratch,
        scratch);
    char *book = grader_print("%s/book", scratch);
    root = realpath(book, NULL);
    free(book);
    for (int untrusted = 0; untrusted <= 1; untrusted++) {
        run(1, false, untrusted == 1, FOLLOW_NONE);
        run(1, true, untrusted == 1, FOLLOW_NONE);
    }
}

// ---- a workbook in a folder of the system ---------------------------------------------------

static bool lists(const struct paths *paths, const char *folder, const char *name)
{
    bool found = false;
    for (size_t i = 0; i < paths->count; i++) {
        found = found || (begins_with(paths->path[i], folder) &&
                          strcmp(paths->path[i] + strlen(folder), name) == 0);
    }
    return found;
}

Test(reach, a_workbook_among_the_system_s_files_is_left_out)
{
    SHELL("mkdir -p %s/usr/local/share/book/build %s/usr/bin %s/usr/local/lib && "
          "ln -s share/book %s/usr/local/current && ln -s local/share %s/usr/around",
          scratch, scratch, scratch, scratch, scratch);
    char *usr = grader_print("%s/usr", scratch), *real = realpath(usr, NULL);
    char *book = grader_print("%s/local/share/book", usr);
    struct paths paths = {.count = 0};
    paths_add_without(&paths, usr, book);
    cr_expect(lists(&paths, real, "/bin"));
    cr_expect(lists(&paths, real, "/local/lib"));
    cr_expect_eq(paths.count, 2, "no link to it, and nothing around it");
    paths_free(&paths);
    paths_add_without(&paths, "/usr", book);
    cr_expect_eq(paths.count, 1);
    cr_expect_str_eq(paths.path[0], "/usr", "it lies elsewhere");
    paths_free(&paths);
    free(book);
    free(real);
    free(usr);
}
