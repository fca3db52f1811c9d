// flash_hopper.cu - attention on Hopper's tensor cores: bf16 numbers, sums in float.
//
// The last step of lab 10's ladder; read flash_bf16.cu first. There, each warp multiplies small
// tiles and waits for them. Here, products and copies run beside the threads, and what is left for
// the threads is the softmax. It needs compute capability 9.0.
//
//   a block      QUERIES queries of a head; tiles of KEYS keys pass by, the last one first
//   warpgroup 0  one thread starts the copies of all tiles
//   warpgroups 1 and 2   QUERIES / 2 queries each
//
//     warpgroup 0       copy k and v of the first two tiles | when both groups have read k of one,
//                       copy k of the next; the same for v | ...
//     tensor cores      q k^T of tile 1 | weights of tile 0 times v | q k^T of tile 2 | weights ...
//     warpgroup 1 or 2      wait        | softmax of tile 1 ...     |     wait        | softmax ...
//
// What makes it fast:
//
//   1. one instruction        multiplies 64 queries and 128 keys; keys and values come from shared
//                             memory, so that no register holds them.
//   2. roles                  The thread that copies needs few registers, the others get them:
//                             scores, weights and outputs of 64 queries.
//   3. a tile ahead           The next scores are started before the products with the values, so
//                             the softmax of one tile runs beside the values of another.
//   4. two groups             While one waits for its scores, the other has the tensor cores.
//                             The paper makes them take turns, which was no faster here.
//
// Source: Shah et al., FlashAttention-3 (2024), sections 3.1 and 3.2. Start reading at
// flash_hopper_kernel.

#include "bench/gpu/ladders.h"

#include <math.h>
#include <stdint.h>

#include "bench/gpu/hopper.h"
#include "bench/gpu/tensor_core.h"

#if HAS_HOPPER

enum {
    WARP = 32,
    GROUP = 4 * WARP, // threads of a warpgroup
    BLOCK = 3 * GROUP,
    ROWS = 64, // queries of a warpgroup
    QUERIES = 2 * ROWS,
    KEYS = 128, // of a tile
    STAGES = 2, // tiles of keys and of values in shared memory
    READERS = 2 * GROUP / WARP,
    FEW_REGISTERS = 24,
    MANY_REGISTERS = 240,
};

// KEYS (or QUERIES) rows, in columns of 64 numbers.
template <int HS> struct alignas(1024) matrix {
    uint16_t numbers[HS / ROW_NUMBERS][KEYS][ROW_NUMBERS];
};

template <int HS> struct block_memory {
    struct matrix<HS> q, k[STAGES], v[STAGES];
    uint64_t q_full, k_full[STAGES], v_full[STAGES], k_free[STAGES], v_free[STAGES];
};

#if defined __CUDA_ARCH_FEAT_SM90_ALL

template <int HS> static __device__ void open_barriers(struct block_memory<HS> *shared)
{
    open_barrier(&shared->q_full, 1);
    for (int stage = 0; stage < STAGES; stage++) {
        open_barrier(&shared->k_full[stage], 1);
        open_barrier(&shared->v_full[stage], 1);
        open_barrier(&shared->k_free[stage], READERS);
        open_barrier(&shared->v_free[stage], READERS);
    }
    show_barriers();
}

// ---- warpgroup 0 --------------------------------------------------------------------------

template <int HS>
static __device__ void copy_rows(struct matrix<HS> *to, const CUtensorMap *map, int row,
                                 int head, uint64_t *barrier)
{
    arrive_and_expect(barrier, sizeof *to);
    for (int c = 0; c < HS / ROW_NUMBERS; c++) {
        copy_tile(to->numbers[c], map, c * ROW_NUMBERS, row, head, barrier);
    }
}

// All tiles of the block, the last one first.
template <int HS>
static __device__ void copy_tiles(struct block_memory<HS> *shared, const CUtensorMap *q,
                                  const CUtensorMap *k, const CUtensorMap *v, int t0,
                                  int tiles, int head)
{
    copy_rows(&shared->q, q, t0, head, &shared->q_full);
    for (int i = 0; i < tiles; i++) {
        const int stage = i % STAGES, turn = i / STAGES % 2;
        const int s0 = (tiles - 1 - i) * KEYS;
        wait_for(&shared->k_free[stage], 1 - turn); // at once in the first turn
        copy_rows(&shared->k[stage], k, s0, head, &shared->k_full[stage]);
        wait_for(&shared->v_free[stage], 1 - turn);
        copy_rows(&shared->v[stage], v, s0, head, &shared->v_full[stage]);
    }
}

// ---- warpgroups 1 and 2 -------------------------------------------------------------------

// A thread's part of 64 rows and COLUMNS columns (hopper.h).
#define PART_OF(columns) ((columns) / 2)

