// heads.cu - lab 4 on the GPU: splitting heads, and one call for all of their products.
//
//   x ─ batched_linear ─> qkv ─ split_qkv ─> q, k, v ─ split_heads ─> (B,NH,T,hs) each
//                                                                          │
//      strided batch: all B NH products of one kind are one call of cuBLAS │
//                                                                          v
//   out <─ batched_linear ─ merged <─ merge_heads ─ out_heads <─ weights <─ scores
//
// The kernels of 4.2 to 4.4 compute nothing; they only move numbers. Their speed depends
// on the addresses that the threads of a warp read and write together. The kernel of 4.5
// is lab 3's masked softmax, with a warp for each row.
//
// heads_gpu.h describes each launcher. Start reading at split_heads_kernel.

#include "04_multi_head/heads_gpu.h"

#include <limits.h>
#include <math.h>

#include "02_batching/batching_gpu.h"
#include "03_causal_mask/causal_gpu.h"

enum { BLOCK = 256 }; // threads of a block that moves numbers

// ---- 4.2  three in one --------------------------------------------------------------------

// Moves B T C numbers (count) of each of q, k and v.
__global__ void split_qkv_kernel(float *q_dev, float *k_dev, float *v_dev,
                                 const float *qkv_dev, size_t count, size_t C)
{
    // BEGIN SOLUTION 4.2 split_qkv_kernel: thread i handles channel i % C of token i / C
    // and writes number i of q, k and v; the last block has threads without a number
    // (about 8 lines)
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) {
        return;
    }
    const float *qkv_n = qkv_dev + i / C * 3 * C;
    q_dev[i] = qkv_n[i % C];
    k_dev[i] = qkv_n[C + i % C];
    v_dev[i] = qkv_n[2 * C + i % C];
    // END SOLUTION 4.2
}

lab_status split_qkv_gpu(float *q_dev, float *k_dev, float *v_dev, const float *qkv_dev,
                         size_t B, size_t T, size_t C, cudaStream_t stream)
{
    if (B == 0 || T == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 4.2 split_qkv_gpu: B T C threads in blocks of BLOCK; then check
    // cudaGetLastError (about 3 lines)
    const size_t count = B * T * C;
    split_qkv_kernel<<<lab_blocks(count, BLOCK), BLOCK, 0, stream>>>(q_dev, k_dev, v_dev,
                                                                     qkv_dev, count, C);
    return lab_cuda(cudaGetLastError());
    // END SOLUTION 4.2
}

// ---- 4.3, 4.4  heads in front of tokens, and back -----------------------------------------

// Moves B NH T hs numbers (count) from (B, T, NH, hs) to (B, NH, T, hs).
__global__ void split_heads_kernel(float *out_dev, const float *x_dev, size_t count,
                                   size_t T, size_t NH, size_t hs)
{
    // BEGIN SOLUTION 4.3 split_heads_kernel: thread i writes number i of out; compute b,
    // h, t and c from i, the last axis first, and read x there (about 9 lines)
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) {
        return;
    }
    const size_t c = i % hs;
    const size_t t = i / hs % T;
    const size_t h = i / hs / T % NH;
    const size_t b = i / hs / T / NH;
    out_dev[i] = x_dev[((b * T + t) * NH + h) * hs + c];
    // END SOLUTION 4.3
}

lab_status split_heads_gpu(float *out_dev, const float *x_dev, size_t B, size_t T,
                           size_t C, size_t NH, cudaStream_t stream)
{
    if (B == 0 || T == 0 || C == 0 || NH == 0 || C % NH != 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 4.3 split_heads_gpu: one thread for each number (about 3 lines)
    const size_t count = B * T * C;
    split_heads_kernel<<<lab_blocks(count, BLOCK), BLOCK, 0, stream>>>(
        out_dev, x_dev, count, T, NH, C / NH);
    return lab_cuda(cudaGetLastError());
    // END SOLUTION 4.3
}

// Moves B NH T hs numbers (count) from (B, NH, T, hs) to (B, T, NH, hs).
__global__ void merge_heads_kernel(float *out_dev, const float *x_dev, size_t count,
                                   size_t T, size_t NH, size_t hs)
{
    // BEGIN SOLUTION 4.4 merge_heads_kernel: thread i writes number i of out, whose axes
    // are b, t, h and c (about 9 lines)
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) {
        return;
    }
    const size_t c = i % hs;
    const size_t h = i / hs % NH;
    const size_t t = i / hs / NH % T;
    const size_t b = i / hs / NH / T;
    out_dev[i] = x_dev[((b * NH + h) * T + t) * hs + c];
    // END SOLUTION 4.4
}

