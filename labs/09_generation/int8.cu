// int8.cu - weights of one byte on the GPU.
//
//     quantize_rows    a block for each row       the largest magnitude by shuffles
//     linear_int8      a warp for each output     the sum by shuffles
//
// generation_gpu.h documents each launcher. Start reading at quantize_rows_kernel.

#include "09_generation/generation_gpu.h"

#include <limits.h>
#include <math.h>

enum { WARP = 32, WARPS = 4, BLOCK = WARPS * WARP };

// ---- 9.8  int8 rows -----------------------------------------------------------------------

// A block of BLOCK threads for each row o.
__global__ void quantize_rows_kernel(int8_t *rows_dev, float *scales_dev,
                                     const float *w_dev, size_t I)
{
    // TODO 9.8: thread i handles columns i, i + BLOCK, ...: first the largest magnitude
    // of the whole row, then its numbers, rounded by rintf; one thread writes the scale
    // (about 30 lines with a helper)
}

lab_status quantize_rows_gpu(int8_t *rows_dev, float *scales_dev, const float *w_dev,
                             size_t O, size_t I, cudaStream_t stream)
{
    if (O == 0 || I == 0 || O > INT_MAX) {
        return LAB_ESHAPE;
    }
    // TODO 9.8: O blocks of BLOCK threads; then check cudaGetLastError (about 3 lines)
    return lab_todo(rows_dev, scales_dev, w_dev, O, I, stream);
}

// Blocks along y. CUDA allows 65535.
[[maybe_unused]] const unsigned GRID_MAX = 128;

// A warp for each row o of the weights, in blocks of (WARP, WARPS) threads. Block row y of the grid
// handles the rows y, y + gridDim.y, ... of x.
__global__ void linear_int8_kernel(float *y_dev, const float *x_dev,
                                   const int8_t *rows_dev, const float *scales_dev,
                                   size_t N, size_t I, size_t O)
{
    // TODO 9.8: lane l adds the products of columns l, l + 32, ...; the sum over all
    // lanes; lane 0 multiplies it by the scale and writes it (about 17 lines)
}

lab_status linear_int8_gpu(float *y_dev, const float *x_dev, const int8_t *rows_dev,
                           const float *scales_dev, size_t N, size_t I, size_t O,
                           cudaStream_t stream)
{
    if (N == 0 || I == 0 || O == 0 || O > INT_MAX) {
        return LAB_ESHAPE;
    }
    // TODO 9.8: along x, blocks of (WARP, WARPS) threads for O rows; along y, N blocks,
    // but at most GRID_MAX; check cudaGetLastError (about 4 lines)
    return lab_todo(y_dev, x_dev, rows_dev, scales_dev, N, I, O, stream);
}
