// turns.h - switches from one thread of a block to the next. Inline, because this
// determines the cost of a barrier or a shuffle.
//
// switch.h switches the stacks. There is only one function between the student's call and
// the switch, because the processor mispredicts each return after a switch.

#ifndef GPU_RUNTIME_TURNS_H
#define GPU_RUNTIME_TURNS_H

#include "gpu/runtime/runtime.h"
#include "gpu/runtime/switch.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

extern uint3 threadIdx;
extern "C" bool gpu_on_device; // a kernel's thread is running

namespace gpu_runtime
{

struct contexts {
    char *stacks; // stacks of MAX_THREADS contexts: guard, stack, guard, stack ...
    continuation at[MAX_THREADS], host, abandoned;
    unsigned unused[MAX_THREADS], unused_count; // contexts that are free for new threads
    unsigned made;                              // contexts that exist
    unsigned of[MAX_THREADS];                   // maps threads to contexts
    uint64_t result[MAX_THREADS];               // what a thread's call returns
};
extern struct contexts contexts;

enum : size_t { STACK = STACK_SIZE, GUARD = 4 << 10, SLOT = STACK + GUARD };

ALWAYS_INLINE char *stack_of(unsigned context)
{
    return contexts.stacks + context * SLOT + GUARD;
}

// Returns true if address is in the running thread's stack; in host code, the result means nothing.
ALWAYS_INLINE bool on_own_stack(uintptr_t address)
{
    return address - (uintptr_t)stack_of(contexts.of[block.running]) < STACK;
}

// The threads that can run: a bit for each, in the order of the turns.
struct turns {
    uint64_t ready[MAX_THREADS / 64];
    unsigned cursor;
    uint16_t thread_at[MAX_THREADS], position_of[MAX_THREADS];
};
extern struct turns turns;

extern uint3 indices[MAX_THREADS];

// Returns a free context for a new thread; creates one if necessary.
unsigned take_context();
// Reports why no thread can run although not all are done.
[[noreturn]] void stuck();

ALWAYS_INLINE void threads_ready(unsigned thread)
{
    unsigned position = turns.position_of[thread];
    block.thread[thread].state = THREAD_READY;
    turns.ready[position / 64] |= (uint64_t)1 << position % 64;
}

// Makes these lanes of the warp that begins with thread `first` ready.
ALWAYS_INLINE void threads_ready_lanes(unsigned first, unsigned lanes)
{
    bool in_order = launch.order == GPU_FORWARD; // then a thread's position is its number
    for (unsigned rest = lanes; rest != 0; rest &= rest - 1) {
        unsigned thread = first + (unsigned)__builtin_ctz(rest);
        if (in_order) {
            block.thread[thread].state = THREAD_READY;
        } else {
            threads_ready(thread);
        }
    }
    turns.ready[first / 64] |= in_order ? (uint64_t)lanes << first % 64 : 0;
}

// The next thread that can run, searching cyclically from the cursor; -1 if there is none.
ALWAYS_INLINE int next_thread()
{
    unsigned words = (launch.threads + 63) / 64, word = turns.cursor / 64;
    uint64_t mask = ~(uint64_t)0 << turns.cursor % 64;
    for (unsigned i = 0; i <= words; i++) {
        uint64_t ready = turns.ready[word] & mask;
        if (ready != 0) {
            unsigned bit = (unsigned)__builtin_ctzll(ready);
            turns.ready[word] &= ~((uint64_t)1 << bit);
            turns.cursor = word * 64 + bit + 1;
            turns.cursor = turns.cursor == words * 64 ? 0 : turns.cursor;
            return turns.thread_at[word * 64 + bit];
        }
        mask = ~(uint64_t)0;
        word = word + 1 == words ? 0 : word + 1;
    }
    return -1;
}

// Makes thread the running one.
ALWAYS_INLINE void begin_turn(unsigned thread)
{
    block.running = thread;
    threadIdx = indices[thread];
    shadow_turn(thread, block.lane_clock[thread]);
}

// The same, after lanes that wait for all others of their branch went on.
ALWAYS_INLINE int next_or_active()
{
    int next = next_thread();
    if (__builtin_expect(next < 0, 0) && warp_release_active()) {
        next = next_thread();
    }
    return next;
}

// The context of a thread whose turn it is.
ALWAYS_INLINE struct next context_of(unsigned thread)
{
    if (block.thread[thread].state == THREAD_NEW) {
        contexts.of[thread] = take_context();
    }
    return {contexts.at[contexts.of[thread]], contexts.result[thread]};
}

// The running thread waits: chooses who is next.
ALWAYS_INLINE struct next threads_next(enum thread_state state, const void *pc)
{
    unsigned self = block.running;
    if (state != THREAD_READY) {
        block.thread[self] = {state, pc};
    }
    if (__builtin_expect(races_waiting > 0, 0)) {
        races_settle();
    }
    int next = next_or_active();
    if (next < 0) {
        stuck();
    }
    begin_turn((unsigned)next);
    return context_of((unsigned)next);
}

#if GPU_SWITCHES_ITSELF
// The context of the running thread, which waits, is now suspended here.
ALWAYS_INLINE void suspended_here()
{
    contexts.at[contexts.of[block.running]] = gpu_here;
}
#endif

// Goes on with the thread that threads_next chose for `self`.
ALWAYS_INLINE uint64_t turns_switch(unsigned self, struct next next)
{
    if (block.running != self) {
        switch_to(&contexts.at[contexts.of[self]], next);
    }
    gpu_left_at = NULL;
    return contexts.result[block.running];
}

// Suspends the running thread until it is made ready again.
ALWAYS_INLINE void threads_wait(enum thread_state state, const void *pc)
{
    unsigned self = block.running;
    gpu_left_at = pc;
    struct next next = threads_next(state, pc);
    turns_switch(self, next);
}

} // namespace gpu_runtime

#endif
