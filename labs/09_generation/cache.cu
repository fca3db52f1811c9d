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

// A block of BLOCK threads for head h of sequence b: block i = b NH + h.
__global__ void attention_decode_kernel(float *out_dev, float *weights_dev,
                                        float *scores_dev, const float *q_dev,
                                        const float *keys_dev, const float *values_dev,
                                        const size_t *lengths_dev, size_t NH,
                                        size_t T_max, size_t hs)
{
    // TODO 9.2: lab 1's softmax_rows_kernel, with the scores before it and the values
    // after it. Each thread computes the scores of keys threadIdx.x, threadIdx.x + BLOCK,
    // ... and their weights; barrier; then it adds up its channels over all keys. Weights
    // from the length on are 0; rows from the length on are not read (about 65 lines with
    // helpers of your own; 9.4 can use them, too)
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
    // TODO 9.2: B NH blocks of BLOCK threads; then check cudaGetLastError (about 4 lines)
    return lab_todo(out_dev, weights_dev, scores_dev, q_dev, keys_dev, values_dev,
                    lengths_dev, B, NH, T_max, hs, stream);
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
    // TODO 9.4: as 9.2, with S keys for every query: compute b, h and t from the block,
    // then g = h / G. A forbidden key counts neither in the maximum nor in the sum; a
    // query without an allowed key gets zeros (about 12 lines with 9.2's helpers)
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
    // TODO 9.4: B NH T blocks of BLOCK threads (about 4 lines)
    return lab_todo(out_dev, weights_dev, scores_dev, q_dev, k_dev, v_dev, mask_dev, B,
                    NH, NKV, T, S, hs, stream);
}
