// parallel.cc - forks the workers of parallel.h, and waits for them.

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "gpu/runtime/parallel.h"

namespace gpu_runtime
{

bool parallel_worker;
uint64_t parallel_atomics;

// Shared with the workers.
struct control {
    uint64_t first, count; // the positions that are divided
    uint64_t next;         // that nobody runs yet
    uint64_t finished;     // blocks
    bool gave_up;
    struct {
        bool done;
        uint64_t accesses;
    } worker[MAX_WORKERS];
};

static struct {
    unsigned processors;
    double after;   // seconds that a launch runs before it is divided
    double used;    // processor time, before the running launch
    double look_at; // when to ask for its processor time
    bool tried;     // it was divided, or is not to be
    struct control *control;
    unsigned divided; // launches
} parallel = {1, 0.002, 0, 0, false, NULL, 0};

// The kernels whose blocks depend on each other.
static struct {
    const void *list[256];
    size_t count;
} alone;

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void parallel_begin()
{
    parallel.tried = false;
    parallel_atomics = 0;
    if (parallel.processors > 1) {
        parallel.used = seconds(CLOCK_THREAD_CPUTIME_ID);
        parallel.look_at = seconds(CLOCK_MONOTONIC) + parallel.after;
    }
}

void parallel_give_up()
{
    __atomic_store_n(&parallel.control->gave_up, true, __ATOMIC_RELAXED);
    _exit(1);
}

static bool must_be_alone()
{
    const void *kernel = launch.configuration->address;
    for (size_t i = 0; i < alone.count; i++) {
        if (alone.list[i] == kernel) {
            return true;
        }
    }
    return false;
}

static void remember_alone()
{
    if (alone.count < sizeof alone.list / sizeof *alone.list) {
        alone.list[alone.count++] = launch.configuration->address;
    }
}

// A kernel of the plain build may write host memory that its arguments lead to, as some cards can;
// the workers' copies of it are lost. In the checked build that is a finding. Returns true if some
// argument looks like such a pointer.
static bool knows_host_memory()
{
    const struct gpu_bytes *g = GPU_CHECKED ? NULL : launch.arguments;
    for (; g != NULL && g->bytes > 0; g++) {
        for (size_t i = 0; i + sizeof(uintptr_t) <= g->bytes; i += sizeof(uintptr_t)) {
            uintptr_t address;
            unsigned char there;
            memcpy(&address, (const char *)g->at + i, sizeof address);
            if (address >= 4096 && memory_offset(address) == NOT_DEVICE &&
                mincore((void *)(address / 4096 * 4096), 1, &there) == 0) {
                return true;
            }
        }
    }
    return false;
}

// Starting and merging takes some milliseconds, so it must save more. Keeping an atomic and doing it
// again takes about 40 nanoseconds. Only processor time counts, because a busy machine lets the blocks
// wait. To ask for it takes longer than a small block, so a look at the usual clock decides when.
static bool pays(uint64_t first, uint64_t count)
{
    if (parallel.after == 0) {
        return true;
    }
    double now = seconds(CLOCK_MONOTONIC);
    if (now < parallel.look_at) {
        return false;
    }
    parallel.look_at = now + parallel.after / 8;
    double ran = seconds(CLOCK_THREAD_CPUTIME_ID) - parallel.used;
    return ran >= parallel.after && ran >= 60e-9 * (double)parallel_atomics &&
           ran / (double)first * (double)(count - first) > 0.02;
}

// ---- a worker -----------------------------------------------------------------------------

// What blocks print would come in another order, so their output goes here, and must be empty.
static int catch_output()
{
    int caught = memfd_create("gpu", 0);
    __fpurge(stdout);
    if (caught < 0 || dup2(caught, STDOUT_FILENO) < 0 ||
        dup2(caught, STDERR_FILENO) < 0) {
        parallel_give_up();
    }
    return caught;
}

static void leave_if_printed(int caught)
{
    fflush(stdout); // no other stream: what they hold is the other process's
    if (lseek(caught, 0, SEEK_END) != 0) {
        parallel_give_up();
    }
}

[[noreturn]] static void work(unsigned self, void (*run)(uint64_t, void *), void *data)
{
    struct control *c = parallel.control;
    const struct rlimit no_core = {0, 0};
    parallel_worker = true;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CORE, &no_core);
    int caught = catch_output();
    uint64_t accesses = shadow.accesses;
    results_note(self);
    replay_note(self);
    // Each begins with one of the first, so that dependent neighbors always meet.
    for (uint64_t i = c->first + self;
         i < c->count && !__atomic_load_n(&c->gave_up, __ATOMIC_RELAXED);
         i = __atomic_fetch_add(&c->next, 1, __ATOMIC_RELAXED)) {
        replay_block(i);
        run(i, data);
        __atomic_fetch_add(&c->finished, 1, __ATOMIC_RELAXED);
    }
    leave_if_printed(caught);
    results_export(self);
    c->worker[self].accesses = shadow.accesses - accesses;
    c->worker[self].done = true;
    _exit(0);
}

