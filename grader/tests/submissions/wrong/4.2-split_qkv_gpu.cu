// 4.2 split_qkv_gpu
    const size_t count = B * T * C;
    split_qkv_kernel<<<lab_blocks(count, BLOCK), BLOCK, 0, stream>>>(q_dev, k_dev, v_dev,
                                                                     qkv_dev, count, C);
    return lab_cuda(cudaGetLastError());

@ at-most-1024-blocks: none
-    split_qkv_kernel<<<lab_blocks(count, BLOCK), BLOCK, 0, stream>>>(q_dev, k_dev, v_dev,
-                                                                     qkv_dev, count, C);
+    const unsigned blocks = lab_blocks(count, BLOCK);
+    split_qkv_kernel<<<blocks < 1024 ? blocks : 1024u, BLOCK, 0, stream>>>(
+        q_dev, k_dev, v_dev, qkv_dev, count, C);
