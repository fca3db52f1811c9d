// gpu.h - the worker's functions for an adaptor of a GPU variant (GPU_ADAPTOR in
// entry.h).

#ifndef GRADER_WORKER_GPU_H
#define GRADER_WORKER_GPU_H

#include <cublas_v2.h>
#include <cuda_runtime.h>

extern cudaStream_t gpu_stream;
extern cublasHandle_t gpu_cublas; // on that stream
// Device memory of this call alone, for a variant with a workspace that its function lacks; NULL
// when there is none left.
void *gpu_workspace(size_t bytes);

extern const void *const *gpu_host; // what lies in t[i] on the device, for values

#endif
