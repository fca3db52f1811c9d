// gradients.cu - the backward passes on the GPU.
//
// There are three kinds of work, each with its own shape of grid:
//
//   products             dx = dy w, dw += dy^T x      cuBLAS; beta = 1 adds to the output
//   sums along a row     softmax, dx of layer norm    a warp for each row, and shuffles
//   sums down a column   dbias, dgain                 a block for 32 columns, and shared memory
//
// In a sum down a column, the threads of a warp have neighboring columns, so each step reads
// 32 neighbors of one row. The warps of the block share the rows:
//
//             columns  32 j ...  32 j + 31
//   row 0     warp 0   * * * * ... *          lane x adds up column 32 j + x
//   row 1     warp 1   * * * * ... *          of the rows y, y + 8, y + 16, ...
//   ...                                       then 8 sums of each column are
//   row 8     warp 0   * * * * ... *          added up in shared memory
//
// Every sum has a fixed order. atomicAdd would be shorter, but its order, and with it the last
// bits of the sum, would change from run to run.
//
// copy_task_gpu.h documents each launcher. Start reading at linear_backward_gpu.

#include "06_copy_task/copy_task_gpu.h"

#include <limits.h>
#include <math.h>

enum {
    WARP = 32,
    WARPS = 4,      // rows of a block that sums along rows
    TALL_WARPS = 8, // warps of a block that sums down columns
    BLOCK = 256,
};

// cuBLAS and grids take sizes as int. Refuse a larger size, because the cast would wrap it.
static bool fits_int(size_t size)
{
    return 0 < size && size <= INT_MAX;
}

// ---- 6.5  linear --------------------------------------------------------------------------

// sums (O) += the sum of all rows of dy (N, O), in blocks of (WARP, TALL_WARPS) threads
__global__ void add_rows_kernel(float *sums_dev, const float *dy_dev, size_t N, size_t O)
{
    // BEGIN SOLUTION 6.5 add_rows_kernel: lane x has column o = 32 blockIdx.x + x; warp y sums
    // rows y, y + TALL_WARPS, ...; all warps write their sums to shared memory, and warp 0 adds
    // these to sums; some lanes of the last block have no column (about 19 lines)
    __shared__ float parts[TALL_WARPS][WARP];
    const size_t o = (size_t)blockIdx.x * WARP + threadIdx.x;
    float sum = 0.0f;
    if (o < O) {
        for (size_t n = threadIdx.y; n < N; n += TALL_WARPS) {
            sum += dy_dev[n * O + o];
        }
    }
    parts[threadIdx.y][threadIdx.x] = sum;
    __syncthreads(); // also for the threads without a column
    if (threadIdx.y == 0 && o < O) {
        for (int warp = 1; warp < TALL_WARPS; warp++) {
            sum += parts[warp][threadIdx.x];
        }
        sums_dev[o] += sum;
    }
    // END SOLUTION 6.5
}

