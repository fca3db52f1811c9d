// gpu.h - included by every GPU header and every .cu file of the labs.
//
// Works in C and C++, with nvcc or with the simulated toolkit in grader/gpu/include.

#ifndef LAB_GPU_H
#define LAB_GPU_H

#include <cuda_runtime.h>

#include "common/status.h"

// Enclose the declarations of a GPU header in these, because the grader calls the launchers
// from C.
#ifdef __cplusplus
#define LAB_GPU_BEGIN extern "C" {
#define LAB_GPU_END }
#else
#define LAB_GPU_BEGIN
#define LAB_GPU_END
#endif

// LAB_OK for cudaSuccess, else LAB_ECUDA.
// Example: kernel<<<grid, block, 0, stream>>>(out_dev, N); return lab_cuda(cudaGetLastError());
static inline LAB_CHECKED lab_status lab_cuda(cudaError_t error)
{
    return error == cudaSuccess ? LAB_OK : LAB_ECUDA;
}

// The number of blocks of b elements that cover a elements. The last block may be partly
// empty.
// Example: lab_blocks(1000, 256) is 4.
static inline unsigned lab_blocks(size_t a, size_t b)
{
    return (unsigned)((a + b - 1) / b);
}

#endif

// The same as lab_cuda for cuBLAS. Declared by the first #include of this header that comes after
// <cublas_v2.h>.
#if !defined LAB_CUBLAS &&                                                               \
    (defined CUBLAS_VERSION || defined CUBLAS_VER_MAJOR || defined CUBLAS_V2_H_)
#define LAB_CUBLAS
static inline LAB_CHECKED lab_status lab_cublas(cublasStatus_t status)
{
    return status == CUBLAS_STATUS_SUCCESS ? LAB_OK : LAB_ECUDA;
}
#endif
