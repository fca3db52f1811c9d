// flash.cu - the ladders of lab 10: attention in float, forward and backward.
//
// fast_x is solutions/fast's function x: the build gives it this name.

#include "bench/gpu/ladders.h"

#include <math.h>

#include "01_simple_attention/attention_gpu.h"
#include "10_flash_attention/flash_attention_gpu.h"

LAB_GPU_BEGIN
decltype(flash_attention_gpu) fast_flash_attention_gpu;
decltype(flash_attention_backward_gpu) fast_flash_attention_backward_gpu;
LAB_GPU_END

// ---- forward ------------------------------------------------------------------------------

// out, logsumexp, q, k, v; then scores and weights, for the steps that store them.
static size_t forward_count(const size_t *n, size_t i)
{
    const size_t rows = n[0] * n[1] * n[2], maps = rows * n[2];
    const size_t count[] = {rows * n[3], rows, rows * n[3], rows * n[3],
                            rows * n[3], maps, maps,        0};
    return count[i];
}

// Two products, of a multiplication and an addition for each channel of a query and a key.
static double forward_operations(const size_t *n)
{
    return 4.0 * (double)(n[0] * n[1]) * (double)n[2] * (double)n[2] * (double)n[3];
}

// Three launches for each head.
static lab_status run_stored(const struct job *job)
{
    const size_t T = job->n[2], hs = job->n[3];
    float *const *t = job->t;
    for (size_t i = 0; i < job->n[0] * job->n[1]; i++) {
        const size_t rows = i * T * hs, map = i * T * T;
        LAB_TRY(attention_scores_gpu(t[5] + map, t[2] + rows, t[3] + rows, T, T, hs,
                                     job->stream));
        LAB_TRY(softmax_rows_gpu(t[6] + map, t[5] + map, T, T, job->stream));
        LAB_TRY(weighted_values_gpu(t[0] + rows, t[6] + map, t[4] + rows, T, T, hs,
                                    job->stream));
    }
    return LAB_OK;
}

enum { MOST_hs = 128 };

// A thread for each query. Stores no scores, but each thread reads all keys and values itself.
__global__ void query_thread_kernel(float *out_dev, const float *q_dev,
                                    const float *k_dev, const float *v_dev, size_t N,
                                    size_t T, size_t hs, float scale)
{
    const size_t n = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= N) {
        return;
    }
    const float *keys = k_dev + n / T * T * hs, *values = v_dev + n / T * T * hs;
    float max = -INFINITY, sum = 0.0f, weighted[MOST_hs];
    for (size_t c = 0; c < hs; c++) {
        weighted[c] = 0.0f;
    }
    for (size_t s = 0; s < T; s++) {
        float score = 0.0f;
        for (size_t c = 0; c < hs; c++) {
            score += q_dev[n * hs + c] * keys[s * hs + c];
        }
        score *= scale;
        const float before = max;
        max = fmaxf(max, score);
        const float factor = expf(before - max), weight = expf(score - max);
        sum = factor * sum + weight;
        for (size_t c = 0; c < hs; c++) {
            weighted[c] = factor * weighted[c] + weight * values[s * hs + c];
        }
    }
    for (size_t c = 0; c < hs; c++) {
        out_dev[n * hs + c] = weighted[c] / sum;
    }
}

static lab_status run_query_threads(const struct job *job)
{
    const size_t N = job->n[0] * job->n[1] * job->n[2], hs = job->n[3];
    query_thread_kernel<<<lab_blocks(N, 128), 128, 0, job->stream>>>(
        job->t[0], job->t[2], job->t[3], job->t[4], N, job->n[2], hs,
        1.0f / sqrtf((float)hs));
    return lab_cuda(cudaGetLastError());
}

static lab_status forward_by(decltype(flash_attention_gpu) *function,
                             const struct job *job)
{
    float *const *t = job->t;
    return function(t[0], t[1], t[2], t[3], t[4], false, job->n[0], job->n[1], job->n[2],
                    job->n[2], job->n[3], job->stream);
}

static lab_status run_forward(const struct job *job)
{
    return forward_by(flash_attention_gpu, job);
}

static lab_status run_fast_forward(const struct job *job)
{
    return forward_by(fast_flash_attention_gpu, job);
}

