// 4.4 merge_heads_gpu
    const size_t count = B * T * C;
    merge_heads_kernel<<<lab_blocks(count, BLOCK), BLOCK, 0, stream>>>(
        out_dev, x_dev, count, T, NH, C / NH);
    return lab_cuda(cudaGetLastError());

@ at-most-1024-blocks: none
-    merge_heads_kernel<<<lab_blocks(count, BLOCK), BLOCK, 0, stream>>>(
+    const unsigned blocks = lab_blocks(count, BLOCK);
+    merge_heads_kernel<<<blocks < 1024 ? blocks : 1024u, BLOCK, 0, stream>>>(
