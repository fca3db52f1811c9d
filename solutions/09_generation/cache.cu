// cache.cu - attention over a cache on the GPU: each block has one query and many keys.
//
//     9.2  a block for each sequence and head     as many keys as the sequence has
//     9.4  a block for each query                 several heads read the same keys
// A block works in four passes. Each has its own loop, because it needs all results of the previous one:
//
//     scores    a key for each thread          q keys[s] / sqrt(hs), and the block's largest
//     weights   a key for each thread          exponentials, and the block's sum
//               a key for each thread          the division
//     out       a channel for each thread      the sum over all keys, after a barrier
//
// generation_gpu.h documents each launcher. Start reading at attention_decode_kernel.

#include "09_generation/generation_gpu.h"

#include <limits.h>
#include <math.h>

enum { WARP = 32, WARPS = 4, BLOCK = WARPS * WARP };

// The number of blocks must fit in an int. B NH could wrap around, so divide.
static bool fits_int(size_t a, size_t b)
{
    return 0 < a && a <= INT_MAX && 0 < b && b <= INT_MAX / a;
}

// ---- 9.2  one query -----------------------------------------------------------------------

// BEGIN SOLUTION 9.2 helper
// The largest number of the whole block, returned to every thread. Each warp exchanges numbers by
// shuffles, then the warps exchange theirs through per_warp, which nothing else may use.
static __device__ float block_max(float value, float *per_warp)
{
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

// The same for the sum. All threads add in the same order, so all get the same bits.
static __device__ float block_sum(float value, float *per_warp)
{
    for (int step = WARP / 2; step > 0; step /= 2) {
        value += __shfl_xor_sync(0xffffffffu, value, step);
    }
    if (threadIdx.x % WARP == 0) {
        per_warp[threadIdx.x / WARP] = value;
    }
    __syncthreads();
    float sum = 0.0f;
    for (int warp = 0; warp < WARPS; warp++) {
        sum += per_warp[warp];
    }
    return sum;
}

// The work of a block: one query q (hs) against S keys (S, hs). mask (S) or NULL: every key
// allowed.
static __device__ void attend(float *out, float *weights, float *scores, const float *q,
                              const float *keys, const float *values, const uint8_t *mask,
                              size_t S, size_t hs)
{
    __shared__ float maxima[WARPS], sums[WARPS];
    const float scale = 1.0f / sqrtf((float)hs);

    float max = -INFINITY; // the maximum of no keys
    for (size_t s = threadIdx.x; s < S; s += BLOCK) {
        float dot = 0.0f;
        for (size_t c = 0; c < hs; c++) {
            dot += q[c] * keys[s * hs + c];
        }
        const bool allowed = mask == NULL || mask[s] != 0;
        scores[s] = allowed ? dot * scale : -INFINITY;
        max = fmaxf(max, scores[s]);
    }
    max = block_max(max, maxima);
    const float shift = max == -INFINITY ? 0.0f : max; // -inf - -inf would be NaN

    float sum = 0.0f;
    for (size_t s = threadIdx.x; s < S; s += BLOCK) {
        weights[s] =
            expf(scores[s] - shift); // each thread reads its own scores: no barrier
        sum += weights[s];
    }
    sum = block_sum(sum, sums);

    const float factor = sum == 0.0f ? 0.0f : 1.0f / sum;
    for (size_t s = threadIdx.x; s < S; s += BLOCK) {
        weights[s] *= factor;
    }
    __syncthreads(); // below, each thread reads the weights of all threads

    for (size_t c = threadIdx.x; c < hs; c += BLOCK) {
        float value = 0.0f;
        for (size_t s = 0; s < S; s++) {
            value += weights[s] * values[s * hs + c];
        }
        out[c] = value;
    }
}
// END SOLUTION 9.2

// A block of BLOCK threads for head h of sequence b: block i = b NH + h.
__global__ void attention_decode_kernel(float *out_dev, float *weights_dev,
                                        float *scores_dev, const float *q_dev,
                                        const float *keys_dev, const float *values_dev,
                                        const size_t *lengths_dev, size_t NH,
                                        size_t T_max, size_t hs)
{
    // BEGIN SOLUTION 9.2 attention_decode_kernel: lab 1's softmax_rows_kernel, with the scores
    // before it and the values after it. Each thread computes the scores of keys threadIdx.x,
    // threadIdx.x + BLOCK, ... and their weights; barrier; then it adds up its channels over all
    // keys. Weights from the length on are 0; rows from the length on are not read (about 65 lines
    // with helpers of your own; 9.4 can use them, too)
    const size_t i = blockIdx.x;
    const size_t length = lengths_dev[i / NH];
    float *weights = weights_dev + i * T_max;

    attend(out_dev + i * hs, weights, scores_dev + i * T_max, q_dev + i * hs,
           keys_dev + i * T_max * hs, values_dev + i * T_max * hs, NULL, length, hs);
    for (size_t s = length + threadIdx.x; s < T_max; s += BLOCK) {
        weights[s] = 0.0f;
    }
    // END SOLUTION 9.2
}

lab_status attention_decode_gpu(float *out_dev, float *weights_dev, float *scores_dev,
                                const float *q_dev, const float *keys_dev,
                                const float *values_dev, const size_t *lengths_dev,
                                size_t B, size_t NH, size_t T_max, size_t hs,
                                cudaStream_t stream)
{
    if (!fits_int(B, NH) || T_max == 0 || hs == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 9.2 attention_decode_gpu: B NH blocks of BLOCK threads; then check
    // cudaGetLastError (about 4 lines)
    attention_decode_kernel<<<(unsigned)(B * NH), BLOCK, 0, stream>>>(
        out_dev, weights_dev, scores_dev, q_dev, keys_dev, values_dev, lengths_dev, NH,
        T_max, hs);
    return lab_cuda(cudaGetLastError());
    // END SOLUTION 9.2
}

// ---- 9.4  grouped queries -----------------------------------------------------------------

// A block of BLOCK threads for query t of head h of sequence b: block n = (b NH + h) T + t.
// G = NH / NKV heads of queries share a head of keys.
__global__ void grouped_query_kernel(float *out_dev, float *weights_dev,
                                     float *scores_dev, const float *q_dev,
                                     const float *k_dev, const float *v_dev,
                                     const uint8_t *mask_dev, size_t NH, size_t G,
                                     size_t T, size_t S, size_t hs)
{
    // BEGIN SOLUTION 9.4 grouped_query_kernel: as 9.2, with S keys for every query: compute b, h
    // and t from the block, then g = h / G. A forbidden key counts neither in the maximum nor in
    // the sum; a query without an allowed key gets zeros (about 12 lines with 9.2's helpers)
    const size_t n = blockIdx.x;
    const size_t t = n % T, h = n / T % NH, b = n / T / NH;
    const size_t keys =
        (b * (NH / G) + h / G) * S * hs; // where head g of sequence b begins
    const uint8_t *mask = mask_dev == NULL ? NULL : mask_dev + (b * T + t) * S;

    attend(out_dev + n * hs, weights_dev + n * S, scores_dev + n * S, q_dev + n * hs,
           k_dev + keys, v_dev + keys, mask, S, hs);
    // END SOLUTION 9.4
}

lab_status grouped_query_attention_gpu(float *out_dev, float *weights_dev,
                                       float *scores_dev, const float *q_dev,
                                       const float *k_dev, const float *v_dev,
                                       const uint8_t *mask_dev, size_t B, size_t NH,
                                       size_t NKV, size_t T, size_t S, size_t hs,
                                       cudaStream_t stream)
{
    if (!fits_int(B, NH) || !fits_int(B * NH, T) || NKV == 0 || NH % NKV != 0 || S == 0 ||
        hs == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 9.4 grouped_query_attention_gpu: B NH T blocks of BLOCK threads (about 4
    // lines)
    grouped_query_kernel<<<(unsigned)(B * NH * T), BLOCK, 0, stream>>>(
        out_dev, weights_dev, scores_dev, q_dev, k_dev, v_dev, mask_dev, NH, NH / NKV, T,
        S, hs);
    return lab_cuda(cudaGetLastError());
    // END SOLUTION 9.4
}
