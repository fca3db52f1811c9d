// 7.1 sinusoidal_encoding_gpu
    const size_t pairs = (C + 1) / 2;
    sinusoidal_encoding_kernel<<<lab_blocks(T * pairs, BLOCK), BLOCK, 0, stream>>>(
        table_dev, T, C, pairs);
    return lab_cuda(cudaGetLastError());

@ unchecked: launch-unchecked
-    return lab_cuda(cudaGetLastError());
+    return LAB_OK;

@ stream-0: wrong-stream
-    sinusoidal_encoding_kernel<<<lab_blocks(T * pairs, BLOCK), BLOCK, 0, stream>>>(
+    sinusoidal_encoding_kernel<<<lab_blocks(T * pairs, BLOCK), BLOCK>>>(

@ waits: launcher-waits
-    return lab_cuda(cudaGetLastError());
+    return lab_cuda(cudaStreamSynchronize(stream));

@ one-pair-too-few: launch-invalid
-    const size_t pairs = (C + 1) / 2;
+    const size_t pairs = C / 2;
