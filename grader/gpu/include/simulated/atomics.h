// atomics.h - atomic read-modify-write operations. Each returns the old value.

#ifndef GPU_SIMULATED_ATOMICS_H
#define GPU_SIMULATED_ATOMICS_H

// F(T) declares F for each type T that has this function.
#define GPU_ATOMIC_INTEGERS(F) F(int) F(unsigned) F(unsigned long long)
#define GPU_ATOMIC_NUMBERS(F) GPU_ATOMIC_INTEGERS(F) F(float) F(double)

#define GPU_ATOMIC_ADD(T) T atomicAdd(T *address, T value);
#define GPU_ATOMIC_OTHERS(T)                                                             \
    T atomicMax(T *address, T value);                                                    \
    T atomicMin(T *address, T value);                                                    \
    T atomicAnd(T *address, T value);                                                    \
    T atomicOr(T *address, T value);                                                     \
    T atomicXor(T *address, T value);                                                    \
    T atomicExch(T *address, T value);                                                   \
    T atomicCAS(T *address, T compare, T value);

GPU_ATOMIC_NUMBERS(GPU_ATOMIC_ADD)
GPU_ATOMIC_INTEGERS(GPU_ATOMIC_OTHERS)
#undef GPU_ATOMIC_ADD
#undef GPU_ATOMIC_OTHERS

long long atomicMax(long long *address, long long value);
long long atomicMin(long long *address, long long value);
float atomicExch(float *address, float value);
unsigned short atomicCAS(unsigned short *address, unsigned short compare,
                         unsigned short value);
int atomicSub(int *address, int value);
unsigned atomicSub(unsigned *address, unsigned value);
unsigned atomicInc(unsigned *address, unsigned limit);
unsigned atomicDec(unsigned *address, unsigned limit);

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
