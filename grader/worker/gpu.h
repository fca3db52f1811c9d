// gpu.h - the worker's functions for an adaptor of a GPU variant (GPU_ADAPTOR in
// entry.h).

#ifndef GRADER_WORKER_GPU_H
#define GRADER_WORKER_GPU_H

#include <cublas_v2.h>
#include <cuda_runtime.h>

extern cudaStream_t gpu_stream;
extern cublasHandle_t gpu_cublas; // bound to that stream
// Allocates device memory for this call, for a workspace that only the GPU variant has.
// NULL if there is too little memory.
void *gpu_workspace(size_t bytes);

extern const void *const *gpu_host; // the content of t[i] on the host, for values

#endif
