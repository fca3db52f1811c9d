// cache.cu - lab 9's attention on the GPU, made fast.
//
// Read solutions/09_generation/cache.cu first: it is the plain form of the same mathematics. A
// decode step reads every key and every value once, and computes little. So its speed is limited by
// memory bandwidth. These kernels use most of it:
//   1. keys side by side     In the plain form, each thread reads its own key, so the addresses of a
//                            warp are hs floats apart. Here neighboring threads read neighboring
//                            numbers of one key, as float4, and add up by shuffles.
//   2. many blocks           One sequence with 32 heads has 32 blocks, and a card runs hundreds.
//                            Here several blocks share the keys of a head. The softmax needs all
//                            scores, and the values need all weights, so each is a separate launch.
//   3. no atomics            The blocks that share the values write their own sums, into the scores,
//                            which are no longer needed. The last launch adds them up in a
//                            fixed order.
//   4. a key for 4 queries   The heads of a group are contiguous, so their G T queries are
//                            rows against the same keys (9.4). A thread multiplies the four numbers
//                            of a key that it has loaded by those of four queries. Where there is
//                            one query, kernels of their own do not add up three sums of nothing.
//   5. 4 keys under way      A thread starts the loads of several keys or values before it uses the
//                            first one, because memory is far away.
//
// 9.2 is 9.4 with groups of one head, T = 1, and a length for each sequence. So both are `attend`.
//
// Start reading at attend.

#include "09_generation/generation_gpu.h"

#include <limits.h>
#include <math.h>

enum {
    WARP = 32,
    WARPS = 4,
    BLOCK = WARPS * WARP,
    MOST_PARTS = 64, // blocks that share a head
};

const size_t PART_KEYS = 64; // each of them has at least this many keys
const size_t MOST_ROWS = 4;  // rows of queries that read a key together
const size_t KEYS = 4;       // keys that a thread loads at once

// The number of blocks must fit in an int. B NH could wrap around, so divide.
static bool fits_int(size_t a, size_t b)
{
    return 0 < a && a <= INT_MAX && 0 < b && b <= INT_MAX / a;
}

// ---- numbers in fours ---------------------------------------------------------------------

// Numbers 4 i ... 4 i + 3 of a row of n, with 0 past the end. If n is a multiple of 4, every row
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

// ---- the four launches --------------------------------------------------------------------

// What the kernels work on: groups of M = G T rows of queries, each group with its S keys.
struct attention {
    const size_t *lengths_dev; // (B), or NULL: all S keys
    size_t groups_each;        // groups of one sequence: NKV
    size_t M, S, hs;
};

// The rows of one block: rows m0 ... m0 + rows - 1 of group i, against the first `length` keys.
struct block_rows {
    size_t i, m0, rows, length;
};

// Block x of a grid with enough blocks for ROWS rows each.
template <size_t ROWS>
static __device__ struct block_rows rows_of(unsigned x, struct attention a)
{
    const size_t blocks = (a.M + ROWS - 1) / ROWS;
    struct block_rows block;
    block.i = x / blocks;
    block.m0 = x % blocks * ROWS;
    block.rows = a.M - block.m0 < ROWS ? a.M - block.m0 : ROWS;
    block.length = a.lengths_dev == NULL ? a.S : a.lengths_dev[block.i / a.groups_each];
    return block;
}

// scores = q k^T. A key is read by blockDim.x threads side by side, a power of 2, four numbers each.
// Blocks of (lanes, BLOCK / lanes) threads; grid: ROWS rows of queries along x, a part of the keys
// along y.
template <size_t ROWS>
__global__ void scores_kernel(float *scores_dev, const float *q_dev, const float *k_dev,
                              struct attention a)
{
    const struct block_rows block = rows_of<ROWS>(blockIdx.x, a);
    const float *q = q_dev + (block.i * a.M + block.m0) * a.hs;
    const float *keys = k_dev + block.i * a.S * a.hs;
    float *scores = scores_dev + (block.i * a.M + block.m0) * a.S;
    const size_t together = blockDim.y * KEYS; // keys that the block reads at once

