// 4.5 scaled_dot_product_attention_gpu
    const int t = (int)T, s = (int)S, c = (int)hs, batch = (int)(B * NH);
    const float one = 1.0f, zero = 0.0f, scale = 1.0f / sqrtf((float)hs);
    const long long queries = (long long)(T * hs), keys = (long long)(S * hs);
    const long long pairs = (long long)(T * S);
    lab_status status = lab_cublas(cublasSgemmStridedBatched(
        cublas, CUBLAS_OP_T, CUBLAS_OP_N, s, t, c, &scale, k_dev, c, keys, q_dev, c,
        queries, &zero, scores_dev, s, pairs, batch));
    if (status != LAB_OK) {
        return status;
    }
    const size_t rows = B * NH * T;
    heads_softmax_kernel<<<(unsigned)((rows + WARPS - 1) / WARPS), dim3(WARP, WARPS), 0,
                           stream>>>(weights_dev, scores_dev, mask_dev, T * S, rows, NH, T,
                                     S);
    status = lab_cuda(cudaGetLastError());
    if (status != LAB_OK) {
        return status;
    }
    return lab_cublas(cublasSgemmStridedBatched(
        cublas, CUBLAS_OP_N, CUBLAS_OP_N, c, t, s, &one, v_dev, c, keys, weights_dev, s,
        pairs, &zero, out_dev, c, queries, batch));

@ k-not-transposed
-        cublas, CUBLAS_OP_T, CUBLAS_OP_N, s, t, c, &scale, k_dev, c, keys, q_dev, c,
+        cublas, CUBLAS_OP_N, CUBLAS_OP_N, s, t, c, &scale, k_dev, s, keys, q_dev, c,

@ no-scale
-    const float one = 1.0f, zero = 0.0f, scale = 1.0f / sqrtf((float)hs);
+    const float one = 1.0f, zero = 0.0f, scale = 1.0f;

@ qk-exchanged
-        cublas, CUBLAS_OP_T, CUBLAS_OP_N, s, t, c, &scale, k_dev, c, keys, q_dev, c,
-        queries, &zero, scores_dev, s, pairs, batch));
+        cublas, CUBLAS_OP_T, CUBLAS_OP_N, t, s, c, &scale, q_dev, c, queries, k_dev, c,
+        keys, &zero, scores_dev, t, pairs, batch));

@ sqrt-C
-    const float one = 1.0f, zero = 0.0f, scale = 1.0f / sqrtf((float)hs);
+    const float one = 1.0f, zero = 0.0f, scale = 1.0f / sqrtf((float)(NH * hs));

@ stride-forgotten
-        cublas, CUBLAS_OP_T, CUBLAS_OP_N, s, t, c, &scale, k_dev, c, keys, q_dev, c,
+        cublas, CUBLAS_OP_T, CUBLAS_OP_N, s, t, c, &scale, k_dev, c, 0, q_dev, c,

@ leading-dimension-too-small: none
-        cublas, CUBLAS_OP_N, CUBLAS_OP_N, c, t, s, &one, v_dev, c, keys, weights_dev, s,
+        cublas, CUBLAS_OP_N, CUBLAS_OP_N, c, t, s, &one, v_dev, 1, keys, weights_dev, s,

@ row-in-shared-memory: launch-invalid
#include "04_multi_head/heads_gpu.h"

__global__ void row_kernel(float *weights, const float *scores, const uint8_t *mask, size_t NH,
                           size_t T, size_t S)
{
    extern __shared__ float row[];
    const size_t n = blockIdx.x, b = n / T / NH, t = n % T;
    float max = -INFINITY, sum = 0;
    for (size_t s = threadIdx.x; s < S; s += 32) {
        row[s] = mask == NULL || mask[(b * T + t) * S + s] ? scores[n * S + s] : -INFINITY;
        max = fmaxf(max, row[s]);
    }
    for (int step = 16; step > 0; step /= 2) {
        max = fmaxf(max, __shfl_xor_sync(0xffffffff, max, step));
    }
    for (size_t s = threadIdx.x; s < S; s += 32) {
        row[s] = max == -INFINITY ? 0 : expf(row[s] - max);
        sum += row[s];
    }
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, step);
    }
    for (size_t s = threadIdx.x; s < S; s += 32) {
        weights[n * S + s] = sum == 0 ? 0 : row[s] / sum;
    }
}

// BODY
    const int t = (int)T, s = (int)S, c = (int)hs, batch = (int)(B * NH);
    const float one = 1.0f, zero = 0.0f, scale = 1.0f / sqrtf((float)hs);
    LAB_TRY(lab_cublas(cublasSgemmStridedBatched(
        cublas, CUBLAS_OP_T, CUBLAS_OP_N, s, t, c, &scale, k_dev, c, S * hs, q_dev, c, T * hs,
        &zero, scores_dev, s, T * S, batch)));
    row_kernel<<<(unsigned)(B * NH * T), 32, S * sizeof(float), stream>>>(
        weights_dev, scores_dev, mask_dev, NH, T, S);
    LAB_TRY(lab_cuda(cudaGetLastError()));
    return lab_cublas(cublasSgemmStridedBatched(
        cublas, CUBLAS_OP_N, CUBLAS_OP_N, c, t, s, &one, v_dev, c, S * hs, weights_dev, s, T * S,
        &zero, out_dev, c, T * hs, batch));
