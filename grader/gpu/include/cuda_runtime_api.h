// cuda_runtime_api.h - the runtime calls of CUDA for host programs in C or C++.
//
// This is the simulated toolkit, with the same names, types and numbers as NVIDIA's header.
// It is used with -I grader/gpu/include and never by nvcc. Work on a stream is done
// immediately, in the order of the calls. docs/gpu.md lists the differences from a real
// device.

#ifndef GPU_CUDA_RUNTIME_API_H
#define GPU_CUDA_RUNTIME_API_H
// Names by which other headers recognize NVIDIA's.
#define __DRIVER_TYPES_H__
#define __CUDA_RUNTIME_API_H__

#include <stddef.h>

#include "vector_types.h"

#define CUDART_VERSION 12040
#ifdef __CUDACC__
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 4
#define __CUDACC_VER_BUILD__ 0
#endif
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
    ERROR(cudaErrorInsufficientDriver, 35,                                               \
          "CUDA driver version is insufficient for CUDA runtime version")                \
    ERROR(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")                  \
    ERROR(cudaErrorInvalidDevice, 101, "invalid device ordinal")                         \
    ERROR(cudaErrorPeerAccessUnsupported, 217,                                           \
          "peer access is not supported between these two devices")                      \
    ERROR(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")                \
    ERROR(cudaErrorNotReady, 600, "device not ready")                                    \
    ERROR(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered")      \
    ERROR(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch") \
    ERROR(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated")        \
    ERROR(cudaErrorPeerAccessNotEnabled, 705, "peer access has not been enabled")        \
    ERROR(cudaErrorAssert, 710, "device-side assert triggered")                          \
    ERROR(cudaErrorMisalignedAddress, 716, "misaligned address")                         \
    ERROR(cudaErrorLaunchFailure, 719, "unspecified launch failure")                     \
    ERROR(cudaErrorCooperativeLaunchTooLarge, 720,                                       \
          "too many blocks in cooperative launch")                                       \
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

// The device's attributes: name, number, and the simulated device's value, which may be a member
// of its cudaDeviceProp.
#define GPU_ATTRIBUTE_TABLE(ATTRIBUTE)                                                   \
    ATTRIBUTE(cudaDevAttrMaxThreadsPerBlock, 1, p.maxThreadsPerBlock)                    \
    ATTRIBUTE(cudaDevAttrMaxBlockDimX, 2, p.maxThreadsDim[0])                            \
    ATTRIBUTE(cudaDevAttrMaxBlockDimY, 3, p.maxThreadsDim[1])                            \
    ATTRIBUTE(cudaDevAttrMaxBlockDimZ, 4, p.maxThreadsDim[2])                            \
    ATTRIBUTE(cudaDevAttrMaxGridDimX, 5, p.maxGridSize[0])                               \
    ATTRIBUTE(cudaDevAttrMaxGridDimY, 6, p.maxGridSize[1])                               \
    ATTRIBUTE(cudaDevAttrMaxGridDimZ, 7, p.maxGridSize[2])                               \
    ATTRIBUTE(cudaDevAttrMaxSharedMemoryPerBlock, 8, p.sharedMemPerBlock)                \
    ATTRIBUTE(cudaDevAttrTotalConstantMemory, 9, p.totalConstMem)                        \
    ATTRIBUTE(cudaDevAttrWarpSize, 10, p.warpSize)                                       \
    ATTRIBUTE(cudaDevAttrMaxPitch, 11, p.memPitch)                                       \
    ATTRIBUTE(cudaDevAttrMaxRegistersPerBlock, 12, p.regsPerBlock)                       \
    ATTRIBUTE(cudaDevAttrClockRate, 13, p.clockRate)                                     \
    ATTRIBUTE(cudaDevAttrTextureAlignment, 14, p.textureAlignment)                       \
    ATTRIBUTE(cudaDevAttrGpuOverlap, 15, p.deviceOverlap)                                \
    ATTRIBUTE(cudaDevAttrMultiProcessorCount, 16, p.multiProcessorCount)                 \
    ATTRIBUTE(cudaDevAttrKernelExecTimeout, 17, p.kernelExecTimeoutEnabled)              \
    ATTRIBUTE(cudaDevAttrIntegrated, 18, p.integrated)                                   \
    ATTRIBUTE(cudaDevAttrCanMapHostMemory, 19, p.canMapHostMemory)                       \
    ATTRIBUTE(cudaDevAttrComputeMode, 20, p.computeMode)                                 \
    ATTRIBUTE(cudaDevAttrConcurrentKernels, 31, p.concurrentKernels)                     \
    ATTRIBUTE(cudaDevAttrEccEnabled, 32, p.ECCEnabled)                                   \
    ATTRIBUTE(cudaDevAttrPciBusId, 33, p.pciBusID)                                       \
    ATTRIBUTE(cudaDevAttrPciDeviceId, 34, p.pciDeviceID)                                 \
    ATTRIBUTE(cudaDevAttrMemoryClockRate, 36, p.memoryClockRate)                         \
    ATTRIBUTE(cudaDevAttrGlobalMemoryBusWidth, 37, p.memoryBusWidth)                     \
    ATTRIBUTE(cudaDevAttrL2CacheSize, 38, p.l2CacheSize)                                 \
    ATTRIBUTE(cudaDevAttrMaxThreadsPerMultiProcessor, 39, p.maxThreadsPerMultiProcessor) \
    ATTRIBUTE(cudaDevAttrAsyncEngineCount, 40, p.asyncEngineCount)                       \
    ATTRIBUTE(cudaDevAttrUnifiedAddressing, 41, p.unifiedAddressing)                     \
    ATTRIBUTE(cudaDevAttrComputeCapabilityMajor, 75, p.major)                            \
    ATTRIBUTE(cudaDevAttrComputeCapabilityMinor, 76, p.minor)                            \
    ATTRIBUTE(cudaDevAttrStreamPrioritiesSupported, 78, p.streamPrioritiesSupported)     \
    ATTRIBUTE(cudaDevAttrMaxSharedMemoryPerMultiprocessor, 81,                           \
              p.sharedMemPerMultiprocessor)                                              \
    ATTRIBUTE(cudaDevAttrMaxRegistersPerMultiprocessor, 82, p.regsPerMultiprocessor)     \
    ATTRIBUTE(cudaDevAttrManagedMemory, 83, p.managedMemory)                             \
    ATTRIBUTE(cudaDevAttrHostNativeAtomicSupported, 86, p.hostNativeAtomicSupported)     \
    ATTRIBUTE(cudaDevAttrPageableMemoryAccess, 88, p.pageableMemoryAccess)               \
    ATTRIBUTE(cudaDevAttrConcurrentManagedAccess, 89, p.concurrentManagedAccess)         \
    ATTRIBUTE(cudaDevAttrCooperativeLaunch, 95, p.cooperativeLaunch)                     \
    ATTRIBUTE(cudaDevAttrMaxSharedMemoryPerBlockOptin, 97, p.sharedMemPerBlockOptin)     \
    ATTRIBUTE(cudaDevAttrMaxBlocksPerMultiprocessor, 106, p.maxBlocksPerMultiProcessor)  \
    ATTRIBUTE(cudaDevAttrMemoryPoolsSupported, 115, p.memoryPoolsSupported)

#define GPU_ATTRIBUTE_ENUM(name, number, value) name = number,
enum cudaDeviceAttr { GPU_ATTRIBUTE_TABLE(GPU_ATTRIBUTE_ENUM) };
#undef GPU_ATTRIBUTE_ENUM

enum cudaDeviceP2PAttr {
    cudaDevP2PAttrPerformanceRank = 1,
    cudaDevP2PAttrAccessSupported = 2,
    cudaDevP2PAttrNativeAtomicSupported = 3
};
enum cudaComputeMode {
    cudaComputeModeDefault = 0,
    cudaComputeModeProhibited = 2,
    cudaComputeModeExclusiveProcess = 3
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
enum cudaSharedMemConfig {
    cudaSharedMemBankSizeDefault,
    cudaSharedMemBankSizeFourByte,
    cudaSharedMemBankSizeEightByte
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
    size_t memPitch, textureAlignment, texturePitchAlignment, surfaceAlignment;
    int computeMode, integrated, canMapHostMemory, unifiedAddressing, managedMemory;
    int concurrentManagedAccess, cooperativeLaunch, asyncEngineCount, ECCEnabled;
    int maxBlocksPerMultiProcessor, pciBusID, pciDeviceID, pciDomainID;
    int kernelExecTimeoutEnabled, pageableMemoryAccess, streamPrioritiesSupported;
    int deviceOverlap, hostNativeAtomicSupported, memoryPoolsSupported, tccDriver;
    int isMultiGpuBoard, computePreemptionSupported, cooperativeMultiDeviceLaunch;
    int canUseHostPointerForRegisteredMem, singleToDoublePrecisionPerfRatio;
    int maxTexture1D, maxTexture2D[2], maxTexture3D[3];
    int maxTexture1DLayered[2], maxTexture2DLayered[3];
    char uuid[16], luid[8];
    unsigned luidDeviceNodeMask;
    int persistingL2CacheMaxSize, accessPolicyMaxWindowSize;
};
typedef struct cudaDeviceProp cudaDeviceProp;

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUmemPoolHandle_st *cudaMemPool_t;
typedef void (*cudaHostFn_t)(void *data);
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t error, void *data);
#define CUDART_CB

enum cudaMemPoolAttr {
    cudaMemPoolReuseFollowEventDependencies = 1,
    cudaMemPoolReuseAllowOpportunistic = 2,
    cudaMemPoolReuseAllowInternalDependencies = 3,
    cudaMemPoolAttrReleaseThreshold = 4
};

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
#define cudaHostRegisterPortable 0x01
#define cudaHostRegisterMapped 0x02
#define cudaDeviceScheduleAuto 0x00
#define cudaDeviceScheduleSpin 0x01
#define cudaDeviceScheduleYield 0x02
#define cudaDeviceScheduleBlockingSync 0x04
#define cudaDeviceBlockingSync 0x04
#define cudaDeviceMapHost 0x08
#define cudaEventBlockingSync 0x01
#define cudaEventInterprocess 0x04
#define cudaMemAttachGlobal 0x01
#define cudaMemAttachHost 0x02
#define cudaMemAttachSingle 0x04

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
cudaError_t cudaMemset2DAsync(void *pointer_dev, size_t pitch, int value, size_t width,
                              size_t height, cudaStream_t stream);
cudaError_t cudaMemset(void *pointer_dev, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void *pointer_dev, int value, size_t bytes,
                            cudaStream_t stream);
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes,
                               size_t offset, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes,
                                 size_t offset, enum cudaMemcpyKind kind);
