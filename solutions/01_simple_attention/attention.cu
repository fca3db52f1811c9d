// attention.cu - lab 1 on the GPU: each CPU function becomes two functions.
//
//     kernel     the work of ONE thread; thousands run it, each with its own indices
//     launcher   runs on the CPU; chooses the number of threads and the blocks
//
// attention_gpu.h describes each launcher. Each step has one new idea:
//
//     1.1  a thread for each output               neighbors read neighboring addresses
//     1.3  the threads of a block share a tile    __shared__ and __syncthreads()
//     1.4  a block of threads works on one row    __shfl_xor_sync()
//     1.5  your choice
//
// Start reading at matmul_kernel.

// BEGIN SOLUTION 1.1 what the kernels have in common
// A grid has only whole blocks, so every kernel guards its ragged edge. Rows go along y,
// where a grid has at most GRID_MAX blocks. A loop over the remaining rows, in steps of
// the whole grid, is also the guard. Sums are in float, because most cards are 32 or 64 times
// slower in double.
// END SOLUTION 1.1

#include "01_simple_attention/attention_gpu.h"

#include <limits.h>
#include <math.h>

// CUDA counts blocks with 31 bits. Reject larger sizes, because the cast would silently
// wrap.
static bool fits_int(size_t size)
{
    return 0 < size && size <= INT_MAX;
}

// ---- 1.1  one thread for each output -----------------------------------------------------

// Blocks along y: enough to keep a card busy. CUDA allows 65535.
[[maybe_unused]] const unsigned GRID_MAX = 128;

// BEGIN SOLUTION 1.1 helper
// Enough blocks for an (M,N) output, rounded up, with x along its columns. A grid has at
// most GRID_MAX blocks along y; the kernels loop over the remaining rows.
static dim3 grid_for(size_t M, size_t N, dim3 block)
{
    const unsigned y = lab_blocks(M, block.y);
    return dim3(lab_blocks(N, block.x), y < GRID_MAX ? y : GRID_MAX);
}
// END SOLUTION 1.1

__global__ void matmul_kernel(float *out_dev, const float *a_dev, const float *b_dev,
                              size_t M, size_t N, size_t K)
{
    // BEGIN SOLUTION 1.1 matmul_kernel: compute this thread's column n from blockIdx.x
    // and threadIdx.x, and its first row m from blockIdx.y and threadIdx.y; further rows
    // follow in steps of gridDim.y * blockDim.y; for each, the sum over k as on the CPU;
    // write nothing outside (M,N) (about 12 lines)
    const size_t n = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t first = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (n >= N) {
        return;
    }
    for (size_t m = first; m < M; m += (size_t)gridDim.y * blockDim.y) {
        float sum = 0.0f;
        for (size_t k = 0; k < K; k++) {
            sum += a_dev[m * K + k] * b_dev[k * N + n];
        }
        out_dev[m * N + n] = sum;
    }
    // END SOLUTION 1.1
}

lab_status matmul_gpu(float *out_dev, const float *a_dev, const float *b_dev, size_t M,
                      size_t N, size_t K, cudaStream_t stream)
{
    if (!fits_int(M) || !fits_int(N) || !fits_int(K)) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 1.1 matmul_gpu: blocks of 32 by 8 threads, enough for (M,N): x along
    // N, y along M, but at most GRID_MAX along y (lab_blocks() rounds up); launch on the
    // stream, then check cudaGetLastError (about 6 lines)
    const dim3 block(32, 8);
    matmul_kernel<<<grid_for(M, N, block), block, 0, stream>>>(out_dev, a_dev, b_dev, M,
                                                               N, K);
    return lab_cuda(cudaGetLastError());
    // END SOLUTION 1.1
}

__global__ void matmul_nt_kernel(float *out_dev, const float *a_dev, const float *b_dev,
                                 size_t M, size_t N, size_t K)
{
    // BEGIN SOLUTION 1.1 matmul_nt_kernel: the same with row n of b (about 12 lines)
    const size_t n = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t first = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (n >= N) {
        return;
    }
    for (size_t m = first; m < M; m += (size_t)gridDim.y * blockDim.y) {
        float sum = 0.0f;
        for (size_t k = 0; k < K; k++) {
            sum += a_dev[m * K + k] * b_dev[n * K + k]; // K floats apart: see 1.3
        }
        out_dev[m * N + n] = sum;
    }
    // END SOLUTION 1.1
}

