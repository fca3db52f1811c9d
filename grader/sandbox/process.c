// process.c - runs one child process with limits and captures its output. Start reading at
// process_run.

#define _GNU_SOURCE
#include "sandbox/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "sandbox/cgroup.h"
#include "sandbox/tree.h"

static const double MOST_TO_SAY = 1.0; // seconds of processor time
enum {
    LARGEST_FILE_MEGABYTES = 256,
    MOST_FILES = 2000,
    MOST_OUTPUT = 2 * KEPT_OUTPUT + (int)sizeof OUTPUT_GAP
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// ---- in the child, between clone and exec: async-signal-safe calls only -------------------

struct child {
    const struct program *program;
    const struct cgroup *group; // or NULL
    int output, failure;        // pipes to the parent
    int reader;                 // the parent's end of the second pipe
};

static void limit(int resource, rlim_t most)
{
    struct rlimit value = {most, most};
    setrlimit((__rlimit_resource_t)resource, &value);
}

// SIGXCPU first, and SIGKILL this many seconds later.
static void limit_cpu(rlim_t seconds, rlim_t more)
{
    struct rlimit value = {seconds, seconds + (more > 0 ? more : 1)};
    setrlimit(RLIMIT_CPU, &value);
}

// Moves the descriptors to 3, 4, ... via high numbers, so that none is overwritten.
static int place_descriptors(struct child *child)
{
    int high[8];
    int nothing = open("/dev/null", O_RDONLY);
    int failure = fcntl(child->failure, F_DUPFD_CLOEXEC, 100);
    if (nothing < 0 || failure < 0 || child->program->descriptor_count > 8) {
        return -1;
    }
    for (int i = 0; i < child->program->descriptor_count; i++) {
        high[i] = fcntl(child->program->descriptors[i], F_DUPFD, 101 + i);
        if (high[i] < 0) {
            return -1;
        }
    }
    if (dup2(nothing, 0) < 0 || dup2(child->output, 1) < 0 || dup2(1, 2) < 0) {
        return -1;
    }
    for (int i = 0; i < child->program->descriptor_count; i++) {
        if (dup2(high[i], 3 + i) < 0) {
            return -1;
        }
    }
    close_range((unsigned)(3 + child->program->descriptor_count), (unsigned)failure - 1,
                0);
    close_range((unsigned)failure + 1, ~0u, 0);
    child->failure = failure;
    return 0;
}

// Across process namespaces, the parent's pid is meaningless; a pipe without a reader shows
// its death.
static bool nobody_listens(const struct child *child)
{
    struct pollfd event = {child->failure, 0, 0};
    close(child->reader);
    return poll(&event, 1, 0) == 1;
}

// bwrap looks up its child in /proc by its pid in the new namespace. The grader's /proc
// lists other processes, so bwrap would work only if the pid (2) happens to exist, as it
// does on a real machine but not in a container.
static void show_own_processes(const struct program *program)
{
    if (program->box != NULL && box_in_namespace(program->box) &&
        mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0) {
        (void)!mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
    }
}

static int become(void *context)
{
    struct child *child = context;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGXFSZ, SIG_DFL); // ignored by the grader
    if (nobody_listens(child)) {
        _exit(127); // the grader is gone already
    }
    const struct program *program = child->program;
    const struct limits *limits = program->limits;
    limit_cpu((rlim_t)limits->seconds + 1, (rlim_t)limits->last_words);
    limit(RLIMIT_CORE, 1); // 0 would not stop a core dump to a program (core_pattern)
    limit(RLIMIT_FSIZE, (rlim_t)LARGEST_FILE_MEGABYTES << 20);
    if (program->limits->address_space > 0) {
        limit(RLIMIT_AS, (rlim_t)program->limits->address_space << 20);
    }
    bool placed = (child->group == NULL || cgroup_enter(child->group)) &&
                  place_descriptors(child) == 0 &&
                  (program->directory == NULL || chdir(program->directory) == 0);
    show_own_processes(program);
    if (placed && program->wall != NULL) {
        wall_raise(program->wall);
    }
    if (placed) {
        const char *file = program->file != NULL ? program->file : program->arguments[0];
        execvpe(file, program->arguments, program->environment);
    }
    int error = errno;
    if (write(child->failure, &error, sizeof error) < 0) {
        _exit(126);
    }
    _exit(127);
}

