// cache.cu - lab 9's attention on the GPU, made fast.
//
// Read solutions/09_generation/cache.cu first: it is the plain form of the same mathematics. A
// decode step reads every key and every value once, and computes little. So its speed is that of
// the memory, if the kernels let the memory work:
//
//   1. keys side by side     In the plain form each thread reads its own key, so the addresses of a
//                            warp lie hs floats apart. Here neighbouring threads read neighbouring
//                            numbers of one key, as float4, and add up by shuffles.
//   2. many blocks           One sequence with 32 heads has 32 blocks, and a card runs hundreds.
//                            Here several blocks share the keys of a head. The softmax needs all
//                            scores, and the values need all weights, so each is its own launch.
//   3. no atomics            The blocks that share the values write sums of their own, into the
//                            scores, which nobody needs any more. The last launch adds them up in a
//                            fixed order.
//   4. a key for 16 queries  9.4 is lab 2's product over groups: a tile of keys is read once for 16
//                            rows of queries, whichever heads of the group they belong to.
//
// Start reading at attention_decode_gpu.

#include "09_generation/generation_gpu.h"

#include <limits.h>
#include <math.h>

#include "02_batching/batching_gpu.h"

enum {
    WARP = 32,
    WARPS = 4,
    BLOCK = WARPS * WARP,
    MOST_PARTS = 64, // blocks that share a head
};

const size_t PART_KEYS = 64; // each of them has at least so many keys

// The number of blocks must fit into an int. B NH could wrap around, so divide.
static bool fits_int(size_t a, size_t b)
{
    return 0 < a && a <= INT_MAX && 0 < b && b <= INT_MAX / a;
}

static unsigned smaller(size_t a, size_t b)
{
    return (unsigned)(a < b ? a : b);
}

// ---- numbers in fours ---------------------------------------------------------------------

// Numbers 4 i ... 4 i + 3 of a row of n, with 0 behind the end. If n is a multiple of 4, every row
// begins at a multiple of 16 bytes, and this is one load.
static __device__ float4 load_four(const float *row, size_t i, size_t n)
{
    if (n % 4 == 0) {
        return ((const float4 *)row)[i];
    }
    const float *x = row + 4 * i;
    const size_t left = n - 4 * i; // at least 1
    return make_float4(x[0], left > 1 ? x[1] : 0.0f, left > 2 ? x[2] : 0.0f,
                       left > 3 ? x[3] : 0.0f);
}

static __device__ void store_four(float *row, float4 x, size_t i, size_t n)
{
    if (n % 4 == 0) {
        ((float4 *)row)[i] = x;
        return;
    }
    const float numbers[] = {x.x, x.y, x.z, x.w};
    for (size_t j = 0; j < 4 && 4 * i + j < n; j++) {
        row[4 * i + j] = numbers[j];
    }
}

