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
    // TODO 4.2: thread i handles channel i % C of token i / C and writes number i of q, k
    // and v; the last block has threads without a number (about 8 lines)
}

lab_status split_qkv_gpu(float *q_dev, float *k_dev, float *v_dev, const float *qkv_dev,
                         size_t B, size_t T, size_t C, cudaStream_t stream)
{
    if (B == 0 || T == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    // TODO 4.2: B T C threads in blocks of BLOCK; then check cudaGetLastError (about 3
    // lines)
    return lab_todo(q_dev, k_dev, v_dev, qkv_dev, B, T, C, stream);
}

// ---- 4.3, 4.4  heads in front of tokens, and back -----------------------------------------

// Moves B NH T hs numbers (count) from (B, T, NH, hs) to (B, NH, T, hs).
__global__ void split_heads_kernel(float *out_dev, const float *x_dev, size_t count,
                                   size_t T, size_t NH, size_t hs)
{
    // TODO 4.3: thread i writes number i of out; compute b, h, t and c from i, the last
    // axis first, and read x there (about 9 lines)
}

lab_status split_heads_gpu(float *out_dev, const float *x_dev, size_t B, size_t T,
                           size_t C, size_t NH, cudaStream_t stream)
{
    if (B == 0 || T == 0 || C == 0 || NH == 0 || C % NH != 0) {
        return LAB_ESHAPE;
    }
    // TODO 4.3: one thread for each number (about 3 lines)
    return lab_todo(out_dev, x_dev, B, T, C, NH, stream);
}

// Moves B NH T hs numbers (count) from (B, NH, T, hs) to (B, T, NH, hs).
__global__ void merge_heads_kernel(float *out_dev, const float *x_dev, size_t count,
                                   size_t T, size_t NH, size_t hs)
{
    // TODO 4.4: thread i writes number i of out, whose axes are b, t, h and c (about 9
    // lines)
}

lab_status merge_heads_gpu(float *out_dev, const float *x_dev, size_t B, size_t T,
                           size_t C, size_t NH, cudaStream_t stream)
{
    if (B == 0 || T == 0 || C == 0 || NH == 0 || C % NH != 0) {
        return LAB_ESHAPE;
    }
    // TODO 4.4: one thread for each number (about 3 lines)
    return lab_todo(out_dev, x_dev, B, T, C, NH, stream);
}

// ---- 4.5  every head by itself ------------------------------------------------------------

enum { WARP = 32, WARPS = 4 }; // a block of (32, 4) threads has 4 warps, and so 4 rows

// The softmax of B NH T rows of S scores. mask_dev is NULL or has a row of S for each
// query; the rows of sequence b begin at b mask_stride.
__global__ void heads_softmax_kernel(float *weights_dev, const float *scores_dev,
                                     const uint8_t *mask_dev, size_t mask_stride,
                                     size_t rows, size_t NH, size_t T, size_t S)
{
    // TODO 4.5: one warp for row n = (b NH + h) T + t; lane l handles the keys l, l + 32,
    // ...; the maximum, the exponentials and their sum, the division; zeros for a query
    // without an allowed key (about 30 lines; you may add helpers)
}

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
    // TODO 4.5: scores by one cublasSgemmStridedBatched over B NH heads, with 1/sqrt(hs)
    // as alpha; the kernel, a warp for each row; out by a second one; check all three
    // (about 25 lines)
    return lab_todo(out_dev, weights_dev, scores_dev, q_dev, k_dev, v_dev, mask_dev, B,
                    NH, T, S, hs, cublas, stream);
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
    // TODO 4.6: as multi_head_attention in heads.c, with _gpu after every name;
    // everything goes into one stream in order, and nothing waits; each call in a LAB_TRY
    // (about 16 lines)
    return lab_todo(out_dev, weights_dev, buffers, x_dev, params, causal, B, T, C_in, C,
                    NH, cublas, stream);
}
