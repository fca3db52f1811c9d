// 5.1 layernorm_gpu
    layernorm_kernel<<<(unsigned)N, ROW_BLOCK, 0, stream>>>(y_dev, mean_dev, rstd_dev,
                                                            x_dev, gain_dev, bias_dev, C);
    return lab_cuda(cudaGetLastError());

@ rows-along-y: launch-invalid
#include "05_transformer_block/block_gpu.h"

__global__ void rows_kernel(float *y, float *mean, float *rstd, const float *x, const float *gain,
                            const float *bias, size_t N, size_t C)
{
    const size_t n = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (n >= N) {
        return;
    }
    float m = 0, v = 0;
    for (size_t c = 0; c < C; c++) {
        m += x[n * C + c];
    }
    m /= (float)C;
    for (size_t c = 0; c < C; c++) {
        v += (x[n * C + c] - m) * (x[n * C + c] - m);
    }
    const float r = 1.0f / sqrtf(v / (float)C + LAYERNORM_EPS);
    for (size_t c = threadIdx.x; c < C; c += 32) {
        y[n * C + c] = (x[n * C + c] - m) * r * gain[c] + bias[c];
    }
    if (threadIdx.x == 0) {
        mean[n] = m;
        rstd[n] = r;
    }
}

// BODY
    rows_kernel<<<dim3(1, lab_blocks(N, 8)), dim3(32, 8), 0, stream>>>(
        y_dev, mean_dev, rstd_dev, x_dev, gain_dev, bias_dev, N, C);
    return lab_cuda(cudaGetLastError());

@ right-launch-for-each-row
    for (size_t n = 0; n < N; n++) {
        layernorm_kernel<<<1, ROW_BLOCK, 0, stream>>>(y_dev + n * C, mean_dev + n, rstd_dev + n,
                                                      x_dev + n * C, gain_dev, bias_dev, C);
    }
    return lab_cuda(cudaGetLastError());
