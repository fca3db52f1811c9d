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

// BEGIN SOLUTION 2.2 helper
// Sequences over z, rows over y, columns over x.
static dim3 batched_grid(size_t B, size_t M, size_t N)
{
    return dim3(lab_blocks(N, TILE), at_most(lab_blocks(M, TILE)), at_most((unsigned)B));
}
// END SOLUTION 2.2

__global__ void batched_matmul_kernel(float *out_dev, const float *a_dev,
                                      const float *b_dev, size_t B, size_t M, size_t N,
                                      size_t K)
{
    // BEGIN SOLUTION 2.2 batched_matmul_kernel: lab 1's product (1.1 or the tiles of 1.5)
    // for sequence blockIdx.z, then for further sequences in steps of gridDim.z; each
    // tensor has a different distance to the next sequence (about 15 or 25 lines)
    __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
    const size_t x = threadIdx.x, y = threadIdx.y;
    const size_t n = (size_t)blockIdx.x * TILE + x;

    for (size_t i = blockIdx.z; i < B; i += gridDim.z) {
        const float *a = a_dev + i * M * K, *b = b_dev + i * K * N;
        for (size_t m0 = (size_t)blockIdx.y * TILE; m0 < M;
             m0 += (size_t)gridDim.y * TILE) {
            const size_t m = m0 + y;
            float sum = 0.0f;
            for (size_t k0 = 0; k0 < K; k0 += TILE) {
                a_tile[y][x] = m < M && k0 + x < K ? a[m * K + k0 + x] : 0.0f;
                b_tile[y][x] = k0 + y < K && n < N ? b[(k0 + y) * N + n] : 0.0f;
                __syncthreads();
                for (size_t k = 0; k < TILE; k++) {
                    sum += a_tile[y][k] * b_tile[k][x];
                }
                __syncthreads();
            }
            if (m < M && n < N) {
                out_dev[(i * M + m) * N + n] = sum;
            }
        }
    }
    // END SOLUTION 2.2
}

lab_status batched_matmul_gpu(float *out_dev, const float *a_dev, const float *b_dev,
                              size_t B, size_t M, size_t N, size_t K, cudaStream_t stream)
{
    if (!fits_int(B) || !fits_int(M) || !fits_int(N) || !fits_int(K)) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 2.2 batched_matmul_gpu: a grid with sequences along z, rows along y,
    // columns along x, at most GRID_MAX blocks along y and z (about 4 lines)
    batched_matmul_kernel<<<batched_grid(B, M, N), dim3(TILE, TILE), 0, stream>>>(
        out_dev, a_dev, b_dev, B, M, N, K);
    return lab_cuda(cudaGetLastError());
    // END SOLUTION 2.2
}

__global__ void batched_matmul_nt_kernel(float *out_dev, const float *a_dev,
                                         const float *b_dev, size_t B, size_t M, size_t N,
                                         size_t K)
{
    // BEGIN SOLUTION 2.2 batched_matmul_nt_kernel: the same with b[i] (N,K): 1.1's
    // matmul_nt, or the tiles of 1.3 (about 15 or 25 lines)
    __shared__ float a_tile[TILE][TILE];
    __shared__ float b_tile[TILE][TILE + 1]; // + 1: it is read by columns (1.3)
    const size_t x = threadIdx.x, y = threadIdx.y;
    const size_t n0 = (size_t)blockIdx.x * TILE;

    for (size_t i = blockIdx.z; i < B; i += gridDim.z) {
        const float *a = a_dev + i * M * K, *b = b_dev + i * N * K;
        for (size_t m0 = (size_t)blockIdx.y * TILE; m0 < M;
             m0 += (size_t)gridDim.y * TILE) {
            const size_t m = m0 + y;
            float sum = 0.0f;
            for (size_t k0 = 0; k0 < K; k0 += TILE) {
                const bool in_depth = k0 + x < K;
                a_tile[y][x] = in_depth && m < M ? a[m * K + k0 + x] : 0.0f;
                b_tile[y][x] = in_depth && n0 + y < N ? b[(n0 + y) * K + k0 + x] : 0.0f;
                __syncthreads();
                for (size_t k = 0; k < TILE; k++) {
                    sum += a_tile[y][k] * b_tile[x][k];
                }
                __syncthreads();
            }
            if (m < M && n0 + x < N) {
                out_dev[(i * M + m) * N + n0 + x] = sum;
            }
        }
    }
    // END SOLUTION 2.2
}

lab_status batched_matmul_nt_gpu(float *out_dev, const float *a_dev, const float *b_dev,
                                 size_t B, size_t M, size_t N, size_t K,
                                 cudaStream_t stream)
{
    if (!fits_int(B) || !fits_int(M) || !fits_int(N) || !fits_int(K)) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 2.2 batched_matmul_nt_gpu: the same grid (about 4 lines)
    batched_matmul_nt_kernel<<<batched_grid(B, M, N), dim3(TILE, TILE), 0, stream>>>(
        out_dev, a_dev, b_dev, B, M, N, K);
    return lab_cuda(cudaGetLastError());
    // END SOLUTION 2.2
}

