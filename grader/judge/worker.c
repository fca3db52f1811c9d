// worker.c - runs a worker: its input, its permissions, and its early start.
//
// A worker that is a shared object is loaded by a program (worker/start.c) that can start
// without the student's code. So while the compiler runs, the grader lays out the cases and
// starts that program. It waits behind its wall until the judge sends "go", then loads the worker:
//
//   compiler   ─ student's file ────────────> linker ─> worker
//   judge      ─ draw ─ lay out ─ start ─ draw ...         │ go
//   starter                         └ libraries ─ wait ────┴─> the calls

#define _GNU_SOURCE
#include "judge/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/memory.h"
#include "build/backend.h"
#include "build/build.h"
#include "build/link.h"
#include "build/workshop.h"
#include "cases/copy.h"
#include "judge/callees.h"
#include "judge/draw.h"
#include "judge/options.h"
#include "judge/result.h"
#include "judge/trial.h"
#include "sandbox/allowance.h"
#include "sandbox/box.h"
#include "sandbox/paths.h"
#include "worker/protocol.h"

enum {
    LAST_WORDS = 8, // seconds, on a busy machine
    // where the filter against processes is off: far more than a driver or a sanitizer starts
    MOST_PROCESSES = 16,
    PROFILING_TAKES = 4 // times as long: 2.2 (gpu) 17.9 s instead of 4.5
};

// The program, its libraries, and files that describe the machine.
struct surrounds {
    struct paths readable;
    struct wall wall;
};

static void add_paths(struct surrounds *surrounds, const char *const *paths,
                      const char *root)
{
    for (; *paths != NULL; paths++) {
        paths_add_without(&surrounds->readable, *paths, root);
    }
}

// Only these workers may start other programs: a device's driver does, and so do the
// sanitizers of compilers other than gcc, to find line numbers.
static bool may_be_alone(bool on_card)
{
    return !on_card && getenv("GRADE_CC") == NULL;
}

// The worker may read the paths in own, and the system's files except the workbook at
// `root`.
static void surround(struct surrounds *surrounds, const char *const own[],
                     const char *root, bool on_card)
{
    static const char *const system[] = {"/usr",
                                         "/lib",
                                         "/lib64",
                                         "/etc/ld.so.cache",
                                         "/etc/alternatives",
                                         "/proc/self",
                                         "/proc/cpuinfo",
                                         "/sys/devices/system/cpu",
                                         NULL};
    static const char *const card[] = {"/proc", "/sys", "/opt", NULL};
    static const char *const nothing[] = {"/dev/null", NULL};
    // CUDA's library writes its threads' names (/proc/self/task/N/comm) and fails if it
    // cannot.
    static const char *const devices[] = {"/dev/null",
                                          "/dev/nvidia0",
                                          "/dev/nvidiactl",
                                          "/dev/nvidia-uvm",
                                          "/dev/nvidia-caps",
                                          "/proc/self",
                                          NULL};
    surrounds->readable.count = 0;
    for (; *own != NULL; own++) {
        paths_add(&surrounds->readable, *own);
    }
    add_paths(surrounds, system, root);
    if (on_card) {
        add_paths(surrounds, card, root);
    }
    surrounds->wall = (struct wall){surrounds->readable.path, on_card ? devices : nothing,
                                    may_be_alone(on_card)};
}

bool is_profiled(const struct options *options, const struct result *result)
{
    return options->profile && result->asked && result->backend == GPU_SIMULATED;
}

// A function that is fast enough is not too slow because its accesses are counted.
double seconds_of_run(const struct options *options, const struct result *result)
{
    const double seconds =
        options->seconds > 0 ? options->seconds : result->rule->seconds;
    return seconds * (is_profiled(options, result) ? PROFILING_TAKES : 1);
}

static struct limits limits_of(double seconds, const struct rule *rule)
{
    return (struct limits){.seconds = seconds,
                           .megabytes = rule->megabytes,
                           .last_words = LAST_WORDS,
                           .processes = MOST_PROCESSES};
}

struct environment {
    char *words[6]; // the first must be freed
};

static struct environment environment_of(const struct rule *rule)
{
    return (struct environment){
        // Fills memory from malloc, so that no program relies on zeros. The byte makes a
        // large positive float or double, which would spoil a maximum.
        {grader_print(
             "ASAN_OPTIONS=detect_leaks=0:exitcode=66:color=never:max_allocation_size_mb=%lu:handle_abort=1:max_malloc_fill_size=1048576:malloc_fill_byte=71",
             rule->megabytes),
         "UBSAN_OPTIONS=color=never:print_stacktrace=1", "OPENBLAS_NUM_THREADS=1",
         "OMP_NUM_THREADS=1", "LC_ALL=C", NULL}};
}

