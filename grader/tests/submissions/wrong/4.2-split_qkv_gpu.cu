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

@ right-copies-of-rows
    const size_t row = C * sizeof(float);
    float *const to[] = {q_dev, k_dev, v_dev};
    for (size_t i = 0; i < 3; i++) {
        LAB_TRY(lab_cuda(cudaMemcpy2DAsync(to[i], row, qkv_dev + i * C, 3 * row, row, B * T,
                                           cudaMemcpyDeviceToDevice, stream)));
    }
    return LAB_OK;