    // All threads of a warp make the same number of iterations, because they shuffle.
    for (size_t s0 = blockIdx.y * together; s0 < block.length;
         s0 += gridDim.y * together) {
        const size_t s = s0 + threadIdx.y; // and s + blockDim.y, s + 2 blockDim.y ...
        float dots[ROWS][KEYS] = {};
        for (size_t c = threadIdx.x; 4 * c < a.hs; c += blockDim.x) {
            float4 key[KEYS];
            for (size_t j = 0; j < KEYS; j++) {
                const size_t s_j = s + j * blockDim.y;
                key[j] = s_j < block.length ? load_four(keys + s_j * a.hs, c, a.hs)
                                            : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
            }
            for (size_t r = 0; r < ROWS; r++) { // a constant end: dots stays in registers
                const float4 query =
                    load_four(q + (r < block.rows ? r : 0) * a.hs, c, a.hs);
                for (size_t j = 0; j < KEYS; j++) {
                    dots[r][j] += dot_four(query, key[j]);
                }
            }
        }
        for (unsigned lanes = blockDim.x / 2; lanes > 0; lanes /= 2) {
            for (size_t r = 0; r < ROWS; r++) {
                for (size_t j = 0; j < KEYS; j++) {
                    dots[r][j] += __shfl_xor_sync(0xffffffffu, dots[r][j], (int)lanes);
                }
            }
        }
        for (size_t r = 0; r < ROWS; r++) {
            for (size_t j = 0; j < KEYS; j++) {
                const size_t s_j = s + j * blockDim.y;
                if (threadIdx.x == 0 && s_j < block.length && r < block.rows) {
                    scores[r * a.S + s_j] = dots[r][j];
                }
            }
        }
    }
}

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

// weights = softmax of scale scores over the allowed keys, 0 from the length on. A block for each
// row n = (b NH + h) T + t. mask_dev (B, T, S), or NULL.
__global__ void softmax_kernel(float *weights_dev, const float *scores_dev,
                               const size_t *lengths_dev, const uint8_t *mask_dev,
                               size_t NH, size_t T, size_t S, float scale)
{
    __shared__ float maxima[WARPS], sums[WARPS];
    const size_t n = blockIdx.x, b = n / T / NH;
    const size_t length = lengths_dev == NULL ? S : lengths_dev[b];
    const float *scores = scores_dev + n * S;
    const uint8_t *mask = mask_dev == NULL ? NULL : mask_dev + (b * T + n % T) * S;
    float *weights = weights_dev + n * S;

    float max = -INFINITY; // the maximum of no keys
    for (size_t s = threadIdx.x; s < length; s += BLOCK) {
        max = fmaxf(max, mask == NULL || mask[s] != 0 ? scores[s] * scale : -INFINITY);
    }
    max = block_max(max, maxima);

    float sum = 0.0f;
    for (size_t s = threadIdx.x; s < length; s += BLOCK) {
        const bool allowed = mask == NULL || mask[s] != 0;
        weights[s] = allowed ? expf(scores[s] * scale - max) : 0.0f;
        sum += weights[s];
    }
    sum = block_sum(sum, sums);

    const float factor = sum == 0.0f ? 0.0f : 1.0f / sum;
    for (size_t s = threadIdx.x; s < S; s += BLOCK) {
        weights[s] =
            s < length ? weights[s] * factor : 0.0f; // each thread reads its own writes
    }
}

// Part blockIdx.y of the weighted sum of the values, of its share of the keys. Row m of group i
// begins at sums_dev + (i M + m) stride. Blocks as for the scores: threadIdx.x picks four channels,
// threadIdx.y every blockDim.y-th key.
template <size_t ROWS>
__global__ void values_kernel(float *sums_dev, const float *weights_dev,
                              const float *v_dev, struct attention a, size_t stride)
{
    __shared__ float4 parts[ROWS][BLOCK];
    const struct block_rows block = rows_of<ROWS>(blockIdx.x, a);
    const float *weights = weights_dev + (block.i * a.M + block.m0) * a.S;
    const float *values = v_dev + block.i * a.S * a.hs;
    float *sums = sums_dev + (block.i * a.M + block.m0) * stride + blockIdx.y * a.hs;

    const size_t share = (block.length + gridDim.y - 1) / gridDim.y;
    const size_t begin = blockIdx.y * share;
    const size_t end = begin + share < block.length ? begin + share : block.length;
    const unsigned x = threadIdx.x, y = threadIdx.y, lanes = blockDim.x;

    for (size_t c0 = 0; 4 * c0 < a.hs; c0 += lanes) {
        const size_t c = c0 + x;
        float4 row_sums[ROWS] = {};
#pragma unroll 4 // KEYS values under way
        for (size_t s = begin + y; s < end && 4 * c < a.hs; s += blockDim.y) {
            const float4 value = load_four(values + s * a.hs, c, a.hs);
            for (size_t r = 0; r < ROWS; r++) {
                if (r < block.rows) {
                    row_sums[r] = add_four(row_sums[r], weights[r * a.S + s], value);
                }
            }
        }
        for (size_t r = 0; r < ROWS; r++) {
            parts[r][y * lanes + x] = row_sums[r];
        }
        __syncthreads(); // the sums of all rows of threads are there
        for (size_t r = y; r < block.rows && 4 * c < a.hs; r += blockDim.y) {
            float4 sum = parts[r][x];
            for (unsigned other = 1; other < blockDim.y; other++) {
                sum = add_four(sum, 1.0f, parts[r][other * lanes + x]);
            }
            store_four(sums + r * stride, sum, c, a.hs);
        }
        __syncthreads(); // they have been read
    }
}

