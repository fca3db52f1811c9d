// gpu.h - what every GPU contract and every .cu file of the labs includes.
//
// Works with nvcc, and without a GPU with the simulated toolkit in include/; from C and C++.

#ifndef LAB_GPU_H
#define LAB_GPU_H

#include <cuda_runtime.h>

#include "common/status.h"

// Around the declarations of a contract: the judge calls the launchers from C.
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

// The same for cuBLAS; include <cublas_v2.h> before this header to have it.
#if defined CUBLAS_VERSION || defined CUBLAS_VER_MAJOR || defined CUBLAS_V2_H_
static inline LAB_CHECKED lab_status lab_cublas(cublasStatus_t status)
{
    return status == CUBLAS_STATUS_SUCCESS ? LAB_OK : LAB_ECUDA;
}
#endif

// How many blocks of b elements cover a elements, the last one perhaps not full.
// Example: lab_blocks(1000, 256) is 4.
static inline unsigned lab_blocks(size_t a, size_t b)
{
    return (unsigned)((a + b - 1) / b);
}

#endif