static __device__ float dot_four(float4 a, float4 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

// sum + factor x
static __device__ float4 add_four(float4 sum, float factor, float4 x)
{
    return make_float4(sum.x + factor * x.x, sum.y + factor * x.y, sum.z + factor * x.z,
                       sum.w + factor * x.w);
}

// ---- the softmax of a row, by a block -----------------------------------------------------

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

// weights[s] = softmax of scale scores[s] over the allowed s < S. mask (S), or NULL.
static __device__ void softmax_row(float *weights, const float *scores,
                                   const uint8_t *mask, size_t S, float scale)
{
    __shared__ float maxima[WARPS], sums[WARPS];
    float max = -INFINITY; // of no key at all
    for (size_t s = threadIdx.x; s < S; s += BLOCK) {
        max = fmaxf(max, mask == NULL || mask[s] != 0 ? scores[s] * scale : -INFINITY);
    }
    max = block_max(max, maxima);

    float sum = 0.0f;
    for (size_t s = threadIdx.x; s < S; s += BLOCK) {
        const bool allowed = mask == NULL || mask[s] != 0;
        weights[s] = allowed ? expf(scores[s] * scale - max) : 0.0f;
        sum += weights[s];
    }
    sum = block_sum(sum, sums);

    const float factor = sum == 0.0f ? 0.0f : 1.0f / sum;
    for (size_t s = threadIdx.x; s < S; s += BLOCK) {
        weights[s] *= factor; // each thread reads its own writes: no barrier
    }
}

// ---- 9.2  one query -----------------------------------------------------------------------

// A key is read by `lanes` threads side by side, a power of 2, each with four of its numbers.
// Blocks of (lanes, BLOCK / lanes) threads; grid: head i along x, a part of its keys along y.
__global__ void decode_scores_kernel(float *scores_dev, const float *q_dev,
                                     const float *keys_dev, const size_t *lengths_dev,
                                     size_t NH, size_t T_max, size_t hs)
{
    const size_t i = blockIdx.x, length = lengths_dev[i / NH];
    const size_t keys_at_once = (size_t)gridDim.y * blockDim.y;
    const float *q = q_dev + i * hs, *keys = keys_dev + i * T_max * hs;

    // All lanes of a warp make the same number of turns, because they shuffle.
    const size_t first = (size_t)blockIdx.y * blockDim.y;
    for (size_t s0 = first; s0 < length; s0 += keys_at_once) {
        const size_t s = s0 + threadIdx.y;
        float dot = 0.0f;
        for (size_t c = threadIdx.x; s < length && 4 * c < hs; c += blockDim.x) {
            dot += dot_four(load_four(q, c, hs), load_four(keys + s * hs, c, hs));
        }
        for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
            dot += __shfl_xor_sync(0xffffffffu, dot, (int)step);
        }
        if (s < length && threadIdx.x == 0) {
            scores_dev[i * T_max + s] = dot;
        }
    }
}

// A block for each head.
__global__ void decode_softmax_kernel(float *weights_dev, const float *scores_dev,
                                      const size_t *lengths_dev, size_t NH, size_t T_max,
                                      float scale)
{
    const size_t i = blockIdx.x, length = lengths_dev[i / NH];
    softmax_row(weights_dev + i * T_max, scores_dev + i * T_max, NULL, length, scale);
    for (size_t s = length + threadIdx.x; s < T_max; s += BLOCK) {
        weights_dev[i * T_max + s] = 0.0f;
    }
}

// Part p of gridDim.y: the weighted sum of its share of the values of head i, to row p of sums_dev
// + i stride. Blocks as above: threadIdx.x picks four channels, threadIdx.y every blockDim.y-th key.
__global__ void decode_values_kernel(float *sums_dev, const float *weights_dev,
                                     const float *values_dev, const size_t *lengths_dev,
                                     size_t NH, size_t T_max, size_t hs, size_t stride)
{
    __shared__ float4 parts[BLOCK];
    const unsigned x = threadIdx.x, y = threadIdx.y, lanes = blockDim.x;
    const size_t i = blockIdx.x, p = blockIdx.y, length = lengths_dev[i / NH];
    const size_t share = (length + gridDim.y - 1) / gridDim.y;
    const size_t begin = p * share, end = begin + share < length ? begin + share : length;
    const float *weights = weights_dev + i * T_max;
    const float *values = values_dev + i * T_max * hs;

    for (size_t c0 = 0; 4 * c0 < hs; c0 += lanes) {
        const size_t c = c0 + x;
        float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        for (size_t s = begin + y; s < end && 4 * c < hs; s += blockDim.y) {
            sum = add_four(sum, weights[s], load_four(values + s * hs, c, hs));
        }
        parts[y * lanes + x] = sum;
        __syncthreads(); // the sums of all rows of threads are there
        if (y == 0 && 4 * c < hs) {
            for (unsigned row = 1; row < blockDim.y; row++) {
                sum = add_four(sum, 1.0f, parts[row * lanes + x]);
            }
            store_four(sums_dev + i * stride + p * hs, sum, c, hs);
        }
        __syncthreads(); // they have been read
    }
}

