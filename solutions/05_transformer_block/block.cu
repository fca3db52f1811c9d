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

// BEGIN SOLUTION 5.1 helper
// The sum of value over all ROW_BLOCK threads, in every thread. parts (ROW_WARPS) is shared
// memory.
static __device__ float block_sum(float value, float *parts)
{
    for (int step = WARP / 2; step > 0; step /= 2) {
        value += __shfl_xor_sync(0xffffffffu, value, step);
    }
    if (threadIdx.x % WARP == 0) {
        parts[threadIdx.x / WARP] = value;
    }
    __syncthreads(); // every warp has written its part
    float sum = 0.0f;
    for (int warp = 0; warp < ROW_WARPS; warp++) {
        sum += parts[warp];
    }
    __syncthreads(); // all threads have read: parts may be overwritten
    return sum;
}
// END SOLUTION 5.1

// Row blockIdx.x of x (N, C).
__global__ void layernorm_kernel(float *y_dev, float *mean_dev, float *rstd_dev,
                                 const float *x_dev, const float *gain_dev,
                                 const float *bias_dev, size_t C)
{
    // BEGIN SOLUTION 5.1 layernorm_kernel: thread i handles channels i, i + ROW_BLOCK, ... of
    // the row; sum over all threads of the block twice, for the mean and for the variance;
    // then write every channel (about 20 lines, a helper for the sum is welcome)
    __shared__ float parts[ROW_WARPS];
    const size_t n = blockIdx.x;
    const float *x_n = x_dev + n * C;
    float *y_n = y_dev + n * C;

    // pass 1: the mean
    float sum = 0.0f;
    for (size_t c = threadIdx.x; c < C; c += ROW_BLOCK) {
        sum += x_n[c];
    }
    const float mean = block_sum(sum, parts) / (float)C;

    // pass 2: the variance, from the distances; x_n is in the cache now
    float squares = 0.0f;
    for (size_t c = threadIdx.x; c < C; c += ROW_BLOCK) {
        squares += (x_n[c] - mean) * (x_n[c] - mean);
    }
    const float variance = block_sum(squares, parts) / (float)C;
    const float rstd = 1.0f / sqrtf(variance + LAYERNORM_EPS);

    // pass 3: normalize, scale, shift
    for (size_t c = threadIdx.x; c < C; c += ROW_BLOCK) {
        y_n[c] = (x_n[c] - mean) * rstd * gain_dev[c] + bias_dev[c];
    }
    if (threadIdx.x == 0) {
        mean_dev[n] = mean;
        rstd_dev[n] = rstd;
    }
    // END SOLUTION 5.1
}

lab_status layernorm_gpu(float *y_dev, float *mean_dev, float *rstd_dev,
                         const float *x_dev, const float *gain_dev, const float *bias_dev,
                         size_t N, size_t C, cudaStream_t stream)
{
    if (N == 0 || C == 0 || N > INT_MAX) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 5.1 layernorm_gpu: a block of ROW_BLOCK threads for each row; then check
    // cudaGetLastError (about 3 lines)
    layernorm_kernel<<<(unsigned)N, ROW_BLOCK, 0, stream>>>(y_dev, mean_dev, rstd_dev,
                                                            x_dev, gain_dev, bias_dev, C);
    return lab_cuda(cudaGetLastError());
    // END SOLUTION 5.1
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
    // BEGIN SOLUTION 5.2 gelu_kernel: start at the thread's index in the whole grid, step by
    // the number of threads in the grid; use erff (about 5 lines)
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < N; i += threads) {
        const float x = x_dev[i];
        y_dev[i] = 0.5f * x * (1.0f + erff(x * 0.70710678f)); // 1 / sqrt 2
    }
    // END SOLUTION 5.2
}

lab_status gelu_gpu(float *y_dev, const float *x_dev, size_t N, cudaStream_t stream)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 5.2 gelu_gpu: blocks_for(N) blocks of BLOCK threads (about 2 lines)
    gelu_kernel<<<blocks_for(N), BLOCK, 0, stream>>>(y_dev, x_dev, N);
    return lab_cuda(cudaGetLastError());
    // END SOLUTION 5.2
}

// ---- 5.4  dropout -------------------------------------------------------------------------

__global__ void dropout_kernel(float *y_dev, const float *x_dev,
                               const float *uniforms_dev, float keep, size_t N)
{
    // BEGIN SOLUTION 5.4 dropout_kernel: keep and scale, or set to 0 (about 4 lines)
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < N; i += threads) {
        y_dev[i] = uniforms_dev[i] < keep ? x_dev[i] / keep : 0.0f;
    }
    // END SOLUTION 5.4
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
    // BEGIN SOLUTION 5.4 dropout_gpu: if not training, a copy within the device
    // (cudaMemcpyAsync); otherwise the kernel (about 7 lines)
    if (!training) {
        return lab_cuda(cudaMemcpyAsync(y_dev, x_dev, N * sizeof *y_dev,
                                        cudaMemcpyDeviceToDevice, stream));
    }
    dropout_kernel<<<blocks_for(N), BLOCK, 0, stream>>>(y_dev, x_dev, uniforms_dev,
                                                        1.0f - p, N);
    return lab_cuda(cudaGetLastError());
    // END SOLUTION 5.4
}

// ---- 5.5  residual ------------------------------------------------------------------------

__global__ void residual_add_kernel(float *y_dev, const float *x_dev,
                                    const float *branch_dev, size_t N)
{
    // BEGIN SOLUTION 5.5 residual_add_kernel: one sum per number (about 4 lines)
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < N; i += threads) {
        y_dev[i] = x_dev[i] + branch_dev[i];
    }
    // END SOLUTION 5.5
}

lab_status residual_add_gpu(float *y_dev, const float *x_dev, const float *branch_dev,
                            size_t N, cudaStream_t stream)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 5.5 residual_add_gpu: as 5.2 (about 2 lines)
    residual_add_kernel<<<blocks_for(N), BLOCK, 0, stream>>>(y_dev, x_dev, branch_dev, N);
    return lab_cuda(cudaGetLastError());
    // END SOLUTION 5.5
}
