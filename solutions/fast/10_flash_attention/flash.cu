// flash.cu - lab 10's attention on the GPU, with tiles in registers.
//
// Read solutions/10_flash_attention/flash.cu first: it is the plain form of the same mathematics. There, a
// lane reads two numbers from shared memory for each multiplication. Here it reads far fewer:
//
//   1. tiles in registers    A thread computes the scores of ROWS queries with 4 keys. For 4 channels of
//                            them it loads ROWS + 4 float4, and multiplies 16 ROWS times. The same for
//                            the values: ROWS queries with HS / 8 channels.
//   2. float4                A quarter of the instructions for loads, from both memories.
//   3. one tile for two      Keys and values use the same shared memory, one after the other. This makes
//                            room for more queries, so keys and values are loaded less often
//                            (10.6).
//   4. powers of 2           exp2f is cheaper than expf; the factor log2(e) is part of the scale.
//
// A block of 128 threads is 16 threads by 8, y by x. Thread (x, y) has
//
//     queries    y, y + 16, ...                of the block's tile
//     keys       x, x + 8, x + 16, x + 24      of a tile of 32
//     channels   4 x ... 4 x + 3, and every 32 further on
//
// So the eight threads of a query are neighbors in a warp and exchange maxima and sums by shuffles. And
// eight neighbors that each read 16 bytes of another key use different banks, because a row of a tile
// is one float4 longer than HS.
//
// Start reading at flash_attention_kernel.

#include "10_flash_attention/flash_attention_gpu.h"

#include <limits.h>
#include <math.h>

enum {
    X = 8, // threads of a query
    Y = 16,
    BLOCK = X * Y,
    Bc = 32,      // keys of a tile
    KEYS = Bc / X // keys of a thread
};

// For heads of at most HS channels, 64 or 128.
template <int HS> struct shape {
    enum {
        ROWS = 256 / HS, // queries of a thread: 4 or 2
        Br = Y * ROWS,   // queries of a block
        FOURS = HS / 4,  // float4 of a row
        EACH = HS / 32,  // float4 of a thread's channels
    };
};

// The number of blocks must fit in an int. A product could wrap around, so divide.
static bool fits_int(size_t a, size_t b)
{
    return 0 < a && a <= INT_MAX && 0 < b && b <= INT_MAX / a;
}

// ---- numbers in fours ---------------------------------------------------------------------

// Numbers 4 i ... 4 i + 3 of a row of n, with 0 past the end. If n is a multiple of 4, every row
// begins at a multiple of 16 bytes, and this is one load.
static __device__ float4 load_four(const float *row, size_t i, size_t n)
{
    if (n % 4 == 0 && 4 * i < n) {
        return ((const float4 *)row)[i];
    }
    float4 four = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    four.x = 4 * i < n ? row[4 * i] : 0.0f;
    four.y = 4 * i + 1 < n ? row[4 * i + 1] : 0.0f;
    four.z = 4 * i + 2 < n ? row[4 * i + 2] : 0.0f;
    four.w = 4 * i + 3 < n ? row[4 * i + 3] : 0.0f;
    return four;
}

