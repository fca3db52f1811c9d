// rows.cu - the ladders limited by memory: softmax of rows and masks, labs 1 and 3.

#include "bench/gpu/ladders.h"

#include <math.h>
#include <stdint.h>

#include "01_simple_attention/attention_gpu.h"
#include "03_causal_mask/causal_gpu.h"

// ---- softmax of each row of (N,S) ---------------------------------------------------------

static size_t softmax_count(const size_t *n, size_t i)
{
    const size_t count[] = {n[0] * n[1], n[0] * n[1], 0};
    return count[i];
}

static double softmax_bytes(const size_t *n)
{
    return 2.0 * sizeof(float) * (double)n[0] * (double)n[1];
}

// A thread for each row, as the CPU does it: the 32 threads of a warp read 32 rows at once, S
// floats apart.
__global__ void softmax_thread_kernel(float *weights_dev, const float *scores_dev,
                                      size_t N, size_t S)
{
    const size_t n = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (n >= N) {
        return;
    }
    const float *scores = scores_dev + n * S;
    float *weights = weights_dev + n * S;
    float max = -INFINITY, sum = 0.0f;
    for (size_t s = 0; s < S; s++) {
        max = fmaxf(max, scores[s]);
    }
    for (size_t s = 0; s < S; s++) {
        weights[s] = expf(scores[s] - max);
        sum += weights[s];
    }
    for (size_t s = 0; s < S; s++) {
        weights[s] /= sum;
    }
}

static lab_status run_softmax_thread(const struct job *job)
{
    const size_t N = job->n[0], S = job->n[1];
    softmax_thread_kernel<<<(unsigned)((N + 127) / 128), 128, 0, job->stream>>>(
        job->t[0], job->t[1], N, S);
    return lab_cuda(cudaGetLastError());
}

static lab_status run_softmax_rows(const struct job *job)
{
    return softmax_rows_gpu(job->t[0], job->t[1], job->n[0], job->n[1], job->stream);
}

const struct ladder softmax_of_rows = {
    "weights (N,S) = softmax of each row",
    "N S",
    {16384, 1024},
    {5, 131},
    COPY,
    softmax_count,
    softmax_bytes,
    {
        {"bench", "a thread for each row", run_softmax_thread, NULL, false},
        {"1.4", "a block for each row, warp shuffles", run_softmax_rows, NULL, false},
    },
};

// ---- softmax of the allowed keys of each row ----------------------------------------------

// The mask, (N,S) bytes, is the last tensor. The bytes of random floats are rarely 0, so nearly
// every key is allowed, which is the maximum amount of work.
static size_t masked_count(const size_t *n, size_t i)
{
    const size_t count[] = {n[0] * n[1], n[0] * n[1], n[0] * n[1], n[0] * n[1] / 4 + 1,
                            0};
    return count[i];
}

static double masked_bytes(const size_t *n)
{
    return (2.0 * sizeof(float) + 1.0) * (double)n[0] * (double)n[1];
}

__global__ void fill_kernel(float *out_dev, const float *scores_dev,
                            const uint8_t *mask_dev, size_t count)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        out_dev[i] = mask_dev[i] != 0 ? scores_dev[i] : -INFINITY;
    }
}

static lab_status run_fill_then_softmax(const struct job *job)
{
    const size_t count = job->n[0] * job->n[1];
    fill_kernel<<<(unsigned)((count + 255) / 256), 256, 0, job->stream>>>(
        job->t[2], job->t[1], (const uint8_t *)job->t[3], count);
    const lab_status status = lab_cuda(cudaGetLastError());
    return status != LAB_OK ? status
                            : softmax_rows_gpu(job->t[0], job->t[2], job->n[0], job->n[1],
                                               job->stream);
}

static lab_status run_masked_softmax(const struct job *job)
{
    return masked_softmax_gpu(job->t[0], job->t[1], (const uint8_t *)job->t[3], job->n[0],
                              job->n[1], job->stream);
}

const struct ladder masked_softmax_of_rows = {
    "weights (N,S) = softmax of the allowed keys",
    "N S",
    {16384, 1024},
    {5, 131},
    COPY,
    masked_count,
    masked_bytes,
    {
        {"1.4", "fill, then a block for each row", run_fill_then_softmax, NULL, false},
        {"3.3", "both in one, a warp for each row", run_masked_softmax, NULL, false},
    },
};

// ---- the causal mask ----------------------------------------------------------------------

// (T,S) bytes, stored in floats; the last float may be partly unused.
static size_t mask_count(const size_t *n, size_t i)
{
    return i == 0 ? (n[0] * n[1] + 3) / 4 : 0;
}

static double mask_bytes(const size_t *n)
{
    return (double)n[0] * (double)n[1];
}

// A thread for each row: the threads of a warp write S bytes apart.
__global__ void mask_thread_kernel(uint8_t *mask_dev, size_t T, size_t S)
{
    const size_t t = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (size_t s = 0; t < T && s < S; s++) {
        mask_dev[t * S + s] = s + T <= t + S;
    }
}

static lab_status run_mask_thread(const struct job *job)
{
    const size_t T = job->n[0], S = job->n[1];
    mask_thread_kernel<<<(unsigned)((T + 127) / 128), 128, 0, job->stream>>>(
        (uint8_t *)job->t[0], T, S);
    return lab_cuda(cudaGetLastError());
}

static lab_status run_causal_mask(const struct job *job)
{
    return causal_mask_gpu((uint8_t *)job->t[0], job->n[0], job->n[1], job->stream);
}

const struct ladder causal_masks = {
    "mask (T,S), 1 where s <= t + (S - T)",
    "T S",
    {8192, 8192},
    {6, 36},
    COPY,
    mask_count,
    mask_bytes,
    {
        {"bench", "a thread for each row", run_mask_thread, NULL, false},
        {"3.1", "a thread for each byte, x along the row", run_causal_mask, NULL, false},
    },
};
