// backward.cu - back through flash attention on the GPU, with the weights computed again.
//     10.4  delta                  a warp for each query
//           dq                     a block for each tile of queries; a loop over the tiles of keys
//           dk and dv              a block for each tile of keys; a loop over the tiles of queries
//
// Each gradient is added up in the registers of one warp, in the order of the tiles. So there are no
// atomics, and the same call gives the same bits every time. The drawback: both of the large kernels
// compute the scores.
//
// The two kernels are mirror images. A warp works on ROWS rows of its own tile, and each lane
// handles one row of the other tile:
//
//     dq kernel       own: q, dout      other: k, v
//     dk, dv kernel   own: k, v         other: q, dout
//
//     score   = own[0] other[0] / sqrt(hs)      dweight = own[1] other[1]
//     weight  = exp(score - logsumexp)          dscore  = weight (dweight - delta)
//
// flash_attention_gpu.h describes the launcher. Start reading at dq_kernel.

#include "10_flash_attention/flash_attention_gpu.h"

#include <limits.h>
#include <math.h>

enum {
    WARP = 32,
    WARPS = 4,
    BLOCK = WARPS * WARP,
    ROWS = 2,                   // rows of a warp
    OWN = WARPS * ROWS,         // rows of a block
    OTHER = WARP,               // rows of the other tile: one for each lane
    MOST_hs = 128,              // channels of a head, at most
    MOST_EACH = MOST_hs / WARP, // channels of a lane, at most
    WIDTH = MOST_hs + 1,        // of a tile's row: + 1 spreads a column over all banks
};

// The number of blocks must fit in an int. A product could wrap around, so divide.
static bool fits_int(size_t a, size_t b)
{
    return 0 < a && a <= INT_MAX && 0 < b && b <= INT_MAX / a;
}

// ---- 10.4  what the kernels have in common --------------------------------------------------

// BEGIN SOLUTION 10.4 helper
static __device__ float warp_sum(float value)
{
    for (int distance = WARP / 2; distance > 0; distance /= 2) {
        value += __shfl_xor_sync(0xffffffffu, value, distance);
    }
    return value;
}