static __device__ void store_four(float *row, float4 x, size_t i, size_t n)
{
    if (n % 4 == 0 && 4 * i < n) {
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

static __device__ float4 scale_four(float4 x, float factor)
{
    return make_float4(factor * x.x, factor * x.y, factor * x.z, factor * x.w);
}

// ---- 10.2  a tile -------------------------------------------------------------------------

// Rows first ... first + count - 1 of a matrix (N, hs), by all threads of the block. Rows and channels
// outside of it become 0.
template <int HS>
static __device__ void load_tile(float4 (*tile)[shape<HS>::FOURS + 1],
                                 const float *matrix, size_t first, size_t count,
                                 size_t N, size_t hs)
{
    const size_t fours = shape<HS>::FOURS;
    for (size_t j = threadIdx.y * X + threadIdx.x; j < count * fours; j += BLOCK) {
        const size_t row = first + j / fours;
        tile[j / fours][j % fours] = row < N ? load_four(matrix + row * hs, j % fours, hs)
                                             : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
}

// A thread's results for its queries. All eight threads of a query have the same max; each has the sum
// over its own keys, and its channels of weighted.
template <int HS> struct partial {
    float max[shape<HS>::ROWS], sum[shape<HS>::ROWS];
    float4 weighted[shape<HS>::ROWS][shape<HS>::EACH];
};

// The thread's scores of a tile, times scale.
template <int HS>
static __device__ void
make_scores(float (*scores)[KEYS], const float4 (*q_tile)[shape<HS>::FOURS + 1],
            const float4 (*k_tile)[shape<HS>::FOURS + 1], size_t hs, float scale)
{
    enum { ROWS = shape<HS>::ROWS };
    for (size_t c = 0; 4 * c < hs; c++) {
        float4 q[ROWS], k[KEYS];
        for (int r = 0; r < ROWS; r++) { // constant ends: all of this is in registers
            q[r] = q_tile[threadIdx.y + r * Y][c];
        }
        for (int j = 0; j < KEYS; j++) {
            k[j] = k_tile[threadIdx.x + j * X][c];
        }
        for (int r = 0; r < ROWS; r++) {
            for (int j = 0; j < KEYS; j++) {
                scores[r][j] += dot_four(q[r], k[j]);
            }
        }
    }
    for (int r = 0; r < ROWS; r++) {
        for (int j = 0; j < KEYS; j++) {
            scores[r][j] *= scale;
        }
    }
}

// Turns the scores of the thread's query r into weights; it sees the first `seen` keys of the tile.
template <int HS>
static __device__ void merge_scores(struct partial<HS> *z, float *scores, int r,
                                    size_t seen)
{
    float max = z->max[r];
    for (int j = 0; j < KEYS; j++) {
        scores[j] = threadIdx.x + j * X < seen ? scores[j] : -INFINITY;
        max = fmaxf(max, scores[j]);
    }
    for (int distance = X / 2; distance > 0; distance /= 2) {
        max = fmaxf(max, __shfl_xor_sync(0xffffffffu, max, distance));
    }
    const float shift = max == -INFINITY ? 0.0f : max; // -inf - -inf would be NaN
    const float factor = exp2f(z->max[r] - shift);
    z->max[r] = max;
    z->sum[r] *= factor;
    for (int j = 0; j < KEYS; j++) {
        scores[j] = exp2f(scores[j] - shift); // 0 for a key that is not seen
        z->sum[r] += scores[j];
    }
    for (int i = 0; i < shape<HS>::EACH; i++) {
        z->weighted[r][i] = scale_four(z->weighted[r][i], factor);
    }
}

// weighted += weights v, where query r of the thread sees the first seen[r] keys of the tile.
template <int HS>
static __device__ void add_values(struct partial<HS> *z, const float (*weights)[Bc + 8],
                                  const float4 (*v_tile)[shape<HS>::FOURS + 1],
                                  const size_t *seen)
{
    enum { ROWS = shape<HS>::ROWS, EACH = shape<HS>::EACH };
    const size_t all = seen[0] / 4 * 4; // the first query of the thread sees the fewest
    for (size_t s = 0; s < all; s += 4) {
        float4 four[ROWS];
        for (int r = 0; r < ROWS; r++) {
            four[r] = *(const float4 *)&weights[threadIdx.y + r * Y][s];
        }
        for (int i = 0; i < EACH; i++) {
            const size_t c = threadIdx.x + i * X;
            const float4 v0 = v_tile[s][c], v1 = v_tile[s + 1][c], v2 = v_tile[s + 2][c],
                         v3 = v_tile[s + 3][c];
            for (int r = 0; r < ROWS; r++) {
                float4 *sum = &z->weighted[r][i];
                *sum = add_four(*sum, four[r].x, v0);
                *sum = add_four(*sum, four[r].y, v1);
                *sum = add_four(*sum, four[r].z, v2);
                *sum = add_four(*sum, four[r].w, v3);
            }
        }
    }
    for (size_t s = all; s < seen[ROWS - 1]; s++) { // at the diagonal
        for (int r = 0; r < ROWS; r++) {
            for (int i = 0; s < seen[r] && i < EACH; i++) {
                z->weighted[r][i] =
                    add_four(z->weighted[r][i], weights[threadIdx.y + r * Y][s],
                             v_tile[s][threadIdx.x + i * X]);
            }
        }
    }
}

// ---- 10.2  all tiles ----------------------------------------------------------------------

// How many keys query t sees: keys 0 ... keys_seen - 1.
static __device__ size_t keys_seen(size_t t, bool causal, size_t T, size_t S)
{
    if (!causal) {
        return S;
    }
    return t + 1 + S > T ? t + 1 + S - T : 0; // t + (S - T) + 1 without negative numbers
}

// A block for Br queries of head h of sequence b: block (b NH + h) tiles + tile. scale is log2(e) /
// sqrt(hs).
template <int HS>
__global__ void flash_attention_kernel(float *out_dev, float *logsumexp_dev,
                                       const float *q_dev, const float *k_dev,
                                       const float *v_dev, bool causal, size_t T,
                                       size_t S, size_t hs, float scale)
{
    enum { ROWS = shape<HS>::ROWS, Br = shape<HS>::Br };
    __shared__ float4 q_tile[Br][shape<HS>::FOURS + 1];
    __shared__ float4 tile[Bc][shape<HS>::FOURS + 1]; // of k, then of v
    __shared__ float
        weights[Br][Bc + 8]; // + 8: the four queries of a warp are in different banks
    const size_t tiles = (T + Br - 1) / Br;
    const size_t head = blockIdx.x / tiles, t0 = blockIdx.x % tiles * Br;

    struct partial<HS> z = {
    };
    for (int r = 0; r < ROWS; r++) {
        z.max[r] = -INFINITY;
    }
    load_tile<HS>(q_tile, q_dev + head * T * hs, t0, Br, T, hs);

    const size_t t_end = t0 + Br < T ? t0 + Br : T;
    const size_t s_end = keys_seen(t_end - 1, causal, T, S); // no query sees more
    for (size_t s0 = 0; s0 < s_end; s0 += Bc) {
        float scores[ROWS][KEYS] = {};
        size_t seen[ROWS];
        load_tile<HS>(tile, k_dev + head * S * hs, s0, Bc, S, hs);
        __syncthreads(); // k is complete
        make_scores<HS>(scores, q_tile, tile, hs, scale);
        __syncthreads(); // all threads have read k
        load_tile<HS>(tile, v_dev + head * S * hs, s0, Bc, S, hs);
        for (int r = 0; r < ROWS; r++) {
            const size_t row = threadIdx.y + r * Y,
                         all = keys_seen(t0 + row, causal, T, S);
            const size_t end = all < S ? all : S; // any value for a query past the last
            seen[r] = end < s0 ? 0 : end < s0 + Bc ? end - s0 : (size_t)Bc;
            merge_scores<HS>(&z, scores[r], r, seen[r]);
            for (int j = 0; j < KEYS; j++) {
                weights[row][threadIdx.x + j * X] = scores[r][j];
            }
        }
        __syncthreads(); // v and the weights are complete
        add_values<HS>(&z, weights, tile, seen);
        __syncthreads(); // all threads have read v
    }

    for (int r = 0; r < ROWS; r++) {
        const size_t t = t0 + threadIdx.y + r * Y, n = head * T + t;
        float sum = z.sum[r];
        for (int distance = X / 2; distance > 0;
             distance /= 2) { // in all threads, even past the end
            sum += __shfl_xor_sync(0xffffffffu, sum, distance);
        }
        const float share = sum == 0.0f ? 0.0f : 1.0f / sum;
        for (size_t i = 0; t < T && i < shape<HS>::EACH; i++) {
            store_four(out_dev + n * hs, scale_four(z.weighted[r][i], share),
                       threadIdx.x + i * X, hs);
        }
        if (t < T && threadIdx.x == 0) {
            logsumexp_dev[n] = (z.max[r] + log2f(sum)) * 0.693147181f; // no key: -inf
        }
    }
}

template <int HS>
static void launch(float *out_dev, float *logsumexp_dev, const float *q_dev,
                   const float *k_dev, const float *v_dev, bool causal, size_t heads,
                   size_t T, size_t S, size_t hs, cudaStream_t stream)
{
    const unsigned tiles = lab_blocks(T, shape<HS>::Br);
    flash_attention_kernel<HS><<<(unsigned)heads * tiles, dim3(X, Y), 0, stream>>>(
        out_dev, logsumexp_dev, q_dev, k_dev, v_dev, causal, T, S, hs,
        1.44269504f / sqrtf((float)hs));
}

lab_status flash_attention_gpu(float *out_dev, float *logsumexp_dev, const float *q_dev,
                               const float *k_dev, const float *v_dev, bool causal,
                               size_t B, size_t NH, size_t T, size_t S, size_t hs,
                               cudaStream_t stream)
{
    if (!fits_int(B, NH) || !fits_int(B * NH, T) || S == 0 || hs == 0 || hs > 128) {
        return LAB_ESHAPE;
    }
    if (hs <= 64) {
        launch<64>(out_dev, logsumexp_dev, q_dev, k_dev, v_dev, causal, B * NH, T, S, hs,
                   stream);
    } else {
        launch<128>(out_dev, logsumexp_dev, q_dev, k_dev, v_dev, causal, B * NH, T, S, hs,
                    stream);
    }
    return lab_cuda(cudaGetLastError());
}
