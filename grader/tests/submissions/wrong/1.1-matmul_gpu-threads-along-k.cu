// 1.1 matmul_gpu race-global
#include "01_simple_attention/attention_gpu.h"

__global__ void sum_kernel(float *out_dev, const float *a_dev, const float *b_dev, size_t N,
                           size_t K)
{
    size_t n = blockIdx.x, m = blockIdx.y;
    for (size_t k = threadIdx.x; k < K; k += blockDim.x) {
        out_dev[m * N + n] += a_dev[m * K + k] * b_dev[k * N + n];
    }
}

// BODY
    cudaMemsetAsync(out_dev, 0, M * N * sizeof(float), stream);
    sum_kernel<<<dim3(N, M), K < 64 ? K : 64, 0, stream>>>(out_dev, a_dev, b_dev, N, K);
    return lab_cuda(cudaGetLastError());
