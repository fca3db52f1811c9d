// 10.4 flash_attention_backward_gpu
    const size_t heads = B * NH;
    const float scale = 1.0f / sqrtf((float)hs);
    delta_kernel<<<lab_blocks(heads * T, WARPS), BLOCK, 0, stream>>>(
        delta_dev, dout_dev, out_dev, heads * T, hs);
    dq_kernel<<<(unsigned)heads * lab_blocks(T, OWN), BLOCK, 0, stream>>>(
        dq_dev, delta_dev, dout_dev, logsumexp_dev, q_dev, k_dev, v_dev, causal, T, S, hs,
        scale);
    dk_dv_kernel<<<(unsigned)heads * lab_blocks(S, OWN), BLOCK, 0, stream>>>(
        dk_dev, dv_dev, delta_dev, dout_dev, logsumexp_dev, q_dev, k_dev, v_dev, causal,
        T, S, hs, scale);
    return lab_cuda(cudaGetLastError());

@ backward-unchecked: launch-unchecked
-    return lab_cuda(cudaGetLastError());
+    return LAB_OK;

@ backward-stream-0: wrong-stream
-    delta_kernel<<<lab_blocks(heads * T, WARPS), BLOCK, 0, stream>>>(
+    delta_kernel<<<lab_blocks(heads * T, WARPS), BLOCK>>>(

@ delta-after-dq: uninitialized-global
-    delta_kernel<<<lab_blocks(heads * T, WARPS), BLOCK, 0, stream>>>(
-        delta_dev, dout_dev, out_dev, heads * T, hs);
     dq_kernel<<<(unsigned)heads * lab_blocks(T, OWN), BLOCK, 0, stream>>>(
         dq_dev, delta_dev, dout_dev, logsumexp_dev, q_dev, k_dev, v_dev, causal, T, S, hs,
         scale);
+    delta_kernel<<<lab_blocks(heads * T, WARPS), BLOCK, 0, stream>>>(
+        delta_dev, dout_dev, out_dev, heads * T, hs);

@ delta-of-one-head: uninitialized-global
-        delta_dev, dout_dev, out_dev, heads * T, hs);
+        delta_dev, dout_dev, out_dev, T, hs);

@ blocks-of-queries-for-keys: out-of-bounds
-    dk_dv_kernel<<<(unsigned)heads * lab_blocks(S, OWN), BLOCK, 0, stream>>>(
+    dk_dv_kernel<<<(unsigned)heads * lab_blocks(T, OWN), BLOCK, 0, stream>>>(

@ delta-of-out
-        delta_dev, dout_dev, out_dev, heads * T, hs);
+        delta_dev, out_dev, out_dev, heads * T, hs);

@ dq-launch-forgotten: none
-    dq_kernel<<<(unsigned)heads * lab_blocks(T, OWN), BLOCK, 0, stream>>>(
-        dq_dev, delta_dev, dout_dev, logsumexp_dev, q_dev, k_dev, v_dev, causal, T, S, hs,
-        scale);

@ no-scale
-    const float scale = 1.0f / sqrtf((float)hs);
+    const float scale = 1.0f;

@ delta-of-at-most-1024-blocks: uninitialized-global
-    delta_kernel<<<lab_blocks(heads * T, WARPS), BLOCK, 0, stream>>>(
+    const unsigned blocks = lab_blocks(heads * T, WARPS);
+    delta_kernel<<<blocks < 1024 ? blocks : 1024u, BLOCK, 0, stream>>>(

@ dq-of-at-most-1024-blocks: rows-missing
-    dq_kernel<<<(unsigned)heads * lab_blocks(T, OWN), BLOCK, 0, stream>>>(
+    const unsigned blocks = (unsigned)heads * lab_blocks(T, OWN);
+    dq_kernel<<<blocks < 1024 ? blocks : 1024u, BLOCK, 0, stream>>>(

@ dk-of-at-most-1024-blocks: rows-missing
-    dk_dv_kernel<<<(unsigned)heads * lab_blocks(S, OWN), BLOCK, 0, stream>>>(
+    const unsigned blocks = (unsigned)heads * lab_blocks(S, OWN);
+    dk_dv_kernel<<<blocks < 1024 ? blocks : 1024u, BLOCK, 0, stream>>>(

@ sequences-along-y: launch-invalid
#include "10_flash_attention/flash_attention_gpu.h"

__global__ void delta_of_head(float *delta, const float *dout, const float *out, size_t T, size_t hs)
{
    const size_t head = (size_t)blockIdx.y * gridDim.x + blockIdx.x;
    for (size_t t = threadIdx.x; t < T; t += blockDim.x) {
        const size_t n = head * T + t;
        float sum = 0;
        for (size_t c = 0; c < hs; c++) {
            sum += dout[n * hs + c] * out[n * hs + c];
        }
        delta[n] = sum;
    }
}

// BODY
    const size_t heads = B * NH;
    const float scale = 1.0f / sqrtf((float)hs);
    delta_of_head<<<dim3((unsigned)NH, (unsigned)B), 64, 0, stream>>>(delta_dev, dout_dev, out_dev,
                                                                     T, hs);
    dq_kernel<<<(unsigned)heads * lab_blocks(T, OWN), BLOCK, 0, stream>>>(
        dq_dev, delta_dev, dout_dev, logsumexp_dev, q_dev, k_dev, v_dev, causal, T, S, hs,
        scale);
    dk_dv_kernel<<<(unsigned)heads * lab_blocks(S, OWN), BLOCK, 0, stream>>>(
        dk_dev, dv_dev, delta_dev, dout_dev, logsumexp_dev, q_dev, k_dev, v_dev, causal,
        T, S, hs, scale);
    return lab_cuda(cudaGetLastError());
