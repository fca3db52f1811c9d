// atomics.h - atomic read-modify-write operations. Each returns the old value.
//
// The runtime does the operation, and a second function has the old value. It is pure, so the
// compiler drops its call where the value is not used: a launch of such atomics alone can be divided
// among processors (runtime/replay.cc).

#ifndef GPU_SIMULATED_ATOMICS_H
#define GPU_SIMULATED_ATOMICS_H

// The old value that the running thread's last atomic found, in the low bits.
unsigned long long gpu_atomic_old() noexcept __attribute__((pure));

#define GPU_ATOMIC(name, T, bits)                                                        \
    void gpu_atomic##name(T *address, T value);                                          \
    static inline __attribute__((always_inline)) T atomic##name(T *address, T value)     \
    {                                                                                    \
        gpu_atomic##name(address, value);                                                \
        return __builtin_bit_cast(T, (bits)gpu_atomic_old());                            \
    }
#define GPU_ATOMIC_INTEGERS(T)                                                           \
    GPU_ATOMIC(Add, T, T)                                                                \
    GPU_ATOMIC(Max, T, T)                                                                \
    GPU_ATOMIC(Min, T, T)                                                                \
    GPU_ATOMIC(And, T, T)                                                                \
    GPU_ATOMIC(Or, T, T)                                                                 \
    GPU_ATOMIC(Xor, T, T)                                                                \
    GPU_ATOMIC(Exch, T, T)                                                               \
    T atomicCAS(T *address, T compare, T value);

GPU_ATOMIC_INTEGERS(int)
GPU_ATOMIC_INTEGERS(unsigned)
GPU_ATOMIC_INTEGERS(unsigned long long)
GPU_ATOMIC(Add, float, unsigned)
GPU_ATOMIC(Add, double, unsigned long long)
GPU_ATOMIC(Max, long long, long long)
GPU_ATOMIC(Min, long long, long long)
GPU_ATOMIC(Exch, float, unsigned)
GPU_ATOMIC(Sub, int, int)
GPU_ATOMIC(Sub, unsigned, unsigned)
GPU_ATOMIC(Inc, unsigned, unsigned)
GPU_ATOMIC(Dec, unsigned, unsigned)
#undef GPU_ATOMIC
#undef GPU_ATOMIC_INTEGERS

unsigned short atomicCAS(unsigned short *address, unsigned short compare,
                         unsigned short value);

// Writes without reading, as cuda::atomic's store does: the old value may be unwritten.
void gpu_atomic_set(unsigned *address, unsigned value);
void gpu_atomic_set(unsigned long long *address, unsigned long long value);

// For all processors of the system, or for the block: here each atomic is for all.
#define GPU_SCOPED_ATOMIC(name)                                                          \
    template <typename T, typename Other>                                                \
    static inline __attribute__((always_inline))                                         \
    T name##_system(T *address, Other value)                                             \
    {                                                                                    \
        return name(address, (T)value);                                                  \
    }                                                                                    \
    template <typename T, typename Other>                                                \
    static inline __attribute__((always_inline)) T name##_block(T *address, Other value) \
    {                                                                                    \
        return name(address, (T)value);                                                  \
    }
GPU_SCOPED_ATOMIC(atomicAdd)
GPU_SCOPED_ATOMIC(atomicSub)
GPU_SCOPED_ATOMIC(atomicMax)
GPU_SCOPED_ATOMIC(atomicMin)
GPU_SCOPED_ATOMIC(atomicAnd)
GPU_SCOPED_ATOMIC(atomicOr)
GPU_SCOPED_ATOMIC(atomicXor)
GPU_SCOPED_ATOMIC(atomicExch)
GPU_SCOPED_ATOMIC(atomicInc)
GPU_SCOPED_ATOMIC(atomicDec)
#undef GPU_SCOPED_ATOMIC

template <typename T, typename Other, typename Third>
static inline __attribute__((always_inline)) T atomicCAS_system(T *address, Other compare,
                                                                Third value)
{
    return atomicCAS(address, (T)compare, (T)value);
}
template <typename T, typename Other, typename Third>
static inline __attribute__((always_inline)) T atomicCAS_block(T *address, Other compare,
                                                               Third value)
{
    return atomicCAS(address, (T)compare, (T)value);
}

#endif
