// 1.3 attention_scores_gpu
    const dim3 block(TILE, TILE);
    const float scale = 1.0f / sqrtf((float)d);
    attention_scores_kernel<<<grid_for(T, S, block), block, 0, stream>>>(
        scores_dev, q_dev, k_dev, T, S, d, scale);
    return lab_cuda(cudaGetLastError());

@ a-block-for-every-16-queries: launch-invalid
    dim3 grid((S + TILE - 1) / TILE, (T + TILE - 1) / TILE);
    attention_scores_kernel<<<grid, dim3(TILE, TILE), 0, stream>>>(
        scores_dev, q_dev, k_dev, T, S, d, 1.0f / sqrtf((float)d));
    return lab_cuda(cudaGetLastError());

@ query-in-shared-memory: launch-invalid
#include "01_simple_attention/attention_gpu.h"

__global__ void row_kernel(float *scores, const float *q, const float *k, size_t S, size_t d)
{
    extern __shared__ float query[];
    size_t t = blockIdx.x;
    for (size_t i = threadIdx.x; i < d; i += blockDim.x) {
        query[i] = q[t * d + i];
    }
    __syncthreads();
    for (size_t s = threadIdx.x; s < S; s += blockDim.x) {
        float dot = 0;
        for (size_t i = 0; i < d; i++) {
            dot += query[i] * k[s * d + i];
        }
        scores[t * S + s] = dot / sqrtf((float)d);
    }
}

// BODY
    row_kernel<<<(unsigned)T, 128, d * sizeof(float), stream>>>(scores_dev, q_dev, k_dev, S, d);
    return lab_cuda(cudaGetLastError());

@ query-read-for-the-first-keys-only: none
#include "01_simple_attention/attention_gpu.h"

__global__ void parts_kernel(float *scores, const float *q, const float *k, size_t S, size_t d)
{
    __shared__ float query[256];
    const size_t t = blockIdx.x;
    for (size_t s0 = 0; s0 < S; s0 += 4) {
        const size_t s = s0 + threadIdx.y;
        float dot = 0;
        for (size_t i0 = 0; i0 < d; i0 += 256) {
            const size_t count = d - i0 < 256 ? d - i0 : 256;
            __syncthreads();
            for (size_t i = threadIdx.y * 32 + threadIdx.x; s0 == 0 && i < count; i += 128) {
                query[i] = q[t * d + i0 + i];
            }
            __syncthreads();
            for (size_t i = threadIdx.x; s < S && i < count; i += 32) {
                dot += query[i] * k[s * d + i0 + i];
            }
        }
        for (int step = 16; step > 0; step /= 2) {
            dot += __shfl_xor_sync(0xffffffff, dot, step);
        }
        if (s < S && threadIdx.x == 0) {
            scores[t * S + s] = dot / sqrtf((float)d);
        }
    }
}

// BODY
    parts_kernel<<<(unsigned)T, dim3(32, 4), 0, stream>>>(scores_dev, q_dev, k_dev, S, d);
    return lab_cuda(cudaGetLastError());
