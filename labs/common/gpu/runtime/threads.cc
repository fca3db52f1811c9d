// threads.cc - the threads of a block: contexts of their own, and whose turn it is.
//
// A thread runs until it returns or must wait, and only then another gets its turn, so a
// kernel without barriers is a loop over its threads: they all run on one context, one behind
// the other. A context that is needed because its owner waits is taken from a pool.
//
// The switch is boost.context's jump_fcontext: it exchanges the stack pointer and the callee's
// registers, 5 ns. swapcontext of the C library also asks the kernel for the signal mask: 170.
// (grader/bench/gpu_simulator.cc measures both.)

#include <boost/context/detail/fcontext.hpp>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/gpu/runtime/runtime.h"

// What kernels read. Declared const for them, since no thread sees its own change.
uint3 threadIdx;

namespace gpu_runtime
{

using boost::context::detail::fcontext_t;
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

struct block block;

enum : size_t { STACK = STACK_SIZE, GUARD = 4 << 10, SLOT = STACK + GUARD };

static struct {
    char *stacks; // of MAX_THREADS contexts: guard, stack, guard, stack ...
    fcontext_t at[MAX_THREADS], host, abandoned;
    unsigned unused[MAX_THREADS], unused_count; // contexts that wait for a new thread
    unsigned made;                              // contexts that exist
    unsigned of[MAX_THREADS];                   // thread to context
} contexts;

// Whose turn it is: a bit for each thread that can run, in the order of the turns.
static struct {
    uint64_t ready[MAX_THREADS / 64];
    unsigned cursor;
    uint16_t thread_at[MAX_THREADS], position_of[MAX_THREADS];
} turns;

static uint3 indices[MAX_THREADS];
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

static char *stack_of(unsigned context)
{
    return contexts.stacks + context * SLOT + GUARD;
}

bool threads_own_stack(uintptr_t address)
{
    return address - (uintptr_t)stack_of(contexts.of[block.running]) < STACK;
}

// The fault address lies in a guard page: some thread's stack is full.
bool threads_guard_page(uintptr_t address)
{
    uintptr_t offset = address - (uintptr_t)contexts.stacks;
    return contexts.stacks != NULL && offset < MAX_THREADS * SLOT &&
           offset % SLOT < GUARD;
}

// Leaves the running context, whose continuation goes to *here, for another.
static void jump(fcontext_t *here, fcontext_t to)
{
    transfer_t from = jump_fcontext(to, here);
    *(fcontext_t *)from.data = from.fctx;
}

static void run_threads();

static void context_main(transfer_t from)
{
    *(fcontext_t *)from.data = from.fctx;
    run_threads();
}

// A context that waits for a new thread; made when there is none.
static unsigned take_context()
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
    contexts.at[context] = make_fcontext(top, STACK - 4096, context_main);
    return context;
}

void threads_abandon()
{
    // Nobody returns here: all contexts are made anew for the next launch.
    contexts.made = contexts.unused_count = 0;
    launch.running = false;
    jump_fcontext(contexts.host, &contexts.abandoned);
    abort();
}

// ---- turns --------------------------------------------------------------------------------

void threads_ready(unsigned thread)
{
    unsigned position = turns.position_of[thread];
    block.thread[thread].state = THREAD_READY;
    turns.ready[position / 64] |= (uint64_t)1 << position % 64;
}

// The next thread that can run, going round from the cursor; -1 when there is none.
static int next_thread()
{
    unsigned words = (launch.threads + 63) / 64, word = turns.cursor / 64;
    uint64_t mask = ~(uint64_t)0 << turns.cursor % 64;
    for (unsigned i = 0; i <= words; i++) {
        uint64_t ready = turns.ready[word] & mask;
        if (ready != 0) {
            unsigned position = word * 64 + (unsigned)__builtin_ctzll(ready);
            turns.ready[word] &= ~((uint64_t)1 << position % 64);
            turns.cursor = (position + 1) % (words * 64);
            return turns.thread_at[position];
        }
        mask = ~(uint64_t)0;
        word = (word + 1) % words;
    }
    return -1;
}

// From here on, thread is the one that runs.
static inline void begin_turn(unsigned thread)
{
    block.running = thread;
    threadIdx = indices[thread];
    shadow.who = thread | block.lane_clock[thread] << WHO_CLOCK_SHIFT;
}

[[noreturn]] static void stuck();

void threads_wait(enum thread_state state, const void *pc)
{
    unsigned self = block.running;
    if (state != THREAD_READY) {
        block.thread[self] = {state, pc};
    }
    int next = next_thread();
    if (next < 0) {
        stuck();
    }
    if ((unsigned)next != self) {
        bool fresh = block.thread[next].state == THREAD_NEW;
        unsigned context = fresh ? take_context() : contexts.of[next];
        contexts.of[next] = context;
        begin_turn((unsigned)next);
        jump(&contexts.at[contexts.of[self]], contexts.at[context]);
    }
    begin_turn(self);
}