// out (rows, hs) = the sum of the parts of each row. A thread for each number.
__global__ void sum_kernel(float *out_dev, const float *sums_dev, size_t rows,
                           size_t parts, size_t hs, size_t stride)
{
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    for (size_t j = (size_t)blockIdx.x * blockDim.x + threadIdx.x; j < rows * hs;
         j += threads) {
        float sum = 0.0f;
        for (size_t p = 0; p < parts; p++) {
            sum += sums_dev[j / hs * stride + p * hs + j % hs];
        }
        out_dev[j] = sum;
    }
}

// ---- 9.2 and 9.4 --------------------------------------------------------------------------

static unsigned smaller(size_t a, size_t b)
{
    return (unsigned)(a < b ? a : b);
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

// How many blocks share the values of a row. Their sums of hs numbers must fit in its S scores;
// as float4 they must begin at multiples of 16 bytes, which they do if S is a multiple of 4.
static unsigned parts_for(size_t S, size_t hs)
{
    const size_t parts = S / (hs > PART_KEYS ? hs : PART_KEYS);
    return parts == 0 || (S % 4 != 0 && hs % 4 == 0) ? 1 : smaller(parts, MOST_PARTS);
}

// The four launches, for ROWS rows of queries at a time.
template <size_t ROWS>
static lab_status attend_rows(float *out_dev, float *weights_dev, float *scores_dev,
                              const float *q_dev, const float *k_dev, const float *v_dev,
                              const uint8_t *mask_dev, struct attention a, size_t B,
                              size_t NH, size_t T, cudaStream_t stream)
{
    const size_t rows = B * NH * T;
    const unsigned tall = (unsigned)(rows / a.M * ((a.M + ROWS - 1) / ROWS));
    const unsigned lanes = lanes_for(a.hs), parts = parts_for(a.S, a.hs);
    const dim3 block(lanes, BLOCK / lanes);
    const bool shared = parts > 1;

    scores_kernel<ROWS>
        <<<dim3(tall, smaller((a.S + PART_KEYS - 1) / PART_KEYS, MOST_PARTS)), block, 0,
           stream>>>(scores_dev, q_dev, k_dev, a);
    softmax_kernel<<<(unsigned)rows, BLOCK, 0, stream>>>(weights_dev, scores_dev,
                                                         a.lengths_dev, mask_dev, NH, T,
                                                         a.S, 1.0f / sqrtf((float)a.hs));
    values_kernel<ROWS><<<dim3(tall, parts), block, 0, stream>>>(
        shared ? scores_dev : out_dev, weights_dev, v_dev, a, shared ? a.S : a.hs);
    if (shared) {
        const unsigned blocks = smaller((rows * a.hs + BLOCK - 1) / BLOCK, 2048);
        sum_kernel<<<blocks, BLOCK, 0, stream>>>(out_dev, scores_dev, rows, parts, a.hs,
                                                 a.S);
    }
    return lab_cuda(cudaGetLastError()); // of any of them
}

static lab_status attend(float *out_dev, float *weights_dev, float *scores_dev,
                         const float *q_dev, const float *k_dev, const float *v_dev,
                         const size_t *lengths_dev, const uint8_t *mask_dev, size_t B,
                         size_t NH, size_t NKV, size_t T, size_t S, size_t hs,
                         cudaStream_t stream)
{
    const struct attention a = {lengths_dev, NKV, NH / NKV * T, S, hs};
    const auto launch = a.M == 1 ? attend_rows<1> : attend_rows<MOST_ROWS>;
    return launch(out_dev, weights_dev, scores_dev, q_dev, k_dev, v_dev, mask_dev, a, B,
                  NH, T, stream);
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
    return attend(out_dev, weights_dev, scores_dev, q_dev, keys_dev, values_dev,
                  lengths_dev, NULL, B, NH, NH, 1, T_max, hs, stream);
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
    return attend(out_dev, weights_dev, scores_dev, q_dev, k_dev, v_dev, NULL, mask_dev,
                  B, NH, NKV, T, S, hs, stream);
}