// ---- a worker that is loaded --------------------------------------------------------------

struct ahead {
    char *worker; // path of the object to load
    double seconds;
    struct wire wire;
    int go; // event: the worker exists
    struct process *process;
};

// readable: the worker, or its future folder. blas: load OpenBLAS early.
static void start(struct ahead *ahead, const struct options *options,
                  const struct rule *rule, const char *readable, bool blas)
{
    char *starter = build_starter(options->root, blas);
    const char *const own[] = {starter, readable, NULL};
    struct surrounds surrounds;
    surround(&surrounds, own, options->root, false);
    struct environment environment = environment_of(rule);
    const struct limits limits = limits_of(ahead->seconds, rule);
    ahead->go = eventfd(0, EFD_CLOEXEC);
    if (ahead->go < 0) {
        grader_fail("eventfd: %s", strerror(errno));
    }
    const int descriptors[] = {ahead->wire.request, ahead->wire.answer, ahead->go};
    _Static_assert((int)GO_FD == 3 + 2, "the third descriptor");
    char *arguments[] = {ahead->worker, NULL};
    const struct program program = {.arguments = arguments,
                                    .file = starter,
                                    .environment = environment.words,
                                    .directory = "/",
                                    .descriptors = descriptors,
                                    .descriptor_count = 3,
                                    .limits = &limits,
                                    .wall = &surrounds.wall};
    ahead->process = process_start(&program);
    paths_free(&surrounds.readable);
    free(environment.words[0]);
    free(starter);
}

void judge_ahead(const struct options *options, const struct workshop *workshop,
                 const struct build *build, struct result *result)
{
    struct drawn *drawn = result->drawn;
    char *worker = build_shared_worker(workshop, build);
    if (worker == NULL) {
        return;
    }
    drawn->ahead = grader_alloc(sizeof *drawn->ahead);
    drawn->ahead->worker = worker;
    drawn->ahead->seconds = seconds_of_run(options, result);
    drawn->ahead->wire =
        wire_open(drawn->parts, drawn->part_count, result->exercise->heap_kilobytes,
                  is_profiled(options, result));
    char *folder = grader_print("%.*s", (int)(strrchr(worker, '/') - worker), worker);
    start(drawn->ahead, options, result->rule, folder,
          build_may_need_blas(workshop, build));
    free(folder);
}

void ahead_forget(struct ahead *ahead)
{
    if (ahead == NULL) {
        return;
    }
    if (ahead->process != NULL) {
        process_stop(ahead->process);
    }
    close(ahead->go);
    wire_close(&ahead->wire);
    free(ahead->worker);
    free(ahead);
}

static struct outcome go(struct ahead *ahead)
{
    if (eventfd_write(ahead->go, 1) != 0) {
        grader_fail("eventfd: %s", strerror(errno));
    }
    struct outcome outcome = process_finish(ahead->process);
    ahead->process = NULL; // the program has ended
    return outcome;
}

// A program started for another worker cannot be used.
static void run_shared(struct trial *trial)
{
    const char *worker = trial->build->worker;
    if (trial->ahead == NULL || strcmp(trial->ahead->worker, worker) != 0) {
        ahead_forget(trial->ahead);
        trial->ahead = grader_alloc(sizeof *trial->ahead);
        trial->ahead->worker = grader_print("%s", worker);
        trial->ahead->seconds = trial->seconds;
        trial->ahead->wire =
            wire_open(trial->parts, trial->part_count,
                      trial->result->exercise->heap_kilobytes, trial->profiled);
        start(trial->ahead, trial->options, trial->result->rule, worker, false);
    }
    trial->outcome = go(trial->ahead);
    trial->trespass = wire_read(&trial->ahead->wire, trial->parts, trial->part_count);
}

// ---- a worker that is a program -----------------------------------------------------------

// The parts of the trial, and behind them its attempts. Returns their number.
static size_t parts_of(const struct trial *trial, const struct attempts *attempts,
                       struct wire_part parts[2 * MAX_PARTS])
{
    size_t count = trial->part_count;
    memcpy(parts, trial->parts, count * sizeof *parts);
    for (size_t p = 0; attempts != NULL && p < attempts->part_count; p++) {
        parts[count] = attempts->parts[p];
        parts[count++].attempt = true;
    }
    return count;
}

