// kernel_case.h - small CUDA programs with and without errors.
//
// Each .cu file here has a table of them. A faulty program names the kind of the
// finding, and marks with "// HERE name" the line that must be reported, and with "// THERE
// name" the other place, if there is one. test_gpu_findings.c runs them all, in every order.

#ifndef TESTS_GPU_KERNEL_CASE_H
#define TESTS_GPU_KERNEL_CASE_H

#include <stdbool.h>
#include <stdlib.h>

#include "common/gpu/gpu.h"
#include "gpu/simulator.h"

struct kernel_case {
    const char *name;
    const char *kind;  // the kind of the finding; NULL if there must be none
    bool (*run)(void); // false: the results are wrong
};

LAB_GPU_BEGIN
extern const struct kernel_case race_cases[], barrier_cases[], memory_cases[],
    call_cases[], warp_cases[], fine_cases[], syntax_cases[];
LAB_GPU_END

#ifdef __cplusplus
// n floats on the device: 0, 1, 2 ...
static inline float *numbers_dev(size_t n)
{
    float *a = (float *)malloc(n * sizeof *a), *a_dev = NULL;
    for (size_t i = 0; i < n; i++) {
        a[i] = (float)i;
    }
    if (cudaMalloc(&a_dev, n * sizeof *a) != cudaSuccess ||
        cudaMemcpy(a_dev, a, n * sizeof *a, cudaMemcpyHostToDevice) != cudaSuccess) {
        a_dev = NULL;
    }
    free(a);
    return a_dev;
}

// n floats on the device that were never written.
static inline float *empty_dev(size_t n)
{
    float *a_dev = NULL;
    return cudaMalloc(&a_dev, n * sizeof *a_dev) == cudaSuccess ? a_dev : NULL;
}

// Element i of an array on the device.
static inline float value_at(const float *a_dev, size_t i)
{
    float value = -1;
    return cudaMemcpy(&value, a_dev + i, sizeof value, cudaMemcpyDeviceToHost) ==
                   cudaSuccess
               ? value
               : -1;
}

// Announces that the following code is a launcher, which was given this stream.
static inline cudaStream_t as_a_launcher(void)
{
    cudaStream_t stream = NULL;
    if (cudaStreamCreate(&stream) == cudaSuccess) {
        gpu_expect_launcher(stream);
    }
    return stream;
}

// Ends a launcher that returns success.
static inline void returns_ok(void)
{
    gpu_expect_asked();
}

static inline bool no_error(void)
{
    return cudaGetLastError() == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess;
}
#endif

#endif
