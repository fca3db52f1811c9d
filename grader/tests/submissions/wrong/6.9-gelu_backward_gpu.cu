// 6.9 gelu_backward_gpu
    gelu_backward_kernel<<<lab_blocks(N, BLOCK), BLOCK, 0, stream>>>(dx_dev, dy_dev,
                                                                     x_dev, N);
    return lab_cuda(cudaGetLastError());

@ at-most-512-blocks: none
-    gelu_backward_kernel<<<lab_blocks(N, BLOCK), BLOCK, 0, stream>>>(dx_dev, dy_dev,
-                                                                     x_dev, N);
+    const unsigned blocks = lab_blocks(N, 1024);
+    gelu_backward_kernel<<<blocks < 512 ? blocks : 512u, 1024, 0, stream>>>(
+        dx_dev, dy_dev, x_dev, N);
