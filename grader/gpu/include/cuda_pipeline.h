// cuda_pipeline.h - asynchronous copies to shared memory: the primitives, and a pipeline of them.

#ifndef GPU_CUDA_PIPELINE_H
#define GPU_CUDA_PIPELINE_H

#include "cuda_pipeline_primitives.h"

namespace nvcuda
{
namespace experimental
{

class pipeline
{
    unsigned gpu_closed = 0;

  public:
    GPU_MEMBER size_t commit()
    {
        gpu_copy_commit();
        return gpu_closed++;
    }
    GPU_MEMBER void commit_and_wait()
    {
        commit();
        wait_prior<0>();
    }
    GPU_MEMBER void wait(size_t group)
    {
        gpu_copy_wait(gpu_closed - (unsigned)group - 1);
    }
    template <unsigned last> GPU_MEMBER void wait_prior()
    {
        gpu_copy_wait(last);
    }
};

template <typename T> GPU_INLINE void memcpy_async(T &to, const T &from, pipeline &)
{
    gpu_copy_async(&to, &from, sizeof(T), 0, alignof(T), NULL);
}

} // namespace experimental
} // namespace nvcuda

#endif
