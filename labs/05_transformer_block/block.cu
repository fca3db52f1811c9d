// block.cu - lab 5 on the GPU: what a block does between its products.
//
//   layer norm      a block for each row: its threads share the row, and two sums
//   the others      each number for itself: a grid-stride loop
//
// None of these computes much. A GELU is some twenty operations on a number that has to come
// from memory and go back; a card does hundreds of operations in the time that takes. So the
// only question is whether every byte is read once, and 32 neighbours at a time.
//
// What each launcher takes and returns stands in block_gpu.h. Start reading at gelu_kernel.

#include "05_transformer_block/block_gpu.h"

#include <limits.h>
#include <math.h>

enum { WARP = 32, ROW_WARPS = 4, ROW_BLOCK = ROW_WARPS * WARP };

// ---- 5.1  layer norm ----------------------------------------------------------------------

// Row blockIdx.x of x (N, C).
__global__ void layernorm_kernel(float *y_dev, float *mean_dev, float *rstd_dev,
                                 const float *x_dev, const float *gain_dev,
                                 const float *bias_dev, size_t C)
{
    // TODO 5.1: thread i has the channels i, i + ROW_BLOCK, ... of the row; the sum over
    // all threads of what each has added up, twice: for the mean, and for the variance;
    // then every channel (about 20 lines, a helper for the sum is welcome)
}

lab_status layernorm_gpu(float *y_dev, float *mean_dev, float *rstd_dev,
                         const float *x_dev, const float *gain_dev, const float *bias_dev,
                         size_t N, size_t C, cudaStream_t stream)
{
    if (N == 0 || C == 0 || N > INT_MAX) {
        return LAB_ESHAPE;
    }
    // TODO 5.1: a block of ROW_BLOCK threads for each row; then ask cudaGetLastError
    // (about 3 lines)
    return lab_todo(y_dev, mean_dev, rstd_dev, x_dev, gain_dev, bias_dev, N, C, stream);
}

// ---- each number for itself ---------------------------------------------------------------

enum { BLOCK = 256 };

// How many blocks of BLOCK threads to start for N numbers: no more than fill the largest card
// a few times over. When there are fewer threads than numbers, each thread goes on to the
// number as many places further as there are threads.
[[maybe_unused]] static unsigned blocks_for(size_t N)
{
    const size_t blocks = (N + BLOCK - 1) / BLOCK, most = 2048;
    return (unsigned)(blocks < most ? blocks : most);
}

// ---- 5.2  GELU ----------------------------------------------------------------------------

__global__ void gelu_kernel(float *y_dev, const float *x_dev, size_t N)
{
    // TODO 5.2: start at the thread's number in the whole grid, go on by the number of
    // threads in the grid, erff (about 5 lines)
}

lab_status gelu_gpu(float *y_dev, const float *x_dev, size_t N, cudaStream_t stream)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    // TODO 5.2: blocks_for(N) blocks of BLOCK threads (about 2 lines)
    return lab_todo(y_dev, x_dev, N, stream);
}

// ---- 5.4  dropout -------------------------------------------------------------------------

__global__ void dropout_kernel(float *y_dev, const float *x_dev,
                               const float *uniforms_dev, float keep, size_t N)
{
    // TODO 5.4: keep and scale, or 0 (about 4 lines)
}

lab_status dropout_gpu(float *y_dev, const float *x_dev, const float *uniforms_dev,
                       float p, bool training, size_t N, cudaStream_t stream)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    if (!(0.0f <= p && p < 1.0f)) { // asked this way round, a NaN is refused too
        return LAB_EVALUE;
    }
    // TODO 5.4: a copy inside the device (cudaMemcpyAsync) when not training; else the
    // kernel (about 7 lines)
    return lab_todo(y_dev, x_dev, uniforms_dev, p, training, N, stream);
}

// ---- 5.5  residual ------------------------------------------------------------------------

__global__ void residual_add_kernel(float *y_dev, const float *x_dev,
                                    const float *branch_dev, size_t N)
{
    // TODO 5.5: one sum per number (about 4 lines)
}

lab_status residual_add_gpu(float *y_dev, const float *x_dev, const float *branch_dev,
                            size_t N, cudaStream_t stream)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    // TODO 5.5: as 5.2 (about 2 lines)
    return lab_todo(y_dev, x_dev, branch_dev, N, stream);
}
