// 4.3 split_heads_gpu
    const size_t count = B * T * C;
    split_heads_kernel<<<lab_blocks(count, BLOCK), BLOCK, 0, stream>>>(
        out_dev, x_dev, count, T, NH, C / NH);
    return lab_cuda(cudaGetLastError());

@ launch-not-asked: launch-unchecked
    // all right, but the launch's error is never checked
    const size_t count = B * T * C;
    split_heads_kernel<<<lab_blocks(count, BLOCK), BLOCK, 0, stream>>>(
        out_dev, x_dev, count, T, NH, C / NH);
    return LAB_OK;

@ launch-unchecked
    // too many threads for a block, and the error is never checked
    const size_t count = B * T * C;
    split_heads_kernel<<<1, (unsigned)(count + 2048), 0, stream>>>(out_dev, x_dev, count, T,
                                                                  NH, C / NH);
    return LAB_OK;

@ at-most-1024-blocks: none
-    split_heads_kernel<<<lab_blocks(count, BLOCK), BLOCK, 0, stream>>>(
+    const unsigned blocks = lab_blocks(count, BLOCK);
+    split_heads_kernel<<<blocks < 1024 ? blocks : 1024u, BLOCK, 0, stream>>>(
