// volumes.h - copies of three dimensions. A volume is pitched memory: planes of ysize rows, each of pitch
// bytes. Widths and x are in bytes. cudaArray is not simulated.

#ifndef GPU_SIMULATED_VOLUMES_H
#define GPU_SIMULATED_VOLUMES_H

struct cudaPitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
};
struct cudaExtent {
    size_t width, height, depth;
};
struct cudaPos {
    size_t x, y, z;
};
struct cudaMemcpy3DParms {
    void *srcArray; // must be NULL
    struct cudaPos srcPos;
    struct cudaPitchedPtr srcPtr;
    void *dstArray; // must be NULL
    struct cudaPos dstPos;
    struct cudaPitchedPtr dstPtr;
    struct cudaExtent extent;
    enum cudaMemcpyKind kind;
};

static inline struct cudaPitchedPtr make_cudaPitchedPtr(void *pointer, size_t pitch,
                                                        size_t width, size_t height)
{
    struct cudaPitchedPtr made = {pointer, pitch, width, height};
    return made;
}
static inline struct cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth)
{
    struct cudaExtent made = {width, height, depth};
    return made;
}
static inline struct cudaPos make_cudaPos(size_t x, size_t y, size_t z)
{
    struct cudaPos made = {x, y, z};
    return made;
}

#ifdef __cplusplus
extern "C" {
#endif
cudaError_t cudaMalloc3D(struct cudaPitchedPtr *volume_dev, struct cudaExtent extent);
cudaError_t cudaMemset3D(struct cudaPitchedPtr volume_dev, int value,
                         struct cudaExtent extent);
cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr volume_dev, int value,
                              struct cudaExtent extent, cudaStream_t stream);
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *copy);
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *copy, cudaStream_t stream);
#ifdef __cplusplus
}
#endif

#endif