static void finish_thread();

// The loop of a context: runs new threads as long as they come, one behind the other; turns to
// a waiting one otherwise, and goes on when this context is taken for another new thread.
static void run_threads()
{
    for (;;) {
        unsigned self = block.running, context = contexts.of[self];
        kernel(kernel_data);
        block.thread[self].state = THREAD_DONE;
        finish_thread();
        int next = next_thread();
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
            jump(&contexts.at[context], contexts.host);
        } else {
            begin_turn((unsigned)next);
            jump(&contexts.at[context], contexts.at[contexts.of[next]]);
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

void threads_run(unsigned count, void (*call)(void *), void *data)
{
    if (contexts.stacks == NULL) {
        make_stacks();
    }
    kernel = call;
    kernel_data = data;
    block.done = block.waiting = 0;
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
    jump(&contexts.host, contexts.at[contexts.of[first]]);
}

// ---- the block's barrier ------------------------------------------------------------------

static struct {
    const void *pc; // where the first waits
    unsigned first; // who that is
    int count, all, any;
    int last_count, last_all, last_any;
} barrier;

static bool same_line(const void *a, const void *b)
{
    struct place first = place_of(a), second = place_of(b);
    return first.line == second.line && first.line != 0 &&
           strcmp(first.file, second.file) == 0;
}

[[noreturn]] static void report_missed(unsigned returned)
{
    char waits[64];
    snprintf(waits, sizeof waits, "%s", finding_thread(barrier.first, launch.block));
    finding_stop(
        "barrier-missed", barrier.pc, NULL,
        "%s waits here at __syncthreads(), and %s has returned without it.\n"
        "All threads of a block must reach each barrier: put the condition around "
        "the work, not around the barrier or a return in front of it.",
        waits, finding_thread(returned, launch.block));
}

static void release()
{
    shadow_settle();
    barrier.last_count = barrier.count;
    barrier.last_all = barrier.all;
    barrier.last_any = barrier.any;
    block.waiting = 0;
    shadow.now++;
    turns.cursor = 0;
    for (unsigned t = 0; t < launch.threads; t++) {
        threads_ready(t);
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

static void wait_for_block(int predicate, const void *pc)
{
    if (!launch.running) {
        finding_stop("barrier-on-host", pc, NULL, "a barrier outside of a kernel.");
    }
    if (block.waiting == 0) {
        barrier.pc = pc;
        barrier.first = block.running;
        barrier.count = barrier.any = 0;
        barrier.all = 1;
    } else if (pc != barrier.pc && !same_line(pc, barrier.pc)) {
        finding_stop(
            "barrier-divergent", pc, barrier.pc,
            "it waits at this __syncthreads(), and %s at the one in line %d.\n"
            "All threads of a block must wait at the same barrier: the condition "
            "must have the same value for all of them.",
            finding_thread(barrier.first, launch.block), place_of(barrier.pc).line);
    }
    barrier.count += predicate != 0;
    barrier.all &= predicate != 0;
    barrier.any |= predicate != 0;
    block.waiting++;
    if (block.waiting == launch.threads) {
        release();
        threads_wait(THREAD_READY, pc);
        return;
    }
    if (block.waiting + block.done == launch.threads) {
        report_missed(a_done_thread());
    }
    threads_wait(THREAD_BARRIER, pc);
}

static void finish_thread()
{
    block.done++;
    if (block.waiting > 0 && block.waiting + block.done == launch.threads) {
        report_missed(block.running);
    }
    warp_thread_done(block.running);
    if (block.done == launch.threads) {
        shadow_settle();
    }
}

// Nobody can run, and not all are done.
static void stuck()
{
    for (unsigned t = 0; t < launch.threads; t++) {
        if (block.thread[t].state == THREAD_WARP) {
            warp_deadlock(t);
        }
    }
    abort(); // waiting at the barrier alone is found when the last one comes or returns
}

} // namespace gpu_runtime

using namespace gpu_runtime;

void __syncthreads()
{
    wait_for_block(0, __builtin_return_address(0));
}
int __syncthreads_count(int predicate)
{
    wait_for_block(predicate, __builtin_return_address(0));
    return barrier.last_count;
}
int __syncthreads_and(int predicate)
{
    wait_for_block(predicate, __builtin_return_address(0));
    return barrier.last_all;
}
int __syncthreads_or(int predicate)
{
    wait_for_block(predicate, __builtin_return_address(0));
    return barrier.last_any;
}
