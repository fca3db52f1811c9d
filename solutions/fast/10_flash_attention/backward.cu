// backward.cu - back through attention on the GPU, with tiles in registers.
//
// Read solutions/10_flash_attention/backward.cu first: it is the plain form of the same mathematics. The two
// large kernels are mirror images here, too: a block has its own rows, and loads tiles of the other side
// in turn.
//
//     dq kernel       own: q, dout      other: k, v
//     dk, dv kernel   own: k, v         other: q, dout
//
//   1. tiles in registers    A thread computes the scores and the dweights of ROWS own rows with OTHERS
//                            others. For 4 channels of them it loads ROWS + OTHERS float4, and multiplies
//                            4 ROWS OTHERS times. The same for the sums: ROWS rows with HS / 8 channels.
//   2. float4                A quarter of the instructions for loads, from both memories.
//   3. powers of 2           exp2f is cheaper than expf; the factor log2(e) is part of the scale.
//
// A block of 128 threads is 16 threads by 8, y by x. Thread (x, y) has
//
//     own rows     y, y + 16                     of the block's tile
//     others       x, x + 8, ...                 of the other tile
//     channels     4 x ... 4 x + 3, and every 32 further on, of its own rows' sums
// The other seven threads of a row need what a thread computes for a pair, for their channels. They
// exchange it through shared memory, within one warp.
//
// Start reading at dq_kernel.

#include "10_flash_attention/flash_attention_gpu.h"

#include <limits.h>
#include <math.h>

enum { WARP = 32, X = 8, Y = 16, BLOCK = X * Y, WARPS = BLOCK / WARP };

