// hints.cc - calls that programs make, and that change little here: pitches, occupancy, hints.

#include <string.h>

#include "gpu/runtime/runtime.h"

using namespace gpu_runtime;

namespace gpu_runtime
{
size_t shared_limit(const void *kernel); // calls.cc
}

extern "C" {

enum : size_t { PITCH = 512 };

cudaError_t cudaMallocPitch(void **pointer_dev, size_t *pitch, size_t width,
                            size_t height)
{
    if (pitch == NULL) {
        return call_error(cudaErrorInvalidValue);
    }
    *pitch = (width + PITCH - 1) / PITCH * PITCH;
    return cudaMalloc(pointer_dev, *pitch * height);
}

cudaError_t cudaMemset2D(void *pointer_dev, size_t pitch, int value, size_t width,
                         size_t height)
{
    cudaError_t error = cudaSuccess;
    for (size_t row = 0; row < height && error == cudaSuccess; row++) {
        error = cudaMemset((char *)pointer_dev + row * pitch, value, width);
    }
    return error;
}

cudaError_t cudaMemPrefetchAsync(const void *, size_t, int, cudaStream_t)
{
    return call_state();
}
cudaError_t cudaMemAdvise(const void *, size_t, enum cudaMemoryAdvise, int)
{
    return call_state();
}
cudaError_t cudaFuncSetCacheConfig(const void *, enum cudaFuncCache)
{
    return call_state();
}
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache)
{
    return call_state();
}
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig)
{
    return call_state();
}
cudaError_t cudaFuncSetSharedMemConfig(const void *kernel, enum cudaSharedMemConfig)
{
    return kernel == NULL ? call_error(cudaErrorInvalidDeviceFunction) : call_state();
}
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
    if (config == NULL) {
        return call_error(cudaErrorInvalidValue);
    }
    *config = cudaSharedMemBankSizeFourByte;
    return call_state();
}
cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
    if (config == NULL) {
        return call_error(cudaErrorInvalidValue);
    }
    *config = cudaFuncCachePreferNone;
    return call_state();
}
cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    return call_state();
}
cudaError_t cudaInitDevice(int device, unsigned, unsigned)
{
    return device != 0 ? call_error(cudaErrorInvalidDevice) : call_state();
}
cudaError_t cudaGetDeviceFlags(unsigned *flags)
{
    if (flags == NULL) {
        return call_error(cudaErrorInvalidValue);
    }
    *flags = 0;
    return call_state();
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
                                  enum cudaStreamCaptureStatus *status)
{
    if (status == NULL) {
        return call_error(cudaErrorInvalidValue);
    }
    *status = cudaStreamCaptureStatusNone;
    return cudaStreamQuery(stream);
}
cudaError_t cudaThreadSynchronize(void)
{
    return cudaDeviceSynchronize();
}
cudaError_t cudaThreadExit(void)
{
    return cudaDeviceReset();
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned)
{
    return cudaEventRecord(event, stream);
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags)
{
    if (flags == NULL) {
        return call_error(cudaErrorInvalidValue);
    }
    *flags = cudaStreamDefault;
    return cudaStreamQuery(stream);
}
cudaError_t cudaMemset2DAsync(void *pointer_dev, size_t pitch, int value, size_t width,
                              size_t height, cudaStream_t stream)
{
    launcher_uses(stream, "cudaMemset2DAsync", CALLER());
    return cudaMemset2D(pointer_dev, pitch, value, width, height);
}
cudaError_t cudaDeviceSetLimit(enum cudaLimit, size_t)
{
    return call_state();
}
cudaError_t cudaProfilerStart(void)
{
    return call_state();
}
cudaError_t cudaProfilerStop(void)
{
    return call_state();
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes,
                                  const void *kernel)
{
    if (attributes == NULL || kernel == NULL) {
        return call_error(cudaErrorInvalidValue);
    }
    *attributes = {};
    attributes->maxThreadsPerBlock = MAX_THREADS;
    attributes->maxDynamicSharedSizeBytes = (int)shared_limit(kernel);
    attributes->numRegs = 32;
    return call_state();
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel,
                                                          int threads, size_t shared)
{
    if (blocks == NULL || kernel == NULL || threads < 1 || threads > MAX_THREADS) {
        return call_error(cudaErrorInvalidValue);
    }
    size_t by_threads = 2048 / (size_t)((threads + WARP - 1) / WARP * WARP);
    size_t by_memory = shared > 0 ? SHARED_OPT_IN / shared : by_threads;
    size_t most = by_threads < by_memory ? by_threads : by_memory;
    *blocks = (int)(most < 32 ? most : 32);
    return call_state();
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *kernel,
                                                      int blocks, int threads)
{
    int most = 0;
    if (bytes == NULL ||
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&most, kernel, threads, 0) !=
            cudaSuccess ||
        blocks < 1 || blocks > most) {
        return call_error(cudaErrorInvalidValue);
    }
    *bytes = SHARED_OPT_IN / (size_t)blocks;
    return call_state();
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    *least = *greatest = 0;
    return call_state();
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int)
{
    return cudaStreamCreateWithFlags(stream, flags);
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    if (priority == NULL) {
        return call_error(cudaErrorInvalidValue);
    }
    *priority = 0;
    return cudaStreamQuery(stream);
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *, size_t, unsigned)
{
    return cudaStreamQuery(stream);
}

// The work before it is done already.
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function,
                                  void *data, unsigned)
{
    launcher_uses(stream, "cudaStreamAddCallback", CALLER());
    shadow_waited();
    cudaError_t error = call_state();
    function(stream, error, data);
    return error;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
    launcher_uses(stream, "cudaLaunchHostFunc", CALLER());
    shadow_waited();
    cudaError_t error = call_state();
    if (error == cudaSuccess) {
        function(data);
    }
    return error;
}

} // extern "C"