lab_status merge_heads_gpu(float *out_dev, const float *x_dev, size_t B, size_t T,
                           size_t C, size_t NH, cudaStream_t stream)
{
    if (B == 0 || T == 0 || C == 0 || NH == 0 || C % NH != 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 4.4 merge_heads_gpu: one thread for each number (about 3 lines)
    const size_t count = B * T * C;
    merge_heads_kernel<<<lab_blocks(count, BLOCK), BLOCK, 0, stream>>>(
        out_dev, x_dev, count, T, NH, C / NH);
    return lab_cuda(cudaGetLastError());
    // END SOLUTION 4.4
}

// ---- 4.5  every head by itself ------------------------------------------------------------

enum { WARP = 32, WARPS = 4 }; // a block of (32, 4) threads has 4 warps, and so 4 rows

// BEGIN SOLUTION 4.5 helper
// The largest of a warp's 32 values, and their sum, returned to every lane.
static __device__ float warp_max(float value)
{
    for (int step = WARP / 2; step > 0; step /= 2) {
        value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, step));
    }
    return value;
}

static __device__ float warp_sum(float value)
{
    for (int step = WARP / 2; step > 0; step /= 2) {
        value += __shfl_xor_sync(0xffffffffu, value, step);
    }
    return value;
}
// END SOLUTION 4.5

// The softmax of B NH T rows of S scores. mask_dev is NULL or has a row of S for each
// query; the rows of sequence b begin at b mask_stride.
__global__ void heads_softmax_kernel(float *weights_dev, const float *scores_dev,
                                     const uint8_t *mask_dev, size_t mask_stride,
                                     size_t rows, size_t NH, size_t T, size_t S)
{
    // BEGIN SOLUTION 4.5 heads_softmax_kernel: one warp for row n = (b NH + h) T + t;
    // lane l handles the keys l, l + 32, ...; the maximum, the exponentials and their
    // sum, the division; zeros for a query without an allowed key (about 30 lines; you
    // may add helpers)
    const size_t n = (size_t)blockIdx.x * WARPS + threadIdx.y;
    if (n >= rows) {
        return; // the whole warp returns: no other warp waits for it
    }
    const size_t b = n / T / NH, t = n % T;
    const float *scores_n = scores_dev + n * S;
    float *weights_n = weights_dev + n * S;
    const uint8_t *mask_bt = mask_dev == NULL ? NULL : mask_dev + b * mask_stride + t * S;

    // pass 1: the largest allowed score
    float max = -INFINITY;
    for (size_t s = threadIdx.x; s < S; s += WARP) {
        if (mask_bt == NULL || mask_bt[s] != 0) {
            max = fmaxf(max, scores_n[s]);
        }
    }
    max = warp_max(max);

    // pass 2: exponentials, exactly 0 for forbidden keys, and their sum
    float sum = 0.0f;
    for (size_t s = threadIdx.x; s < S; s += WARP) {
        const bool allowed = mask_bt == NULL || mask_bt[s] != 0;
        const float e = allowed ? expf(scores_n[s] - max) : 0.0f;
        weights_n[s] = e;
        sum += e;
    }
    sum = warp_sum(sum);

    // pass 3: the row sums to 1; each lane reads its own writes
    const float scale = sum > 0.0f ? 1.0f / sum : 0.0f;
    for (size_t s = threadIdx.x; s < S; s += WARP) {
        weights_n[s] *= scale;
    }
    // END SOLUTION 4.5
}