static bool all_returned(const struct wire_part *parts, size_t count)
{
    for (size_t p = 0; p < count; p++) {
        for (size_t c = 0; c < parts[p].cases.count; c++) {
            if (parts[p].cases.cases[c].progress != RETURNED) {
                return false;
            }
        }
    }
    return true;
}

static bool is_attempt(const struct attempts *attempts, const struct test_case *test)
{
    for (size_t p = 0; p < attempts->part_count; p++) {
        const struct case_list *list = &attempts->parts[p].cases;
        for (size_t c = 0; c < list->count; c++) {
            if (&list->cases[c] == test) {
                return true;
            }
        }
    }
    return false;
}

// What happened in an attempt did not happen in the calls before.
static void settle_attempts(struct trial *trial)
{
    struct attempts *attempts = trial->attempts;
    const bool apart =
        trial->trespass.test == NULL || !is_attempt(attempts, trial->trespass.test);
    if (!apart) {
        trial->trespass = (struct trespass){NULL, NULL, false};
    }
    attempts->returned =
        apart && ended_well(trial) && all_returned(attempts->parts, attempts->part_count);
}

// Did the worker end in an attempt, or later? Whether it exceeded a limit before, nobody knows.
static bool is_inconclusive(const struct trial *trial)
{
    return trial->attempts->part_count > 0 && !ended_well(trial) &&
           all_returned(trial->parts, trial->part_count);
}

static void forget_run(struct trial *trial)
{
    for (size_t p = 0; p < trial->part_count; p++) {
        for (size_t c = 0; c < trial->parts[p].cases.count; c++) {
            case_forget_repeats(&trial->parts[p].cases.cases[c]);
        }
    }
    free(trial->outcome.output);
}

struct outcome worker_run_parts(const struct trial *trial, double seconds,
                                struct wire_part *parts, size_t count,
                                struct trespass *trespass)
{
    char *worker = trial->build->worker;
    const char *const own[] = {worker, NULL};
    struct surrounds surrounds;
    surround(&surrounds, own, trial->options->root, trial->result->backend == GPU_DEVICE);
    const struct rule *rule = trial->result->rule;
    const struct limits limits = limits_of(seconds, rule);
    char *arguments[] = {worker, NULL};
    struct environment environment = environment_of(rule);
    struct wire wire =
        wire_open(parts, count, trial->result->exercise->heap_kilobytes, trial->profiled);
    int descriptors[] = {wire.request, wire.answer};
    char *helper = grader_print("%s/build/box/inside", trial->options->root);
    const struct box_path itself[] = {{worker, worker}, {NULL, NULL}};
    const struct box box = {.kind = BOX_WORKER,
                            .helper = helper,
                            .hidden = trial->options->root,
                            .wall = &surrounds.wall,
                            .moved = itself};
    const struct program program = {.arguments = arguments,
                                    .environment = environment.words,
                                    .directory = "/",
                                    .descriptors = descriptors,
                                    .descriptor_count = 2,
                                    .limits = &limits,
                                    .wall = &surrounds.wall,
                                    .box = trial->options->untrusted ? &box : NULL};
    struct outcome outcome = process_run(&program);
    *trespass = wire_read(&wire, parts, count);
    wire_close(&wire);
    paths_free(&surrounds.readable);
    free(helper);
    free(environment.words[0]);
    return outcome;
}

static void run_program(struct trial *trial, const struct attempts *attempts)
{
    struct wire_part parts[2 * MAX_PARTS];
    const size_t count = parts_of(trial, attempts, parts);
    trial->outcome =
        worker_run_parts(trial, trial->seconds, parts, count, &trial->trespass);
}

static void run_program_with_attempts(struct trial *trial)
{
    run_program(trial, trial->attempts);
    if (trial->attempts == NULL) {
        return;
    }
    settle_attempts(trial);
    if (is_inconclusive(trial)) {
        const double used = trial->outcome.used;
        forget_run(trial);
        run_program(trial, NULL);
        trial->outcome.used += used;
    }
}

void worker_run(struct trial *trial)
{
    // The workbook's own solution, tested instead of a student's code, is not charged to the
    // student.
    struct allowance *allowance = trial->build->trial ? NULL : trial->options->allowance;
    trial->seconds = seconds_of_run(trial->options, trial->result);
    if (!allowance_begin(allowance, trial->seconds)) {
        trial->outcome = (struct outcome){.ending = USED_UP, .output = grader_alloc(1)};
        return;
    }
    if (trial->build->shared) {
        run_shared(trial);
    } else {
        run_program_with_attempts(trial);
    }
    allowance_end(allowance, trial->seconds, trial->outcome.used);
}