// Defined by the sanitizer's runtime, if linked.
void __asan_unpoison_memory_region(const volatile void *start, size_t size)
    __attribute__((weak));

// Like vfork, not like fork. A fork would copy the grader's page tables, which takes as long as
// everything else, and would run OpenBLAS's fork handlers, which wait for the library's
// threads while another thread of the grader may be inside the library. Here the child uses
// the grader's memory until it executes its program, and this thread waits for that.
//
// vfork itself cannot create namespaces, which a box of root's needs. The child has a stack of
// its own, because it would return from clone on ours. Its functions never return, so with the sanitizer their
// frames would stay marked as not accessible.
static pid_t start_child(struct child *child)
{
    enum { STACK_BYTES = 64 << 10 };
    _Alignas(16) char stack[STACK_BYTES];
    const struct box *box = child->program->box;
    const int spaces =
        box != NULL && box_in_namespace(box) ? CLONE_NEWPID | CLONE_NEWNS : 0;
    const pid_t pid = clone(become, stack + STACK_BYTES,
                            CLONE_VM | CLONE_VFORK | SIGCHLD | spaces, child);
    if (__asan_unpoison_memory_region != NULL) {
        __asan_unpoison_memory_region(stack, STACK_BYTES);
    }
    return pid;
}

// ---- in the parent ------------------------------------------------------------------------

struct watch {
    const struct box *box; // or NULL
    const struct boxed *boxed;
    pid_t pid;
    struct tree_files files; // of its processes
    int pid_descriptor, output;
    double before, looked; // processor time at the start; time of the last measurement
    // seconds of processor time, and of time in which all processes slept
    double computed, asleep;
    size_t printed; // bytes read so far, stored or not
    bool open;      // there may be more output
    bool resting;   // there was a little just now
    char *last;     // a ring buffer of KEPT_OUTPUT bytes for later output, or NULL
    struct outcome *outcome;
};

size_t count_lines(const char *bytes, size_t size)
{
    size_t count = 0;
    const char *end = bytes + size;
    for (; (bytes = memchr(bytes, '\n', (size_t)(end - bytes))) != NULL; bytes++) {
        count++;
    }
    return count;
}

void outcome_cut(struct outcome *outcome, const char *at)
{
    size_t size = (size_t)(at - outcome->output);
    outcome->output_lines -= count_lines(at, outcome->output_size - size);
    outcome->output_size = size;
}

// Stores the first bytes in the outcome, and later ones in a ring buffer.
static void keep_output(struct watch *watch, const char *bytes, size_t count)
{
    struct outcome *outcome = watch->outcome;
    outcome->output_lines += count_lines(bytes, count);
    while (count > 0) {
        size_t place = watch->printed % KEPT_OUTPUT, room = KEPT_OUTPUT - place;
        size_t kept = count < room ? count : room;
        if (watch->printed < KEPT_OUTPUT) {
            memcpy(outcome->output + place, bytes, kept);
            outcome->output_size += kept;
        } else {
            watch->last = watch->last != NULL ? watch->last : grader_alloc(KEPT_OUTPUT);
            memcpy(watch->last + place, bytes, kept);
        }
        watch->printed += kept;
        bytes += kept;
        count -= kept;
    }
}

static void append(struct outcome *outcome, const char *bytes, size_t count)
{
    memcpy(outcome->output + outcome->output_size, bytes, count);
    outcome->output_size += count;
}

// Appends the contents of the ring buffer to the first bytes, with a gap if something is
// missing.
static void join_output(struct watch *watch)
{
    struct outcome *outcome = watch->outcome;
    size_t behind = watch->printed - outcome->output_size;
    size_t place = watch->printed % KEPT_OUTPUT;
    if (behind > KEPT_OUTPUT) {
        append(outcome, OUTPUT_GAP, strlen(OUTPUT_GAP));
        append(outcome, watch->last + place, KEPT_OUTPUT - place);
        append(outcome, watch->last, place);
    } else if (behind > 0) {
        append(outcome, watch->last, behind);
    }
    outcome->output[outcome->output_size] = '\0';
    free(watch->last);
}

