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
