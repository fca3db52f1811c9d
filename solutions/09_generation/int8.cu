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

// BEGIN SOLUTION 9.8 helper
// The largest number of the whole block, returned to every thread: first of each warp, by
// shuffles, then of the WARPS warps, through shared memory.
static __device__ float block_max(float value)
{
    __shared__ float per_warp[WARPS];
    for (int step = WARP / 2; step > 0; step /= 2) {
        value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, step));
    }
    if (threadIdx.x % WARP == 0) {
        per_warp[threadIdx.x / WARP] = value;
    }
    __syncthreads();
    for (int warp = 0; warp < WARPS; warp++) {
        value = fmaxf(value, per_warp[warp]);
    }
    return value;
}

// The sum of a warp's 32 values, in every lane.
static __device__ float warp_sum(float value)
{
    for (int step = WARP / 2; step > 0; step /= 2) {
        value += __shfl_xor_sync(0xffffffffu, value, step);
    }
    return value;
}
// END SOLUTION 9.8

// A block of BLOCK threads for each row o.
__global__ void quantize_rows_kernel(int8_t *rows_dev, float *scales_dev,
                                     const float *w_dev, size_t I)
{
    // BEGIN SOLUTION 9.8 quantize_rows_kernel: thread i handles columns i, i + BLOCK, ...: first the
    // largest magnitude of the whole row, then its numbers, rounded by rintf; one thread
    // writes the scale (about 30 lines with a helper)
    const size_t o = blockIdx.x;
    const float *w = w_dev + o * I;
    int8_t *row = rows_dev + o * I;

    float largest = 0.0f;
    for (size_t i = threadIdx.x; i < I; i += BLOCK) {
        largest = fmaxf(largest, fabsf(w[i]));
    }
    const float scale = block_max(largest) / 127.0f;
    for (size_t i = threadIdx.x; i < I; i += BLOCK) {
        row[i] = scale > 0.0f ? (int8_t)rintf(w[i] / scale) : 0;
    }
    if (threadIdx.x == 0) {
        scales_dev[o] = scale;
    }
    // END SOLUTION 9.8
}

lab_status quantize_rows_gpu(int8_t *rows_dev, float *scales_dev, const float *w_dev,
                             size_t O, size_t I, cudaStream_t stream)
{
    if (O == 0 || I == 0 || O > INT_MAX) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 9.8 quantize_rows_gpu: O blocks of BLOCK threads; then check cudaGetLastError
    // (about 3 lines)
    quantize_rows_kernel<<<(unsigned)O, BLOCK, 0, stream>>>(rows_dev, scales_dev, w_dev,
                                                            I);
    return lab_cuda(cudaGetLastError());
    // END SOLUTION 9.8
}

// Blocks along y. CUDA allows 65535.
[[maybe_unused]] const unsigned GRID_MAX = 128;

// A warp for each row o of the weights, in blocks of (WARP, WARPS) threads. Block row y of the grid
// handles the rows y, y + gridDim.y, ... of x.
__global__ void linear_int8_kernel(float *y_dev, const float *x_dev,
                                   const int8_t *rows_dev, const float *scales_dev,
                                   size_t N, size_t I, size_t O)
{
    // BEGIN SOLUTION 9.8 linear_int8_kernel: lane l adds the products of columns l, l + 32, ...;
    // the sum over all lanes; lane 0 multiplies it by the scale and writes it (about 17 lines)
    const size_t o = (size_t)blockIdx.x * WARPS + threadIdx.y;
    if (o >= O) {
        return; // the whole warp returns: nothing waits for it
    }
    const int8_t *row = rows_dev + o * I;

    for (size_t n = blockIdx.y; n < N; n += gridDim.y) {
        float sum = 0.0f;
        for (size_t i = threadIdx.x; i < I; i += WARP) {
            sum += x_dev[n * I + i] * (float)row[i];
        }
        sum = warp_sum(sum);
        if (threadIdx.x == 0) {
            y_dev[n * O + o] = scales_dev[o] * sum;
        }
    }
    // END SOLUTION 9.8
}

lab_status linear_int8_gpu(float *y_dev, const float *x_dev, const int8_t *rows_dev,
                           const float *scales_dev, size_t N, size_t I, size_t O,
                           cudaStream_t stream)
{
    if (N == 0 || I == 0 || O == 0 || O > INT_MAX) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 9.8 linear_int8_gpu: along x, blocks of (WARP, WARPS) threads for O rows;
    // along y, N blocks, but at most GRID_MAX; check cudaGetLastError (about 4 lines)
    const dim3 grid(lab_blocks(O, WARPS), N < GRID_MAX ? (unsigned)N : GRID_MAX);
    linear_int8_kernel<<<grid, dim3(WARP, WARPS), 0, stream>>>(y_dev, x_dev, rows_dev,
                                                               scales_dev, N, I, O);
    return lab_cuda(cudaGetLastError());
    // END SOLUTION 9.8
}