// Reads available output without waiting for more. Returns false at the end of the stream.
static bool drain(struct watch *watch, size_t most)
{
    char bytes[KEPT_OUTPUT];
    for (int turn = 0; turn < 16 && (most == 0 || watch->printed <= most); turn++) {
        ssize_t count = read(watch->output, bytes, sizeof bytes);
        if (count > 0) {
            keep_output(watch, bytes, (size_t)count);
        } else if (count < 0 && errno == EINTR) {
            continue;
        } else {
            return count < 0; // EAGAIN: there may be more later
        }
    }
    return true;
}

// Time in which a program waits for a processor does not count; time in which all its
// processes sleep does. At most twice the usual interval between two checks counts, because
// the grader may have to wait for a processor, too.
static double time_used(struct watch *watch, const struct tree *tree)
{
    const double most = 2e-3 * WATCH_MILLISECONDS;
    double time = now(), passed = time - watch->looked;
    watch->looked = time;
    watch->computed = tree->seconds - watch->before;
    if (!tree->busy) {
        watch->asleep += passed < most ? passed : most;
    }
    return watch->computed + watch->asleep;
}

static enum ending overtime(struct watch *watch, enum overtime code)
{
    watch->outcome->code = code;
    return TIMED_OUT;
}

// The memory and time of the program and everything it started.
static enum ending watch_resources(struct watch *watch, const struct limits *limits)
{
    bool blind = watch->box != NULL && (watch->box->leave_out & BOX_TREE) != 0;
    struct tree tree =
        blind ? (struct tree){0} : tree_measure_again(watch->pid, &watch->files);
    if (limits->processes > 0 && tree.processes > limits->processes) {
        return MULTIPLIED;
    }
    if (tree.megabytes > limits->megabytes) {
        return OUT_OF_MEMORY;
    }
    if (watch->box != NULL && !blind &&
        (cgroup_out_of_memory(watch->boxed->group) ||
         box_files(watch->boxed) > MOST_FILES)) {
        return OUT_OF_MEMORY;
    }
    if (time_used(watch, &tree) > limits->seconds) {
        return overtime(watch, watch->computed > watch->asleep ? COMPUTES : SLEEPS);
    }
    return EXITED;
}

static bool flooded(const struct watch *watch, const struct limits *limits)
{
    return limits->output_bytes > 0 && watch->printed > limits->output_bytes;
}

// The milliseconds until the next measurement, at least 1.
static int until_next_look(const struct watch *watch)
{
    const double passed = 1e3 * (now() - watch->looked);
    return passed < WATCH_MILLISECONDS - 1 ? WATCH_MILLISECONDS - (int)passed : 1;
}

// Waits for the end of the program, its output, or the next measurement, and reads the output. A worker
// prints a few bytes for each call: to wake up for each of them would take as long as the calls. So after
// a little output, the rest waits in the pipe for a moment.
static void wait_and_drain(struct watch *watch, struct pollfd *end, size_t most)
{
    enum { A_MOMENT = 5, A_LITTLE = 4096 };
    struct pollfd events[2] = {{watch->pid_descriptor, POLLIN, 0},
                               {watch->output, POLLIN, 0}};
    const int next = until_next_look(watch);
    poll(events, watch->open && !watch->resting ? 2 : 1,
         watch->resting && next > A_MOMENT ? A_MOMENT : next);
    const size_t before = watch->printed;
    watch->open = watch->open && drain(watch, most);
    watch->resting = watch->printed != before && watch->printed - before < A_LITTLE;
    *end = events[0];
}

static bool looks_again(const struct watch *watch)
{
    return now() - watch->looked >= 1e-3 * (WATCH_MILLISECONDS - 1);
}

