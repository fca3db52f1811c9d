// 6.2 embedding_gpu
    embedding_kernel<<<lab_blocks(N * C, BLOCK), BLOCK, 0, stream>>>(out_dev, tokens_dev,
                                                                     table_dev, N, C, V);
    return lab_cuda(cudaGetLastError());

@ at-most-64-blocks: none
-    embedding_kernel<<<lab_blocks(N * C, BLOCK), BLOCK, 0, stream>>>(out_dev, tokens_dev,
-                                                                     table_dev, N, C, V);
+    const unsigned blocks = lab_blocks(N * C, 1024);
+    embedding_kernel<<<blocks < 64 ? blocks : 64u, 1024, 0, stream>>>(
+        out_dev, tokens_dev, table_dev, N, C, V);

@ at-most-1024-blocks: none
-    embedding_kernel<<<lab_blocks(N * C, BLOCK), BLOCK, 0, stream>>>(out_dev, tokens_dev,
-                                                                     table_dev, N, C, V);
+    const unsigned blocks = lab_blocks(N * C, BLOCK);
+    embedding_kernel<<<blocks < 1024 ? blocks : 1024u, BLOCK, 0, stream>>>(
+        out_dev, tokens_dev, table_dev, N, C, V);
