// threads.h - a thread's coordinates, and synchronization of threads.

#ifndef GPU_SIMULATED_THREADS_H
#define GPU_SIMULATED_THREADS_H

// Constant while one thread runs; the runtime sets them when it switches to another. (The
// last two are like dim3 without its constructors, which would prevent constants.)
struct gpu_dim3 {
    unsigned x, y, z;
    operator dim3() const
    {
        return dim3(x, y, z);
    }
};
extern const uint3 threadIdx, blockIdx;
extern const gpu_dim3 blockDim, gridDim;
enum { warpSize = 32 };

// clang would make one call of two in the branches of an if; but each branch's threads meet apart.
#if defined __clang__
#pragma clang attribute push(__attribute__((nomerge)), apply_to = function)
#endif

void __syncthreads();
int __syncthreads_count(int predicate);
int __syncthreads_and(int predicate);
int __syncthreads_or(int predicate);
void __syncwarp(unsigned mask = 0xffffffffu);

void __threadfence();
void __threadfence_block();
void __threadfence_system();

unsigned __ballot_sync(unsigned mask, int predicate);
int __all_sync(unsigned mask, int predicate);
int __any_sync(unsigned mask, int predicate);
unsigned __activemask();

// T: int, unsigned, long, unsigned long, long long, unsigned long long, float, double.
#define GPU_SHUFFLE_TYPES(F)                                                             \
    F(int)                                                                               \
    F(unsigned)                                                                          \
    F(long)                                                                              \
    F(unsigned long)                                                                     \
    F(long long)                                                                         \
    F(unsigned long long)                                                                \
    F(float)                                                                             \
    F(double)

#define GPU_SHUFFLES(T)                                                                  \
    T __shfl_sync(unsigned mask, T value, int lane, int width = 32);                     \
    T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32);            \
    T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32);          \
    T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32);
GPU_SHUFFLE_TYPES(GPU_SHUFFLES)
#undef GPU_SHUFFLES

unsigned __reduce_add_sync(unsigned mask, unsigned value);
int __reduce_add_sync(unsigned mask, int value);
unsigned __reduce_max_sync(unsigned mask, unsigned value);
int __reduce_max_sync(unsigned mask, int value);
unsigned __reduce_min_sync(unsigned mask, unsigned value);
int __reduce_min_sync(unsigned mask, int value);
unsigned __reduce_and_sync(unsigned mask, unsigned value);
unsigned __reduce_or_sync(unsigned mask, unsigned value);
unsigned __reduce_xor_sync(unsigned mask, unsigned value);

// The lanes of the mask with the same value; and all of them, or 0 if a value differs.
#define GPU_MATCHES(T)                                                                   \
    unsigned __match_any_sync(unsigned mask, T value);                                   \
    unsigned __match_all_sync(unsigned mask, T value, int *all);
GPU_SHUFFLE_TYPES(GPU_MATCHES)
#undef GPU_MATCHES

#if defined __clang__
#pragma clang attribute pop
#endif

void __nanosleep(unsigned nanoseconds);
long long clock64();
void __trap();

#endif
