// 10.2 flash_attention_gpu
    flash_attention_kernel<<<(unsigned)(B * NH * tiles), BLOCK, 0, stream>>>(
        out_dev, logsumexp_dev, q_dev, k_dev, v_dev, causal, T, S, hs,
        1.0f / sqrtf((float)hs));
    return lab_cuda(cudaGetLastError());

@ flash-unchecked: launch-unchecked
-    return lab_cuda(cudaGetLastError());
+    return LAB_OK;

@ flash-stream-0: wrong-stream
-    flash_attention_kernel<<<(unsigned)(B * NH * tiles), BLOCK, 0, stream>>>(
+    flash_attention_kernel<<<(unsigned)(B * NH * tiles), BLOCK>>>(

@ over-hs
-        1.0f / sqrtf((float)hs));
+        1.0f / (float)hs);

@ no-scale
-        1.0f / sqrtf((float)hs));
+        1.0f);

@ a-block-for-each-head: none
-    flash_attention_kernel<<<(unsigned)(B * NH * tiles), BLOCK, 0, stream>>>(
+    flash_attention_kernel<<<(unsigned)(B * NH), BLOCK, 0, stream>>>(

@ at-most-1024-blocks: none
-    flash_attention_kernel<<<(unsigned)(B * NH * tiles), BLOCK, 0, stream>>>(
+    const unsigned blocks = (unsigned)(B * NH * tiles);
+    flash_attention_kernel<<<blocks < 1024 ? blocks : 1024u, BLOCK, 0, stream>>>(

@ sequences-along-z: launch-invalid
#include "10_flash_attention/flash_attention_gpu.h"

__global__ void row_kernel(float *out, float *logsumexp, const float *q, const float *k,
                           const float *v, bool causal, size_t T, size_t S, size_t hs)
{
    const size_t h = (size_t)blockIdx.z * gridDim.x + blockIdx.x, t = blockIdx.y * 16 + threadIdx.x;
    if (t >= T) {
        return;
    }
    float sum = 0, max = -INFINITY, o[128] = {};
    for (size_t s = 0; s < S && (!causal || s + T <= t + S); s++) {
        float score = 0;
        for (size_t c = 0; c < hs; c++) {
            score += q[(h * T + t) * hs + c] * k[(h * S + s) * hs + c];
        }
        score /= sqrtf((float)hs);
        const float larger = fmaxf(max, score), factor = expf(max - larger);
        const float weight = expf(score - larger);
        for (size_t c = 0; c < hs; c++) {
            o[c] = o[c] * factor + weight * v[(h * S + s) * hs + c];
        }
        sum = sum * factor + weight;
        max = larger;
    }
    for (size_t c = 0; c < hs; c++) {
        out[(h * T + t) * hs + c] = sum == 0 ? 0 : o[c] / sum;
    }
    logsumexp[h * T + t] = max + logf(sum);
}

// BODY
    row_kernel<<<dim3(NH, lab_blocks(T, 16), B), 16, 0, stream>>>(
        out_dev, logsumexp_dev, q_dev, k_dev, v_dev, causal, T, S, hs);
    return lab_cuda(cudaGetLastError());