// ---- the process that forks ---------------------------------------------------------------

struct team {
    unsigned count;
    pid_t pid[MAX_WORKERS];
    struct pollfd alive[MAX_WORKERS]; // the read end of a pipe that the worker holds open
};

static bool start(struct team *team, void (*run)(uint64_t, void *), void *data)
{
    unsigned self = team->count;
    int ends[2];
    if (pipe(ends) != 0) {
        return false;
    }
    pid_t pid = fork();
    if (pid == 0) {
        work(self, run, data);
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return false;
    }
    team->pid[self] = pid;
    team->alive[self] = {ends[0], POLLIN, 0};
    team->count++;
    return true;
}

// The processor time that the workers have used, in seconds.
static double worked(const struct team *team)
{
    double sum = 0;
    for (unsigned w = 0; w < team->count; w++) {
        clockid_t clock;
        struct timespec used;
        if (clock_getcpuclockid(team->pid[w], &clock) == 0 &&
            clock_gettime(clock, &used) == 0) {
            sum += (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
        }
    }
    return sum;
}

// Closes the pipes of workers that have ended, and returns how many those are.
static unsigned ended(struct team *team)
{
    unsigned count = 0;
    for (unsigned w = 0; w < team->count; w++) {
        if (team->alive[w].fd >= 0 && team->alive[w].revents != 0) {
            close(team->alive[w].fd);
            team->alive[w].fd = -1; // poll ignores it
            count++;
        }
    }
    return count;
}

// Waits until all workers have ended, or one has given up, or they stand still: perhaps a block
// waits for another one's result, which is in another process. Nobody knows how long a block
// takes, so they have thirty times the processor time that all blocks before took, and two seconds. A
// minute without any processor time means that they wait for a thread that a fork does not have.
static void wait_for(struct team *team)
{
    unsigned left = team->count;
    uint64_t finished = 0;
    double moved_at = 0, before = 0;
    unsigned idle = 0; // tenths of a second
    while (left > 0 && !__atomic_load_n(&parallel.control->gave_up, __ATOMIC_RELAXED)) {
        poll(team->alive, team->count, 100);
        left -= ended(team);
        uint64_t so_far = __atomic_load_n(&parallel.control->finished, __ATOMIC_RELAXED);
        double now = worked(team);
        if (so_far != finished) {
            finished = so_far;
            moved_at = now;
        } else if (now > 2 + 31 * moved_at || idle > 600) {
            return;
        }
        idle = now == before ? idle + 1 : 0;
        before = now;
    }
}

// Returns true if all workers have done their part.
static bool end(struct team *team)
{
    bool good = team->count > 0;
    for (unsigned w = 0; w < team->count; w++) {
        bool done = parallel.control->worker[w].done;
        if (!done) {
            kill(team->pid[w], SIGKILL);
        }
        if (team->alive[w].fd >= 0) {
            close(team->alive[w].fd);
        }
        waitpid(team->pid[w], NULL, 0);
        good = good && done;
    }
    return good && !parallel.control->gave_up;
}

static bool divide(uint64_t first, uint64_t count, void (*run)(uint64_t, void *),
                   void *data)
{
    uint64_t left = count - first;
    unsigned workers = left < parallel.processors ? (unsigned)left : parallel.processors;
    struct team team = {};
    *parallel.control = {};
    parallel.control->first = first;
    parallel.control->next = first + workers;
    parallel.control->count = count;
    if (!results_prepare(workers)) {
        return false;
    }
    if (!replay_prepare(workers)) {
        results_free();
        return false;
    }
    while (team.count < workers && start(&team, run, data)) {
    }
    wait_for(&team);
    bool good = end(&team) && team.count == workers && results_merge(workers);
    if (good) {
        replay(workers);
    }
    for (unsigned w = 0; good && w < workers; w++) {
        shadow.accesses += parallel.control->worker[w].accesses;
    }
    replay_free();
    results_free();
    return good;
}

bool parallel_run(uint64_t first, uint64_t count, void (*run)(uint64_t, void *),
                  void *data)
{
    if (parallel.processors < 2 || parallel.tried || profile_on || count - first < 2 ||
        !pays(first, count)) {
        return false;
    }
    parallel.tried = true;
    if (must_be_alone() || knows_host_memory()) {
        return false;
    }
    bool good = divide(first, count, run, data);
    if (good) {
        parallel.divided++;
    } else {
        remember_alone();
    }
    return good;
}

} // namespace gpu_runtime

using namespace gpu_runtime;

extern "C" void gpu_set_processors(unsigned processors, double after)
{
    if (parallel.control == NULL) {
        void *shared = mmap(NULL, sizeof *parallel.control, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (shared == MAP_FAILED) {
            return; // one processor, then
        }
        parallel.control = (struct control *)shared;
    }
    parallel.processors = processors > MAX_WORKERS ? (unsigned)MAX_WORKERS : processors;
    parallel.after = after;
}

extern "C" unsigned gpu_divided(void)
{
    return parallel.divided;
}
