// threads.cc - runs the threads of a block, one at a time, each in a context.
//
// A thread runs until it returns or must wait. Then another thread runs. So a kernel without
// barriers is a loop over its threads, which all run in one context. If a thread waits, the
// next one gets a context from a pool.
//
// turns.h has the inline code that switches threads.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "gpu/runtime/sample.h"
#include "gpu/runtime/turns.h"
#include "gpu/runtime/wrong_access.h"

// Read by kernels, and declared const for them, because they do not change while a thread
// runs.
uint3 threadIdx;

extern "C" {
const void *gpu_left_at;
}

namespace gpu_runtime
{

#if GPU_SWITCHES_ITSELF
extern "C" {
char gpu_deciding_stack[GPU_DECIDING] __attribute__((aligned(16)));
continuation gpu_here;
}
#endif

struct block block;

struct contexts contexts;
struct turns turns;

uint3 indices[MAX_THREADS];
static void (*kernel)(void *);
static void *kernel_data;

// ---- contexts -----------------------------------------------------------------------------

static void make_stacks()
{
    contexts.stacks = (char *)mmap(NULL, MAX_THREADS * SLOT, PROT_NONE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (contexts.stacks == MAP_FAILED) {
        perror("gpu simulator: cannot reserve stacks");
        abort();
    }
}

bool threads_own_stack(uintptr_t address)
{
    return on_own_stack(address);
}

bool threads_any_stack(uintptr_t address)
{
    return contexts.stacks != NULL &&
           address - (uintptr_t)contexts.stacks < MAX_THREADS * SLOT;
}

// A fault address in a guard page means that a thread's stack is full.
bool threads_guard_page(uintptr_t address)
{
    uintptr_t offset = address - (uintptr_t)contexts.stacks;
    return contexts.stacks != NULL && offset < MAX_THREADS * SLOT &&
           offset % SLOT < GUARD;
}

static void run_threads();

// Returns a free context for a new thread; creates one if necessary.
unsigned take_context()
{
    if (contexts.unused_count > 0) {
        return contexts.unused[--contexts.unused_count];
    }
    unsigned context = contexts.made++;
    // Stacks that start at the same offset of a page would compete for the same cache lines.
    char *top = stack_of(context) + STACK - (context * 192) % 4096;
    if (mprotect(stack_of(context), STACK, PROT_READ | PROT_WRITE) != 0) {
        perror("gpu simulator: cannot make a stack");
        abort();
    }
    contexts.at[context] = switch_prepare<run_threads>(top, STACK - 4096);
    return context;
}

void threads_abandon()
{
    // No context returns here; all are created again for the next launch.
    contexts.made = contexts.unused_count = 0;
    launch.running = here.on_device = false;
    gpu_left_at = BETWEEN_THREADS;
    switch_to(&contexts.abandoned, {contexts.host, 0});
    abort();
}

// ---- turns --------------------------------------------------------------------------------

static void finish_thread();

// The loop of a context: runs new threads one after the other. If there are none, switches
// to a waiting thread, and continues when this context is used for another new thread.
static void run_threads()
{
    for (;;) {
        unsigned self = block.running, context = contexts.of[self];
        gpu_left_at = NULL;
        kernel(kernel_data);
        gpu_left_at = BETWEEN_THREADS;
        block.thread[self].state = THREAD_DONE;
        finish_thread();
        int next = block.done < launch.threads ? next_or_active() : -1;
        if (next >= 0 && block.thread[next].state == THREAD_NEW) {
            contexts.of[next] = context;
            begin_turn((unsigned)next);
            continue;
        }
        if (next < 0 && block.done < launch.threads) {
            stuck();
        }
        contexts.unused[contexts.unused_count++] = context;
        if (next < 0) {
            switch_to(&contexts.at[context], {contexts.host, 0});
        } else {
            begin_turn((unsigned)next);
            switch_to(&contexts.at[context], context_of((unsigned)next));
        }
    }
}

void threads_indices(dim3 shape)
{
    for (unsigned t = 0; t < launch.threads; t++) {
        indices[t] = {t % shape.x, t / shape.x % shape.y, t / shape.x / shape.y};
        turns.thread_at[t] = (uint16_t)launch_permute(t, launch.threads, PERMUTE_THREADS);
        turns.position_of[turns.thread_at[t]] = (uint16_t)t;
    }
}

uint3 thread_index(unsigned thread)
{
    return indices[thread];
}

// The block's barrier.
static struct {
    const void *pc;      // where the first waits
    const void *last_pc; // the barrier that the block passed last; NULL: none
    unsigned first;      // who that is
    int count, all, any;
    int last_count, last_all, last_any;
} barrier;

void threads_run(unsigned count, void (*call)(void *), void *data)
{
    if (contexts.stacks == NULL) {
        make_stacks();
    }
    kernel = call;
    kernel_data = data;
    block.done = block.waiting = block.atomics = block.idle = 0;
    barrier.last_pc = NULL;
    turns.cursor = 0;
    for (unsigned t = 0; t < count; t++) {
        block.thread[t].state = THREAD_NEW;
    }
    for (unsigned word = 0; word * 64 < count; word++) {
        unsigned left = count - word * 64;
        turns.ready[word] = left >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << left) - 1;
    }
    unsigned first = (unsigned)next_thread();
    contexts.of[first] = take_context();
    begin_turn(first);
    gpu_left_at = BETWEEN_THREADS;
    switch_to(&contexts.host, {contexts.at[contexts.of[first]], 0});
    gpu_left_at = NULL;
}

// ---- blocks that wait for others ----------------------------------------------------------

struct kept_threads {
    struct block of_block;
    struct contexts of_contexts;
    struct turns of_turns;
    decltype(barrier) of_barrier;
};

// The running thread's block goes on when threads_go_on is called.
void threads_leave_block(const void *pc)
{
    unsigned self = block.running;
    block.thread[self] = {THREAD_READY, pc};
    gpu_left_at = BETWEEN_THREADS;
    switch_to(&contexts.at[contexts.of[self]], {contexts.host, 0});
    gpu_left_at = NULL;
}

void *threads_keep()
{
    struct kept_threads *kept = new kept_threads{block, contexts, turns, barrier};
    contexts = {}; // the next block gets stacks of its own
    return kept;
}

void threads_put_back(void *memory)
{
    struct kept_threads *kept = (struct kept_threads *)memory;
    block = kept->of_block;
    contexts = kept->of_contexts;
    turns = kept->of_turns;
    barrier = kept->of_barrier;
    delete kept;
}

void threads_go_on()
{
    turns.cursor = 0;
    for (unsigned t = 0; t < launch.threads; t++) {
        threads_ready(t);
    }
    unsigned first = (unsigned)next_thread();
    begin_turn(first);
    gpu_left_at = BETWEEN_THREADS;
    switch_to(&contexts.host, context_of(first));
    gpu_left_at = NULL;
}

void threads_free_stacks()
{
    if (contexts.stacks != NULL) {
        munmap(contexts.stacks, MAX_THREADS * SLOT);
    }
    contexts = {};
}

// ---- the block's barrier ------------------------------------------------------------------

// An unrolled loop has several calls of one barrier. Without debug information nothing is known.
static bool same_line(const void *a, const void *b)
{
    struct place first = place_of(a), second = place_of(b);
    return first.line == 0 || second.line == 0 ||
           (first.line == second.line && strcmp(first.file, second.file) == 0);
}

int threads_barrier_line(unsigned thread)
{
    if (block.thread[thread].state != THREAD_BARRIER ||
        (barrier.last_pc != NULL && same_line(barrier.pc, barrier.last_pc))) {
        return 0;
    }
    return place_of(barrier.pc).line;
}

struct place threads_passed()
{
    return place_of(barrier.last_pc);
}

// Returns if the program goes on after findings; the barrier then counts those threads only that have
// not returned, as cards do since compute capability 7.0.
static void report_missed(unsigned returned)
{
    char waits[64];
    snprintf(waits, sizeof waits, "%s", finding_thread(barrier.first, launch.block));
    block.running = barrier.first; // the barrier's line is that of a thread that waits
    finding_go_on(
        "barrier-missed", barrier.pc, NULL,
        "%s waits here at __syncthreads(), but %s has returned without reaching it.\n"
        "All threads of a block must reach each barrier: put the condition around the "
        "work, not around the barrier or a return before it.",
        waits, finding_thread(returned, launch.block));
    block.running = returned;
}

static void release()
{
    shadow_settle();
    if (__builtin_expect(sample_on, 0)) {
        sample_count(launch.threads);
    }
    barrier.last_pc = barrier.pc;
    barrier.last_count = barrier.count;
    barrier.last_all = barrier.all;
    barrier.last_any = barrier.any;
    block.waiting = 0;
    publish_barrier();
    shadow_next_epoch();
    turns.cursor = 0;
    for (unsigned t = 0; t < launch.threads; t++) {
        if (block.thread[t].state != THREAD_DONE) {
            threads_ready(t);
        }
    }
}

static unsigned a_done_thread()
{
    unsigned t = 0;
    while (block.thread[t].state != THREAD_DONE) {
        t++;
    }
    return t;
}

// The running thread waits at the block's barrier. Returns who is next.
ALWAYS_INLINE struct next wait_for_block(int predicate, const void *pc)
{
    if (__builtin_expect(races_waiting > 0, 0)) {
        races_settle();
    }
    if (block.waiting == 0) {
        barrier.pc = pc;
        barrier.first = block.running;
        barrier.count = barrier.any = 0;
        barrier.all = 1;
    } else if (pc != barrier.pc && !same_line(pc, barrier.pc)) {
        finding_go_on( // a card counts both as one barrier
            "barrier-divergent", pc, barrier.pc,
            "waits at this __syncthreads(), and %s waits at the one in line %d.\n"
            "All threads of a block must wait at the same barrier: the condition must "
            "have the same value for all of them.",
            finding_thread(barrier.first, launch.block), place_of(barrier.pc).line);
    }
    barrier.count += predicate != 0;
    barrier.all &= predicate != 0;
    barrier.any |= predicate != 0;
    block.waiting++;
    if (block.waiting + block.done < launch.threads) {
        return threads_next(THREAD_BARRIER, pc);
    }
    if (block.done > 0) {
        report_missed(a_done_thread());
    }
    release();
    return threads_next(THREAD_READY, pc);
}

static void finish_thread()
{
    if (__builtin_expect(races_waiting > 0, 0)) {
        races_settle();
    }
    block.done++;
    if (block.waiting > 0 && block.waiting + block.done == launch.threads) {
        report_missed(block.running);
        release();
    }
    warp_thread_done(block.running);
    if (block.done == launch.threads) {
        shadow_settle();
    }
}

// No thread can run, and not all are done.
void stuck()
{
    for (unsigned t = 0; t < launch.threads; t++) {
        if (block.thread[t].state == THREAD_WARP) {
            warp_deadlock(t);
        }
        if (block.thread[t].state == THREAD_OBJECT) {
            objects_deadlock(t);
        }
    }
    // a barrier without all threads is reported when the last thread arrives or returns
    abort();
}

} // namespace gpu_runtime

using namespace gpu_runtime;

[[noreturn]] static void barrier_on_host(const void *pc)
{
    finding_stop("barrier-on-host", pc, NULL, "a barrier outside of a kernel.");
}
OUTSIDE(gpu_barrier_on_host, barrier_on_host)

SWITCHING(barrier, gpu_barrier_on_host, void, __syncthreads, (), wait_for_block(0, pc))

ALWAYS_INLINE void wait_counting(int predicate, const void *pc)
{
    if (!here.on_device) {
        barrier_on_host(pc);
    }
    unsigned self = block.running;
    gpu_left_at = pc;
    turns_switch(self, wait_for_block(predicate, pc));
}

void gpu_runtime::threads_wait_for_block(const void *pc)
{
    wait_counting(0, pc);
}
int __syncthreads_count(int predicate)
{
    wait_counting(predicate, __builtin_return_address(0));
    return barrier.last_count;
}
int __syncthreads_and(int predicate)
{
    wait_counting(predicate, __builtin_return_address(0));
    return barrier.last_all;
}
int __syncthreads_or(int predicate)
{
    wait_counting(predicate, __builtin_return_address(0));
    return barrier.last_any;
}