// Waits until the program ends or exceeds a limit. Returns that limit, or EXITED.
static enum ending watch_limits(struct watch *watch, const struct limits *limits)
{
    double wall = limits->wall > 0 ? limits->wall : wall_seconds(limits->seconds);
    double deadline = now() + wall;
    watch->open = true;
    watch->looked = now();
    watch->before = tree_measure_again(watch->pid, &watch->files).seconds;
    for (;;) {
        struct pollfd end;
        wait_and_drain(watch, &end, limits->output_bytes);
        if (flooded(watch, limits)) {
            return FLOODED;
        }
        if (end.revents != 0) {
            return EXITED;
        }
        if (now() > deadline) {
            return overtime(watch, STARVES);
        }
        enum ending broken = looks_again(watch) ? watch_resources(watch, limits) : EXITED;
        if (broken != EXITED) {
            return broken;
        }
    }
}

// In a box, the program is the last in a chain of first children.
static pid_t innermost(const struct watch *watch)
{
    pid_t pid = watch->pid, next = watch->box != NULL ? tree_first_child(pid) : 0;
    for (int depth = 0; next != 0 && depth < 8; depth++) {
        pid = next;
        next = tree_first_child(pid);
    }
    return pid;
}

// If a program's time has run out, lets it report its position, if it can (worker/late.c).
static void hear_last_words(struct watch *watch, const struct limits *limits)
{
    double deadline = now() + limits->last_words;
    double used = tree_measure(watch->pid).seconds;
    kill(innermost(watch), SIGXCPU);
    while (now() < deadline && tree_measure(watch->pid).seconds < used + MOST_TO_SAY) {
        struct pollfd events[2] = {{watch->pid_descriptor, POLLIN, 0},
                                   {watch->output, POLLIN, 0}};
        poll(events, 2, WATCH_MILLISECONDS);
        if (events[1].revents != 0) {
            drain(watch, limits->output_bytes);
        }
        if (events[0].revents != 0) {
            return;
        }
    }
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

// The kernel counts to the very end, but only processes that were waited for. The measurements
// of the tree count all processes, but not to the end.
static void note_time_used(struct watch *watch, const struct rusage *usage)
{
    double counted =
        seconds_of(usage->ru_utime) + seconds_of(usage->ru_stime) - watch->before;
    watch->outcome->used =
        (counted > watch->computed ? counted : watch->computed) + watch->asleep;
}

// The leader stays a zombie while its group is killed, so its pid cannot be reused.
static void finish(struct watch *watch, enum ending broken, const struct limits *limits,
                   struct boxed *boxed)
{
    if (broken == TIMED_OUT && limits->last_words > 0) {
        hear_last_words(watch, limits);
    }
    tree_close(&watch->files);
    kill(-watch->pid, SIGKILL);
    int status = 0;
    struct rusage usage = {0};
    while (wait4(watch->pid, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    note_time_used(watch, &usage);
    int signal_in_box = 0;
    if (boxed != NULL) {
        broken = broken == EXITED && cgroup_out_of_memory(boxed->group) ? OUT_OF_MEMORY
                                                                        : broken;
        box_ended(boxed);
        signal_in_box = WIFEXITED(status) ? box_signal(WEXITSTATUS(status)) : 0;
    }
    drain(watch, limits->output_bytes);
    join_output(watch);
    struct outcome *outcome = watch->outcome;
    if (broken == MULTIPLIED) {
        outcome->ending = SIGNALED;
        outcome->code = SIGSYS;
    } else if (broken != EXITED) {
        outcome->ending = broken;
    } else if (flooded(watch, limits)) {
        outcome->ending = FLOODED;
    } else if (WIFSIGNALED(status) || signal_in_box != 0) {
        outcome->code = signal_in_box != 0 ? signal_in_box : WTERMSIG(status);
        outcome->ending = outcome->code == SIGXCPU ? TIMED_OUT : SIGNALED;
        outcome->code = outcome->code == SIGXCPU ? COMPUTES : outcome->code;
    } else {
        outcome->ending = EXITED;
        outcome->code = WEXITSTATUS(status);
    }
}

struct process {
    struct limits limits;
    struct boxed *boxed; // or NULL
    struct watch watch;
    double start;
    struct outcome outcome; // NOT_STARTED: nothing runs
};

static void not_started(struct process *process, int error)
{
    if (process->boxed != NULL) {
        box_ended(process->boxed);
    }
    process->outcome.ending = NOT_STARTED;
    process->outcome.code = error;
}

static void start(struct process *process, const struct program *program,
                  struct boxed *boxed)
{
    *process = (struct process){.limits = *program->limits,
                                .boxed = boxed,
                                .outcome = {.output = grader_alloc(MOST_OUTPUT + 1)}};
    int output[2], failure[2];
    if (pipe2(output, O_CLOEXEC | O_NONBLOCK) != 0) {
        not_started(process, errno);
        return;
    }
    if (pipe2(failure, O_CLOEXEC) != 0) {
        close(output[0]);
        close(output[1]);
        not_started(process, errno);
        return;
    }
    fcntl(output[1], F_SETFL, 0); // only the grader's end is non-blocking
    struct child child = {program, boxed != NULL ? boxed->group : NULL, output[1],
                          failure[1], failure[0]};
    process->start = now();
    pid_t pid = start_child(&child);
    int error = pid < 0 ? errno : 0;
    close(output[1]);
    close(failure[1]);
    if (pid > 0 && read(failure[0], &error, sizeof error) == (ssize_t)sizeof error) {
        waitpid(pid, NULL, 0);
    }
    close(failure[0]);
    if (error != 0) {
        close(output[0]);
        not_started(process, error);
        return;
    }
    process->watch =
        (struct watch){.box = program->box,
                       .boxed = boxed,
                       .pid = pid,
                       .pid_descriptor = (int)syscall(SYS_pidfd_open, pid, 0),
                       .output = output[0],
                       .outcome = &process->outcome};
    if (process->watch.pid_descriptor < 0) {
        grader_fail("pidfd_open: %s (Linux 5.3 or newer is needed)", strerror(errno));
    }
}

static struct outcome end(struct process *process)
{
    struct outcome *outcome = &process->outcome;
    struct boxed *boxed = process->boxed;
    if (outcome->ending == NOT_STARTED) {
        return *outcome;
    }
    bool started = boxed == NULL || box_started(boxed, process->watch.pid);
    enum ending broken =
        started ? watch_limits(&process->watch, &process->limits) : NOT_STARTED;
    finish(&process->watch, broken, &process->limits, boxed);
    outcome->code = started ? outcome->code : ENOEXEC; // .output has the reason
    outcome->seconds = now() - process->start;
    close(process->watch.pid_descriptor);
    close(process->watch.output);
    return *outcome;
}

static struct outcome run(const struct program *program, struct boxed *boxed)
{
    struct process process;
    start(&process, program, boxed);
    return end(&process);
}

struct process *process_start(const struct program *program)
{
    struct process *process = grader_alloc(sizeof *process);
    start(process, program, NULL);
    return process;
}

struct outcome process_finish(struct process *process)
{
    process->start = now();
    struct outcome outcome = end(process);
    free(process);
    return outcome;
}

void process_stop(struct process *process)
{
    if (process->outcome.ending != NOT_STARTED) {
        kill(-process->watch.pid, SIGKILL);
    }
    free(process_finish(process).output);
}

struct outcome process_run(const struct program *program)
{
    struct boxed boxed;
    int descriptors[8];
    int own = program->descriptor_count;
    if (program->box == NULL) {
        return run(program, NULL);
    }
    int error =
        own + 3 > 8 ? EINVAL : box_wrap(&boxed, program->box, program->arguments, own);
    if (error != 0) {
        return (struct outcome){
            .ending = NOT_STARTED, .code = error, .output = grader_alloc(1)};
    }
    for (int i = 0; i < own + 3; i++) {
        descriptors[i] = i < own ? program->descriptors[i] : boxed.descriptors[i - own];
    }
    box_limit(&boxed, program->box, program->limits->megabytes);
    struct program wrapped = *program;
    wrapped.arguments = boxed.arguments;
    wrapped.descriptors = descriptors;
    wrapped.descriptor_count = own + 3;
    wrapped.directory = NULL; // the box's limits
    wrapped.wall = NULL;      // raised inside
    return run(&wrapped, &boxed);
}