cudaError_t cudaGetSymbolAddress(void **pointer_dev, const void *symbol);

cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaThreadSynchronize(void); // its old name
cudaError_t cudaThreadExit(void);        // cudaDeviceReset's
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

// arguments[i] points to the kernel's argument i. In a cooperative launch the threads of the whole grid
// can wait for each other (cooperative_groups.h).
#ifdef __cplusplus
cudaError_t cudaLaunchKernel(const void *kernel, struct dim3 grid, struct dim3 block,
                             void **arguments, size_t shared = 0,
                             cudaStream_t stream = 0);
cudaError_t cudaLaunchCooperativeKernel(const void *kernel, struct dim3 grid,
                                        struct dim3 block, void **arguments,
                                        size_t shared = 0, cudaStream_t stream = 0);
#endif
cudaError_t cudaFuncSetCacheConfig(const void *kernel, enum cudaFuncCache cache);
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache cache);
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config);
cudaError_t cudaFuncSetSharedMemConfig(const void *kernel,
                                       enum cudaSharedMemConfig config);
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config);
cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config);
cudaError_t cudaCtxResetPersistingL2Cache(void);
cudaError_t cudaInitDevice(int device, unsigned flags, unsigned);
cudaError_t cudaGetDeviceFlags(unsigned *flags);
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes,
                                  const void *kernel);
