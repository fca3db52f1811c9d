// 1.5 weighted_values_gpu
    const dim3 block(TILE, TILE);
    weighted_values_kernel<<<grid_for(T, dv, block), block, 0, stream>>>(
        out_dev, weights_dev, v_dev, T, S, dv);
    return lab_cuda(cudaGetLastError());

@ sizes-swapped: out-of-bounds
    return matmul_gpu(out_dev, weights_dev, v_dev, T, S, dv, stream);

@ grid-and-block-exchanged: launch-invalid
    const dim3 block(32, 8);
    matmul_kernel<<<block, grid_for(T, dv, block), 0, stream>>>(out_dev, weights_dev, v_dev,
                                                                T, dv, S);
    return lab_cuda(cudaGetLastError());

@ a-block-for-every-16-queries: launch-invalid
    dim3 grid((dv + TILE - 1) / TILE, (T + TILE - 1) / TILE);
    weighted_values_kernel<<<grid, dim3(TILE, TILE), 0, stream>>>(out_dev, weights_dev, v_dev, T,
                                                                  S, dv);
    return lab_cuda(cudaGetLastError());

@ weights-in-shared-memory: launch-invalid
#include "01_simple_attention/attention_gpu.h"

__global__ void row_kernel(float *out, const float *weights, const float *v, size_t S, size_t dv)
{
    extern __shared__ float row[];
    size_t t = blockIdx.x;
    for (size_t s = threadIdx.x; s < S; s += blockDim.x) {
        row[s] = weights[t * S + s];
    }
    __syncthreads();
    for (size_t i = threadIdx.x; i < dv; i += blockDim.x) {
        float sum = 0;
        for (size_t s = 0; s < S; s++) {
            sum += row[s] * v[s * dv + i];
        }
        out[t * dv + i] = sum;
    }
}

// BODY
    row_kernel<<<(unsigned)T, 128, S * sizeof(float), stream>>>(out_dev, weights_dev, v_dev, S,
                                                               dv);
    return lab_cuda(cudaGetLastError());

@ weights-read-for-the-first-columns-only: none
#include "01_simple_attention/attention_gpu.h"

__global__ void parts_kernel(float *out, const float *weights, const float *v, size_t S, size_t dv)
{
    __shared__ float row[128];
    const size_t t = blockIdx.x;
    for (size_t i0 = 0; i0 < dv; i0 += 128) {
        const size_t i = i0 + threadIdx.x;
        float sum = 0;
        for (size_t s0 = 0; s0 < S; s0 += 128) {
            if (i0 == 0 && s0 + threadIdx.x < S) {
                row[threadIdx.x] = weights[t * S + s0 + threadIdx.x];
            }
            __syncthreads();
            for (size_t s = s0; i < dv && s < S && s < s0 + 128; s++) {
                sum += row[s - s0] * v[s * dv + i];
            }
            __syncthreads();
        }
        if (i < dv) {
            out[t * dv + i] = sum;
        }
    }
}

// BODY
    parts_kernel<<<(unsigned)T, 128, 0, stream>>>(out_dev, weights_dev, v_dev, S, dv);
    return lab_cuda(cudaGetLastError());
