// library.h - what the files of cuBLAS share.

#ifndef GPU_RUNTIME_LIBRARY_H
#define GPU_RUNTIME_LIBRARY_H

#include "gpu/include/cublas_v2.h"
#include "gpu/runtime/runtime.h"

struct cublasContext {
    cudaStream_t stream;
    cublasMath_t math;
    cublasPointerMode_t pointers;
};

namespace gpu_runtime
{

// Checks that hold for every call; *status is the error. False also if nothing is to be computed.
bool library_ready(cublasHandle_t handle, cublasStatus_t *status);

// Checks that alpha or beta is on the host or the device, as the handle says.
void library_place(cublasHandle_t handle, const void *value, size_t bytes,
                   const char *name, const char *call);

} // namespace gpu_runtime

#endif
