// given.cu - the kernels of a training step that are not exercises.
//
// Sums have a fixed order, so two runs give the same bits.
//
// Start reading at given_embedding_backward.

#include "programs/train_gpu/given_gpu.h"

#include <math.h>

enum { BLOCK = 256 };

// This thread's number among all threads of the grid.
static __device__ size_t thread_number(void)
{
    return (size_t)blockIdx.x * blockDim.x + threadIdx.x;
}

// ---- positions ----------------------------------------------------------------------------

__global__ void add_positions_kernel(float *out, const float *x, const float *table,
                                     size_t count, size_t TC)
{
    const size_t i = thread_number();
    if (i < count) {
        out[i] = x[i] + table[i % TC];
    }
}

lab_status given_add_positions(float *out, const float *x, const float *table, size_t B,
                               size_t T, size_t C, cudaStream_t stream)
{
    const size_t count = B * T * C;
    add_positions_kernel<<<lab_blocks(count, BLOCK), BLOCK, 0, stream>>>(out, x, table,
                                                                         count, T * C);
    return lab_cuda(cudaGetLastError());
}

__global__ void positions_backward_kernel(float *dtable, const float *dy, size_t B,
                                          size_t TC)
{
    const size_t i = thread_number();
    if (i >= TC) {
        return;
    }
    float sum = 0.0f;
    for (size_t b = 0; b < B; b++) {
        sum += dy[b * TC + i];
    }
    dtable[i] += sum;
}

lab_status given_positions_backward(float *dtable, const float *dy, size_t B, size_t T,
                                    size_t C, cudaStream_t stream)
{
    positions_backward_kernel<<<lab_blocks(T * C, BLOCK), BLOCK, 0, stream>>>(dtable, dy,
                                                                              B, T * C);
    return lab_cuda(cudaGetLastError());
}

// ---- q, k, v ------------------------------------------------------------------------------

__global__ void join_qkv_kernel(float *qkv, const float *q, const float *k,
                                const float *v, size_t count, size_t C)
{
    const size_t i = thread_number();
    if (i >= count) {
        return;
    }
    float *qkv_n = qkv + i / C * 3 * C + i % C;
    qkv_n[0] = q[i];
    qkv_n[C] = k[i];
    qkv_n[2 * C] = v[i];
}

lab_status given_join_qkv(float *qkv, const float *q, const float *k, const float *v,
                          size_t N, size_t C, cudaStream_t stream)
{
    join_qkv_kernel<<<lab_blocks(N * C, BLOCK), BLOCK, 0, stream>>>(qkv, q, k, v, N * C,
                                                                    C);
    return lab_cuda(cudaGetLastError());
}

// ---- the loss and the embedding -----------------------------------------------------------

__global__ void dlogits_kernel(float *dlogits, const float *probabilities,
                               const size_t *targets, size_t N, size_t V)
{
    const size_t i = thread_number();
    if (i < N * V) {
        const float right = i % V == targets[i / V] ? 1.0f : 0.0f;
        dlogits[i] = (probabilities[i] - right) / (float)N;
    }
}

lab_status given_cross_entropy_backward(float *dlogits, const float *probabilities,
                                        const size_t *targets, size_t N, size_t V,
                                        cudaStream_t stream)
{
    dlogits_kernel<<<lab_blocks(N * V, BLOCK), BLOCK, 0, stream>>>(dlogits, probabilities,
                                                                   targets, N, V);
    return lab_cuda(cudaGetLastError());
}

// The thread for each number of the table looks for its token among all N. With a thread
// for each of the N tokens instead, repeated tokens would need atomicAdd, whose order
// varies.
__global__ void embedding_backward_kernel(float *dtable, const float *dy,
                                          const size_t *tokens, size_t N, size_t C,
                                          size_t V)
{
    const size_t i = thread_number();
    if (i >= V * C) {
        return;
    }
    float sum = 0.0f;
    for (size_t n = 0; n < N; n++) {
        if (tokens[n] == i / C) {
            sum += dy[n * C + i % C];
        }
    }
    dtable[i] += sum;
}

lab_status given_embedding_backward(float *dtable, const float *dy, const size_t *tokens,
                                    size_t N, size_t C, size_t V, cudaStream_t stream)
{
    embedding_backward_kernel<<<lab_blocks(V * C, BLOCK), BLOCK, 0, stream>>>(
        dtable, dy, tokens, N, C, V);
    return lab_cuda(cudaGetLastError());
}

// ---- clipping -----------------------------------------------------------------------------

// One block, which adds the squares in a tree like lab 6's mean_kernel.
__global__ void norm_kernel(float *norm, const float *g, size_t N)
{
    __shared__ double sums[BLOCK];
    double sum = 0.0;
    for (size_t i = threadIdx.x; i < N; i += BLOCK) {
        sum += (double)g[i] * g[i];
    }
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            sums[threadIdx.x] += sums[threadIdx.x + half];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        *norm = (float)sqrt(sums[0]);
    }
}

__global__ void clip_kernel(float *g, const float *norm, float max_norm, size_t N)
{
    const size_t i = thread_number();
    const float factor = max_norm / (*norm + 1e-6f);
    if (i < N && factor < 1.0f) {
        g[i] *= factor;
    }
}

lab_status given_clip_grad_norm(float *norm, float *g, float max_norm, size_t N,
                                cudaStream_t stream)
{
    norm_kernel<<<1, BLOCK, 0, stream>>>(norm, g, N);
    lab_status status = lab_cuda(cudaGetLastError());
    if (status != LAB_OK) {
        return status;
    }
    clip_kernel<<<lab_blocks(N, BLOCK), BLOCK, 0, stream>>>(g, norm, max_norm, N);
    return lab_cuda(cudaGetLastError());
}
