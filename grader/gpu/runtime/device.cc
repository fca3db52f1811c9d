// device.cc - what a program can ask about the simulated device: properties, attributes, peers,
// memory pools. There is one device, of compute capability 9.0.

#include <stdio.h>
#include <string.h>

#include "gpu/runtime/runtime.h"

using namespace gpu_runtime;

static struct cudaDeviceProp describe_device()
{
    struct cudaDeviceProp p = {};
    snprintf(p.name, sizeof p.name, "simulated on the CPU");
    p.totalGlobalMem = (size_t)GPU_SIZE - (size_t)GPU_GLOBAL_OFFSET;
    p.sharedMemPerBlock = SHARED_DEFAULT;
    p.sharedMemPerBlockOptin = SHARED_OPT_IN;
    p.sharedMemPerMultiprocessor = SHARED_OPT_IN + 1024;
    p.regsPerBlock = p.regsPerMultiprocessor = 65536;
    p.warpSize = WARP;
    p.maxThreadsPerBlock = MAX_THREADS;
    p.maxThreadsDim[0] = p.maxThreadsDim[1] = 1024;
    p.maxThreadsDim[2] = 64;
    p.maxGridSize[0] = 0x7fffffff;
    p.maxGridSize[1] = p.maxGridSize[2] = 65535;
    p.totalConstMem = 64 << 10;
    p.major = 9;
    p.multiProcessorCount = 1;
    p.maxThreadsPerMultiProcessor = 2048;
    p.maxBlocksPerMultiProcessor = 32;
    p.memPitch = 0x7fffffff;
    p.textureAlignment = p.texturePitchAlignment = 512;
    p.l2CacheSize = 4 << 20;
    p.clockRate = p.memoryClockRate = 1000000;
    p.memoryBusWidth = 64;
    p.integrated = p.unifiedAddressing = p.managedMemory = 1;
    p.canMapHostMemory = p.deviceOverlap = p.asyncEngineCount = 1;
    p.concurrentKernels = p.streamPrioritiesSupported = 1;
    p.memoryPoolsSupported = p.hostNativeAtomicSupported = p.cooperativeLaunch = 1;
    return p;
}

extern "C" {

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    if (properties == NULL || device != 0) {
        return call_error(properties == NULL ? cudaErrorInvalidValue
                                             : cudaErrorInvalidDevice);
    }
    *properties = describe_device();
    return call_state();
}

#define ATTRIBUTE(name, number, member)                                                  \
    case name:                                                                           \
        *value = (int)member;                                                            \
        break;
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    if (value == NULL || device != 0) {
        return call_error(value == NULL ? cudaErrorInvalidValue : cudaErrorInvalidDevice);
    }
    const struct cudaDeviceProp p = describe_device();
    switch (attribute) {
        GPU_ATTRIBUTE_TABLE(ATTRIBUTE)
    default:
        return call_error(cudaErrorInvalidValue);
    }
    return call_state();
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *)
{
    return cudaGetDevice(device);
}
cudaError_t cudaSetDeviceFlags(unsigned)
{
    return call_state();
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int room, int device)
{
    if (text == NULL || room < 1 || device != 0) {
        return call_error(cudaErrorInvalidValue);
    }
    snprintf(text, (size_t)room, "0000:00:00.0");
    return call_state();
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    if (value == NULL) {
        return call_error(cudaErrorInvalidValue);
    }
    *value = limit == cudaLimitStackSize ? (size_t)STACK_SIZE : (size_t)8 << 20;
    return call_state();
}

// ---- other devices -------------------------------------------------------------------------

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int)
{
    if (can == NULL || device != 0) {
        return call_error(cudaErrorInvalidDevice);
    }
    *can = 0;
    return call_state();
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned)
{
    return call_error(cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceDisablePeerAccess(int)
{
    return call_error(cudaErrorPeerAccessNotEnabled);
}
cudaError_t cudaDeviceGetP2PAttribute(int *, enum cudaDeviceP2PAttr, int, int)
{
    return call_error(cudaErrorInvalidDevice);
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device,
                           size_t bytes)
{
    KEEP_CALLER();
    return to_device == 0 && from_device == 0
               ? cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice)
               : call_error(cudaErrorInvalidDevice);
}
cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from,
                                int from_device, size_t bytes, cudaStream_t stream)
{
    KEEP_CALLER();
    return to_device == 0 && from_device == 0
               ? cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream)
               : call_error(cudaErrorInvalidDevice);
}

// ---- memory pools --------------------------------------------------------------------------

// There is one pool, and it keeps nothing back.
static char the_pool;

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    if (pool == NULL || device != 0) {
        return call_error(cudaErrorInvalidDevice);
    }
    *pool = (cudaMemPool_t)&the_pool;
    return call_state();
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    return cudaDeviceGetDefaultMemPool(pool, device);
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr, void *value)
{
    return pool == (cudaMemPool_t)&the_pool && value != NULL
               ? call_state()
               : call_error(cudaErrorInvalidValue);
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
                                    void *value)
{
    if (pool != (cudaMemPool_t)&the_pool || value == NULL) {
        return call_error(cudaErrorInvalidValue);
    }
    // The threshold is 64 bits, the others are int.
    memset(value, 0, attribute == cudaMemPoolAttrReleaseThreshold ? 8 : sizeof(int));
    return call_state();
}
cudaError_t cudaMallocFromPoolAsync(void **pointer_dev, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream)
{
    return pool == (cudaMemPool_t)&the_pool ? cudaMallocAsync(pointer_dev, bytes, stream)
                                            : call_error(cudaErrorInvalidValue);
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t)
{
    return pool == (cudaMemPool_t)&the_pool ? call_state()
                                            : call_error(cudaErrorInvalidValue);
}

} // extern "C"
