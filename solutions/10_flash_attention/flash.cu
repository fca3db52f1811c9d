// flash.cu - attention on the GPU that never stores its weights.
//     10.2  a block for each tile of queries     loads tiles of keys and values into shared memory
//
// A warp works on ROWS queries of its block's tile, one after another. A lane has two jobs:
//     for one key of the tile            it computes that key's score and weight; shuffles give
//                                        the warp the largest score and the sum of the weights
//     for some channels                  it adds up lane, lane + 32, ... of the query's output; the
//                                        weight of each key comes from that key's lane by a shuffle
//
// So scores and weights stay in registers: they are written neither to device memory nor to shared
// memory.
//
// flash_attention_gpu.h describes the launcher. Start reading at flash_attention_kernel.

#include "10_flash_attention/flash_attention_gpu.h"

#include <limits.h>
#include <math.h>

enum {
    WARP = 32,
    WARPS = 4,
    BLOCK = WARPS * WARP,
    ROWS = 4,                   // queries of a warp
    Br = WARPS * ROWS,          // queries of a block
    Bc = WARP,                  // keys of a tile: one for each lane
    MOST_hs = 128,              // channels of a head, at most
    MOST_EACH = MOST_hs / WARP, // channels of a lane, at most
    WIDTH = MOST_hs + 1,        // of a tile's row: + 1 spreads a column over all banks
};

// The number of blocks must fit in an int. A product could wrap around, so divide.
static bool fits_int(size_t a, size_t b)
{
    return 0 < a && a <= INT_MAX && 0 < b && b <= INT_MAX / a;
}

// ---- 10.2  a tile of queries ----------------------------------------------------------------

// BEGIN SOLUTION 10.2 helper
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

// How many keys query t sees: keys 0 ... keys_seen - 1.
static __device__ size_t keys_seen(size_t t, bool causal, size_t T, size_t S)
{
    if (!causal) {
        return S;
    }
    return t + 1 + S > T ? t + 1 + S - T : 0; // t + (S - T) + 1 without negative numbers
}

// Loads rows first ... first + count - 1 of a matrix (N, hs), with all threads of the block. Rows past
// the end become 0.
static __device__ void load_tile(float (*tile)[WIDTH], const float *matrix, size_t first,
                                 size_t count, size_t N, size_t hs)
{
    for (size_t j = threadIdx.x; j < count * hs; j += BLOCK) {
        const size_t row = j / hs, c = j % hs;
        tile[row][c] = first + row < N ? matrix[first * hs + j] : 0.0f;
    }
}

// The partial result of a query over the keys so far (10.1). All lanes of a warp have the same max
// and sum; lane i has channels i, i + WARP, ... of weighted.
struct partial {
    float max, sum, weighted[MOST_EACH];
};

// Merges the first `seen` keys of a tile into the partial result of query q (hs).
static __device__ void merge_tile(struct partial *row, const float *q,
                                  const float (*k_tile)[WIDTH],
                                  const float (*v_tile)[WIDTH], size_t seen, size_t hs,
                                  float scale)
{
    const size_t lane = threadIdx.x % WARP;
    float dot = 0.0f;
    for (size_t c = 0; c < hs; c++) {
        dot += q[c] * k_tile[lane][c];
    }
    const float score = lane < seen ? dot * scale : -INFINITY;

    const float max = fmaxf(row->max, warp_max(score));
    const float shift = max == -INFINITY ? 0.0f : max; // -inf - -inf would be NaN
    const float weight = expf(score - shift);          // 0 for a key that is not seen
    const float factor =
        expf(row->max - shift); // the factor that rescales the earlier results
    row->max = max;
    row->sum = factor * row->sum + warp_sum(weight);
    for (size_t i = 0; i < MOST_EACH; i++) {
        row->weighted[i] *= factor;
    }
    for (size_t s = 0; s < seen; s++) {
        const float weight_s = __shfl_sync(0xffffffffu, weight, (int)s);
        for (size_t i = 0; i < MOST_EACH;
             i++) { // a constant end: weighted is in registers
            const size_t c = lane + i * WARP;
            row->weighted[i] += c < hs ? weight_s * v_tile[s][c] : 0.0f;
        }
    }
}
// END SOLUTION 10.2

