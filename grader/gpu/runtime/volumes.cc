// volumes.cc - copies of three dimensions, as copies of their planes.

#include "gpu/runtime/runtime.h"

using namespace gpu_runtime;

static char *plane(const struct cudaPitchedPtr *volume, const struct cudaPos *from,
                   size_t z)
{
    size_t rows = (from->z + z) * volume->ysize + from->y;
    return (char *)volume->ptr + rows * volume->pitch + from->x;
}

extern "C" {

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *volume_dev, struct cudaExtent extent)
{
    if (volume_dev == NULL) {
        return call_error(cudaErrorInvalidValue);
    }
    *volume_dev = {NULL, 0, extent.width, extent.height};
    return cudaMallocPitch(&volume_dev->ptr, &volume_dev->pitch, extent.width,
                           extent.height * extent.depth);
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr volume_dev, int value,
                         struct cudaExtent extent)
{
    const struct cudaPos start = {0, 0, 0};
    cudaError_t error = cudaSuccess;
    for (size_t z = 0; z < extent.depth && error == cudaSuccess; z++) {
        error = cudaMemset2D(plane(&volume_dev, &start, z), volume_dev.pitch, value,
                             extent.width, extent.height);
    }
    return error;
}
cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr volume_dev, int value,
                              struct cudaExtent extent, cudaStream_t stream)
{
    launcher_uses(stream, "cudaMemset3DAsync", CALLER());
    return cudaMemset3D(volume_dev, value, extent);
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *c)
{
    if (c == NULL || c->srcArray != NULL || c->dstArray != NULL) {
        return call_error(cudaErrorInvalidValue);
    }
    cudaError_t error = cudaSuccess;
    for (size_t z = 0; z < c->extent.depth && error == cudaSuccess; z++) {
        error = cudaMemcpy2D(plane(&c->dstPtr, &c->dstPos, z), c->dstPtr.pitch,
                             plane(&c->srcPtr, &c->srcPos, z), c->srcPtr.pitch,
                             c->extent.width, c->extent.height, c->kind);
    }
    return error;
}
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *copy, cudaStream_t stream)
{
    launcher_uses(stream, "cudaMemcpy3DAsync", CALLER());
    return cudaMemcpy3D(copy);
}

} // extern "C"