// The products run beside the threads from here on.
template <int HS>
static __device__ void start_scores(float (&scores)[PART_OF(KEYS)],
                                    const struct matrix<HS> *q, int row,
                                    const struct matrix<HS> *k)
{
    for (int c = 0; c < HS; c += 16) {
        const int column = c / ROW_NUMBERS, at = c % ROW_NUMBERS;
        start_product(scores, describe(&q->numbers[column][row][at], 16),
                      describe(&k->numbers[column][0][at], 16), c > 0);
    }
    end_group();
}

template <int HS>
static __device__ void start_values(float (&out)[PART_OF(HS)],
                                    const uint32_t (&weights)[KEYS / 16][4],
                                    const struct matrix<HS> *v)
{
    for (int s = 0; s < KEYS; s += 16) {
        start_product(out, weights[s / 16],
                      describe(v->numbers[0][s], sizeof v->numbers[0]));
    }
    end_group();
}

// Scores of keys that a query does not see become -INFINITY. The tile's first key is the block's
// first query; row: the thread's first row, among the block's queries.
static __device__ void hide_keys(float (&scores)[PART_OF(KEYS)], int row)
{
    for (int j = 0; j < PART_OF(KEYS); j++) {
        const int t = row + j % 4 / 2 * 8;
        const int s = j / 4 * 8 + (int)(threadIdx.x % 4) * 2 + j % 2;
        scores[j] = s <= t ? scores[j] : -INFINITY;
    }
}

// Of the thread's two rows: the maximum of all scores so far, the sum of this thread's weights.
struct rows {
    float max[2], sum[2];
};

// Turns the scores into weights, and returns the factors of all earlier weights.
static __device__ float2 merge_scores(struct rows *z, float (&scores)[PART_OF(KEYS)],
                                      float scale)
{
    float factor[2];
    for (int half = 0; half < 2; half++) {
        float max = z->max[half];
        for (int j = 2 * half; j < PART_OF(KEYS); j += 4) {
            max = fmaxf(max, fmaxf(scores[j], scores[j + 1]));
        }
        for (int distance = 2; distance > 0; distance /= 2) { // the four lanes of a row
            max = fmaxf(max, __shfl_xor_sync(ALL_LANES, max, distance));
        }
        factor[half] = power_of_2((z->max[half] - max) * scale);
        z->max[half] = max;
        float sum = z->sum[half] * factor[half];
        for (int j = 2 * half; j < PART_OF(KEYS); j += 4) {
            scores[j] = power_of_2(scores[j] * scale - max * scale);
            scores[j + 1] = power_of_2(scores[j + 1] * scale - max * scale);
            sum += scores[j] + scores[j + 1];
        }
        z->sum[half] = sum;
    }
    return make_float2(factor[0], factor[1]);
}

// The weights as bf16, where the product with v needs them: the layouts agree.
static __device__ void pack_weights(uint32_t (&weights)[KEYS / 16][4],
                                    const float (&scores)[PART_OF(KEYS)])
{
    for (int j = 0; j < PART_OF(KEYS) / 2; j++) {
        weights[j / 4][j % 4] = pack_bf16(scores[2 * j], scores[2 * j + 1]);
    }
}

template <int COUNT>
static __device__ void multiply_rows(float (&out)[COUNT], float2 factor)
{
    for (int j = 0; j < COUNT; j++) {
        out[j] *= j % 4 < 2 ? factor.x : factor.y;
    }
}

// out_dev: the head's. t: the thread's first row.
template <int HS>
static __device__ void store_rows(float *out_dev, const float (&out)[PART_OF(HS)],
                                  const struct rows *z, int t, int T)
{
    for (int half = 0; half < 2; half++) {
        float sum = z->sum[half];
        for (int distance = 2; distance > 0; distance /= 2) {
            sum += __shfl_xor_sync(ALL_LANES, sum, distance);
        }
        const float inverse = 1.0f / sum;
        float *row = out_dev + (size_t)(t + 8 * half) * HS + threadIdx.x % 4 * 2;
        for (int j = 2 * half; j < PART_OF(HS) && t + 8 * half < T; j += 4) {
            *(float2 *)(row + 2 * (j - 2 * half)) =
                make_float2(out[j] * inverse, out[j + 1] * inverse);
        }
    }
}

// One warp's readers of a tile are done.
static __device__ void release(uint64_t *free)
{
    if (threadIdx.x % WARP == 0) {
        arrive(free);
    }
}

