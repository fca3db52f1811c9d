// cuda_runtime_api.h - the runtime calls of CUDA for host programs in C or C++.
//
// This is the simulated toolkit, with the same names, types and numbers as NVIDIA's header.
// It is used with -I grader/gpu/include and never by nvcc. Work on a stream is done
// immediately, in the order of the calls. docs/gpu.md lists the differences from a real
// device.

#ifndef GPU_CUDA_RUNTIME_API_H
#define GPU_CUDA_RUNTIME_API_H

#include <stddef.h>

#include "vector_types.h"

#define CUDART_VERSION 12040
#define GPU_SIMULATED 1

// All errors that can occur here: name, number, message.
#define GPU_ERROR_TABLE(ERROR)                                                           \
    ERROR(cudaSuccess, 0, "no error")                                                    \
    ERROR(cudaErrorInvalidValue, 1, "invalid argument")                                  \
    ERROR(cudaErrorMemoryAllocation, 2, "out of memory")                                 \
    ERROR(cudaErrorInitializationError, 3, "initialization error")                       \
    ERROR(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")            \
    ERROR(cudaErrorInvalidPitchValue, 12, "invalid pitch argument")                      \
    ERROR(cudaErrorInvalidSymbol, 13, "invalid device symbol")                           \
    ERROR(cudaErrorInvalidDevicePointer, 17, "invalid device pointer")                   \
    ERROR(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")      \
    ERROR(cudaErrorInvalidDeviceFunction, 98, "invalid device function")                 \
    ERROR(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")                  \
    ERROR(cudaErrorInvalidDevice, 101, "invalid device ordinal")                         \
    ERROR(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")                \
    ERROR(cudaErrorNotReady, 600, "device not ready")                                    \
    ERROR(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered")      \
    ERROR(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch") \
    ERROR(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated")        \
    ERROR(cudaErrorAssert, 710, "device-side assert triggered")                          \
    ERROR(cudaErrorMisalignedAddress, 716, "misaligned address")                         \
    ERROR(cudaErrorLaunchFailure, 719, "unspecified launch failure")                     \
    ERROR(cudaErrorNotSupported, 801, "operation not supported")                         \
    ERROR(cudaErrorUnknown, 999, "unknown error")

#define GPU_ERROR_ENUM(name, number, sentence) name = number,
enum cudaError { GPU_ERROR_TABLE(GPU_ERROR_ENUM) };
#undef GPU_ERROR_ENUM
typedef enum cudaError cudaError_t;

enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4
};

enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9
};

enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
};

enum cudaFuncCache {
    cudaFuncCachePreferNone,
    cudaFuncCachePreferShared,
    cudaFuncCachePreferL1,
    cudaFuncCachePreferEqual
};
enum cudaSharedCarveout {
    cudaSharedmemCarveoutDefault = -1,
    cudaSharedmemCarveoutMaxL1 = 0,
    cudaSharedmemCarveoutMaxShared = 100
};
enum cudaLimit { cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize };
enum cudaMemoryAdvise {
    cudaMemAdviseSetReadMostly = 1,
    cudaMemAdviseUnsetReadMostly,
    cudaMemAdviseSetPreferredLocation,
    cudaMemAdviseUnsetPreferredLocation,
    cudaMemAdviseSetAccessedBy,
    cudaMemAdviseUnsetAccessedBy
};
#define cudaCpuDeviceId (-1)

struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion;
    int maxDynamicSharedSizeBytes, preferredShmemCarveout;
};

enum cudaMemoryType {
    cudaMemoryTypeUnregistered = 0,
    cudaMemoryTypeHost = 1,
    cudaMemoryTypeDevice = 2,
    cudaMemoryTypeManaged = 3
};

struct cudaPointerAttributes {
    enum cudaMemoryType type;
    int device;
    void *devicePointer;
    void *hostPointer;
};

// Commonly used members; the real structure has more.
struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem;
    size_t sharedMemPerBlock;
    int regsPerBlock;
    int warpSize;
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3];
    int clockRate;
    size_t totalConstMem;
    int major, minor;
    int multiProcessorCount;
    int concurrentKernels;
    int memoryClockRate;
    int memoryBusWidth;
    int l2CacheSize;
    int maxThreadsPerMultiProcessor;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor;
    size_t sharedMemPerBlockOptin;
    size_t memPitch, textureAlignment, texturePitchAlignment;
    int computeMode, integrated, canMapHostMemory, unifiedAddressing, managedMemory;
    int concurrentManagedAccess, cooperativeLaunch, asyncEngineCount, ECCEnabled;
    int maxBlocksPerMultiProcessor, pciBusID, pciDeviceID, pciDomainID;
    int kernelExecTimeoutEnabled, pageableMemoryAccess, streamPrioritiesSupported;
};
typedef struct cudaDeviceProp cudaDeviceProp;

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef void (*cudaHostFn_t)(void *data);

#define cudaStreamLegacy ((cudaStream_t)1)
#define cudaStreamPerThread ((cudaStream_t)2)
#define cudaStreamDefault 0x00
#define cudaStreamNonBlocking 0x01
#define cudaEventDefault 0x00
#define cudaEventDisableTiming 0x02
#define cudaHostAllocDefault 0x00
#define cudaHostAllocPortable 0x01
#define cudaHostAllocMapped 0x02
#define cudaHostAllocWriteCombined 0x04
#define cudaHostRegisterDefault 0x00
#define cudaEventBlockingSync 0x01
#define cudaMemAttachGlobal 0x01

#ifdef __cplusplus
extern "C" {
#endif

const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);

cudaError_t cudaMalloc(void **pointer_dev, size_t bytes);
cudaError_t cudaFree(void *pointer_dev);
cudaError_t cudaMallocAsync(void **pointer_dev, size_t bytes, cudaStream_t stream);
cudaError_t cudaFreeAsync(void *pointer_dev, cudaStream_t stream);
cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned flags);
cudaError_t cudaMallocHost(void **pointer, size_t bytes);
cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned flags);
cudaError_t cudaFreeHost(void *pointer);
cudaError_t cudaMemGetInfo(size_t *unused, size_t *total);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes,
                                     const void *pointer);

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes,
                       enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                            enum cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                              size_t from_pitch, size_t width, size_t height,
                              enum cudaMemcpyKind kind, cudaStream_t stream);
// Rows of width bytes, each beginning at a multiple of *pitch.
cudaError_t cudaMallocPitch(void **pointer_dev, size_t *pitch, size_t width,
                            size_t height);
cudaError_t cudaMemset2D(void *pointer_dev, size_t pitch, int value, size_t width,
                         size_t height);
cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void *pointer);
// Hints, which change nothing here.
cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, int device,
                                 cudaStream_t stream);
cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
                          int device);
cudaError_t cudaMemset(void *pointer_dev, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void *pointer_dev, int value, size_t bytes,
                            cudaStream_t stream);
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes,
                               size_t offset, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes,
                                 size_t offset, enum cudaMemcpyKind kind);
cudaError_t cudaGetSymbolAddress(void **pointer_dev, const void *symbol);

cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attribute,
                                 int value);

cudaError_t cudaFuncSetCacheConfig(const void *kernel, enum cudaFuncCache cache);
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache cache);
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes,
                                  const void *kernel);
// By threads and shared memory alone: registers are not known here.
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel,
                                                          int threads, size_t shared);

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags,
                                         int priority);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data);
cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);

cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end);

// Both do nothing; there is no profiler.
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);

#ifdef __cplusplus
}
#endif
#endif