// Whether query t sees key s: s <= t + (S - T), without negative numbers.
static __device__ bool sees(size_t t, size_t s, bool causal, size_t T, size_t S)
{
    return t < T && s < S && (!causal || s + T <= t + S);
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

static __device__ float dot(const float *a, const float *b, size_t hs)
{
    float sum = 0.0f;
    for (size_t c = 0; c < hs; c++) {
        sum += a[c] * b[c];
    }
    return sum;
}

// sum += factor tile over the rows of the tile; the factor of a row is in that row's lane. A lane
// has channels lane, lane + WARP, ... of the sum. Skips rows of the tile that this warp's row does not
// see, or that do not see it: their factor is 0, but they may hold anything.
static __device__ void add_rows(float *sum, float factor, bool used,
                                const float (*tile)[WIDTH], size_t hs)
{
    const unsigned rows = __ballot_sync(0xffffffffu, used); // a bit for each lane
    for (size_t row = 0; row < OTHER; row++) {
        if ((rows >> row & 1) == 0) {
            continue; // the whole warp, or none of it
        }
        const float factor_row = __shfl_sync(0xffffffffu, factor, (int)row);
        for (size_t i = 0; i < MOST_EACH; i++) { // a constant end: sum is in registers
            const size_t c = threadIdx.x % WARP + i * WARP;
            sum[i] += c < hs ? factor_row * tile[row][c] : 0.0f;
        }
    }
}

// row (hs) = scale sum
static __device__ void store_row(float *row, const float *sum, float scale, size_t hs)
{
    for (size_t i = 0; i < MOST_EACH; i++) {
        const size_t c = threadIdx.x % WARP + i * WARP;
        if (c < hs) {
            row[c] = scale * sum[i];
        }
    }
}
// END SOLUTION 10.4

// ---- 10.4  delta ----------------------------------------------------------------------------

// A warp for each of N rows of dout and out (N, hs).
__global__ void delta_kernel(float *delta_dev, const float *dout_dev,
                             const float *out_dev, size_t N, size_t hs)
{
    // BEGIN SOLUTION 10.4 delta_kernel: warp threadIdx.x / WARP of the block handles row n; its lanes
    // add up every 32nd product, then all of them by shuffles (about 10 lines)
    const size_t n = (size_t)blockIdx.x * WARPS + threadIdx.x / WARP;
    if (n >= N) { // the whole warp returns, or none of it: no shuffle misses a lane
        return;
    }
    float sum = 0.0f;
    for (size_t c = threadIdx.x % WARP; c < hs; c += WARP) {
        sum += dout_dev[n * hs + c] * out_dev[n * hs + c];
    }
    sum = warp_sum(sum);
    if (threadIdx.x % WARP == 0) {
        delta_dev[n] = sum;
    }
    // END SOLUTION 10.4
}

// ---- 10.4  dq -------------------------------------------------------------------------------

// A block of BLOCK threads for OWN queries of a head.
__global__ void dq_kernel(float *dq_dev, const float *delta_dev, const float *dout_dev,
                          const float *logsumexp_dev, const float *q_dev,
                          const float *k_dev, const float *v_dev, bool causal, size_t T,
                          size_t S, size_t hs, float scale)
{
    // BEGIN SOLUTION 10.4 dq_kernel: as 10.2's kernel, with dout beside q in shared memory. Each
    // lane computes dscore for its key; the warp adds up dscore k, with k from shared memory and
    // dscore by shuffles (about 35 lines, and 50 of helpers that dk and dv need, too)
    __shared__ float q_tile[OWN][WIDTH], dout_tile[OWN][WIDTH];
    __shared__ float k_tile[OTHER][WIDTH], v_tile[OTHER][WIDTH];
    const size_t tiles = (T + OWN - 1) / OWN;
    const size_t head = blockIdx.x / tiles, t0 = blockIdx.x % tiles * OWN;
    const size_t first = threadIdx.x / WARP * ROWS, lane = threadIdx.x % WARP;
    float dq[ROWS][MOST_EACH] = {};

    load_tile(q_tile, q_dev + head * T * hs, t0, OWN, T, hs);
    load_tile(dout_tile, dout_dev + head * T * hs, t0, OWN, T, hs);
    const size_t t_last = t0 + OWN < T ? t0 + OWN - 1 : T - 1;
    for (size_t s0 = 0; sees(t_last, s0, causal, T, S); s0 += OTHER) {
        load_tile(k_tile, k_dev + head * S * hs, s0, OTHER, S, hs);
        load_tile(v_tile, v_dev + head * S * hs, s0, OTHER, S, hs);
        __syncthreads(); // the tiles are complete
        for (size_t r = 0; r < ROWS && t0 + first + r < T; r++) {
            const size_t t = t0 + first + r;
            const float logsumexp = logsumexp_dev[head * T + t];
            const float score = scale * dot(q_tile[first + r], k_tile[lane], hs);
            const float dweight = dot(dout_tile[first + r], v_tile[lane], hs);
            const bool seen = sees(t, s0 + lane, causal, T, S);
            const float weight = seen ? expf(score - logsumexp) : 0.0f;
            const float dscore =
                seen ? weight * (dweight - delta_dev[head * T + t]) : 0.0f;
            add_rows(dq[r], dscore, seen, k_tile, hs);
        }
        __syncthreads(); // all warps have read them: they may be overwritten
    }
    for (size_t r = 0; r < ROWS && t0 + first + r < T; r++) {
        store_row(dq_dev + (head * T + t0 + first + r) * hs, dq[r], scale, hs);
    }
    // END SOLUTION 10.4
}

// ---- 10.4  dk and dv ------------------------------------------------------------------------

// A block of BLOCK threads for OWN keys of a head.
__global__ void dk_dv_kernel(float *dk_dev, float *dv_dev, const float *delta_dev,
                             const float *dout_dev, const float *logsumexp_dev,
                             const float *q_dev, const float *k_dev, const float *v_dev,
                             bool causal, size_t T, size_t S, size_t hs, float scale)
{
    // BEGIN SOLUTION 10.4 dk_dv_kernel: the same with the two sides swapped: the keys are the
    // block's, and each lane handles one query. Start at the first query that sees a key of the
    // tile (about 40 lines)
    __shared__ float k_tile[OWN][WIDTH], v_tile[OWN][WIDTH];
    __shared__ float q_tile[OTHER][WIDTH], dout_tile[OTHER][WIDTH];
    const size_t tiles = (S + OWN - 1) / OWN;
    const size_t head = blockIdx.x / tiles, s0 = blockIdx.x % tiles * OWN;
    const size_t first = threadIdx.x / WARP * ROWS, lane = threadIdx.x % WARP;
    float dk[ROWS][MOST_EACH] = {}, dv[ROWS][MOST_EACH] = {};

    load_tile(k_tile, k_dev + head * S * hs, s0, OWN, S, hs);
    load_tile(v_tile, v_dev + head * S * hs, s0, OWN, S, hs);
    const size_t t_first = causal && s0 + T > S ? s0 + T - S : 0;
    for (size_t t0 = t_first; t0 < T; t0 += OTHER) {
        load_tile(q_tile, q_dev + head * T * hs, t0, OTHER, T, hs);
        load_tile(dout_tile, dout_dev + head * T * hs, t0, OTHER, T, hs);
        __syncthreads(); // the tiles are complete
        const size_t t = t0 + lane;
        const float logsumexp = t < T ? logsumexp_dev[head * T + t] : 0.0f;
        const float delta = t < T ? delta_dev[head * T + t] : 0.0f;
        for (size_t r = 0; r < ROWS && s0 + first + r < S; r++) {
            const float score = scale * dot(k_tile[first + r], q_tile[lane], hs);
            const float dweight = dot(v_tile[first + r], dout_tile[lane], hs);
            const bool seen = sees(t, s0 + first + r, causal, T, S);
            const float weight = seen ? expf(score - logsumexp) : 0.0f;
            const float dscore = seen ? weight * (dweight - delta) : 0.0f;
            add_rows(dk[r], dscore, seen, q_tile, hs);
            add_rows(dv[r], weight, seen, dout_tile, hs);
        }
        __syncthreads(); // all warps have read them: they may be overwritten
    }
    for (size_t r = 0; r < ROWS && s0 + first + r < S; r++) {
        const size_t n = head * S + s0 + first + r;
        store_row(dk_dev + n * hs, dk[r], scale, hs);
        store_row(dv_dev + n * hs, dv[r], 1.0f, hs);
    }
    // END SOLUTION 10.4
}

lab_status flash_attention_backward_gpu(float *dq_dev, float *dk_dev, float *dv_dev,
                                        float *delta_dev, const float *dout_dev,
                                        const float *out_dev, const float *logsumexp_dev,
                                        const float *q_dev, const float *k_dev,
                                        const float *v_dev, bool causal, size_t B,
                                        size_t NH, size_t T, size_t S, size_t hs,
                                        cudaStream_t stream)
{
    if (!fits_int(B, NH) || !fits_int(B * NH, T) || !fits_int(B * NH, S) || hs == 0 ||
        hs > MOST_hs) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 10.4 flash_attention_backward_gpu: three launches; the stream runs them one
    // after the other, so delta is complete when the others read it (about 13 lines)
    const size_t heads = B * NH;
    const float scale = 1.0f / sqrtf((float)hs);
    delta_kernel<<<lab_blocks(heads * T, WARPS), BLOCK, 0, stream>>>(
        delta_dev, dout_dev, out_dev, heads * T, hs);
    dq_kernel<<<(unsigned)heads * lab_blocks(T, OWN), BLOCK, 0, stream>>>(
        dq_dev, delta_dev, dout_dev, logsumexp_dev, q_dev, k_dev, v_dev, causal, T, S, hs,
        scale);
    dk_dv_kernel<<<(unsigned)heads * lab_blocks(S, OWN), BLOCK, 0, stream>>>(
        dk_dev, dv_dev, delta_dev, dout_dev, logsumexp_dev, q_dev, k_dev, v_dev, causal,
        T, S, hs, scale);
    return lab_cuda(cudaGetLastError()); // of any of them
    // END SOLUTION 10.4
}
