// 9.4 grouped_query_attention_gpu
    grouped_query_kernel<<<(unsigned)(B * NH * T), BLOCK, 0, stream>>>(
        out_dev, weights_dev, scores_dev, q_dev, k_dev, v_dev, mask_dev, NH, NH / NKV, T,
        S, hs);
    return lab_cuda(cudaGetLastError());

@ gqa-unchecked: launch-unchecked
-    return lab_cuda(cudaGetLastError());
+    return LAB_OK;

@ gqa-NKV-blocks: none
-    grouped_query_kernel<<<(unsigned)(B * NH * T), BLOCK, 0, stream>>>(
+    grouped_query_kernel<<<(unsigned)(B * NKV * T), BLOCK, 0, stream>>>(

@ weights-in-shared-memory: launch-invalid
#include "09_generation/generation_gpu.h"

__global__ void row_kernel(float *out, float *weights, const float *q, const float *k,
                           const float *v, const uint8_t *mask, size_t NH, size_t G, size_t T,
                           size_t S, size_t hs)
{
    extern __shared__ float row[];
    __shared__ float max, sum;
    const size_t n = blockIdx.x, t = n % T, h = n / T % NH, b = n / T / NH;
    const float *keys = k + (b * (NH / G) + h / G) * S * hs;
    const float *values = v + (b * (NH / G) + h / G) * S * hs;
    for (size_t s = threadIdx.x; s < S; s += blockDim.x) {
        float dot = 0;
        for (size_t c = 0; c < hs; c++) {
            dot += q[n * hs + c] * keys[s * hs + c];
        }
        row[s] = mask == NULL || mask[(b * T + t) * S + s] ? dot / sqrtf((float)hs) : -INFINITY;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        max = -INFINITY;
        sum = 0;
        for (size_t s = 0; s < S; s++) {
            max = fmaxf(max, row[s]);
        }
        for (size_t s = 0; s < S; s++) {
            row[s] = max == -INFINITY ? 0 : expf(row[s] - max);
            sum += row[s];
        }
    }
    __syncthreads();
    for (size_t s = threadIdx.x; s < S; s += blockDim.x) {
        weights[n * S + s] = sum == 0 ? 0 : row[s] / sum;
    }
    for (size_t c = threadIdx.x; c < hs; c += blockDim.x) {
        float value = 0;
        for (size_t s = 0; s < S; s++) {
            value += row[s] * values[s * hs + c];
        }
        out[n * hs + c] = sum == 0 ? 0 : value / sum;
    }
}

// BODY
    (void)scores_dev;
    row_kernel<<<(unsigned)(B * NH * T), 64, S * sizeof(float), stream>>>(
        out_dev, weights_dev, q_dev, k_dev, v_dev, mask_dev, NH, NH / NKV, T, S, hs);
    return lab_cuda(cudaGetLastError());
