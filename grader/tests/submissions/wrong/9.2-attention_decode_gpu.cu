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

@ one-warp: uninitialised-shared
-    attention_decode_kernel<<<(unsigned)(B * NH), BLOCK, 0, stream>>>(
+    attention_decode_kernel<<<(unsigned)(B * NH), WARP, 0, stream>>>(
