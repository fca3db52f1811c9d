// products.cu - the ladders of matrix products: labs 1 and 2 beside cuBLAS.

#include "bench/gpu/ladders.h"

#include <math.h>

#include "01_simple_attention/attention_gpu.h"
#include "02_batching/batching_gpu.h"

static double operations(const size_t *n)
{
    return 2.0 * (double)n[0] * (double)n[1] * (double)n[2];
}

// ---- out (M,N) = a (M,K) b (K,N) ----------------------------------------------------------

static size_t product_count(const size_t *n, size_t i)
{
    const size_t count[] = {n[0] * n[1], n[0] * n[2], n[2] * n[1], 0};
    return count[i];
}

// x down the rows: neighboring threads of a warp access addresses K and N floats apart. This
// is a bad kernel, for comparison with 1.1.
__global__ void matmul_down_kernel(float *out_dev, const float *a_dev, const float *b_dev,
                                   size_t M, size_t N, size_t K)
{
    const size_t m = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t n = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (m >= M || n >= N) {
        return;
    }
    float sum = 0.0f;
    for (size_t k = 0; k < K; k++) {
        sum += a_dev[m * K + k] * b_dev[k * N + n];
    }
    out_dev[m * N + n] = sum;
}

static lab_status run_down(const struct job *job)
{
    const size_t M = job->n[0], N = job->n[1], K = job->n[2];
    const dim3 block(32, 8);
    const dim3 grid((unsigned)((M + 31) / 32), (unsigned)((N + 7) / 8));
    matmul_down_kernel<<<grid, block, 0, job->stream>>>(job->t[0], job->t[1], job->t[2],
                                                        M, N, K);
    return lab_cuda(cudaGetLastError());
}

static lab_status run_matmul(const struct job *job)
{
    return matmul_gpu(job->t[0], job->t[1], job->t[2], job->n[0], job->n[1], job->n[2],
                      job->stream);
}

static lab_status run_weighted_values(const struct job *job)
{
    return weighted_values_gpu(job->t[0], job->t[1], job->t[2], job->n[0], job->n[2],
                               job->n[1], job->stream);
}

static lab_status run_cublas_plain(const struct job *job)
{
    const int M = (int)job->n[0], N = (int)job->n[1], K = (int)job->n[2];
    const float one = 1.0f, zero = 0.0f;
    return lab_cublas(cublasSgemm(job->cublas, CUBLAS_OP_N, CUBLAS_OP_N, N, M, K, &one,
                                  job->t[2], N, job->t[1], K, &zero, job->t[0], N));
}

const struct ladder plain_product = {
    "out (M,N) = a (M,K) b (K,N)",
    "M N K",
    {1024, 1024, 1024},
    {19, 35, 17},
    LAST_STEP,
    product_count,
    operations,
    {
        {"bench", "a thread for each output, x down the rows", run_down, NULL, false},
        {"1.1", "the same, x along the columns", run_matmul, NULL, false},
        {"1.5", "tiles in shared memory", run_weighted_values, NULL, false},
        {"cuBLAS", "cublasSgemm", run_cublas_plain, NULL, false},
    },
};

// ---- out (M,N) = a (M,K) b (N,K)^T --------------------------------------------------------

static lab_status run_matmul_nt(const struct job *job)
{
    return matmul_nt_gpu(job->t[0], job->t[1], job->t[2], job->n[0], job->n[1], job->n[2],
                         job->stream);
}

static lab_status run_scores(const struct job *job)
{
    return attention_scores_gpu(job->t[0], job->t[1], job->t[2], job->n[0], job->n[1],
                                job->n[2], job->stream);
}

static float over_root(const size_t *n)
{
    return 1.0f / sqrtf((float)n[2]);
}

static lab_status run_cublas_nt(const struct job *job)
{
    const int M = (int)job->n[0], N = (int)job->n[1], K = (int)job->n[2];
    const float one = 1.0f, zero = 0.0f;
    return lab_cublas(cublasSgemm(job->cublas, CUBLAS_OP_T, CUBLAS_OP_N, N, M, K, &one,
                                  job->t[2], K, job->t[1], K, &zero, job->t[0], N));
}

const struct ladder nt_product = {
    "out (M,N) = a (M,K) b (N,K)^T",
    "M N K",
    {1024, 1024, 1024},
    {19, 35, 64},
    LAST_STEP,
    product_count,
    operations,
    {
        {"1.1", "a thread for each output", run_matmul_nt, NULL, false},
        {"1.3", "tiles in shared memory", run_scores, over_root, false},
        {"cuBLAS", "cublasSgemm", run_cublas_nt, NULL, false},
    },
};