lab_status linear_backward_gpu(float *dx_dev, float *dw_dev, float *dbias_dev,
                               const float *dy_dev, const float *x_dev,
                               const float *w_dev, size_t N, size_t I, size_t O,
                               cublasHandle_t cublas, cudaStream_t stream)
{
    if (!fits_int(N) || !fits_int(I) || !fits_int(O)) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 6.5 linear_backward_gpu: two cublasSgemm, the second of which adds (beta
    // is 1); cuBLAS sees a row-major matrix as its transpose, so swap the factors;
    // add_rows_kernel for the bias, if there is one; check all three (about 12 lines)
    const int n = (int)N, i = (int)I, o = (int)O;
    const float one = 1.0f, zero = 0.0f;
    // forward: y (N,O) = x (N,I) w^T (I,O) + bias
    // dx (N,I) = dy (N,O) w (O,I); read by columns: dx^T (I,N) = w^T dy^T
    LAB_TRY(lab_cublas(cublasSgemm(cublas, CUBLAS_OP_N, CUBLAS_OP_N, i, n, o, &one, w_dev,
                                   i, dy_dev, o, &zero, dx_dev, i)));
    // dw (O,I) += dy^T (O,N) x (N,I); read by columns: dw^T (I,O) += x^T dy
    LAB_TRY(lab_cublas(cublasSgemm(cublas, CUBLAS_OP_N, CUBLAS_OP_T, i, o, n, &one, x_dev,
                                   i, dy_dev, o, &one, dw_dev, i)));
    // every row of y contains the same bias
    if (dbias_dev == NULL) {
        return LAB_OK;
    }
    add_rows_kernel<<<lab_blocks(O, WARP), dim3(WARP, TALL_WARPS), 0, stream>>>(
        dbias_dev, dy_dev, N, O);
    return lab_cuda(cudaGetLastError());
    // END SOLUTION 6.5
}

// ---- 6.6  softmax -------------------------------------------------------------------------

// BEGIN SOLUTION 6.6 helper
// The sum of a warp's 32 values, in every lane.
static __device__ float warp_sum(float value)
{
    for (int step = WARP / 2; step > 0; step /= 2) {
        value += __shfl_xor_sync(0xffffffffu, value, step);
    }
    return value;
}
// END SOLUTION 6.6

// N rows, in blocks of (WARP, WARPS) threads
__global__ void softmax_backward_kernel(float *dscores_dev, const float *dweights_dev,
                                        const float *weights_dev, size_t N, size_t S)
{
    // BEGIN SOLUTION 6.6 softmax_backward_kernel: a warp for row n; lane l handles elements l, l +
    // 32, ...; the sum of dweights weights over all lanes; then every element (about 16 lines, a
    // helper for the sum is welcome)
    const size_t n = (size_t)blockIdx.x * WARPS + threadIdx.y;
    if (n >= N) {
        return; // the whole warp returns: nothing waits for it
    }
    const float *dweights_n = dweights_dev + n * S, *weights_n = weights_dev + n * S;

    // forward: weights = e / sum e, where e = exp(scores)
    // d weights[i] / d scores[s] = weights[i] ([i == s] - weights[s])
    float mean = 0.0f; // the weights sum to 1
    for (size_t s = threadIdx.x; s < S; s += WARP) {
        mean += dweights_n[s] * weights_n[s];
    }
    mean = warp_sum(mean);
    for (size_t s = threadIdx.x; s < S; s += WARP) {
        dscores_dev[n * S + s] = weights_n[s] * (dweights_n[s] - mean);
    }
    // END SOLUTION 6.6
}

lab_status softmax_backward_gpu(float *dscores_dev, const float *dweights_dev,
                                const float *weights_dev, size_t N, size_t S,
                                cudaStream_t stream)
{
    if (!fits_int(N) || S == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 6.6 softmax_backward_gpu: a warp for each row (about 3 lines)
    softmax_backward_kernel<<<lab_blocks(N, WARPS), dim3(WARP, WARPS), 0, stream>>>(
        dscores_dev, dweights_dev, weights_dev, N, S);
    return lab_cuda(cudaGetLastError());
    // END SOLUTION 6.6
}

// ---- 6.7  attention -----------------------------------------------------------------------

// BEGIN SOLUTION 6.7 helper
struct factor {
    const float *data;
    bool transposed; // read as its transpose
};

// out (M,N) = scale a (M,K) b (K,N) for each of batch heads, everything row-major. A transposed
// factor is stored as (K,M) or (N,K). Read by columns: out^T = scale b^T a^T.
static lab_status products(float *out_dev, float scale, struct factor a, struct factor b,
                           size_t batch, size_t M, size_t N, size_t K,
                           cublasHandle_t cublas)
{
    const float zero = 0.0f;
    const int m = (int)M, n = (int)N, k = (int)K;
    return lab_cublas(cublasSgemmStridedBatched(
        cublas, b.transposed ? CUBLAS_OP_T : CUBLAS_OP_N,
        a.transposed ? CUBLAS_OP_T : CUBLAS_OP_N, n, m, k, &scale, b.data,
        b.transposed ? k : n, (long long)(K * N), a.data, a.transposed ? m : k,
        (long long)(M * K), &zero, out_dev, n, (long long)(M * N), (int)batch));
}
// END SOLUTION 6.7

lab_status attention_backward_gpu(float *dq_dev, float *dk_dev, float *dv_dev,
                                  float *dweights_dev, float *dscores_dev,
                                  const float *dout_dev, const float *q_dev,
                                  const float *k_dev, const float *v_dev,
                                  const float *weights_dev, size_t B, size_t NH, size_t T,
                                  size_t S, size_t hs, cublasHandle_t cublas,
                                  cudaStream_t stream)
{
    if (!fits_int(B) || !fits_int(NH) || !fits_int(T) || !fits_int(S) || !fits_int(hs) ||
        !fits_int(B * NH) || B * NH > INT_MAX / T) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 6.7 attention_backward_gpu: four cublasSgemmStridedBatched over B NH
    // heads, with softmax_backward_gpu between the second and the third, and 1/sqrt(hs) as the
    // alpha of the last two; each call in a LAB_TRY (about 25 lines, a helper
    // for a row-major product is welcome)
    const size_t heads = B * NH;
    const float scale = 1.0f / sqrtf((float)hs);
    const struct factor dout = {dout_dev, false};
    const struct factor v_t = {v_dev, true}, weights_t = {weights_dev, true};
    const struct factor dscores = {dscores_dev, false}, dscores_t = {dscores_dev, true};
    const struct factor q = {q_dev, false}, k = {k_dev, false};

    // forward: out (T,hs) = weights (T,S) v (S,hs)
    LAB_TRY(products(dweights_dev, 1.0f, dout, v_t, heads, T, S, hs, cublas));
    LAB_TRY(products(dv_dev, 1.0f, weights_t, dout, heads, S, hs, T, cublas));
    // forward: weights = softmax(scores), a row for each query of each head
    LAB_TRY(softmax_backward_gpu(dscores_dev, dweights_dev, weights_dev, heads * T, S,
                                 stream));
    // forward: scores (T,S) = scale q (T,hs) k^T (hs,S)
    LAB_TRY(products(dq_dev, scale, dscores, k, heads, T, hs, S, cublas));
    return products(dk_dev, scale, dscores_t, q, heads, S, hs, T, cublas);
    // END SOLUTION 6.7
}

// ---- 6.8  layer norm ----------------------------------------------------------------------

// N rows, in blocks of (WARP, WARPS) threads
__global__ void layernorm_dx_kernel(float *dx_dev, const float *dy_dev,
                                    const float *x_dev, const float *mean_dev,
                                    const float *rstd_dev, const float *gain_dev,
                                    size_t N, size_t C)
{
    // BEGIN SOLUTION 6.8 layernorm_dx_kernel: a warp for each row: the means of dnorm and of
    // dnorm norm over its channels; then dx of every channel (about 18 lines)
    const size_t n = (size_t)blockIdx.x * WARPS + threadIdx.y;
    if (n >= N) {
        return; // the whole warp returns: nothing waits for it
    }
    const float *dy_n = dy_dev + n * C, *x_n = x_dev + n * C;
    const float mean = mean_dev[n], rstd = rstd_dev[n];

    // forward: norm = (x - mean) rstd, where mean and rstd depend on x too
    float dnorm_mean = 0.0f, dnorm_norm_mean = 0.0f;
    for (size_t c = threadIdx.x; c < C; c += WARP) {
        const float norm = (x_n[c] - mean) * rstd, dnorm = dy_n[c] * gain_dev[c];
        dnorm_mean += dnorm;
        dnorm_norm_mean += dnorm * norm;
    }
    dnorm_mean = warp_sum(dnorm_mean) / (float)C;
    dnorm_norm_mean = warp_sum(dnorm_norm_mean) / (float)C;
    for (size_t c = threadIdx.x; c < C; c += WARP) {
        const float norm = (x_n[c] - mean) * rstd, dnorm = dy_n[c] * gain_dev[c];
        dx_dev[n * C + c] = rstd * (dnorm - dnorm_mean - norm * dnorm_norm_mean);
    }
    // END SOLUTION 6.8
}

// C columns, in blocks of (WARP, TALL_WARPS) threads
__global__ void layernorm_params_kernel(float *dgain_dev, float *dbias_dev,
                                        const float *dy_dev, const float *x_dev,
                                        const float *mean_dev, const float *rstd_dev,
                                        size_t N, size_t C)
{
    // BEGIN SOLUTION 6.8 layernorm_params_kernel: as add_rows_kernel, with two sums for each
    // column: dy norm for dgain, dy for dbias (about 21 lines)
    __shared__ float gain_parts[TALL_WARPS][WARP], bias_parts[TALL_WARPS][WARP];
    const size_t c = (size_t)blockIdx.x * WARP + threadIdx.x;
    float dgain = 0.0f, dbias = 0.0f;
    // forward: y = norm gain + bias
    if (c < C) {
        for (size_t n = threadIdx.y; n < N; n += TALL_WARPS) {
            const float dy = dy_dev[n * C + c];
            dgain += dy * (x_dev[n * C + c] - mean_dev[n]) * rstd_dev[n];
            dbias += dy;
        }
    }
    gain_parts[threadIdx.y][threadIdx.x] = dgain;
    bias_parts[threadIdx.y][threadIdx.x] = dbias;
    __syncthreads(); // also for the threads without a column
    if (threadIdx.y == 0 && c < C) {
        for (int warp = 1; warp < TALL_WARPS; warp++) {
            dgain += gain_parts[warp][threadIdx.x];
            dbias += bias_parts[warp][threadIdx.x];
        }
        dgain_dev[c] += dgain;
        dbias_dev[c] += dbias;
    }
    // END SOLUTION 6.8
}

lab_status layernorm_backward_gpu(float *dx_dev, float *dgain_dev, float *dbias_dev,
                                  const float *dy_dev, const float *x_dev,
                                  const float *mean_dev, const float *rstd_dev,
                                  const float *gain_dev, size_t N, size_t C,
                                  cudaStream_t stream)
{
    if (!fits_int(N) || !fits_int(C)) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 6.8 layernorm_backward_gpu: two kernels, one along the rows and one down
    // the columns; check cudaGetLastError after each (about 6 lines)
    layernorm_dx_kernel<<<lab_blocks(N, WARPS), dim3(WARP, WARPS), 0, stream>>>(
        dx_dev, dy_dev, x_dev, mean_dev, rstd_dev, gain_dev, N, C);
    LAB_TRY(lab_cuda(cudaGetLastError()));
    layernorm_params_kernel<<<lab_blocks(C, WARP), dim3(WARP, TALL_WARPS), 0, stream>>>(
        dgain_dev, dbias_dev, dy_dev, x_dev, mean_dev, rstd_dev, N, C);
    return lab_cuda(cudaGetLastError());
    // END SOLUTION 6.8
}

// ---- 6.9  GELU ----------------------------------------------------------------------------

__global__ void gelu_backward_kernel(float *dx_dev, const float *dy_dev,
                                     const float *x_dev, size_t N)
{
    // BEGIN SOLUTION 6.9 gelu_backward_kernel: one number per thread; the product rule on x
    // cdf(x), with erff and expf (about 9 lines)
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) {
        return;
    }
    // forward: y = x cdf(x), and the slope of cdf is pdf
    const float x = x_dev[i];
    const float cdf = 0.5f * (1.0f + erff(x * 0.70710678f)); // 1 / sqrt 2
    const float pdf = 0.39894228f * expf(-0.5f * x * x);     // 1 / sqrt(2 pi)
    dx_dev[i] = dy_dev[i] * (cdf + x * pdf);
    // END SOLUTION 6.9
}

lab_status gelu_backward_gpu(float *dx_dev, const float *dy_dev, const float *x_dev,
                             size_t N, cudaStream_t stream)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 6.9 gelu_backward_gpu: enough blocks for N threads (about 3 lines)
    gelu_backward_kernel<<<lab_blocks(N, BLOCK), BLOCK, 0, stream>>>(dx_dev, dy_dev,
                                                                     x_dev, N);
    return lab_cuda(cudaGetLastError());
    // END SOLUTION 6.9
}
