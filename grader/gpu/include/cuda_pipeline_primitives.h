// cuda_pipeline_primitives.h - asynchronous copies to shared memory, in groups.

#ifndef GPU_CUDA_PIPELINE_PRIMITIVES_H
#define GPU_CUDA_PIPELINE_PRIMITIVES_H

#include "simulated/async.h"

// 4, 8 or 16 bytes, aligned to as many; zeros: of these, zeros instead of a copy.
GPU_INLINE void __pipeline_memcpy_async(void *to, const void *from, size_t bytes,
                                        size_t zeros = 0)
{
    gpu_copy_async(to, from, bytes, zeros,
                   bytes == 4 || bytes == 8 || bytes == 16 ? bytes : 16, NULL);
}
GPU_INLINE void __pipeline_commit()
{
    gpu_copy_commit();
}
// Waits for all groups but the last ones.
GPU_INLINE void __pipeline_wait_prior(size_t last)
{
    gpu_copy_wait((unsigned)last);
}

#endif
