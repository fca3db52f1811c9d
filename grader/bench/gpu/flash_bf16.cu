// flash_bf16.cu - attention on tensor cores: bf16 numbers, sums in float.
//
// The step after 10.2's fast kernel. In one instruction of a warp, tensor cores multiply tiles of
// 16 by 16 and 16 by 8 bf16 numbers. Such a number has 8 bits of precision, so this is not the
// lab's function. It is here to be measured, and needs a card.
//
//   a block   QUERIES queries of a head; tiles of KEYS keys pass by
//   a warp    ROWS of the block's queries
//   a lane    of each tile of 16 queries, rows g and g + 8 (lane = 4 g + i): of the scores, two
//             neighbors of every 8 keys; of the output, two neighbors of every 8 channels
//
// What makes it fast:
//
//   1. weights in registers   The product with v needs its first factor exactly where the scores
//                             of two tiles of 8 keys are. No weight leaves its lane.
//   2. two stages             The next keys and values are fetched while a tile is computed.
//   3. 32 queries a warp      Each piece of k and v from shared memory is used twice.
//   4. swizzled rows          Where 16 bytes of a row lie depends on the row. So eight rows of a
//                             column are in different banks, and rows need not be longer.
//
// Source: Dao, FlashAttention-2 (2023), section 3.3; the layouts are from the PTX ISA
// (tensor_core.h). Start reading at flash_bf16_kernel.

#include "bench/gpu/ladders.h"

#include <math.h>
#include <stdint.h>

#include "10_flash_attention/flash_attention_gpu.h"
#include "bench/gpu/tensor_core.h"

LAB_GPU_BEGIN
decltype(flash_attention_gpu) fast_flash_attention_gpu;
LAB_GPU_END

enum {
    WARP = 32,
    WARPS = 4,
    BLOCK = WARPS * WARP,
    TILES = 2,         // of 16 queries, in a warp
    ROWS = 16 * TILES, // queries of a warp
    QUERIES = WARPS * ROWS,
    KEYS = 64,         // of a tile
    EIGHTS = KEYS / 8, // tiles of 8 keys
};

// ---- shared memory ------------------------------------------------------------------------

// Where numbers 8 c ... 8 c + 7 of a row of HS lie: 16 bytes.
template <int HS> static __device__ int place(int row, int c)
{
    return row * (HS / 8) + (c ^ row % 8);
}

// Rows first ... first + count - 1 of a matrix (T, HS) of bf16; rows behind the end become 0.
template <int HS>
static __device__ void start_rows(uint4 *tile, const uint4 *matrix, int first, int count,
                                  int T)
{
    for (int j = (int)threadIdx.x; j < count * (HS / 8); j += BLOCK) {
        const int row = j / (HS / 8), c = j % (HS / 8);
        const bool any = first + row < T;
        start_copy(&tile[place<HS>(row, c)],
                   matrix + (size_t)(any ? first + row : 0) * (HS / 8) + c, any);
    }
}

// ---- a tile of keys -----------------------------------------------------------------------

// A lane's rows: of tile m, row g is half 0 and row g + 8 is half 1. sum: of this lane's keys only.
template <int HS> struct rows {
    float max[TILES][2], sum[TILES][2];
    float out[TILES][HS / 8][4];
};

// scores += q k^T for the warp's queries and all keys of the tile.
template <int HS>
static __device__ void add_scores(float (*scores)[EIGHTS][4], const uint4 *q_tile,
                                  const uint4 *k_tile)
{
    const int lane = (int)(threadIdx.x % WARP), first = (int)(threadIdx.x / WARP) * ROWS;
    for (int c = 0; c < HS / 8; c += 2) { // 16 channels
        uint32_t q[TILES][4], k[4];
        for (int m = 0; m < TILES; m++) {
            // rows 0 to 7 and 8 to 15, then the next 8 channels
            load_tiles(q[m], q_tile,
                       place<HS>(first + 16 * m + lane % 16, c + lane / 16));
        }
        for (int e = 0; e < EIGHTS; e += 2) {
            // 8 keys, both halves of the channels; then the next 8 keys
            load_tiles(k, k_tile,
                       place<HS>(8 * e + lane / 16 * 8 + lane % 8, c + lane / 8 % 2));
            for (int m = 0; m < TILES; m++) {
                multiply_tiles(scores[m][e], q[m], k);
                multiply_tiles(scores[m][e + 1], q[m], k + 2);
            }
        }
    }
}

// Scores of keys that a query does not see become -INFINITY. t0: the warp's first query.
static __device__ void hide_keys(float (*scores)[EIGHTS][4], int t0, int s0)
{
    const int g = (int)(threadIdx.x % WARP / 4), i = (int)(threadIdx.x % 4);
    for (int m = 0; m < TILES; m++) {
        for (int e = 0; e < EIGHTS; e++) {
            for (int j = 0; j < 4; j++) {
                const int t = t0 + 16 * m + g + j / 2 * 8;
                const int s = s0 + 8 * e + 2 * i + j % 2;
                scores[m][e][j] = s <= t ? scores[m][e][j] : -INFINITY;
            }
        }
    }
}