// out (heads, hs) = the sum of the parts of each head. A thread for each number.
__global__ void decode_sum_kernel(float *out_dev, const float *sums_dev, size_t heads,
                                  size_t parts, size_t hs, size_t stride)
{
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    for (size_t j = (size_t)blockIdx.x * blockDim.x + threadIdx.x; j < heads * hs;
         j += threads) {
        float sum = 0.0f;
        for (size_t p = 0; p < parts; p++) {
            sum += sums_dev[j / hs * stride + p * hs + j % hs];
        }
        out_dev[j] = sum;
    }
}

// The smallest power of 2 that covers a row of hs numbers in fours, but at most a warp.
static unsigned lanes_for(size_t hs)
{
    unsigned lanes = 1;
    while (lanes < WARP && 4 * lanes < hs) {
        lanes *= 2;
    }
    return lanes;
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
    const unsigned heads = (unsigned)(B * NH), lanes = lanes_for(hs);
    const dim3 block(lanes, BLOCK / lanes);
    // The sums of all parts must fit into a head's T_max scores, rows of hs at multiples of 16
    // bytes where the stores need it: T_max is then a multiple of 4, or there is one part.
    size_t parts = T_max / (hs > PART_KEYS ? hs : PART_KEYS);
    parts = T_max % 4 != 0 && hs % 4 == 0 ? 1 : smaller(parts, MOST_PARTS);
    const bool shared = parts > 1;

    const unsigned spread = smaller((T_max + PART_KEYS - 1) / PART_KEYS, MOST_PARTS);
    decode_scores_kernel<<<dim3(heads, spread), block, 0, stream>>>(
        scores_dev, q_dev, keys_dev, lengths_dev, NH, T_max, hs);
    decode_softmax_kernel<<<heads, BLOCK, 0, stream>>>(
        weights_dev, scores_dev, lengths_dev, NH, T_max, 1.0f / sqrtf((float)hs));
    decode_values_kernel<<<dim3(heads, shared ? (unsigned)parts : 1), block, 0, stream>>>(
        shared ? scores_dev : out_dev, weights_dev, values_dev, lengths_dev, NH, T_max,
        hs, shared ? T_max : hs);
    if (shared) {
        decode_sum_kernel<<<smaller((heads * hs + BLOCK - 1) / BLOCK, 2048), BLOCK, 0,
                            stream>>>(out_dev, scores_dev, heads, parts, hs, T_max);
    }
    return lab_cuda(cudaGetLastError()); // of any of them
}

// ---- 9.4  grouped queries -----------------------------------------------------------------

// A block for row n of B NH T scores; rows is NH T, those of one sequence.
__global__ void grouped_softmax_kernel(float *weights_dev, const float *scores_dev,
                                       const uint8_t *mask_dev, size_t rows, size_t T,
                                       size_t S, float scale)
{
    const size_t n = blockIdx.x, query = n / rows * T + n % T; // b T + t
    softmax_row(weights_dev + n * S, scores_dev + n * S,
                mask_dev == NULL ? NULL : mask_dev + query * S, S, scale);
}

lab_status grouped_query_attention_gpu(float *out_dev, float *weights_dev,
                                       float *scores_dev, const float *q_dev,
                                       const float *k_dev, const float *v_dev,
                                       const uint8_t *mask_dev, size_t B, size_t NH,
                                       size_t NKV, size_t T, size_t S, size_t hs,
                                       cudaStream_t stream)
{
    if (!fits_int(B, NH) || !fits_int(B * NH, T) || NKV == 0 || NH % NKV != 0 ||
        !fits_int(S, 1) || !fits_int(hs, 1)) {
        return LAB_ESHAPE;
    }
    // The G heads of a group lie one after the other: one matrix (G T, hs) against (S, hs).
    const size_t G = NH / NKV;
    LAB_TRY(
        batched_matmul_nt_gpu(scores_dev, q_dev, k_dev, B * NKV, G * T, S, hs, stream));
    grouped_softmax_kernel<<<(unsigned)(B * NH * T), BLOCK, 0, stream>>>(
        weights_dev, scores_dev, mask_dev, NH * T, T, S, 1.0f / sqrtf((float)hs));
    LAB_TRY(lab_cuda(cudaGetLastError()));
    return batched_matmul_gpu(out_dev, weights_dev, v_dev, B * NKV, G * T, hs, S, stream);
}
