// gradients.cu - the backward passes on the GPU.
//
// There are three kinds of work, each with its own shape of grid:
//
//   products             dx = dy w, dw += dy^T x      cuBLAS; beta = 1 adds to the output
//   sums along a row     softmax, dx of layer norm    a warp for each row, and shuffles
//   sums down a column   dbias, dgain                 a block for 32 columns, and shared memory
//
// In a sum down a column, the threads of a warp have neighboring columns, so each step reads
// 32 neighbors of one row. The warps of the block share the rows:
//
//             columns  32 j ...  32 j + 31
//   row 0     warp 0   * * * * ... *          lane x adds up column 32 j + x
//   row 1     warp 1   * * * * ... *          of the rows y, y + 8, y + 16, ...
//   ...                                       then 8 sums of each column are
//   row 8     warp 0   * * * * ... *          added up in shared memory
//
// Every sum has a fixed order. atomicAdd would be shorter, but its order, and with it the last
// bits of the sum, would change from run to run.
//
// copy_task_gpu.h documents each launcher. Start reading at linear_backward_gpu.

#include "06_copy_task/copy_task_gpu.h"

#include <limits.h>
#include <math.h>

enum {
    WARP = 32,
    WARPS = 4,      // rows of a block that sums along rows
    TALL_WARPS = 8, // warps of a block that sums down columns
    BLOCK = 256,
};

// cuBLAS and grids take sizes as int. Refuse a larger size, because the cast would wrap it.
static bool fits_int(size_t size)
{
    return 0 < size && size <= INT_MAX;
}

// ---- 6.5  linear --------------------------------------------------------------------------

// sums (O) += the sum of all rows of dy (N, O), in blocks of (WARP, TALL_WARPS) threads
__global__ void add_rows_kernel(float *sums_dev, const float *dy_dev, size_t N, size_t O)
{
    // TODO 6.5: lane x has column o = 32 blockIdx.x + x; warp y sums rows y, y +
    // TALL_WARPS, ...; all warps write their sums to shared memory, and warp 0 adds these
    // to sums; some lanes of the last block have no column (about 19 lines)
}

lab_status linear_backward_gpu(float *dx_dev, float *dw_dev, float *dbias_dev,
                               const float *dy_dev, const float *x_dev,
                               const float *w_dev, size_t N, size_t I, size_t O,
                               cublasHandle_t cublas, cudaStream_t stream)
{
    if (!fits_int(N) || !fits_int(I) || !fits_int(O)) {
        return LAB_ESHAPE;
    }
    // TODO 6.5: two cublasSgemm, the second of which adds (beta is 1); cuBLAS sees a
    // row-major matrix as its transpose, so swap the factors; add_rows_kernel for the
    // bias, if there is one; check all three (about 12 lines)
    return lab_todo(dx_dev, dw_dev, dbias_dev, dy_dev, x_dev, w_dev, N, I, O, cublas,
                    stream);
}

// ---- 6.6  softmax -------------------------------------------------------------------------

// N rows, in blocks of (WARP, WARPS) threads
__global__ void softmax_backward_kernel(float *dscores_dev, const float *dweights_dev,
                                        const float *weights_dev, size_t N, size_t S)
{
    // TODO 6.6: a warp for row n; lane l handles elements l, l + 32, ...; the sum of
    // dweights weights over all lanes; then every element (about 16 lines, a helper for
    // the sum is welcome)
}

lab_status softmax_backward_gpu(float *dscores_dev, const float *dweights_dev,
                                const float *weights_dev, size_t N, size_t S,
                                cudaStream_t stream)
{
    if (!fits_int(N) || S == 0) {
        return LAB_ESHAPE;
    }
    // TODO 6.6: a warp for each row (about 3 lines)
    return lab_todo(dscores_dev, dweights_dev, weights_dev, N, S, stream);
}

// ---- 6.7  attention -----------------------------------------------------------------------

lab_status attention_backward_gpu(float *dq_dev, float *dk_dev, float *dv_dev,
                                  float *dweights_dev, float *dscores_dev,
                                  const float *dout_dev, const float *q_dev,
                                  const float *k_dev, const float *v_dev,
                                  const float *weights_dev, size_t B, size_t NH, size_t T,
                                  size_t S, size_t hs, cublasHandle_t cublas,
                                  cudaStream_t stream)
{
    if (!fits_int(B) || !fits_int(NH) || !fits_int(T) || !fits_int(S) || !fits_int(hs) ||
        !fits_int(B * NH) || B * NH > INT_MAX / T) {
        return LAB_ESHAPE;
    }
    // TODO 6.7: four cublasSgemmStridedBatched over B NH heads, with softmax_backward_gpu
    // between the second and the third, and 1/sqrt(hs) as the alpha of the last two; each
    // call in a LAB_TRY (about 25 lines, a helper for a row-major product is welcome)
    return lab_todo(dq_dev, dk_dev, dv_dev, dweights_dev, dscores_dev, dout_dev, q_dev,
                    k_dev, v_dev, weights_dev, B, NH, T, S, hs, cublas, stream);
}

// ---- 6.8  layer norm ----------------------------------------------------------------------

// N rows, in blocks of (WARP, WARPS) threads
__global__ void layernorm_dx_kernel(float *dx_dev, const float *dy_dev,
                                    const float *x_dev, const float *mean_dev,
                                    const float *rstd_dev, const float *gain_dev,
                                    size_t N, size_t C)
{
    // TODO 6.8: a warp for each row: the means of dnorm and of dnorm norm over its
    // channels; then dx of every channel (about 18 lines)
}

// C columns, in blocks of (WARP, TALL_WARPS) threads
__global__ void layernorm_params_kernel(float *dgain_dev, float *dbias_dev,
                                        const float *dy_dev, const float *x_dev,
                                        const float *mean_dev, const float *rstd_dev,
                                        size_t N, size_t C)
{
    // TODO 6.8: as add_rows_kernel, with two sums for each column: dy norm for dgain, dy
    // for dbias (about 21 lines)
}

lab_status layernorm_backward_gpu(float *dx_dev, float *dgain_dev, float *dbias_dev,
                                  const float *dy_dev, const float *x_dev,
                                  const float *mean_dev, const float *rstd_dev,
                                  const float *gain_dev, size_t N, size_t C,
                                  cudaStream_t stream)
{
    if (!fits_int(N) || !fits_int(C)) {
        return LAB_ESHAPE;
    }
    // TODO 6.8: two kernels, one along the rows and one down the columns; check
    // cudaGetLastError after each (about 6 lines)
    return lab_todo(dx_dev, dgain_dev, dbias_dev, dy_dev, x_dev, mean_dev, rstd_dev,
                    gain_dev, N, C, stream);
}

// ---- 6.9  GELU ----------------------------------------------------------------------------

__global__ void gelu_backward_kernel(float *dx_dev, const float *dy_dev,
                                     const float *x_dev, size_t N)
{
    // TODO 6.9: one number per thread; the product rule on x cdf(x), with erff and expf
    // (about 9 lines)
}

lab_status gelu_backward_gpu(float *dx_dev, const float *dy_dev, const float *x_dev,
                             size_t N, cudaStream_t stream)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    // TODO 6.9: enough blocks for N threads (about 3 lines)
    return lab_todo(dx_dev, dy_dev, x_dev, N, stream);
}