// Turns the scores of a row into weights, and merges their maximum and sum.
template <int HS>
static __device__ void merge_row(struct rows<HS> *z, float (*scores)[EIGHTS][4], int m,
                                 int half, float scale)
{
    float max = z->max[m][half];
    for (int e = 0; e < EIGHTS; e++) {
        max = fmaxf(max, fmaxf(scores[m][e][2 * half], scores[m][e][2 * half + 1]));
    }
    for (int distance = 2; distance > 0; distance /= 2) { // the four lanes of a row
        max = fmaxf(max, __shfl_xor_sync(ALL_LANES, max, distance));
    }
    const float factor = exp2f((z->max[m][half] - max) * scale);
    z->max[m][half] = max;
    z->sum[m][half] *= factor;
    for (int e = 0; e < EIGHTS; e++) {
        for (int j = 2 * half; j < 2 * half + 2; j++) {
            scores[m][e][j] = exp2f(scores[m][e][j] * scale - max * scale);
            z->sum[m][half] += scores[m][e][j];
        }
    }
    for (int c = 0; c < HS / 8; c++) {
        z->out[m][c][2 * half] *= factor;
        z->out[m][c][2 * half + 1] *= factor;
    }
}

// out += weights v
template <int HS>
static __device__ void add_values(struct rows<HS> *z, const float (*weights)[EIGHTS][4],
                                  const uint4 *v_tile)
{
    const int lane = (int)(threadIdx.x % WARP);
    for (int e = 0; e < EIGHTS; e += 2) { // 16 keys
        uint32_t p[TILES][4], v[4];
        for (int m = 0; m < TILES; m++) {
            for (int j = 0; j < 4; j++) {
                const float *pair = &weights[m][e + j / 2][j % 2 * 2];
                p[m][j] = pack_bf16(pair[0], pair[1]);
            }
        }
        for (int c = 0; c < HS / 8; c += 2) {
            // keys 0 to 7 and 8 to 15, then the next 8 channels
            load_turned_tiles(v, v_tile, place<HS>(8 * e + lane % 16, c + lane / 16));
            for (int m = 0; m < TILES; m++) {
                multiply_tiles(z->out[m][c], p[m], v);
                multiply_tiles(z->out[m][c + 1], p[m], v + 2);
            }
        }
    }
}

template <int HS>
static __device__ void store_rows(float *out, const struct rows<HS> *z, int t0, int T)
{
    const int g = (int)(threadIdx.x % WARP / 4), i = (int)(threadIdx.x % 4);
#pragma unroll // with an unknown m, z would not be in registers
    for (int m = 0; m < TILES; m++) {
        for (int half = 0; half < 2; half++) {
            float sum = z->sum[m][half];
            for (int distance = 2; distance > 0; distance /= 2) {
                sum += __shfl_xor_sync(ALL_LANES, sum, distance);
            }
            const int t = t0 + 16 * m + 8 * half + g;
            for (int c = 0; c < HS / 8; c++) {
                const float *pair = &z->out[m][c][2 * half];
                if (t < T) {
                    *(float2 *)(out + (size_t)t * HS + 8 * c + 2 * i) =
                        make_float2(pair[0] / sum, pair[1] / sum);
                }
            }
        }
    }
}

// ---- all tiles ----------------------------------------------------------------------------

// q, k and v are bf16 matrices (T, HS) for each head. Block (x, y) has the x-th tile of queries of
// head y, counted from the last one, because the last tile sees the most keys and should start
// first. scale: log2(e) / sqrt(HS).
template <int HS>
__global__ void __launch_bounds__(BLOCK)
    flash_bf16_kernel(float *out_dev, const uint4 *q_dev, const uint4 *k_dev,
                      const uint4 *v_dev, int T, float scale)
{
    extern __shared__ uint4 shared[];
    enum { ROW = HS / 8, STAGE = 2 * KEYS * ROW };
    uint4 *q_tile = shared,
          *stages = shared + QUERIES * ROW; // a stage: keys, then values
    const int block_t0 = (int)(gridDim.x - 1 - blockIdx.x) * QUERIES;
    const int t0 = block_t0 + (int)threadIdx.x / WARP * ROWS; // the warp's first query
    const int t_end = block_t0 + QUERIES < T ? block_t0 + QUERIES : T;
    const size_t head = (size_t)blockIdx.y * T * ROW;

    rows<HS> z = {};
    for (int m = 0; m < TILES; m++) {
        z.max[m][0] = z.max[m][1] = -1e30f; // finite, because every query sees a key
    }
    start_rows<HS>(q_tile, q_dev + head, block_t0, QUERIES, T);
    start_rows<HS>(stages, k_dev + head, 0, KEYS, T);
    start_rows<HS>(stages + KEYS * ROW, v_dev + head, 0, KEYS, T);
    for (int s0 = 0; s0 < t_end; s0 += KEYS) {
        const int stage = s0 / KEYS % 2;
        const uint4 *k_tile = stages + stage * STAGE, *v_tile = k_tile + KEYS * ROW;
        wait_for_copies();
        __syncthreads(); // this stage is complete, and all warps have read the other one
        if (s0 + KEYS < t_end) {
            uint4 *next = stages + (1 - stage) * STAGE;
            start_rows<HS>(next, k_dev + head, s0 + KEYS, KEYS, T);
            start_rows<HS>(next + KEYS * ROW, v_dev + head, s0 + KEYS, KEYS, T);
        }
        if (s0 >= t0 + ROWS) {
            continue; // in the future of this warp's queries
        }
        float scores[TILES][EIGHTS][4] = {};
        add_scores<HS>(scores, q_tile, k_tile);
        if (s0 + KEYS > t0 + 1) { // the warp's first query does not see all of them
            hide_keys(scores, t0, s0);
        }
#pragma unroll
        for (int m = 0; m < TILES; m++) {
            merge_row<HS>(&z, scores, m, 0, scale);
            merge_row<HS>(&z, scores, m, 1, scale);
        }
        add_values<HS>(&z, scores, v_tile);
    }
    store_rows<HS>(out_dev + head * 8, &z, t0, T);
}

