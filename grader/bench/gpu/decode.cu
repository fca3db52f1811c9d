// decode.cu - the ladders of a decode step, lab 9: attention over a cache, and int8 weights.
//
// fast_x is solutions/fast's function x: the build gives it this name.

#include "bench/gpu/ladders.h"

#include <stdint.h>

#include "01_simple_attention/attention_gpu.h"
#include "09_generation/generation_gpu.h"

LAB_GPU_BEGIN
decltype(attention_decode_gpu) fast_attention_decode_gpu;
decltype(linear_int8_gpu) fast_linear_int8_gpu;
LAB_GPU_END

// ---- one query against the cache of its head ----------------------------------------------

// In the order of attention_decode_gpu. The lengths, a size_t each, come last.
static size_t decode_count(const size_t *n, size_t i)
{
    const size_t heads = n[0] * n[1], maps = heads * n[2], width = n[3];
    const size_t count[] = {heads * width, maps,         maps,     heads * width,
                            maps * width,  maps * width, 2 * n[0], 0};
    return count[i];
}

// Keys and values are all but everything.
static double decode_bytes_moved(const size_t *n)
{
    const double heads = (double)n[0] * (double)n[1], width = (double)n[3];
    return sizeof(float) * heads *
           (2.0 * (double)n[2] * width + (double)n[2] + 2.0 * width);
}

__global__ void set_lengths_kernel(size_t *lengths_dev, size_t B, size_t length)
{
    const size_t b = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (b < B) {
        lengths_dev[b] = length;
    }
}

// Every cache is full.
static lab_status fill_caches(const struct job *job)
{
    set_lengths_kernel<<<lab_blocks(job->n[0], 256), 256, 0, job->stream>>>(
        (size_t *)job->t[6], job->n[0], job->n[2]);
    return lab_cuda(cudaGetLastError());
}

// Three launches for each head, which a host that knows the lengths can do.
static lab_status run_head_by_head(const struct job *job)
{
    const size_t T = job->n[2], width = job->n[3];
    float *const *t = job->t;
    for (size_t i = 0; i < job->n[0] * job->n[1]; i++) {
        LAB_TRY(attention_scores_gpu(t[2] + i * T, t[3] + i * width, t[4] + i * T * width,
                                     1, T, width, job->stream));
        LAB_TRY(softmax_rows_gpu(t[1] + i * T, t[2] + i * T, 1, T, job->stream));
        LAB_TRY(weighted_values_gpu(t[0] + i * width, t[1] + i * T, t[5] + i * T * width,
                                    1, T, width, job->stream));
    }
    return LAB_OK;
}

static lab_status decode_by(decltype(attention_decode_gpu) *function,
                            const struct job *job)
{
    float *const *t = job->t;
    return function(t[0], t[1], t[2], t[3], t[4], t[5], (const size_t *)t[6], job->n[0],
                    job->n[1], job->n[2], job->n[3], job->stream);
}

static lab_status run_decode(const struct job *job)
{
    return decode_by(attention_decode_gpu, job);
}

static lab_status run_fast_decode(const struct job *job)
{
    return decode_by(fast_attention_decode_gpu, job);
}

const struct ladder decode_attention = {
    "one query against each head's cache (B,NH,T_max,hs)",
    "B NH T_max hs",
    {4, 32, 4096, 128},
    {2, 3, 260, 36},
    COPY,
    decode_count,
    decode_bytes_moved,
    {
        {"1.3 to 1.5", "three launches for each head", run_head_by_head, NULL, false},
        {"9.2", "a block for each head, a thread for each key", run_decode, NULL, false},
        {"9.2 fast", "many blocks for each head, keys as float4, four under way",
         run_fast_decode, NULL, false},
    },
    fill_caches,
};

// ---- y (N,O) = x (N,I) times int8 rows (O,I) ----------------------------------------------

// y, x, the rows (bytes), their scales; then as many weights in float, for cuBLAS.
static size_t int8_count(const size_t *n, size_t i)
{
    const size_t N = n[0], I = n[1], O = n[2];
    const size_t count[] = {N * O, N * I, (O * I + 3) / 4, O, O * I, 0};
    return count[i];
}

static double int8_bytes(const size_t *n)
{
    const double N = (double)n[0], I = (double)n[1], O = (double)n[2];
    return O * I + sizeof(float) * (O + N * I + N * O);
}

__global__ void shrink_kernel(float *scales_dev, size_t count)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        scales_dev[i] *= 0.001f;
    }
}

// Scales as weights have them: the outputs are near 1, and so are their rounding errors small.
static lab_status shrink_scales(const struct job *job)
{
    shrink_kernel<<<lab_blocks(job->n[2], 256), 256, 0, job->stream>>>(job->t[3],
                                                                       job->n[2]);
    return lab_cuda(cudaGetLastError());
}

// The threads of a warp read weights I bytes apart.
__global__ void int8_thread_kernel(float *y_dev, const float *x_dev,
                                   const int8_t *rows_dev, const float *scales_dev,
                                   size_t I, size_t O)
{
    const size_t o = (size_t)blockIdx.x * blockDim.x + threadIdx.x, n = blockIdx.y;
    if (o >= O) {
        return;
    }
    float sum = 0.0f;
    for (size_t i = 0; i < I; i++) {
        sum += x_dev[n * I + i] * (float)rows_dev[o * I + i];
    }
    y_dev[n * O + o] = scales_dev[o] * sum;
}

static lab_status run_int8_thread(const struct job *job)
{
    const size_t N = job->n[0], I = job->n[1], O = job->n[2];
    int8_thread_kernel<<<dim3(lab_blocks(O, 128), (unsigned)N), 128, 0, job->stream>>>(
        job->t[0], job->t[1], (const int8_t *)job->t[2], job->t[3], I, O);
    return lab_cuda(cudaGetLastError());
}

static lab_status run_int8(const struct job *job)
{
    return linear_int8_gpu(job->t[0], job->t[1], (const int8_t *)job->t[2], job->t[3],
                           job->n[0], job->n[1], job->n[2], job->stream);
}

static lab_status run_fast_int8(const struct job *job)
{
    return fast_linear_int8_gpu(job->t[0], job->t[1], (const int8_t *)job->t[2],
                                job->t[3], job->n[0], job->n[1], job->n[2], job->stream);
}

// Weights in float: four times the bytes, so a quarter of the rate at the same speed of memory.
static lab_status run_cublas_float(const struct job *job)
{
    const int N = (int)job->n[0], I = (int)job->n[1], O = (int)job->n[2];
    const float one = 1.0f, zero = 0.0f;
    return lab_cublas(cublasSgemm(job->cublas, CUBLAS_OP_T, CUBLAS_OP_N, O, N, I, &one,
                                  job->t[4], I, job->t[1], I, &zero, job->t[0], O));
}

const struct ladder int8_product = {
    "y (N,O) = x (N,I) times int8 rows (O,I)",
    "N I O",
    {1, 4096, 11008},
    {3, 36, 19},
    COPY,
    int8_count,
    int8_bytes,
    {
        {"bench", "a thread for each output", run_int8_thread, NULL, false},
        {"9.8", "a warp for each output, a byte for each lane", run_int8, NULL, false},
        {"9.8 fast", "the same, 16 loads of four bytes under way", run_fast_int8, NULL,
         false},
        {"cuBLAS", "cublasSgemm, weights in float", run_cublas_float, NULL, true},
    },
    shrink_scales,
};
