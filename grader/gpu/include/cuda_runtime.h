// cuda_runtime.h - what a .cu file includes: the runtime calls, and the language of kernels.
//
// nvcc's front end knows the words below by itself; here they are ordinary declarations, and
// the launch syntax is rewritten before the compiler sees it (grader/gpu/translate.c).
// Device functions with an effect (barriers, shuffles, atomics) are calls into the runtime, so
// that it sees them; the rest is inline.

#ifndef GPU_CUDA_RUNTIME_H
#define GPU_CUDA_RUNTIME_H

#include "cuda_runtime_api.h"

#ifdef __cplusplus
// The special functions of C++17 cost every compilation 50 ms, and CUDA has none of them.
#include <bits/c++config.h>
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// __noinline__ is no macro: libstdc++ uses the attribute (translate/words.c).
#define __global__
#define __device__
#define __host__
#define __managed__
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
#define __grid_constant__

#if defined __SANITIZE_THREAD__
// The compiler reports loads and stores, but not what the C library does.
extern "C" {
void *gpu_memcpy(void *to, const void *from, size_t bytes);
void *gpu_memmove(void *to, const void *from, size_t bytes);
void *gpu_memset(void *to, int value, size_t bytes);
}
namespace std
{
using ::gpu_memcpy;
using ::gpu_memmove;
using ::gpu_memset;
} // namespace std
#define memcpy gpu_memcpy
#define memmove gpu_memmove
#define memset gpu_memset
#endif

#include "vector_functions.h"
#include "simulated/launch.h"
#include "simulated/threads.h"
#include "simulated/atomics.h"
#include "simulated/math.h"
#endif

#endif
