// batching.cu - lab 2 on the GPU: the batch as a third axis of the grid, then cuBLAS.
//
//     2.2  blockIdx.z is the sequence
//     2.3  one cublasSgemm over B * T rows      cuBLAS reads our rows as columns
//     2.5  cublasSgemmStridedBatched            and the softmax of lab 1
//
// batching_gpu.h describes each launcher. Start reading at batched_matmul_kernel.

#include "02_batching/batching_gpu.h"

#include <limits.h>
#include <math.h>

#include "01_simple_attention/attention_gpu.h"

// CUDA and cuBLAS sizes are int. Reject larger ones, because the cast would silently
// wrap.
static bool fits_int(size_t size)
{
    return 0 < size && size <= INT_MAX;
}

// ---- 2.2  blockIdx.z is the sequence -----------------------------------------------------

enum { TILE = 16 };
// The limit on the blocks along y and along z, enough to keep a card busy. CUDA allows 65535.
[[maybe_unused]] const unsigned GRID_MAX = 128;

// A grid has at most GRID_MAX blocks along y and z; the kernels loop over the rest.
[[maybe_unused]] static unsigned at_most(unsigned blocks)
{
    return blocks < GRID_MAX ? blocks : GRID_MAX;
}

__global__ void batched_matmul_kernel(float *out_dev, const float *a_dev,
                                      const float *b_dev, size_t B, size_t M, size_t N,
                                      size_t K)
{
    // TODO 2.2: lab 1's product (1.1 or the tiles of 1.5) for sequence blockIdx.z, then
    // for further sequences in steps of gridDim.z; each tensor has a different distance
    // to the next sequence (about 15 or 25 lines)
}

lab_status batched_matmul_gpu(float *out_dev, const float *a_dev, const float *b_dev,
                              size_t B, size_t M, size_t N, size_t K, cudaStream_t stream)
{
    if (!fits_int(B) || !fits_int(M) || !fits_int(N) || !fits_int(K)) {
        return LAB_ESHAPE;
    }
    // TODO 2.2: a grid with sequences along z, rows along y, columns along x, at most
    // GRID_MAX blocks along y and z (about 4 lines)
    return lab_todo(out_dev, a_dev, b_dev, B, M, N, K, stream);
}

__global__ void batched_matmul_nt_kernel(float *out_dev, const float *a_dev,
                                         const float *b_dev, size_t B, size_t M, size_t N,
                                         size_t K)
{
    // TODO 2.2: the same with b[i] (N,K): 1.1's matmul_nt, or the tiles of 1.3 (about 15
    // or 25 lines)
}

lab_status batched_matmul_nt_gpu(float *out_dev, const float *a_dev, const float *b_dev,
                                 size_t B, size_t M, size_t N, size_t K,
                                 cudaStream_t stream)
{
    if (!fits_int(B) || !fits_int(M) || !fits_int(N) || !fits_int(K)) {
        return LAB_ESHAPE;
    }
    // TODO 2.2: the same grid (about 4 lines)
    return lab_todo(out_dev, a_dev, b_dev, B, M, N, K, stream);
}

// ---- 2.3  one product over all rows, by cuBLAS -------------------------------------------

__global__ void add_bias_kernel(float *y_dev, const float *bias_dev, size_t N, size_t O)
{
    // TODO 2.3: add bias[o] to column o of y (N,O); x along the columns, and rows as in
    // 1.1 (about 8 lines)
}

lab_status batched_linear_gpu(float *y_dev, const float *x_dev, const float *w_dev,
                              const float *bias_dev, size_t B, size_t T, size_t I,
                              size_t O, cublasHandle_t cublas, cudaStream_t stream)
{
    // Check T first, because INT_MAX / T needs T > 0.
    if (!fits_int(T) || !fits_int(I) || !fits_int(O) || B == 0 || B > INT_MAX / T) {
        return LAB_ESHAPE;
    }
    // TODO 2.3: one cublasSgemm, which in cuBLAS's columns is y^T (O,N) = w x^T with N =
    // B * T; then the kernel for the bias, unless it is NULL (about 12 lines)
    return lab_todo(y_dev, x_dev, w_dev, bias_dev, B, T, I, O, cublas, stream);
}

// ---- 2.5  attention ----------------------------------------------------------------------

lab_status batched_attention_gpu(float *out_dev, float *weights_dev, float *q_dev,
                                 float *k_dev, float *v_dev, float *scores_dev,
                                 const float *x_dev, const float *w_q_dev,
                                 const float *w_k_dev, const float *w_v_dev, size_t B,
                                 size_t T, size_t C, cublasHandle_t cublas,
                                 cudaStream_t stream)
{
    if (!fits_int(T) || !fits_int(C) || B == 0 || B > INT_MAX / T) {
        return LAB_ESHAPE;
    }
    // TODO 2.5: three projections; all scores by one cublasSgemmStridedBatched with alpha
    // = 1 / sqrt(C); lab 1's softmax_rows_gpu over all B * T rows; all outputs by
    // another; each call in a LAB_TRY (about 25 lines)
    return lab_todo(out_dev, weights_dev, q_dev, k_dev, v_dev, scores_dev, x_dev, w_q_dev,
                    w_k_dev, w_v_dev, B, T, C, cublas, stream);
}