#ifdef __cplusplus
// A launch's configuration as a structure. Clusters are not simulated.
enum cudaLaunchAttributeID {
    cudaLaunchAttributeIgnore = 0,
    cudaLaunchAttributeCooperative = 2,
    cudaLaunchAttributeProgrammaticStreamSerialization = 6,
    cudaLaunchAttributePriority = 8
};
struct cudaLaunchAttribute {
    enum cudaLaunchAttributeID id;
    union {
        char pad[64];
        int cooperative, priority, programmaticStreamSerializationAllowed;
    } val;
};
struct cudaLaunchConfig_t {
    struct dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    struct cudaLaunchAttribute *attrs;
    unsigned numAttrs;
};
typedef cudaError_t gpu_launch_function(const void *kernel, struct dim3 grid,
                                        struct dim3 block, void **arguments,
                                        size_t shared, cudaStream_t stream);
#endif
// By threads and shared memory alone: registers are not known here.
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel,
                                                          int threads, size_t shared);

// The most dynamic shared memory with which so many blocks fit on a multiprocessor.
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *kernel,
                                                      int blocks, int threads);

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *properties);
cudaError_t cudaSetDeviceFlags(unsigned flags);
cudaError_t cudaDeviceGetPCIBusId(char *text, int room, int device);
cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit);

// There is one device, so none can reach another.
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute,
                                      int device, int peer);
cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device,
                           size_t bytes);
cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from,
                                int from_device, size_t bytes, cudaStream_t stream);

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
                                    void *value);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
                                    void *value);
cudaError_t cudaMallocFromPoolAsync(void **pointer_dev, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes);

// The device's address of memory that cudaHostAlloc or cudaMallocHost returned.
cudaError_t cudaHostGetDevicePointer(void **pointer_dev, void *pointer, unsigned flags);

enum cudaStreamCaptureStatus {
    cudaStreamCaptureStatusNone,
    cudaStreamCaptureStatusActive,
    cudaStreamCaptureStatusInvalidated
};
cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
                                  enum cudaStreamCaptureStatus *status);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t bytes,
                                     unsigned flags);
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function,
                                  void *data, unsigned flags);
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags);
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority);
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
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream,
                                     unsigned flags);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end);

// Both do nothing; there is no profiler.
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);

#ifdef __cplusplus
}
#endif
#include "simulated/volumes.h"

#endif