template <int HS>
static lab_status launch(float *out_dev, const uint4 *q_dev, const uint4 *k_dev,
                         const uint4 *v_dev, size_t heads, size_t T, cudaStream_t stream)
{
    const size_t bytes = (QUERIES + 4 * KEYS) * (HS / 8) * sizeof(uint4);
    const auto kernel = flash_bf16_kernel<HS>;
    LAB_TRY(lab_cuda(cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes)));
    kernel<<<dim3(lab_blocks(T, QUERIES), (unsigned)heads), BLOCK, bytes, stream>>>(
        out_dev, q_dev, k_dev, v_dev, (int)T, 1.44269504f / sqrtf((float)HS));
    return lab_cuda(cudaGetLastError());
}

// ---- the ladder ---------------------------------------------------------------------------

// out, logsumexp, q, k, v in float; q, k, v in bf16, two numbers in the place of a float.
static size_t bf16_count(const size_t *n, size_t i)
{
    const size_t rows = n[0] * n[1] * n[2], all = rows * n[3];
    const size_t count[] = {all, rows, all, all, all, all / 2, all / 2, all / 2, 0};
    return count[i];
}

// Counts the pairs of a query and a key that it sees.
static double causal_operations(const size_t *n)
{
    const double T = (double)n[2];
    return 2.0 * (double)(n[0] * n[1]) * T * (T + 1) * (double)n[3];
}

// Rounds x to bf16, in place and into half.
__global__ void round_kernel(float *x_dev, uint16_t *half_dev, size_t count)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        const uint32_t half = to_bf16(x_dev[i]);
        half_dev[i] = (uint16_t)half;
        x_dev[i] = from_bf16(half);
    }
}

// All steps get the same rounded numbers. Only the weights are rounded in one step and not in
// the other.
static lab_status round_inputs(const struct job *job)
{
    const size_t all = bf16_count(job->n, 0);
    for (size_t i = 0; i < 3; i++) {
        round_kernel<<<lab_blocks(all, 256), 256, 0, job->stream>>>(
            job->t[2 + i], (uint16_t *)job->t[5 + i], all);
    }
    return lab_cuda(cudaGetLastError());
}

static lab_status run_in_float(const struct job *job)
{
    float *const *t = job->t;
    return fast_flash_attention_gpu(t[0], t[1], t[2], t[3], t[4], true, job->n[0],
                                    job->n[1], job->n[2], job->n[2], job->n[3],
                                    job->stream);
}

static lab_status run_in_bf16(const struct job *job)
{
    const uint4 *const q = (const uint4 *)job->t[5], *const k = (const uint4 *)job->t[6],
                       *const v = (const uint4 *)job->t[7];
    const size_t heads = job->n[0] * job->n[1], T = job->n[2];
    return job->n[3] == 64    ? launch<64>(job->t[0], q, k, v, heads, T, job->stream)
           : job->n[3] == 128 ? launch<128>(job->t[0], q, k, v, heads, T, job->stream)
                              : LAB_ESHAPE;
}

const struct ladder flash_tensor_cores = {
    "causal attention of heads (B,NH,T,hs), inputs rounded to bf16",
    "B NH T hs",
    {2, 16, 8192, 128},
    {1, 2, 200, 128},
    LAST_STEP,
    bf16_count,
    causal_operations,
    {
        {"10.2 fast", "in float", run_in_float, NULL, false},
        // a weight is off by 2^-9 of itself at most, and |v| <= 1
        {"bf16", "tensor cores, products in bf16", run_in_bf16, NULL, false, 0x1p-9f,
         "not run: no tensor cores; the same by shuffles"},
        {"Hopper", "products and copies beside the threads", run_on_hopper, NULL, false,
         0x1p-9f, NULL, true},
    },
    round_inputs,
};