// For heads of at most HS channels, 64 or 128. Four tiles of floats must fit in 48 KiB.
template <int HS> struct shape {
    enum {
        ROWS = 128 / HS,    // own rows of a thread: 2 or 1
        OWN = Y * ROWS,     // own rows of a block
        OTHER = 2048 / HS,  // rows of the other tile: 32 or 16
        OTHERS = OTHER / X, // of a thread: 4 or 2
        FOURS = HS / 4,     // float4 of a row
        EACH = HS / 32,     // float4 of a thread's channels
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

// ---- 10.4  what the kernels have in common ------------------------------------------------

// What they all work on: T queries and S keys of hs channels for each head.
struct sizes {
    bool causal;
    size_t T, S, hs;
    float scale; // 1 / sqrt(hs)
};

// Whether query t sees key s: s <= t + (S - T), without negative numbers.
static __device__ bool sees(size_t t, size_t s, struct sizes n)
{
    return t < n.T && s < n.S && (!n.causal || s + n.T <= t + n.S);
}

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

// dots = own other^T for the thread's pairs.
template <int HS>
static __device__ void make_dots(float (*dots)[shape<HS>::OTHERS],
                                 const float4 (*own)[shape<HS>::FOURS + 1],
                                 const float4 (*other)[shape<HS>::FOURS + 1], size_t hs)
{
    enum { ROWS = shape<HS>::ROWS, OTHERS = shape<HS>::OTHERS };
    for (size_t c = 0; 4 * c < hs; c++) {
        float4 a[ROWS], b[OTHERS];
        for (int r = 0; r < ROWS; r++) { // constant ends: all of this is in registers
            a[r] = own[threadIdx.y + r * Y][c];
        }
        for (int j = 0; j < OTHERS; j++) {
            b[j] = other[threadIdx.x + j * X][c];
        }
        for (int r = 0; r < ROWS; r++) {
            for (int j = 0; j < OTHERS; j++) {
                dots[r][j] += dot_four(a[r], b[j]);
            }
        }
    }
}

// Turns a pair's score into its weight, and its dweight into its dscore. Both are 0 if the query does not see the key.
static __device__ void weigh(float *score, float *dweight, bool seen, float logsumexp,
                             float delta, float scale)
{
    const bool any = seen && logsumexp != -INFINITY;
    *score = any ? exp2f(1.44269504f * (*score * scale - logsumexp)) : 0.0f;
    *dweight = any ? *score * (*dweight - delta) : 0.0f;
}

// sum += factors other, for the thread's rows and channels.
template <int HS>
static __device__ void add_rows(float4 (*sum)[shape<HS>::EACH],
                                const float (*factors)[shape<HS>::OTHER + 8],
                                const float4 (*other)[shape<HS>::FOURS + 1])
{
    enum { ROWS = shape<HS>::ROWS };
    for (size_t s = 0; s < shape<HS>::OTHER; s += 4) {
        float4 four[ROWS];
        for (int r = 0; r < ROWS; r++) {
            four[r] = *(const float4 *)&factors[threadIdx.y + r * Y][s];
        }
        for (int i = 0; i < shape<HS>::EACH; i++) {
            const size_t c = threadIdx.x + i * X;
            const float4 x0 = other[s][c], x1 = other[s + 1][c], x2 = other[s + 2][c],
                         x3 = other[s + 3][c];
            for (int r = 0; r < ROWS; r++) {
                sum[r][i] = add_four(sum[r][i], four[r].x, x0);
                sum[r][i] = add_four(sum[r][i], four[r].y, x1);
                sum[r][i] = add_four(sum[r][i], four[r].z, x2);
                sum[r][i] = add_four(sum[r][i], four[r].w, x3);
            }
        }
    }
}

// Writes the thread's channels of its rows first + y, ... of a matrix (N, hs).
template <int HS>
static __device__ void store_rows(float *matrix, const float4 (*sum)[shape<HS>::EACH],
                                  float scale, size_t first, size_t N, size_t hs)
{
    for (int r = 0; r < shape<HS>::ROWS; r++) {
        const size_t row = first + threadIdx.y + r * Y;
        for (int i = 0; row < N && i < shape<HS>::EACH; i++) {
            store_four(matrix + row * hs, scale_four(sum[r][i], scale),
                       threadIdx.x + i * X, hs);
        }
    }
}

// ---- 10.4  delta --------------------------------------------------------------------------

// A warp for each of N rows of dout and out (N, hs).
static __global__ void delta_kernel(float *delta_dev, const float *dout_dev,
                                    const float *out_dev, size_t N, size_t hs)
{
    const size_t n = (size_t)blockIdx.x * WARPS + threadIdx.x / WARP;
    if (n >= N) { // the whole warp returns, or none of it: no shuffle misses a lane
        return;
    }
    float sum = 0.0f;
    for (size_t c = threadIdx.x % WARP; 4 * c < hs; c += WARP) {
        sum += dot_four(load_four(dout_dev + n * hs, c, hs),
                        load_four(out_dev + n * hs, c, hs));
    }
    for (int distance = WARP / 2; distance > 0; distance /= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, distance);
    }
    if (threadIdx.x % WARP == 0) {
        delta_dev[n] = sum;
    }
}

// ---- 10.4  dq -----------------------------------------------------------------------------

// A block for OWN queries of a head.
template <int HS>
__global__ void dq_kernel(float *dq_dev, const float *delta_dev, const float *dout_dev,
                          const float *logsumexp_dev, const float *q_dev,
                          const float *k_dev, const float *v_dev, struct sizes n)
{
    enum { ROWS = shape<HS>::ROWS, OWN = shape<HS>::OWN, OTHER = shape<HS>::OTHER };
    __shared__ float4 q_tile[OWN][shape<HS>::FOURS + 1],
        dout_tile[OWN][shape<HS>::FOURS + 1];
    __shared__ float4 k_tile[OTHER][shape<HS>::FOURS + 1],
        v_tile[OTHER][shape<HS>::FOURS + 1];
    __shared__ float
        dscores[OWN][OTHER + 8]; // + 8: the four rows of a warp are in different banks
    const size_t tiles = (n.T + OWN - 1) / OWN;
    const size_t head = blockIdx.x / tiles, t0 = blockIdx.x % tiles * OWN;
    const size_t queries = head * n.T, keys = head * n.S;
    float4 dq[ROWS][shape<HS>::EACH] = {};
    float logsumexp[ROWS], delta[ROWS];

    load_tile<HS>(q_tile, q_dev + queries * n.hs, t0, OWN, n.T, n.hs);
    load_tile<HS>(dout_tile, dout_dev + queries * n.hs, t0, OWN, n.T, n.hs);
    for (int r = 0; r < ROWS; r++) {
        const size_t t = t0 + threadIdx.y + r * Y;
        logsumexp[r] = t < n.T ? logsumexp_dev[queries + t] : -INFINITY;
        delta[r] = t < n.T ? delta_dev[queries + t] : 0.0f;
    }
    const size_t t_last = t0 + OWN < n.T ? t0 + OWN - 1 : n.T - 1;
    for (size_t s0 = 0; sees(t_last, s0, n); s0 += OTHER) {
        load_tile<HS>(k_tile, k_dev + keys * n.hs, s0, OTHER, n.S, n.hs);
        load_tile<HS>(v_tile, v_dev + keys * n.hs, s0, OTHER, n.S, n.hs);
        __syncthreads(); // the tiles are complete
        float scores[ROWS][shape<HS>::OTHERS] = {},
              dweights[ROWS][shape<HS>::OTHERS] = {};
        make_dots<HS>(scores, q_tile, k_tile, n.hs);
        make_dots<HS>(dweights, dout_tile, v_tile, n.hs);
        for (int r = 0; r < ROWS; r++) {
            for (int j = 0; j < shape<HS>::OTHERS; j++) {
                const size_t row = threadIdx.y + r * Y, s = threadIdx.x + j * X;
                weigh(&scores[r][j], &dweights[r][j], sees(t0 + row, s0 + s, n),
                      logsumexp[r], delta[r], n.scale);
                dscores[row][s] = dweights[r][j];
            }
        }
        __syncwarp(); // the threads of a row are in one warp
        add_rows<HS>(dq, dscores, k_tile);
        __syncthreads(); // all threads have read the tiles
    }
    store_rows<HS>(dq_dev + queries * n.hs, dq, n.scale, t0, n.T, n.hs);
}

// ---- 10.4  dk and dv ----------------------------------------------------------------------

// A block for OWN keys of a head.
template <int HS>
__global__ void dk_dv_kernel(float *dk_dev, float *dv_dev, const float *delta_dev,
                             const float *dout_dev, const float *logsumexp_dev,
                             const float *q_dev, const float *k_dev, const float *v_dev,
                             struct sizes n)
{
    enum { ROWS = shape<HS>::ROWS, OWN = shape<HS>::OWN, OTHER = shape<HS>::OTHER };
    __shared__ float4 k_tile[OWN][shape<HS>::FOURS + 1],
        v_tile[OWN][shape<HS>::FOURS + 1];
    __shared__ float4 q_tile[OTHER][shape<HS>::FOURS + 1],
        dout_tile[OTHER][shape<HS>::FOURS + 1];
    __shared__ float weights[OWN][OTHER + 8], dscores[OWN][OTHER + 8];
    const size_t tiles = (n.S + OWN - 1) / OWN;
    const size_t head = blockIdx.x / tiles, s0 = blockIdx.x % tiles * OWN;
    const size_t queries = head * n.T, keys = head * n.S;
    float4 dk[ROWS][shape<HS>::EACH] = {}, dv[ROWS][shape<HS>::EACH] = {};

    load_tile<HS>(k_tile, k_dev + keys * n.hs, s0, OWN, n.S, n.hs);
    load_tile<HS>(v_tile, v_dev + keys * n.hs, s0, OWN, n.S, n.hs);
    const size_t t_first = n.causal && s0 + n.T > n.S ? s0 + n.T - n.S : 0; // sees key s0
    for (size_t t0 = t_first; t0 < n.T; t0 += OTHER) {
        load_tile<HS>(q_tile, q_dev + queries * n.hs, t0, OTHER, n.T, n.hs);
        load_tile<HS>(dout_tile, dout_dev + queries * n.hs, t0, OTHER, n.T, n.hs);
        __syncthreads(); // the tiles are complete
        float scores[ROWS][shape<HS>::OTHERS] = {},
              dweights[ROWS][shape<HS>::OTHERS] = {};
        make_dots<HS>(scores, k_tile, q_tile, n.hs);
        make_dots<HS>(dweights, v_tile, dout_tile, n.hs);
        for (int j = 0; j < shape<HS>::OTHERS; j++) {
            const size_t column = threadIdx.x + j * X, t = t0 + column;
            const float logsumexp = t < n.T ? logsumexp_dev[queries + t] : -INFINITY;
            const float delta = t < n.T ? delta_dev[queries + t] : 0.0f;
            for (int r = 0; r < ROWS; r++) {
                const size_t row = threadIdx.y + r * Y;
                weigh(&scores[r][j], &dweights[r][j], sees(t, s0 + row, n), logsumexp,
                      delta, n.scale);
                weights[row][column] = scores[r][j];
                dscores[row][column] = dweights[r][j];
            }
        }
        __syncwarp(); // the threads of a row are in one warp
        add_rows<HS>(dv, weights, dout_tile);
        add_rows<HS>(dk, dscores, q_tile);
        __syncthreads(); // all threads have read the tiles
    }
    store_rows<HS>(dk_dev + keys * n.hs, dk, n.scale, s0, n.S, n.hs);
    store_rows<HS>(dv_dev + keys * n.hs, dv, 1.0f, s0, n.S, n.hs);
}

// ---- 10.4 ---------------------------------------------------------------------------------

template <int HS>
static void launch(float *dq_dev, float *dk_dev, float *dv_dev, const float *delta_dev,
                   const float *dout_dev, const float *logsumexp_dev, const float *q_dev,
                   const float *k_dev, const float *v_dev, size_t heads, struct sizes n,
                   cudaStream_t stream)
{
    const dim3 block(X, Y);
    const unsigned query_tiles = lab_blocks(n.T, shape<HS>::OWN);
    const unsigned key_tiles = lab_blocks(n.S, shape<HS>::OWN);
    dq_kernel<HS><<<(unsigned)heads * query_tiles, block, 0, stream>>>(
        dq_dev, delta_dev, dout_dev, logsumexp_dev, q_dev, k_dev, v_dev, n);
    dk_dv_kernel<HS><<<(unsigned)heads * key_tiles, block, 0, stream>>>(
        dk_dev, dv_dev, delta_dev, dout_dev, logsumexp_dev, q_dev, k_dev, v_dev, n);
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
        hs > 128) {
        return LAB_ESHAPE;
    }
    const struct sizes n = {causal, T, S, hs, 1.0f / sqrtf((float)hs)};
    delta_kernel<<<lab_blocks(B * NH * T, WARPS), BLOCK, 0, stream>>>(
        delta_dev, dout_dev, out_dev, B * NH * T, hs);
    if (hs <= 64) {
        launch<64>(dq_dev, dk_dev, dv_dev, delta_dev, dout_dev, logsumexp_dev, q_dev,
                   k_dev, v_dev, B * NH, n, stream);
    } else {
        launch<128>(dq_dev, dk_dev, dv_dev, delta_dev, dout_dev, logsumexp_dev, q_dev,
                    k_dev, v_dev, B * NH, n, stream);
    }
    return lab_cuda(cudaGetLastError()); // of any of them
}