// group: 0 or 1. Queries t0 + 64 group ... of the head, against the block's tiles.
template <int HS>
static __device__ void attend(float *out_dev, struct block_memory<HS> *shared, int group,
                              int t0, int tiles, int T, float scale)
{
    const int row =
        group * ROWS + (int)(threadIdx.x % GROUP / WARP) * 16 + threadIdx.x % WARP / 4;
    float scores[PART_OF(KEYS)], out[PART_OF(HS)] = {};
    uint32_t weights[KEYS / 16][4];
    struct rows z = {{-1e30f, -1e30f}, {}}; // finite, because every query sees a key

    wait_for(&shared->q_full, 0);
    wait_for(&shared->k_full[0], 0);
    begin_products();
    start_scores(scores, &shared->q, group * ROWS, &shared->k[0]);
    wait_for_products<0>();
    hold(scores);
    release(&shared->k_free[0]);
    hide_keys(scores, row);
    merge_scores(&z, scores, scale);
    pack_weights(weights, scores);
    wait_for(&shared->v_full[0], 0);

    for (int i = 1; i < tiles; i++) {
        const int stage = i % STAGES, before = (i - 1) % STAGES, turn = i / STAGES % 2;
        wait_for(&shared->k_full[stage], turn);
        hold(out), hold(weights), hold(scores);
        begin_products();
        start_scores(scores, &shared->q, group * ROWS, &shared->k[stage]);
        start_values(out, weights, &shared->v[before]);
        wait_for_products<1>();
        hold(scores);
        release(&shared->k_free[stage]);
        const float2 factor =
            merge_scores(&z, scores, scale); // beside the values' products
        // The assembler moves no calculation across this loop. Without it, it would wait for
        // the products first, and then compute the softmax.
        wait_for(&shared->v_full[stage], turn);
        wait_for_products<0>();
        hold(out), hold(weights);
        release(&shared->v_free[before]);
        multiply_rows(out, factor);
        pack_weights(weights, scores);
    }
    hold(out), hold(weights);
    begin_products();
    start_values(out, weights, &shared->v[(tiles - 1) % STAGES]);
    wait_for_products<0>();
    hold(out);
    store_rows<HS>(out_dev, out, &z, t0 + row, T);
}

#endif // __CUDA_ARCH_FEAT_SM90_ALL

// ---- all tiles ----------------------------------------------------------------------------

// q, k and v are bf16 matrices (T, HS) for each head, in tiles of 128 rows. Block (x, y) has the
// x-th tile of queries of head y, counted from the last one, because the last tile sees the most
// keys and should start first. scale: log2(e) / sqrt(HS).
template <int HS>
__global__ void __launch_bounds__(BLOCK, 1)
    flash_hopper_kernel(float *out_dev, const __grid_constant__ CUtensorMap q,
                        const __grid_constant__ CUtensorMap k,
                        const __grid_constant__ CUtensorMap v, int T, float scale)
{
#if defined __CUDA_ARCH_FEAT_SM90_ALL
    extern __shared__ __align__(1024) unsigned char bytes[];
    struct block_memory<HS> *shared = (struct block_memory<HS> *)bytes;
    const int tile = (int)(gridDim.x - 1 - blockIdx.x), head = (int)blockIdx.y;
    if (threadIdx.x == 0) {
        open_barriers(shared);
    }
    __syncthreads();
    if (threadIdx.x < GROUP) {
        give_up_registers<FEW_REGISTERS>();
        if (threadIdx.x == 0) {
            copy_tiles(shared, &q, &k, &v, tile * QUERIES, tile + 1, head);
        }
    } else {
        take_registers<MANY_REGISTERS>();
        attend<HS>(out_dev + (size_t)head * T * HS, shared, (int)threadIdx.x / GROUP - 1,
                   tile * QUERIES, tile + 1, T, scale);
    }
#endif
}

template <int HS> static lab_status launch(const struct job *job)
{
    const size_t heads = job->n[0] * job->n[1], T = job->n[2];
    CUtensorMap q, k, v;
    LAB_TRY(map_matrices(&q, job->t[5], heads, T, HS, QUERIES));
    LAB_TRY(map_matrices(&k, job->t[6], heads, T, HS, KEYS));
    LAB_TRY(map_matrices(&v, job->t[7], heads, T, HS, KEYS));
    const auto kernel = flash_hopper_kernel<HS>;
    LAB_TRY(
        lab_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      (int)sizeof(struct block_memory<HS>))));
    kernel<<<dim3(lab_blocks(T, QUERIES), (unsigned)heads), BLOCK,
             sizeof(struct block_memory<HS>), job->stream>>>(
        job->t[0], q, k, v, (int)T, 1.44269504f / sqrtf((float)HS));
    return lab_cuda(cudaGetLastError());
}

lab_status run_on_hopper(const struct job *job)
{
    return job->n[3] == 64    ? launch<64>(job)
           : job->n[3] == 128 ? launch<128>(job)
                              : LAB_ESHAPE;
}

#else // not HAS_HOPPER

// main.cu does not call it: the card, or the toolkit, is too old.
lab_status run_on_hopper(const struct job *job)
{
    (void)job;
    return LAB_ECUDA;
}

#endif