// ---- one product for each sequence --------------------------------------------------------

static size_t batched_count(const size_t *n, size_t i)
{
    const size_t count[] = {n[0] * n[1] * n[2], n[0] * n[1] * n[3], n[0] * n[3] * n[2],
                            0};
    return count[i];
}

static double batched_operations(const size_t *n)
{
    return (double)n[0] * operations(n + 1);
}

static lab_status run_one_by_one(const struct job *job)
{
    const size_t B = job->n[0], M = job->n[1], N = job->n[2], K = job->n[3];
    lab_status status = LAB_OK;
    for (size_t b = 0; b < B && status == LAB_OK; b++) {
        status = weighted_values_gpu(job->t[0] + b * M * N, job->t[1] + b * M * K,
                                     job->t[2] + b * K * N, M, K, N, job->stream);
    }
    return status;
}

static lab_status run_batched(const struct job *job)
{
    return batched_matmul_gpu(job->t[0], job->t[1], job->t[2], job->n[0], job->n[1],
                              job->n[2], job->n[3], job->stream);
}

static lab_status run_cublas_batched(const struct job *job)
{
    const int B = (int)job->n[0], M = (int)job->n[1], N = (int)job->n[2];
    const int K = (int)job->n[3];
    const float one = 1.0f, zero = 0.0f;
    return lab_cublas(cublasSgemmStridedBatched(
        job->cublas, CUBLAS_OP_N, CUBLAS_OP_N, N, M, K, &one, job->t[2], N,
        (long long)K * N, job->t[1], K, (long long)M * K, &zero, job->t[0], N,
        (long long)M * N, B));
}

const struct ladder batched_product = {
    "out[b] (M,N) = a[b] (M,K) b[b] (K,N)",
    "B M N K",
    {96, 128, 128, 64},
    {3, 5, 18, 7},
    LAST_STEP,
    batched_count,
    batched_operations,
    {
        {"1.5", "a launch for each sequence", run_one_by_one, NULL, false},
        {"2.2", "one launch, blockIdx.z is the sequence", run_batched, NULL, false},
        {"cuBLAS", "cublasSgemmStridedBatched", run_cublas_batched, NULL, false},
    },
};

// ---- y (B,T,O) = x (B,T,I) w (O,I)^T + bias -----------------------------------------------

static size_t linear_count(const size_t *n, size_t i)
{
    const size_t B = n[0], T = n[1], I = n[2], O = n[3];
    const size_t count[] = {B * T * O, B * T * I, O * I, O, 0};
    return count[i];
}

static double linear_operations(const size_t *n)
{
    return 2.0 * (double)n[0] * (double)n[1] * (double)n[2] * (double)n[3];
}

__global__ void linear_kernel(float *y_dev, const float *x_dev, const float *w_dev,
                              const float *bias_dev, size_t N, size_t I, size_t O)
{
    const size_t o = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t n = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (o >= O || n >= N) {
        return;
    }
    float sum = bias_dev[o];
    for (size_t i = 0; i < I; i++) {
        sum += x_dev[n * I + i] * w_dev[o * I + i];
    }
    y_dev[n * O + o] = sum;
}

static lab_status run_linear_by_threads(const struct job *job)
{
    const size_t N = job->n[0] * job->n[1], I = job->n[2], O = job->n[3];
    const dim3 block(32, 8);
    const dim3 grid((unsigned)((O + 31) / 32), (unsigned)((N + 7) / 8));
    linear_kernel<<<grid, block, 0, job->stream>>>(job->t[0], job->t[1], job->t[2],
                                                   job->t[3], N, I, O);
    return lab_cuda(cudaGetLastError());
}

static lab_status run_linear(const struct job *job)
{
    return batched_linear_gpu(job->t[0], job->t[1], job->t[2], job->t[3], job->n[0],
                              job->n[1], job->n[2], job->n[3], job->cublas, job->stream);
}

static lab_status run_linear_without_bias(const struct job *job)
{
    return batched_linear_gpu(job->t[0], job->t[1], job->t[2], NULL, job->n[0], job->n[1],
                              job->n[2], job->n[3], job->cublas, job->stream);
}

const struct ladder linear_layer = {
    "y (B,T,O) = x (B,T,I) w (O,I)^T",
    "B T I O",
    {8, 512, 768, 768},
    {2, 5, 7, 19},
    LAST_STEP,
    linear_count,
    linear_operations,
    {
        {"bench", "a thread for each output, bias and all", run_linear_by_threads, NULL,
         false},
        {"2.3", "one cublasSgemm over B T rows, then the bias", run_linear, NULL, false},
        {"cuBLAS", "the product without the bias", run_linear_without_bias, NULL, true},
    },
};