lab_status matmul_nt_gpu(float *out_dev, const float *a_dev, const float *b_dev, size_t M,
                         size_t N, size_t K, cudaStream_t stream)
{
    if (!fits_int(M) || !fits_int(N) || !fits_int(K)) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 1.1 matmul_nt_gpu: as matmul_gpu (about 3 lines)
    const dim3 block(32, 8);
    matmul_nt_kernel<<<grid_for(M, N, block), block, 0, stream>>>(out_dev, a_dev, b_dev,
                                                                  M, N, K);
    return lab_cuda(cudaGetLastError());
    // END SOLUTION 1.1
}

// ---- 1.3  a tile in shared memory --------------------------------------------------------

enum { TILE = 16 }; // a block is TILE by TILE threads and computes as many outputs

__global__ void attention_scores_kernel(float *scores_dev, const float *q_dev,
                                        const float *k_dev, size_t T, size_t S, size_t d,
                                        float scale)
{
    // BEGIN SOLUTION 1.3 attention_scores_kernel: this block handles the TILE queries
    // from t0 and the TILE keys from s0. In steps of TILE along d: each thread fetches
    // one number of q and one of k into __shared__ tiles (0 outside the matrices);
    // barrier; each thread adds TILE products from the tiles; barrier. At the end each
    // thread writes its score, if it has one. Then the block continues with the rows
    // gridDim.y * TILE further down (about 20 lines)
    __shared__ float q_tile[TILE][TILE];
    __shared__ float k_tile[TILE][TILE + 1]; // + 1: a column is in TILE banks, not in 2
    const size_t x = threadIdx.x, y = threadIdx.y;
    const size_t s0 = (size_t)blockIdx.x * TILE;

    for (size_t t0 = (size_t)blockIdx.y * TILE; t0 < T; t0 += (size_t)gridDim.y * TILE) {
        float sum = 0.0f;
        for (size_t i0 = 0; i0 < d; i0 += TILE) {
            // Here x runs along d, so neighboring threads fetch neighboring numbers of
            // q and of k.
            const bool in_width = i0 + x < d;
            q_tile[y][x] = in_width && t0 + y < T ? q_dev[(t0 + y) * d + i0 + x] : 0.0f;
            k_tile[y][x] = in_width && s0 + y < S ? k_dev[(s0 + y) * d + i0 + x] : 0.0f;
            __syncthreads(); // the tiles are complete
            for (size_t i = 0; i < TILE; i++) {
                sum += q_tile[y][i] * k_tile[x][i];
            }
            __syncthreads(); // all threads have read them: they may be overwritten
        }
        if (t0 + y < T && s0 + x < S) {
            scores_dev[(t0 + y) * S + s0 + x] = sum * scale;
        }
    }
    // END SOLUTION 1.3
}

lab_status attention_scores_gpu(float *scores_dev, const float *q_dev, const float *k_dev,
                                size_t T, size_t S, size_t d, cudaStream_t stream)
{
    if (!fits_int(T) || !fits_int(S) || !fits_int(d)) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 1.3 attention_scores_gpu: blocks of TILE by TILE threads, the scale
    // 1 / sqrt(d), the launch and its error (about 5 lines)
    const dim3 block(TILE, TILE);
    const float scale = 1.0f / sqrtf((float)d);
    attention_scores_kernel<<<grid_for(T, S, block), block, 0, stream>>>(
        scores_dev, q_dev, k_dev, T, S, d, scale);
    return lab_cuda(cudaGetLastError());
    // END SOLUTION 1.3
}

// ---- 1.4  a block for each row -----------------------------------------------------------

enum { WARP = 32, ROW_THREADS = 128, ROW_WARPS = ROW_THREADS / WARP };

// BEGIN SOLUTION 1.4 helper
// The largest number of the whole block, returned to every thread. After the five steps of
// the loop, each lane has the largest of its warp. Then the warps exchange their results
// through per_warp, which must not be in use for anything else.
static __device__ float block_max(float value, float *per_warp)
{
    for (int distance = WARP / 2; distance > 0; distance /= 2) {
        value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, distance));
    }
    if (threadIdx.x % WARP == 0) {
        per_warp[threadIdx.x / WARP] = value;
    }
    __syncthreads();
    for (int warp = 0; warp < ROW_WARPS; warp++) {
        value = fmaxf(value, per_warp[warp]);
    }
    return value;
}

// The same for the sum. Every thread gets the same bits, because all add in the same
// order.
static __device__ float block_sum(float value, float *per_warp)
{
    for (int distance = WARP / 2; distance > 0; distance /= 2) {
        value += __shfl_xor_sync(0xffffffffu, value, distance);
    }
    if (threadIdx.x % WARP == 0) {
        per_warp[threadIdx.x / WARP] = value;
    }
    __syncthreads();
    float sum = 0.0f;
    for (int warp = 0; warp < ROW_WARPS; warp++) {
        sum += per_warp[warp];
    }
    return sum;
}
// END SOLUTION 1.4

