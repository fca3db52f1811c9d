// atomics.cc - atomic operations. Threads run one at a time, so every operation is atomic,
// but the shadow and the fences must record it.

#include <string.h>
#include <time.h>

#include "gpu/runtime/turns.h"

using namespace gpu_runtime;

#define PC __builtin_return_address(0)

// A thread may wait in a loop of atomics for another thread of its block, so let others
// run.
enum { PATIENCE = 4096 };

static void pass_the_turn_on()
{
    static unsigned atomics;
    if (here.on_device && ++atomics % PATIENCE == 0) {
        threads_ready(block.running);
        threads_wait(THREAD_READY, NULL);
    }
}

// A loop that sleeps waits for another thread, too.
void __nanosleep(unsigned)
{
    if (here.on_device) {
        threads_ready(block.running);
        threads_wait(THREAD_READY, PC);
    }
}

// The device's clock rate is 1 GHz.
long long clock64()
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}

// The order of atomics of several blocks matters.
static inline void alone(const void *address)
{
    if (parallel_worker && !is_shared((uintptr_t)address - GPU_BASE)) {
        parallel_give_up();
    }
}

template <typename T, typename F>
static inline T change(T *address, F next, const void *pc)
{
    alone(address);
#if GPU_CHECKED
    shadow_access((uintptr_t)address, sizeof(T), ACCESS_ATOMIC, pc);
    publish_atomic((uintptr_t)address);
#else
    (void)pc;
#endif
    T old = *address;
    *address = next(old);
    pass_the_turn_on();
    return old;
}

// The thread's own read of an element before it swaps it (values.cc).
static inline void accept_read(const void *address, size_t bytes)
{
#if GPU_CHECKED
    uintptr_t offset = memory_offset((uintptr_t)address);
    if (!finding_in_course && here.on_device && offset != NOT_DEVICE) {
        race_swaps(offset, bytes);
        shadow_forget_read(offset, bytes);
    }
#else
    (void)address, (void)bytes;
#endif
}

#define ATOMIC_SET(T)                                                                    \
    void gpu_atomic_set(T *address, T value)                                             \
    {                                                                                    \
        shadow_count_as_written((uintptr_t)address, sizeof(T));                          \
        change(                                                                          \
            address, [=](T) -> T { return value; }, PC);                                 \
    }
ATOMIC_SET(unsigned)
ATOMIC_SET(unsigned long long)

#define ATOMIC(name, T, expression)                                                      \
    T atomic##name(T *address, T value)                                                  \
    {                                                                                    \
        return change(                                                                   \
            address, [=](T old) -> T { return expression; }, PC);                        \
    }
#define COMPARE_AND_SWAP(T)                                                              \
    T atomicCAS(T *address, T compare, T value)                                          \
    {                                                                                    \
        accept_read(address, sizeof(T));                                                 \
        return change(                                                                   \
            address, [=](T old) -> T { return old == compare ? value : old; }, PC);      \
    }
#define INTEGER_ATOMICS(T)                                                               \
    ATOMIC(Max, T, old > value ? old : value)                                            \
    ATOMIC(Min, T, old < value ? old : value)                                            \
    ATOMIC(And, T, old &value)                                                           \
    ATOMIC(Or, T, old | value)                                                           \
    ATOMIC(Xor, T, old ^ value)                                                          \
    ATOMIC(Exch, T, ((void)old, value))                                                  \
    COMPARE_AND_SWAP(T)

ATOMIC(Add, int, (int)((unsigned)old + (unsigned)value))
ATOMIC(Add, unsigned, old + value)
ATOMIC(Add, unsigned long long, old + value)
ATOMIC(Add, float, old + value)
ATOMIC(Add, double, old + value)
INTEGER_ATOMICS(int)
INTEGER_ATOMICS(unsigned)
INTEGER_ATOMICS(unsigned long long)
COMPARE_AND_SWAP(unsigned short)
ATOMIC(Max, long long, old > value ? old : value)
ATOMIC(Min, long long, old < value ? old : value)
ATOMIC(Exch, float, ((void)old, value))
ATOMIC(Sub, int, (int)((unsigned)old - (unsigned)value))
ATOMIC(Sub, unsigned, old - value)
ATOMIC(Inc, unsigned, old >= value ? 0 : old + 1)
ATOMIC(Dec, unsigned, old == 0 || old > value ? value : old - 1)