// ---- 2.3  one product over all rows, by cuBLAS -------------------------------------------

__global__ void add_bias_kernel(float *y_dev, const float *bias_dev, size_t N, size_t O)
{
    // BEGIN SOLUTION 2.3 add_bias_kernel: add bias[o] to column o of y (N,O); x along the
    // columns, and rows as in 1.1 (about 8 lines)
    const size_t o = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t first = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (o >= O) {
        return;
    }
    const float bias = bias_dev[o];
    for (size_t n = first; n < N; n += (size_t)gridDim.y * blockDim.y) {
        y_dev[n * O + o] += bias;
    }
    // END SOLUTION 2.3
}

lab_status batched_linear_gpu(float *y_dev, const float *x_dev, const float *w_dev,
                              const float *bias_dev, size_t B, size_t T, size_t I,
                              size_t O, cublasHandle_t cublas, cudaStream_t stream)
{
    // Check T first, because INT_MAX / T needs T > 0.
    if (!fits_int(T) || !fits_int(I) || !fits_int(O) || B == 0 || B > INT_MAX / T) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 2.3 batched_linear_gpu: one cublasSgemm, which in cuBLAS's columns
    // is y^T (O,N) = w x^T with N = B * T; then the kernel for the bias, unless it is
    // NULL (about 12 lines)
    const size_t N = B * T;
    const float one = 1.0f, zero = 0.0f;
    // Our rows are cuBLAS's columns: it sees w as (I,O), x as (I,N) and y as (O,N). With
    // the transpose flag w is (O,I), the first factor of w x^T.
    LAB_TRY(lab_cublas(cublasSgemm(cublas, CUBLAS_OP_T, CUBLAS_OP_N, (int)O, (int)N,
                                   (int)I, &one, w_dev, (int)I, x_dev, (int)I, &zero,
                                   y_dev, (int)O)));
    if (bias_dev == NULL) {
        return LAB_OK;
    }
    const dim3 block(32, 8);
    const dim3 grid(lab_blocks(O, block.x), at_most(lab_blocks(N, block.y)));
    add_bias_kernel<<<grid, block, 0, stream>>>(y_dev, bias_dev, N, O);
    return lab_cuda(cudaGetLastError());
    // END SOLUTION 2.3
}

// ---- 2.5  attention ----------------------------------------------------------------------

// BEGIN SOLUTION 2.5 helper
// scores[b] (T,T) = q[b] k[b]^T / sqrt(C), for all b in one call. cuBLAS computes
// scores^T = k q^T, so k comes first. The scale is alpha, so it costs nothing.
static lab_status all_scores(float *scores_dev, const float *q_dev, const float *k_dev,
                             int B, int T, int C, cublasHandle_t cublas)
{
    const float scale = 1.0f / sqrtf((float)C), zero = 0.0f;
    const long long map = (long long)T * T, tokens = (long long)T * C;
    return lab_cublas(cublasSgemmStridedBatched(cublas, CUBLAS_OP_T, CUBLAS_OP_N, T, T, C,
                                                &scale, k_dev, C, tokens, q_dev, C,
                                                tokens, &zero, scores_dev, T, map, B));
}

// out[b] (T,C) = weights[b] v[b], for all b in one call: out^T = v^T weights^T.
static lab_status all_values(float *out_dev, const float *weights_dev, const float *v_dev,
                             int B, int T, int C, cublasHandle_t cublas)
{
    const float one = 1.0f, zero = 0.0f;
    const long long map = (long long)T * T, tokens = (long long)T * C;
    return lab_cublas(cublasSgemmStridedBatched(cublas, CUBLAS_OP_N, CUBLAS_OP_N, C, T, T,
                                                &one, v_dev, C, tokens, weights_dev, T,
                                                map, &zero, out_dev, C, tokens, B));
}
// END SOLUTION 2.5

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
    // BEGIN SOLUTION 2.5 batched_attention_gpu: three projections; all scores by one
    // cublasSgemmStridedBatched with alpha = 1 / sqrt(C); lab 1's softmax_rows_gpu over all
    // B * T rows; all outputs by another; each call in a LAB_TRY (about 25 lines)
    LAB_TRY(batched_linear_gpu(q_dev, x_dev, w_q_dev, NULL, B, T, C, C, cublas, stream));
    LAB_TRY(batched_linear_gpu(k_dev, x_dev, w_k_dev, NULL, B, T, C, C, cublas, stream));
    LAB_TRY(batched_linear_gpu(v_dev, x_dev, w_v_dev, NULL, B, T, C, C, cublas, stream));
    LAB_TRY(all_scores(scores_dev, q_dev, k_dev, (int)B, (int)T, (int)C, cublas));
    LAB_TRY(softmax_rows_gpu(weights_dev, scores_dev, B * T, T, stream));
    LAB_TRY(all_values(out_dev, weights_dev, v_dev, (int)B, (int)T, (int)C, cublas));
    return LAB_OK;
    // END SOLUTION 2.5
}
