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

__global__ void matmul_kernel(float *out_dev, const float *a_dev, const float *b_dev,
                              size_t M, size_t N, size_t K)
{
    // TODO 1.1: compute this thread's column n from blockIdx.x and threadIdx.x, and its
    // first row m from blockIdx.y and threadIdx.y; further rows follow in steps of
    // gridDim.y * blockDim.y; for each, the sum over k as on the CPU; write nothing
    // outside (M,N) (about 12 lines)
}

lab_status matmul_gpu(float *out_dev, const float *a_dev, const float *b_dev, size_t M,
                      size_t N, size_t K, cudaStream_t stream)
{
    if (!fits_int(M) || !fits_int(N) || !fits_int(K)) {
        return LAB_ESHAPE;
    }
    // TODO 1.1: blocks of 32 by 8 threads, enough for (M,N): x along N, y along M, but at
    // most GRID_MAX along y (lab_blocks() rounds up); launch on the stream, then check
    // cudaGetLastError (about 6 lines)
    return lab_todo(out_dev, a_dev, b_dev, M, N, K, stream);
}

__global__ void matmul_nt_kernel(float *out_dev, const float *a_dev, const float *b_dev,
                                 size_t M, size_t N, size_t K)
{
    // TODO 1.1: the same with row n of b (about 12 lines)
}

lab_status matmul_nt_gpu(float *out_dev, const float *a_dev, const float *b_dev, size_t M,
                         size_t N, size_t K, cudaStream_t stream)
{
    if (!fits_int(M) || !fits_int(N) || !fits_int(K)) {
        return LAB_ESHAPE;
    }
    // TODO 1.1: as matmul_gpu (about 3 lines)
    return lab_todo(out_dev, a_dev, b_dev, M, N, K, stream);
}

// ---- 1.3  a tile in shared memory --------------------------------------------------------

enum { TILE = 16 }; // a block is TILE by TILE threads and computes as many outputs

__global__ void attention_scores_kernel(float *scores_dev, const float *q_dev,
                                        const float *k_dev, size_t T, size_t S, size_t d,
                                        float scale)
{
    // TODO 1.3: this block handles the TILE queries from t0 and the TILE keys from s0. In
    // steps of TILE along d: each thread fetches one number of q and one of k into
    // __shared__ tiles (0 outside the matrices); barrier; each thread adds TILE products
    // from the tiles; barrier. At the end each thread writes its score, if it has one.
    // Then the block continues with the rows gridDim.y * TILE further down (about 20
    // lines)
}

lab_status attention_scores_gpu(float *scores_dev, const float *q_dev, const float *k_dev,
                                size_t T, size_t S, size_t d, cudaStream_t stream)
{
    if (!fits_int(T) || !fits_int(S) || !fits_int(d)) {
        return LAB_ESHAPE;
    }
    // TODO 1.3: blocks of TILE by TILE threads, the scale 1 / sqrt(d), the launch and its
    // error (about 5 lines)
    return lab_todo(scores_dev, q_dev, k_dev, T, S, d, stream);
}

// ---- 1.4  a block for each row -----------------------------------------------------------

enum { WARP = 32, ROW_THREADS = 128, ROW_WARPS = ROW_THREADS / WARP };

__global__ void softmax_rows_kernel(float *weights_dev, const float *scores_dev, size_t S)
{
    // TODO 1.4: row blockIdx.x, by all ROW_THREADS threads: thread i handles the keys i,
    // i + ROW_THREADS, i + 2 ROW_THREADS ... Pass 1: the largest of its scores, then of
    // the warp by __shfl_xor_sync, then of the block by shared memory. Pass 2:
    // exponentials and their sum, in the same way. Pass 3: division; zeros in a row of
    // -INFINITY (about 50 lines with helpers of your own)
}

lab_status softmax_rows_gpu(float *weights_dev, const float *scores_dev, size_t T,
                            size_t S, cudaStream_t stream)
{
    if (!fits_int(T) || !fits_int(S)) {
        return LAB_ESHAPE;
    }
    // TODO 1.4: T blocks of ROW_THREADS threads (3 lines)
    return lab_todo(weights_dev, scores_dev, T, S, stream);
}

// ---- 1.5  your choice --------------------------------------------------------------------

__global__ void weighted_values_kernel(float *out_dev, const float *weights_dev,
                                       const float *v_dev, size_t T, size_t S, size_t dv)
{
    // TODO 1.5: 1.1 again, or the tiles of 1.3, without a transposed tile (about 12 or 20
    // lines)
}

lab_status weighted_values_gpu(float *out_dev, const float *weights_dev,
                               const float *v_dev, size_t T, size_t S, size_t dv,
                               cudaStream_t stream)
{
    if (!fits_int(T) || !fits_int(S) || !fits_int(dv)) {
        return LAB_ESHAPE;
    }
    // TODO 1.5: the launch of your kernel, or of an earlier function (about 3 lines)
    return lab_todo(out_dev, weights_dev, v_dev, T, S, dv, stream);
}
