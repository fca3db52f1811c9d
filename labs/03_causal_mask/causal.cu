// causal.cu - lab 3 on the GPU: a mask from indices, and several steps fused into one
// kernel.
//
//     3.1  a mask without an input              each thread computes it from its indices
//     3.3  fill and softmax in one launch       a warp for each row: shuffles, no barrier
//     3.4  scale, mask and softmax in one       a comparison replaces the stored mask
//
// causal_gpu.h describes each launcher. Start reading at
// causal_mask_kernel.

#include "03_causal_mask/causal_gpu.h"

#include <limits.h>
#include <math.h>

#include "02_batching/batching_gpu.h"

// CUDA and cuBLAS sizes are int. Reject larger ones, because the cast would silently
// wrap.
static bool fits_int(size_t size)
{
    return 0 < size && size <= INT_MAX;
}

// ---- 3.1  the mask from indices ----------------------------------------------------------

// The limit on the blocks along y and along z, enough to keep a card busy. CUDA allows 65535.
[[maybe_unused]] const unsigned GRID_MAX = 128;

// A grid has at most GRID_MAX blocks along y and z; the kernels loop over the rest.
[[maybe_unused]] static unsigned at_most(unsigned blocks)
{
    return blocks < GRID_MAX ? blocks : GRID_MAX;
}

__global__ void causal_mask_kernel(uint8_t *mask_dev, size_t T, size_t S)
{
    // TODO 3.1: a thread for each key s, x along the keys, and rows t as in 1.1; one
    // comparison, without a subtraction that could fall below 0 (about 8 lines)
}

lab_status causal_mask_gpu(uint8_t *mask_dev, size_t T, size_t S, cudaStream_t stream)
{
    if (!fits_int(T) || !fits_int(S)) {
        return LAB_ESHAPE;
    }
    // TODO 3.1: blocks of 32 by 8 threads over (T,S) (4 lines)
    return lab_todo(mask_dev, T, S, stream);
}

// ---- 3.3  fill and softmax in one --------------------------------------------------------

enum { WARP = 32, ROWS = 4 }; // a block is ROWS warps, one row for each

__global__ void masked_softmax_kernel(float *weights_dev, const float *scores_dev,
                                      const uint8_t *mask_dev, size_t N, size_t S)
{
    // TODO 3.3: warp threadIdx.y of block blockIdx.x handles one row; its lane
    // threadIdx.x handles every 32nd key. As 1.4, but skip forbidden keys, give them
    // weight 0, and store no intermediate scores (about 38 lines with helpers)
}

lab_status masked_softmax_gpu(float *weights_dev, const float *scores_dev,
                              const uint8_t *mask_dev, size_t N, size_t S,
                              cudaStream_t stream)
{
    if (!fits_int(N) || !fits_int(S)) {
        return LAB_ESHAPE;
    }
    // TODO 3.3: blocks of WARP by ROWS threads (4 lines)
    return lab_todo(weights_dev, scores_dev, mask_dev, N, S, stream);
}

// ---- 3.4  scale, mask and softmax in one -------------------------------------------------

// The causal softmax of all B * T rows of raw scores q k^T. Row n belongs to query n % T.
__global__ void causal_softmax_kernel(float *weights_dev, const float *scores_dev,
                                      size_t N, size_t T, float scale)
{
    // TODO 3.4: 3.3 without a mask in memory: row n sees the keys up to n % T, so the
    // first two passes stop there and the last one writes zeros after it; scale each
    // score as you read it (about 25 lines)
}

lab_status causal_attention_gpu(float *out_dev, float *weights_dev, float *q_dev,
                                float *k_dev, float *v_dev, float *scores_dev,
                                uint8_t *mask_dev, const float *x_dev,
                                const float *w_q_dev, const float *w_k_dev,
                                const float *w_v_dev, size_t B, size_t T, size_t C,
                                cublasHandle_t cublas, cudaStream_t stream)
{
    if (!fits_int(T) || !fits_int(C) || B == 0 || B > INT_MAX / T) {
        return LAB_ESHAPE;
    }
    // TODO 3.4: lab 2's projections, its batched_matmul_nt_gpu, the kernel above with the
    // scale 1 / sqrt(C), its batched_matmul_gpu; each call in a LAB_TRY (about 12 lines)
    return lab_todo(out_dev, weights_dev, q_dev, k_dev, v_dev, scores_dev, mask_dev,
                    x_dev, w_q_dev, w_k_dev, w_v_dev, B, T, C, cublas, stream);
}