// A block of BLOCK threads for Br queries of head h of sequence b. The tiles of queries of a head
// have consecutive blocks: block (b NH + h) tiles + tile.
__global__ void flash_attention_kernel(float *out_dev, float *logsumexp_dev,
                                       const float *q_dev, const float *k_dev,
                                       const float *v_dev, bool causal, size_t T,
                                       size_t S, size_t hs, float scale)
{
    // BEGIN SOLUTION 10.2 flash_attention_kernel: load the block's Br queries into shared memory.
    // Then, for each tile of Bc keys that one of them sees: all threads load keys and values;
    // barrier; each warp merges the tile into the partial results of its queries, as in 10.1;
    // barrier. At the end, each warp divides by the sums and writes out and logsumexp. No barrier
    // may depend on the thread, not even in the last tile of queries (about 90 lines with helpers
    // of your own)
    __shared__ float q_tile[Br][WIDTH], k_tile[Bc][WIDTH], v_tile[Bc][WIDTH];
    const size_t tiles = (T + Br - 1) / Br;
    const size_t head = blockIdx.x / tiles, t0 = blockIdx.x % tiles * Br;
    const size_t first = threadIdx.x / WARP * ROWS; // row of the tile that is this warp's
    const size_t lane = threadIdx.x % WARP;

    struct partial rows[ROWS];
    for (size_t r = 0; r < ROWS; r++) {
        rows[r] = (struct partial){-INFINITY, 0.0f, {}};
    }
    load_tile(q_tile, q_dev + head * T * hs, t0, Br, T, hs);

    const size_t t_end = t0 + Br < T ? t0 + Br : T;
    const size_t s_end = keys_seen(t_end - 1, causal, T, S); // no query sees more
    for (size_t s0 = 0; s0 < s_end; s0 += Bc) {
        load_tile(k_tile, k_dev + head * S * hs, s0, Bc, S, hs);
        load_tile(v_tile, v_dev + head * S * hs, s0, Bc, S, hs);
        __syncthreads(); // the tiles are complete
        for (size_t r = 0; r < ROWS && t0 + first + r < T; r++) {
            const size_t seen = keys_seen(t0 + first + r, causal, T, S);
            const size_t here = seen < s0 ? 0 : seen < s0 + Bc ? seen - s0 : (size_t)Bc;
            merge_tile(&rows[r], q_tile[first + r], k_tile, v_tile, here, hs, scale);
        }
        __syncthreads(); // all warps have read them: they may be overwritten
    }

    for (size_t r = 0; r < ROWS && t0 + first + r < T; r++) {
        const size_t n = head * T + t0 + first + r;
        const float share = rows[r].sum == 0.0f ? 0.0f : 1.0f / rows[r].sum;
        for (size_t i = 0; i < MOST_EACH; i++) {
            const size_t c = lane + i * WARP;
            if (c < hs) {
                out_dev[n * hs + c] = rows[r].weighted[i] * share;
            }
        }
        if (lane == 0) {
            logsumexp_dev[n] = rows[r].max + logf(rows[r].sum); // no key: -inf
        }
    }
    // END SOLUTION 10.2
}

lab_status flash_attention_gpu(float *out_dev, float *logsumexp_dev, const float *q_dev,
                               const float *k_dev, const float *v_dev, bool causal,
                               size_t B, size_t NH, size_t T, size_t S, size_t hs,
                               cudaStream_t stream)
{
    const size_t tiles = T / Br + (T % Br != 0);
    if (!fits_int(B, NH) || !fits_int(B * NH, tiles) || S == 0 || hs == 0 ||
        hs > MOST_hs) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 10.2 flash_attention_gpu: B NH tiles blocks of BLOCK threads; then check
    // cudaGetLastError (about 4 lines)
    flash_attention_kernel<<<(unsigned)(B * NH * tiles), BLOCK, 0, stream>>>(
        out_dev, logsumexp_dev, q_dev, k_dev, v_dev, causal, T, S, hs,
        1.0f / sqrtf((float)hs));
    return lab_cuda(cudaGetLastError());
    // END SOLUTION 10.2
}