// out[b] (M,N) = a[b] (M,K) b[b] (K,N), or b[b] (N,K)^T; a[b] may be (K,M)^T. Row-major, so
// cuBLAS computes out^T = b^T a^T.
static lab_status product(const struct job *job, float *out, const float *a,
                          bool a_turned, const float *b, bool b_turned, size_t M,
                          size_t N, size_t K)
{
    const float one = 1.0f, zero = 0.0f;
    return lab_cublas(cublasSgemmStridedBatched(
        job->cublas, b_turned ? CUBLAS_OP_T : CUBLAS_OP_N,
        a_turned ? CUBLAS_OP_T : CUBLAS_OP_N, (int)N, (int)M, (int)K, &one, b,
        (int)(b_turned ? K : N), (long long)(K * N), a, (int)(a_turned ? M : K),
        (long long)(M * K), &zero, out, (int)N, (long long)(M * N),
        (int)(job->n[0] * job->n[1])));
}

static lab_status run_forward_products(const struct job *job)
{
    const size_t T = job->n[2], hs = job->n[3];
    float *const *t = job->t;
    LAB_TRY(product(job, t[5], t[2], false, t[3], true, T, T, hs));
    return product(job, t[0], t[5], false, t[4], false, T, hs, T);
}

const struct ladder flash_forward = {
    "attention of heads (B,NH,T,hs), not causal",
    "B NH T hs",
    {2, 16, 2048, 64},
    {1, 2, 67, 36},
    LAST_STEP,
    forward_count,
    forward_operations,
    {
        {"1.3 to 1.5", "scores and weights stored, three launches for each head",
         run_stored, NULL, false},
        {"bench", "a thread for each query", run_query_threads, NULL, false},
        {"10.2", "tiles in shared memory, a warp for four queries", run_forward, NULL,
         false},
        {"10.2 fast", "the same with tiles in registers, as float4", run_fast_forward,
         NULL, false},
        {"cuBLAS", "the products without the softmax", run_forward_products, NULL, true},
    },
};

// ---- backward -----------------------------------------------------------------------------

// dq, dk and dv in one tensor, so that all are compared; then delta, dout, out, logsumexp, q, k, v,
// and two maps (T,T) of each head for cuBLAS.
static size_t backward_count(const size_t *n, size_t i)
{
    const size_t rows = n[0] * n[1] * n[2], all = rows * n[3], maps = rows * n[2];
    const size_t count[] = {3 * all, rows, all, all, rows, all, all, all, maps, maps, 0};
    return count[i];
}

// Five products.
static double backward_operations(const size_t *n)
{
    return 2.5 * forward_operations(n);
}

// The backward pass needs out and logsumexp of the forward pass.
static lab_status forward_first(const struct job *job)
{
    float *const *t = job->t;
    return flash_attention_gpu(t[3], t[4], t[5], t[6], t[7], false, job->n[0], job->n[1],
                               job->n[2], job->n[2], job->n[3], job->stream);
}

static lab_status backward_by(decltype(flash_attention_backward_gpu) *function,
                              const struct job *job)
{
    float *const *t = job->t;
    const size_t all = backward_count(job->n, 0) / 3;
    return function(t[0], t[0] + all, t[0] + 2 * all, t[1], t[2], t[3], t[4], t[5], t[6],
                    t[7], false, job->n[0], job->n[1], job->n[2], job->n[2], job->n[3],
                    job->stream);
}

static lab_status run_backward(const struct job *job)
{
    return backward_by(flash_attention_backward_gpu, job);
}

static lab_status run_fast_backward(const struct job *job)
{
    return backward_by(fast_flash_attention_backward_gpu, job);
}

// scores = q k^T, dweights = dout v^T; dv = scores^T dout, dk = dweights^T q, dq = dweights k.
static lab_status run_backward_products(const struct job *job)
{
    const size_t T = job->n[2], hs = job->n[3], all = backward_count(job->n, 0) / 3;
    float *const *t = job->t, *const dq = t[0];
    LAB_TRY(product(job, t[8], t[5], false, t[6], true, T, T, hs));
    LAB_TRY(product(job, t[9], t[2], false, t[7], true, T, T, hs));
    LAB_TRY(product(job, dq + 2 * all, t[8], true, t[2], false, T, hs, T));
    LAB_TRY(product(job, dq + all, t[9], true, t[5], false, T, hs, T));
    return product(job, dq, t[9], false, t[6], false, T, hs, T);
}

const struct ladder flash_backward = {
    "back through attention of heads (B,NH,T,hs), not causal",
    "B NH T hs",
    {2, 16, 2048, 64},
    {1, 2, 67, 36},
    LAST_STEP,
    backward_count,
    backward_operations,
    {
        {"10.4", "tiles in shared memory, a warp for two rows", run_backward, NULL,
         false},
        {"10.4 fast", "the same with tiles in registers, as float4", run_fast_backward,
         NULL, false},
        {"cuBLAS", "five products, nothing else", run_backward_products, NULL, true},
    },
    forward_first,
};
