// cuda_runtime.h - the header for .cu files: the runtime calls, and the language of
// kernels.
//
// nvcc knows the words below; here they are ordinary declarations. cuda-to-cpp rewrites the
// launch syntax before the compiler sees it (grader/gpu/translate). Device functions with
// side effects (barriers, shuffles, atomics) call the runtime; the others are inline.

#ifndef GPU_CUDA_RUNTIME_H
#define GPU_CUDA_RUNTIME_H

#define __CUDA_RUNTIME_H__

#include "cuda_runtime_api.h"

#ifdef __cplusplus
// Disables the special functions of C++17, which cost every compilation 50 ms and do not
// exist in CUDA.
#include <bits/c++config.h>
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// __noinline__ is not a macro, because libstdc++ uses the attribute (translate/words.c).
#define __global__ __attribute__((noinline)) // reads gpu_configured anew in each launch
#define __device__
#define __host__
#define __managed__
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
#define __grid_constant__

#if defined __SANITIZE_THREAD__
// The compiler reports loads and stores, but not those in the C library, nor the copy of a few bytes
// that it makes in place of a call. The standard library's headers copy with the builtins.
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
#define __builtin_memcpy gpu_memcpy
#define __builtin_memmove gpu_memmove
#define __builtin_memset gpu_memset
#endif

#include "vector_functions.h"
#include "simulated/launch.h"
#include "simulated/threads.h"
#include "simulated/atomics.h"
#include "simulated/math.h"
#endif

#endif