// BEGIN SOLUTION 4.5 helper
// mask_stride: T S if every sequence has its own mask, 0 if all share one.
static lab_status attend(float *out_dev, float *weights_dev, float *scores_dev,
                         const float *q_dev, const float *k_dev, const float *v_dev,
                         const uint8_t *mask_dev, size_t mask_stride, size_t B, size_t NH,
                         size_t T, size_t S, size_t hs, cublasHandle_t cublas,
                         cudaStream_t stream)
{
    const int t = (int)T, s = (int)S, c = (int)hs, batch = (int)(B * NH);
    const float one = 1.0f, zero = 0.0f, scale = 1.0f / sqrtf((float)hs);
    const long long queries = (long long)(T * hs), keys = (long long)(S * hs);
    const long long pairs = (long long)(T * S);

    // scores (T,S) = scale q (T,hs) k^T; read by columns: scores^T (S,T) = scale k q^T
    LAB_TRY(lab_cublas(cublasSgemmStridedBatched(
        cublas, CUBLAS_OP_T, CUBLAS_OP_N, s, t, c, &scale, k_dev, c, keys, q_dev, c,
        queries, &zero, scores_dev, s, pairs, batch)));

    const size_t rows = B * NH * T;
    heads_softmax_kernel<<<lab_blocks(rows, WARPS), dim3(WARP, WARPS), 0, stream>>>(
        weights_dev, scores_dev, mask_dev, mask_stride, rows, NH, T, S);
    LAB_TRY(lab_cuda(cudaGetLastError()));

    // out (T,hs) = weights (T,S) v (S,hs); read by columns: out^T (hs,T) = v^T weights^T
    return lab_cublas(cublasSgemmStridedBatched(
        cublas, CUBLAS_OP_N, CUBLAS_OP_N, c, t, s, &one, v_dev, c, keys, weights_dev, s,
        pairs, &zero, out_dev, c, queries, batch));
}
// END SOLUTION 4.5

// The sizes of cuBLAS and of a grid are int. Reject larger ones, because the cast would
// wrap.
static bool fits_int(size_t size)
{
    return 0 < size && size <= INT_MAX;
}

lab_status scaled_dot_product_attention_gpu(float *out_dev, float *weights_dev,
                                            float *scores_dev, const float *q_dev,
                                            const float *k_dev, const float *v_dev,
                                            const uint8_t *mask_dev, size_t B, size_t NH,
                                            size_t T, size_t S, size_t hs,
                                            cublasHandle_t cublas, cudaStream_t stream)
{
    if (!fits_int(B) || !fits_int(NH) || !fits_int(T) || !fits_int(S) || !fits_int(hs) ||
        !fits_int(B * NH) || B * NH > INT_MAX / T) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 4.5 scaled_dot_product_attention_gpu: scores by one
    // cublasSgemmStridedBatched over B NH heads, with 1/sqrt(hs) as alpha; the kernel, a warp
    // for each row; out by a second one; check all three (about 25 lines)
    return attend(out_dev, weights_dev, scores_dev, q_dev, k_dev, v_dev, mask_dev, T * S,
                  B, NH, T, S, hs, cublas, stream);
    // END SOLUTION 4.5
}

// ---- 4.6  multi-head attention ------------------------------------------------------------

lab_status multi_head_attention_gpu(float *out_dev, float *weights_dev,
                                    const struct attention_buffers *buffers,
                                    const float *x_dev,
                                    const struct attention_params *params, bool causal,
                                    size_t B, size_t T, size_t C_in, size_t C, size_t NH,
                                    cublasHandle_t cublas, cudaStream_t stream)
{
    if (!fits_int(B) || !fits_int(T) || !fits_int(C_in) || !fits_int(C) ||
        C > INT_MAX / 3 || !fits_int(NH) || C % NH != 0 || !fits_int(B * NH) ||
        B * NH > INT_MAX / T) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 4.6 multi_head_attention_gpu: as multi_head_attention in heads.c,
    // with _gpu after every name; everything goes into one stream in order, and nothing
    // waits; each call in a LAB_TRY (about 16 lines)
    const struct attention_buffers *z = buffers;
    LAB_TRY(batched_linear_gpu(z->qkv, x_dev, params->w_qkv, params->b_qkv, B, T, C_in,
                               3 * C, cublas, stream));
    LAB_TRY(split_qkv_gpu(z->q, z->k, z->v, z->qkv, B, T, C, stream));
    LAB_TRY(split_heads_gpu(z->q_heads, z->q, B, T, C, NH, stream));
    LAB_TRY(split_heads_gpu(z->k_heads, z->k, B, T, C, NH, stream));
    LAB_TRY(split_heads_gpu(z->v_heads, z->v, B, T, C, NH, stream));

    // one mask for all sequences: B launches would take longer than writing the masks
    if (causal) {
        LAB_TRY(causal_mask_gpu(z->mask, T, T, stream));
    }
    LAB_TRY(attend(z->out_heads, weights_dev, z->scores, z->q_heads, z->k_heads,
                   z->v_heads, causal ? z->mask : NULL, 0, B, NH, T, T, C / NH, cublas,
                   stream));

    LAB_TRY(merge_heads_gpu(z->merged, z->out_heads, B, T, C, NH, stream));
    return batched_linear_gpu(out_dev, z->merged, params->w_o, params->b_o, B, T, C, C,
                              cublas, stream);
    // END SOLUTION 4.6
}
