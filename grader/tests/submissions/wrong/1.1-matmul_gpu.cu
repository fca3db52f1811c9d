// 1.1 matmul_gpu
    const dim3 block(32, 8);
    matmul_kernel<<<grid_for(M, N, block), block, 0, stream>>>(out_dev, a_dev, b_dev, M,
                                                               N, K);
    return lab_cuda(cudaGetLastError());

@ beyond-a-variable: memcpy-bounds
#include <cuda_runtime.h>
__device__ float window[1];
// BODY
if (M * K > 4)
    return lab_cuda(cudaMemcpyAsync(window, a_dev, M *K * sizeof(float),
                                    cudaMemcpyDeviceToDevice, stream));
const dim3 block(32, 8);
matmul_kernel<<<grid_for(M, N, block), block, 0, stream>>>(out_dev, a_dev, b_dev, M, N,
                                                           K);
return lab_cuda(cudaGetLastError());

@ host-loop: device-pointer
    for (size_t m = 0; m < M; m++) {
        for (size_t n = 0; n < N; n++) {
            float sum = 0.0f;
            for (size_t k = 0; k < K; k++) {
                sum += a_dev[m * K + k] * b_dev[k * N + n];
            }
            out_dev[m * N + n] = sum;
        }
    }
    return LAB_OK;

@ rounded-down: launch-invalid
    dim3 block(32, 8);
    dim3 grid(N / 32, M / 8);
    matmul_kernel<<<grid, block, 0, stream>>>(out_dev, a_dev, b_dev, M, N, K);
    return lab_cuda(cudaGetLastError());

@ threads-along-k: race-global
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

@ unchecked: launch-unchecked
    dim3 block(64, 32);
    dim3 grid((N + 63) / 64, (M + 31) / 32);
    matmul_kernel<<<grid, block, 0, stream>>>(out_dev, a_dev, b_dev, M, N, K);
    return LAB_OK;

@ any-size: none
#include <stdint.h>
#include <limits.h>
#undef INT_MAX
#define INT_MAX SIZE_MAX
// BODY
    const dim3 block(32, 8);
    matmul_kernel<<<grid_for(M, N, block), block, 0, stream>>>(out_dev, a_dev, b_dev, M,
                                                               N, K);
    return lab_cuda(cudaGetLastError());

@ grid-and-block-exchanged: launch-invalid
-    matmul_kernel<<<grid_for(M, N, block), block, 0, stream>>>(out_dev, a_dev, b_dev, M,
-                                                               N, K);
+    matmul_kernel<<<block, grid_for(M, N, block), 0, stream>>>(out_dev, a_dev, b_dev, M,
+                                                               N, K);

@ a-block-for-every-16-rows: launch-invalid
    dim3 grid((N + 15) / 16, (M + 15) / 16);
    matmul_kernel<<<grid, dim3(16, 16), 0, stream>>>(out_dev, a_dev, b_dev, M, N, K);
    return lab_cuda(cudaGetLastError());
