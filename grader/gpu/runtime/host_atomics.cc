// host_atomics.cc - std::atomic and the compiler's atomics in host code. g++ -fsanitize=thread makes
// them calls of these functions. In a kernel they count as atomics of the device, and their order
// matters.

#include <stdint.h>

#include "gpu/runtime/runtime.h"

using namespace gpu_runtime;

#define CHECK(at, kind)                                                                  \
    if (parallel_worker && !is_shared((uintptr_t)at - GPU_BASE)) {                       \
        parallel_give_up();                                                              \
    }                                                                                    \
    shadow_access((uintptr_t)at, sizeof *at, kind, __builtin_return_address(0))

#define CHANGES(T, bits, name)                                                           \
    T __tsan_atomic##bits##_##name(volatile T *at, T value, int)                         \
    {                                                                                    \
        CHECK(at, ACCESS_ATOMIC);                                                        \
        return __atomic_##name(at, value, __ATOMIC_SEQ_CST);                             \
    }

#define ATOMICS(T, bits)                                                                 \
    T __tsan_atomic##bits##_load(const volatile T *at, int)                              \
    {                                                                                    \
        CHECK(at, ACCESS_ATOMIC);                                                        \
        return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                    \
    }                                                                                    \
    void __tsan_atomic##bits##_store(volatile T *at, T value, int)                       \
    {                                                                                    \
        CHECK(at, ACCESS_ATOMIC);                                                        \
        __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                   \
    }                                                                                    \
    T __tsan_atomic##bits##_exchange(volatile T *at, T value, int)                       \
    {                                                                                    \
        CHECK(at, ACCESS_ATOMIC);                                                        \
        return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST);                         \
    }                                                                                    \
    CHANGES(T, bits, fetch_add)                                                          \
    CHANGES(T, bits, fetch_sub)                                                          \
    CHANGES(T, bits, fetch_and)                                                          \
    CHANGES(T, bits, fetch_or)                                                           \
    CHANGES(T, bits, fetch_xor)                                                          \
    CHANGES(T, bits, fetch_nand)                                                         \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile T *at, T *expected,       \
                                                      T value, int, int)                 \
    {                                                                                    \
        CHECK(at, ACCESS_ATOMIC);                                                        \
        return __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_SEQ_CST, \
                                           __ATOMIC_SEQ_CST);                            \
    }                                                                                    \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile T *at, T *expected,         \
                                                    T value, int, int)                   \
    {                                                                                    \
        CHECK(at, ACCESS_ATOMIC);                                                        \
        return __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_SEQ_CST, \
                                           __ATOMIC_SEQ_CST);                            \
    }

extern "C" {

ATOMICS(uint8_t, 8)
ATOMICS(uint16_t, 16)
ATOMICS(uint32_t, 32)
ATOMICS(uint64_t, 64)

void __tsan_atomic_thread_fence(int)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

} // extern "C"
