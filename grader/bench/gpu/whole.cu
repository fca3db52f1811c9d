// whole.cu - the ladder of a complete attention over a batch, labs 2 and 3.

#include "bench/gpu/ladders.h"

#include <math.h>
#include <stdint.h>

#include "02_batching/batching_gpu.h"
#include "03_causal_mask/causal_gpu.h"

// In the order of batched_attention_gpu; the mask, (T,T) bytes, comes last.
static size_t attention_count(const size_t *n, size_t i)
{
    const size_t B = n[0], T = n[1], C = n[2];
    const size_t tokens = B * T * C, maps = B * T * T;
    const size_t count[] = {tokens, maps,  tokens, tokens, tokens, maps,
                            tokens, C * C, C * C,  C * C,  T * T,  0};
    return count[i];
}

// The operations of the products: three projections, the scores, the weighted values.
static double attention_operations(const size_t *n)
{
    const double B = (double)n[0], T = (double)n[1], C = (double)n[2];
    return 6.0 * B * T * C * C + 4.0 * B * T * T * C;
}

static lab_status run_attention(const struct job *job)
{
    float *const *t = job->t;
    return batched_attention_gpu(t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], t[8],
                                 t[9], job->n[0], job->n[1], job->n[2], job->cublas,
                                 job->stream);
}

static lab_status run_causal(const struct job *job)
{
    float *const *t = job->t;
    return causal_attention_gpu(t[0], t[1], t[2], t[3], t[4], t[5], (uint8_t *)t[10],
                                t[6], t[7], t[8], t[9], job->n[0], job->n[1], job->n[2],
                                job->cublas, job->stream);
}

// 2.5 without the softmax.
static lab_status run_products(const struct job *job)
{
    const size_t B = job->n[0], T = job->n[1], C = job->n[2];
    float *const *t = job->t;
    lab_status status = LAB_OK;
    for (size_t i = 0; i < 3 && status == LAB_OK; i++) {
        status = batched_linear_gpu(t[2 + i], t[6], t[7 + i], NULL, B, T, C, C,
                                    job->cublas, job->stream);
    }
    if (status != LAB_OK) {
        return status;
    }
    const int tokens = (int)T, width = (int)C;
    const long long map = (long long)T * T, sequence = (long long)T * C;
    const float scale = 1.0f / sqrtf((float)C), one = 1.0f, zero = 0.0f;
    status = lab_cublas(cublasSgemmStridedBatched(
        job->cublas, CUBLAS_OP_T, CUBLAS_OP_N, tokens, tokens, width, &scale, t[3], width,
        sequence, t[2], width, sequence, &zero, t[5], tokens, map, (int)B));
    return status != LAB_OK ? status
                            : lab_cublas(cublasSgemmStridedBatched(
                                  job->cublas, CUBLAS_OP_N, CUBLAS_OP_N, width, tokens,
                                  tokens, &one, t[4], width, sequence, t[5], tokens, map,
                                  &zero, t[0], width, sequence, (int)B));
}

const struct ladder whole_attention = {
    "attention over (B,T,C), projections and all",
    "B T C",
    {8, 1024, 256},
    {3, 5, 18},
    LAST_STEP,
    attention_count,
    attention_operations,
    {
        {"2.5", "cuBLAS and lab 1's softmax", run_attention, NULL, false},
        {"3.4", "causal, lab 2's own products", run_causal, NULL, true},
        {"cuBLAS", "the products without the softmax", run_products, NULL, true},
    },
};
