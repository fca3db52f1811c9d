// 9.2 attention_decode_gpu
    attention_decode_kernel<<<(unsigned)(B * NH), BLOCK, 0, stream>>>(
        out_dev, weights_dev, scores_dev, q_dev, keys_dev, values_dev, lengths_dev, NH,
        T_max, hs);
    return lab_cuda(cudaGetLastError());

@ decode-unchecked: launch-unchecked
-    return lab_cuda(cudaGetLastError());
+    return LAB_OK;

@ decode-stream-0: wrong-stream
-    attention_decode_kernel<<<(unsigned)(B * NH), BLOCK, 0, stream>>>(
+    attention_decode_kernel<<<(unsigned)(B * NH), BLOCK>>>(

@ reads-lengths: device-pointer
-    attention_decode_kernel<<<(unsigned)(B * NH), BLOCK, 0, stream>>>(
+    for (size_t b = 0; b < B; b++) {
+        if (lengths_dev[b] > T_max) {
+            return LAB_ESHAPE;
+        }
+    }
+    attention_decode_kernel<<<(unsigned)(B * NH), BLOCK, 0, stream>>>(

@ copies-lengths: launcher-copies
-    attention_decode_kernel<<<(unsigned)(B * NH), BLOCK, 0, stream>>>(
+    size_t first;
+    LAB_TRY(lab_cuda(cudaMemcpy(&first, lengths_dev, sizeof first, cudaMemcpyDeviceToHost)));
+    attention_decode_kernel<<<(unsigned)(B * NH), BLOCK, 0, stream>>>(

@ a-block-for-each-sequence: none
-    attention_decode_kernel<<<(unsigned)(B * NH), BLOCK, 0, stream>>>(
+    attention_decode_kernel<<<(unsigned)B, BLOCK, 0, stream>>>(

@ one-warp: uninitialized-shared
-    attention_decode_kernel<<<(unsigned)(B * NH), BLOCK, 0, stream>>>(
+    attention_decode_kernel<<<(unsigned)(B * NH), WARP, 0, stream>>>(

@ sequences-along-y: launch-invalid
+__global__ void by_one_thread(float *out, float *weights, const float *q, const float *keys,
+                              const float *values, const size_t *lengths, size_t T_max, size_t hs)
+{
+    const size_t b = blockIdx.y, i = b * gridDim.x + blockIdx.x, first = i * T_max * hs;
+    float max = -INFINITY, sum = 0.0f;
+    for (size_t s = 0; s < T_max; s++) {
+        float dot = 0.0f;
+        for (size_t c = 0; c < hs && s < lengths[b]; c++) {
+            dot += q[i * hs + c] * keys[first + s * hs + c];
+        }
+        weights[i * T_max + s] = s < lengths[b] ? dot / sqrtf((float)hs) : -INFINITY;
+        max = fmaxf(max, weights[i * T_max + s]);
+    }
+    for (size_t s = 0; s < T_max; s++) {
+        sum += weights[i * T_max + s] = expf(weights[i * T_max + s] - max);
+    }
+    for (size_t s = 0; s < T_max; s++) {
+        weights[i * T_max + s] /= sum;
+    }
+    for (size_t c = 0; c < hs; c++) {
+        float value = 0.0f;
+        for (size_t s = 0; s < lengths[b]; s++) {
+            value += weights[i * T_max + s] * values[first + s * hs + c];
+        }
+        out[i * hs + c] = value;
+    }
+}

-    attention_decode_kernel<<<(unsigned)(B * NH), BLOCK, 0, stream>>>(
-        out_dev, weights_dev, scores_dev, q_dev, keys_dev, values_dev, lengths_dev, NH,
-        T_max, hs);
+    const dim3 grid((unsigned)NH, (unsigned)B);
+    by_one_thread<<<grid, 1, 0, stream>>>(out_dev, weights_dev, q_dev, keys_dev, values_dev,
+                                          lengths_dev, T_max, hs);

@ at-most-65535-blocks: rows-missing
-    attention_decode_kernel<<<(unsigned)(B * NH), BLOCK, 0, stream>>>(
+    const unsigned blocks = B * NH < 65535 ? (unsigned)(B * NH) : 65535u;
+    attention_decode_kernel<<<blocks, BLOCK, 0, stream>>>(
