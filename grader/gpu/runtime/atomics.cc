// atomics.cc - atomic operations. Threads run one at a time, so every operation is atomic,
// but the shadow and the fences must record it.

#include <string.h>
#include <time.h>

#include "gpu/runtime/parallel.h"
#include "gpu/runtime/sample.h"
#include "gpu/runtime/turns.h"

using namespace gpu_runtime;

#define PC __builtin_return_address(0)

// A thread may wait in a loop of atomics for another thread of its block, so let others
// run. Each block counts for itself, so that its turns do not depend on the blocks before it.
enum { PATIENCE = 4096 };

static void pass_the_turn_on()
{
    threads_ready(block.running);
    threads_wait(THREAD_READY, NULL);
}

// Blocks run one after the other, so a loop that waits for a later one never ends. The message comes
// after a second or two.
static void count_idle(bool changed, const void *pc)
{
    enum { LONG = 20000000 };
    block.idle = changed ? 0 : block.idle + 1;
    if (block.idle == LONG) {
        finding_warn(
            "endless-wait", pc, NULL,
            "this thread has waited here for a long time, and nothing has changed.\n"
            "If it waits for another block, it waits forever: here blocks run one after "
            "the other, and a card need not run all at once, either. Launch the kernel "
            "with cudaLaunchCooperativeKernel and let its blocks wait in grid.sync(), "
            "or divide it into two launches.");
    }
}

static void atomic_done(bool changed, const void *pc)
{
    if (here.on_device) {
        count_idle(changed, pc);
        if (++block.atomics % PATIENCE == 0) {
            pass_the_turn_on();
        }
    }
}

void gpu_runtime::atomics_volatile_read(bool another, const void *pc)
{
    if (here.on_device) {
        count_idle(another, pc);
        if (!another && block.idle % PATIENCE == 0) {
            pass_the_turn_on();
        }
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

static inline bool for_all_blocks(const void *address)
{
    return !is_shared((uintptr_t)address - GPU_BASE);
}

static inline void check([[maybe_unused]] const void *address,
                         [[maybe_unused]] size_t bytes, [[maybe_unused]] const void *pc)
{
#if GPU_CHECKED
    if (sample_partial && for_all_blocks(address)) {
        sample_spoil(); // blocks that do not run would change it, too
    }
    shadow_access((uintptr_t)address, bytes, ACCESS_ATOMIC, pc);
    publish_atomic((uintptr_t)address);
#endif
}

static unsigned long long last_old;
static bool old_of_all_blocks; // it is of global memory

unsigned long long gpu_atomic_old() noexcept
{
    if (parallel_worker && old_of_all_blocks) {
        parallel_give_up(); // it depends on the other blocks
    }
    return last_old;
}

template <typename T, T (*next)(T, T)> static void again(void *address, uint64_t bits)
{
    T value, *at = (T *)address;
    memcpy(&value, &bits, sizeof value);
    *at = next(*at, value);
}

template <typename T, T (*next)(T, T)>
static inline void change(T *address, T value, const void *pc)
{
    bool for_all = for_all_blocks(address);
    if (parallel_worker && for_all) {
        uint64_t bits = 0;
        memcpy(&bits, &value, sizeof value);
        replay_keep(address, sizeof(T), again<T, next>, bits);
    } else {
        parallel_atomics += for_all;
    }
    check(address, sizeof(T), pc);
    T old = *address;
    T now = next(old, value);
    *address = now;
    atomic_done(memcmp(&now, &old, sizeof old) != 0, pc);
    last_old = 0;
    memcpy(&last_old, &old, sizeof old);
    old_of_all_blocks = for_all;
}

// The thread's own read of an element before it swaps it (values.cc).
static inline void accept_read(const void *address, size_t bytes)
{
#if GPU_CHECKED
    uintptr_t offset = memory_offset((uintptr_t)address);
    if (here.on_device && offset != NOT_DEVICE) {
        race_swaps(offset, bytes);
        shadow_forget_read(offset, bytes);
    }
#else
    (void)address, (void)bytes;
#endif
}

#define ATOMIC(name, T, expression)                                                      \
    static T next##name(T old, T value)                                                  \
    {                                                                                    \
        return expression;                                                               \
    }                                                                                    \
    void gpu_atomic##name(T *address, T value)                                           \
    {                                                                                    \
        change<T, next##name>(address, value, PC);                                       \
    }
#define COMPARE_AND_SWAP(T)                                                              \
    T atomicCAS(T *address, T compare, T value)                                          \
    {                                                                                    \
        if (parallel_worker && for_all_blocks(address)) {                                \
            parallel_give_up();                                                          \
        }                                                                                \
        accept_read(address, sizeof(T));                                                 \
        check(address, sizeof(T), PC);                                                   \
        T old = *address;                                                                \
        *address = old == compare ? value : old;                                         \
        atomic_done(*address != old, PC);                                                \
        return old;                                                                      \
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

#define ATOMIC_SET(T)                                                                    \
    void gpu_atomic_set(T *address, T value)                                             \
    {                                                                                    \
        shadow_count_as_written((uintptr_t)address, sizeof(T));                          \
        change<T, nextExch>(address, value, PC);                                         \
    }
ATOMIC_SET(unsigned)
ATOMIC_SET(unsigned long long)
