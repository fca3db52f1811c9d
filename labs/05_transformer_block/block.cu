// block.cu - lab 5 on the GPU: everything in a block except the matrix products.
//
//   layer norm      a block of threads for each row; two sums over the whole block
//   the others      one number at a time, in a grid-stride loop
//
// None of these kernels computes much. A GELU does about twenty operations on a number, while a
// card can do more than a hundred in the time it takes to load and store that number. So only memory
// traffic matters: read every byte once, and 32 neighbors at a time.
//
// block_gpu.h documents each launcher. Start reading at gelu_kernel.

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
    // TODO 5.1: thread i handles channels i, i + ROW_BLOCK, ... of the row; sum over all
    // threads of the block twice, for the mean and for the variance; then write every
    // channel (about 20 lines, a helper for the sum is welcome)
}

lab_status layernorm_gpu(float *y_dev, float *mean_dev, float *rstd_dev,
                         const float *x_dev, const float *gain_dev, const float *bias_dev,
                         size_t N, size_t C, cudaStream_t stream)
{
    if (N == 0 || C == 0 || N > INT_MAX) {
        return LAB_ESHAPE;
    }
    // TODO 5.1: a block of ROW_BLOCK threads for each row; then check cudaGetLastError
    // (about 3 lines)
    return lab_todo(y_dev, mean_dev, rstd_dev, x_dev, gain_dev, bias_dev, N, C, stream);
}

// ---- one number at a time -----------------------------------------------------------------

enum { BLOCK = 256 };

// The number of blocks of BLOCK threads to launch for N numbers: at most enough to fill the
// largest card a few times over. If there are fewer threads than numbers, each thread continues
// with the number that is one grid size further.
[[maybe_unused]] static unsigned blocks_for(size_t N)
{
    const size_t blocks = (N + BLOCK - 1) / BLOCK, most = 2048;
    return (unsigned)(blocks < most ? blocks : most);
}

// ---- 5.2  GELU ----------------------------------------------------------------------------

__global__ void gelu_kernel(float *y_dev, const float *x_dev, size_t N)
{
    // TODO 5.2: start at the thread's index in the whole grid, step by the number of
    // threads in the grid; use erff (about 5 lines)
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
    // TODO 5.4: keep and scale, or set to 0 (about 4 lines)
}

lab_status dropout_gpu(float *y_dev, const float *x_dev, const float *uniforms_dev,
                       float p, bool training, size_t N, cudaStream_t stream)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    if (!(0.0f <= p && p < 1.0f)) { // written this way, it refuses NaN too
        return LAB_EVALUE;
    }
    // TODO 5.4: if not training, a copy within the device (cudaMemcpyAsync); otherwise
    // the kernel (about 7 lines)
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