__global__ void softmax_rows_kernel(float *weights_dev, const float *scores_dev, size_t S)
{
    // BEGIN SOLUTION 1.4 softmax_rows_kernel: row blockIdx.x, by all ROW_THREADS threads:
    // thread i handles the keys i, i + ROW_THREADS, i + 2 ROW_THREADS ... Pass 1: the
    // largest of its scores, then of the warp by __shfl_xor_sync, then of the block by
    // shared memory. Pass 2: exponentials and their sum, in the same way. Pass 3:
    // division; zeros in a row of -INFINITY (about 50 lines with helpers of your own)
    __shared__ float maxima[ROW_WARPS], sums[ROW_WARPS];
    const float *scores = scores_dev + blockIdx.x * S;
    float *weights = weights_dev + blockIdx.x * S;

    float max = -INFINITY; // the maximum of no keys
    for (size_t s = threadIdx.x; s < S; s += ROW_THREADS) {
        max = fmaxf(max, scores[s]);
    }
    max = block_max(max, maxima);
    const float shift = max == -INFINITY ? 0.0f : max; // -inf - -inf would be NaN

    float sum = 0.0f;
    for (size_t s = threadIdx.x; s < S; s += ROW_THREADS) {
        const float weight = expf(scores[s] - shift);
        weights[s] = weight;
        sum += weight;
    }
    sum = block_sum(sum, sums);

    const float scale = sum == 0.0f ? 0.0f : 1.0f / sum;
    for (size_t s = threadIdx.x; s < S; s += ROW_THREADS) {
        weights[s] *= scale; // each thread reads its own writes: no barrier
    }
    // END SOLUTION 1.4
}

lab_status softmax_rows_gpu(float *weights_dev, const float *scores_dev, size_t T,
                            size_t S, cudaStream_t stream)
{
    if (!fits_int(T) || !fits_int(S)) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 1.4 softmax_rows_gpu: T blocks of ROW_THREADS threads (3 lines)
    softmax_rows_kernel<<<(unsigned)T, ROW_THREADS, 0, stream>>>(weights_dev, scores_dev,
                                                                 S);
    return lab_cuda(cudaGetLastError());
    // END SOLUTION 1.4
}

// ---- 1.5  your choice --------------------------------------------------------------------

__global__ void weighted_values_kernel(float *out_dev, const float *weights_dev,
                                       const float *v_dev, size_t T, size_t S, size_t dv)
{
    // BEGIN SOLUTION 1.5 weighted_values_kernel: 1.1 again, or the tiles of 1.3, without
    // a transposed tile (about 12 or 20 lines)
    __shared__ float weights_tile[TILE][TILE];
    __shared__ float v_tile[TILE][TILE];
    const size_t x = threadIdx.x, y = threadIdx.y;
    const size_t c = (size_t)blockIdx.x * TILE + x; // a column of v and of out

    for (size_t t0 = (size_t)blockIdx.y * TILE; t0 < T; t0 += (size_t)gridDim.y * TILE) {
        const size_t t = t0 + y;
        float sum = 0.0f;
        for (size_t s0 = 0; s0 < S; s0 += TILE) {
            weights_tile[y][x] = t < T && s0 + x < S ? weights_dev[t * S + s0 + x] : 0.0f;
            v_tile[y][x] = s0 + y < S && c < dv ? v_dev[(s0 + y) * dv + c] : 0.0f;
            __syncthreads();
            for (size_t s = 0; s < TILE; s++) {
                sum += weights_tile[y][s] * v_tile[s][x];
            }
            __syncthreads();
        }
        if (t < T && c < dv) {
            out_dev[t * dv + c] = sum;
        }
    }
    // END SOLUTION 1.5
}

lab_status weighted_values_gpu(float *out_dev, const float *weights_dev,
                               const float *v_dev, size_t T, size_t S, size_t dv,
                               cudaStream_t stream)
{
    if (!fits_int(T) || !fits_int(S) || !fits_int(dv)) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 1.5 weighted_values_gpu: the launch of your kernel, or of an earlier
    // function (about 3 lines)
    const dim3 block(TILE, TILE);
    weighted_values_kernel<<<grid_for(T, dv, block), block, 0, stream>>>(
        out_dev, weights_dev, v_dev, T, S, dv);
    return lab_cuda(cudaGetLastError());
    // END SOLUTION 1.5
}
