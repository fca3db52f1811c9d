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
    // BEGIN SOLUTION 3.1 causal_mask_kernel: a thread for each key s, x along the keys,
    // and rows t as in 1.1; one comparison, without a subtraction that could fall below 0
    // (about 8 lines)
    const size_t s = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t first = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (s >= S) {
        return;
    }
    for (size_t t = first; t < T; t += (size_t)gridDim.y * blockDim.y) {
        mask_dev[t * S + s] = s + T <= t + S; // s <= t + (S - T)
    }
    // END SOLUTION 3.1
}

lab_status causal_mask_gpu(uint8_t *mask_dev, size_t T, size_t S, cudaStream_t stream)
{
    if (!fits_int(T) || !fits_int(S)) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 3.1 causal_mask_gpu: blocks of 32 by 8 threads over (T,S) (4 lines)
    const dim3 block(32, 8);
    const dim3 grid(lab_blocks(S, block.x), at_most(lab_blocks(T, block.y)));
    causal_mask_kernel<<<grid, block, 0, stream>>>(mask_dev, T, S);
    return lab_cuda(cudaGetLastError());
    // END SOLUTION 3.1
}

// ---- 3.3  fill and softmax in one --------------------------------------------------------

enum { WARP = 32, ROWS = 4 }; // a block is ROWS warps, one row for each

// BEGIN SOLUTION 3.3 helper
// The largest number of a warp, returned to every lane; and the sum, with the same bits in
// every lane. This needs no shared memory and no barrier.
static __device__ float warp_max(float value)
{
    for (int distance = WARP / 2; distance > 0; distance /= 2) {
        value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, distance));
    }
    return value;
}

static __device__ float warp_sum(float value)
{
    for (int distance = WARP / 2; distance > 0; distance /= 2) {
        value += __shfl_xor_sync(0xffffffffu, value, distance);
    }
    return value;
}
// END SOLUTION 3.3

__global__ void masked_softmax_kernel(float *weights_dev, const float *scores_dev,
                                      const uint8_t *mask_dev, size_t N, size_t S)
{
    // BEGIN SOLUTION 3.3 masked_softmax_kernel: warp threadIdx.y of block blockIdx.x
    // handles one row; its lane threadIdx.x handles every 32nd key. As 1.4, but skip
    // forbidden keys, give them weight 0, and store no intermediate scores (about 38
    // lines with helpers)
    const size_t n = (size_t)blockIdx.x * ROWS + threadIdx.y;
    if (n >= N) { // the whole warp returns, or none of it: no shuffle misses a lane
        return;
    }
    const float *scores = scores_dev + n * S;
    const uint8_t *mask = mask_dev + n * S;
    float *weights = weights_dev + n * S;

    float max = -INFINITY; // the maximum of no keys
    for (size_t s = threadIdx.x; s < S; s += WARP) {
        max = fmaxf(max, mask[s] != 0 ? scores[s] : -INFINITY);
    }
    max = warp_max(max);
    const float shift = max == -INFINITY ? 0.0f : max; // -inf - -inf would be NaN

    float sum = 0.0f;
    for (size_t s = threadIdx.x; s < S; s += WARP) {
        const float weight = mask[s] != 0 ? expf(scores[s] - shift) : 0.0f;
        weights[s] = weight;
        sum += weight;
    }
    sum = warp_sum(sum);

    const float scale = sum == 0.0f ? 0.0f : 1.0f / sum;
    for (size_t s = threadIdx.x; s < S; s += WARP) {
        weights[s] *= scale; // each lane reads its own writes
    }
    // END SOLUTION 3.3
}

lab_status masked_softmax_gpu(float *weights_dev, const float *scores_dev,
                              const uint8_t *mask_dev, size_t N, size_t S,
                              cudaStream_t stream)
{
    if (!fits_int(N) || !fits_int(S)) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 3.3 masked_softmax_gpu: blocks of WARP by ROWS threads (4 lines)
    const dim3 block(WARP, ROWS);
    masked_softmax_kernel<<<lab_blocks(N, ROWS), block, 0, stream>>>(
        weights_dev, scores_dev, mask_dev, N, S);
    return lab_cuda(cudaGetLastError());
    // END SOLUTION 3.3
}

// ---- 3.4  scale, mask and softmax in one -------------------------------------------------

// The causal softmax of all B * T rows of raw scores q k^T. Row n belongs to query n % T.
__global__ void causal_softmax_kernel(float *weights_dev, const float *scores_dev,
                                      size_t N, size_t T, float scale)
{
    // BEGIN SOLUTION 3.4 causal_softmax_kernel: 3.3 without a mask in memory: row n sees
    // the keys up to n % T, so the first two passes stop there and the last one writes
    // zeros after it; scale each score as you read it (about 25 lines)
    const size_t n = (size_t)blockIdx.x * ROWS + threadIdx.y;
    if (n >= N) {
        return;
    }
    const float *scores = scores_dev + n * T;
    float *weights = weights_dev + n * T;
    const size_t seen = n % T + 1; // at least one key: max is finite, sum >= 1

    float max = -INFINITY;
    for (size_t s = threadIdx.x; s < seen; s += WARP) {
        max = fmaxf(max, scores[s] * scale);
    }
    max = warp_max(max);

    float sum = 0.0f;
    for (size_t s = threadIdx.x; s < seen; s += WARP) {
        const float weight = expf(scores[s] * scale - max);
        weights[s] = weight;
        sum += weight;
    }
    sum = warp_sum(sum);

    for (size_t s = threadIdx.x; s < T; s += WARP) {
        weights[s] = s < seen ? weights[s] / sum : 0.0f;
    }
    // END SOLUTION 3.4
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
    // BEGIN SOLUTION 3.4 causal_attention_gpu: lab 2's projections, its
    // batched_matmul_nt_gpu, the kernel above with the scale 1 / sqrt(C), its
    // batched_matmul_gpu; each call in a LAB_TRY (about 12 lines)
    (void)mask_dev; // comparing two indices is cheaper than reading a mask
    LAB_TRY(batched_linear_gpu(q_dev, x_dev, w_q_dev, NULL, B, T, C, C, cublas, stream));
    LAB_TRY(batched_linear_gpu(k_dev, x_dev, w_k_dev, NULL, B, T, C, C, cublas, stream));
    LAB_TRY(batched_linear_gpu(v_dev, x_dev, w_v_dev, NULL, B, T, C, C, cublas, stream));
    LAB_TRY(batched_matmul_nt_gpu(scores_dev, q_dev, k_dev, B, T, T, C, stream));

    const size_t N = B * T;
    causal_softmax_kernel<<<lab_blocks(N, ROWS), dim3(WARP, ROWS), 0, stream>>>(
        weights_dev, scores_dev, N, T, 1.0f / sqrtf((float)C));
    LAB_TRY(lab_cuda(cudaGetLastError()));

    LAB_TRY(batched_matmul_gpu(out_dev, weights_dev, v_dev, B, T, C, T, stream));
    return LAB_OK;
    // END SOLUTION 3.4
}
