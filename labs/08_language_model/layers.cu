// layers.cu - the layers of lab 8 on the GPU.
//
//   sums along a row      rmsnorm, its dx      a warp for each row, and shuffles
//   sums down a column    dgain                a block for 32 columns, and shared memory
//   one number each       swiglu               a grid-stride loop
//   one pair each         rope_backward        the pair of every head, as a float2
//
// Lab 6's gradients.cu draws the sum down a column. Here, too, every sum has a fixed order.
//
// language_model_gpu.h documents each launcher. Start reading at rmsnorm_kernel.

#include "08_language_model/language_model_gpu.h"

#include <limits.h>
#include <math.h>

enum {
    WARP = 32,
    WARPS = 4,      // rows of a block that sums along rows
    TALL_WARPS = 8, // warps of a block that sums down columns
    BLOCK = 256,
};

// ---- 8.3  RMSNorm -------------------------------------------------------------------------

// N rows, in blocks of (WARP, WARPS) threads
__global__ void rmsnorm_kernel(float *y_dev, float *rrms_dev, const float *x_dev,
                               const float *gain_dev, size_t N, size_t C)
{
    // TODO 8.3: a warp for row n; lane l handles channels l, l + 32, ...; the sum of the
    // squares over all lanes; then every channel; lane 0 writes rrms (about 16 lines, a
    // helper for the sum is welcome)
}

lab_status rmsnorm_gpu(float *y_dev, float *rrms_dev, const float *x_dev,
                       const float *gain_dev, size_t N, size_t C, cudaStream_t stream)
{
    if (N == 0 || C == 0 || N > INT_MAX) {
        return LAB_ESHAPE;
    }
    // TODO 8.3: enough blocks of (WARP, WARPS) threads for N rows; then check
    // cudaGetLastError (about 3 lines)
    return lab_todo(y_dev, rrms_dev, x_dev, gain_dev, N, C, stream);
}

// N rows, in blocks of (WARP, WARPS) threads
__global__ void rmsnorm_dx_kernel(float *dx_dev, const float *dy_dev, const float *x_dev,
                                  const float *rrms_dev, const float *gain_dev, size_t N,
                                  size_t C)
{
    // TODO 8.3: a warp for each row: the mean of dnorm norm over its channels; then dx of
    // every channel (about 17 lines)
}

// C columns, in blocks of (WARP, TALL_WARPS) threads
__global__ void rmsnorm_gain_kernel(float *dgain_dev, const float *dy_dev,
                                    const float *x_dev, const float *rrms_dev, size_t N,
                                    size_t C)
{
    // TODO 8.3: lane x has column c = 32 blockIdx.x + x; warp y sums dy norm of rows y, y
    // + TALL_WARPS, ...; all warps write their sums to shared memory, and warp 0 adds
    // these to dgain; some lanes of the last block have no column (about 19 lines)
}

lab_status rmsnorm_backward_gpu(float *dx_dev, float *dgain_dev, const float *dy_dev,
                                const float *x_dev, const float *rrms_dev,
                                const float *gain_dev, size_t N, size_t C,
                                cudaStream_t stream)
{
    if (N == 0 || C == 0 || N > INT_MAX || C > INT_MAX) {
        return LAB_ESHAPE;
    }
    // TODO 8.3: two kernels, one along the rows and one down the columns; check
    // cudaGetLastError after each (about 6 lines)
    return lab_todo(dx_dev, dgain_dev, dy_dev, x_dev, rrms_dev, gain_dev, N, C, stream);
}

// ---- 8.4  SwiGLU --------------------------------------------------------------------------

// The number of blocks of BLOCK threads to launch for N numbers: at most enough to fill the
// largest card a few times over. If there are fewer threads than numbers, each thread continues
// with the number that is one grid size further.
[[maybe_unused]] static unsigned blocks_for(size_t N)
{
    const size_t blocks = (N + BLOCK - 1) / BLOCK, most = 2048;
    return (unsigned)(blocks < most ? blocks : most);
}

__global__ void swiglu_kernel(float *y_dev, const float *a_dev, const float *b_dev,
                              size_t N)
{
    // TODO 8.4: start at the thread's index in the whole grid, step by the number of
    // threads in the grid (about 6 lines)
}

lab_status swiglu_gpu(float *y_dev, const float *a_dev, const float *b_dev, size_t N,
                      cudaStream_t stream)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    // TODO 8.4: blocks_for(N) blocks of BLOCK threads (about 2 lines)
    return lab_todo(y_dev, a_dev, b_dev, N, stream);
}

__global__ void swiglu_backward_kernel(float *da_dev, float *db_dev, const float *dy_dev,
                                       const float *a_dev, const float *b_dev, size_t N)
{
    // TODO 8.4: both gradients of one number at a time: three numbers are read, two
    // written (about 8 lines)
}

lab_status swiglu_backward_gpu(float *da_dev, float *db_dev, const float *dy_dev,
                               const float *a_dev, const float *b_dev, size_t N,
                               cudaStream_t stream)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    // TODO 8.4: as swiglu_gpu (about 3 lines)
    return lab_todo(da_dev, db_dev, dy_dev, a_dev, b_dev, N, stream);
}

// ---- 8.5  RoPE ----------------------------------------------------------------------------

// A thread for each of the T hs/2 pairs of a head. There are rows = B NH heads; block row y of
// the grid handles heads y, y + gridDim.y, ...
__global__ void rope_backward_kernel(float *dx_dev, const float *dy_dev,
                                     const size_t *positions_dev, size_t rows, size_t T,
                                     size_t hs)
{
    // TODO 8.5: as lab 7's rope_kernel, with the opposite angle (about 15 lines)
}

lab_status rope_backward_gpu(float *dx_dev, const float *dy_dev,
                             const size_t *positions_dev, size_t B, size_t NH, size_t T,
                             size_t hs, cudaStream_t stream)
{
    if (B == 0 || NH == 0 || T == 0 || hs == 0 || hs % 2 != 0) {
        return LAB_ESHAPE;
    }
    // TODO 8.5: the pairs of one head along x; a few rows of blocks along y, to keep a
    // card busy even if T hs is small (about 5 lines)
    return lab_todo(dx_dev, dy_dev, positions_dev, B, NH, T, hs, stream);
}
