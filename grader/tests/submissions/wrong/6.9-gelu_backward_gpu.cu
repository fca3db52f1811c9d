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

@ error-of-the-last-chunk: status-ignored
-    gelu_backward_kernel<<<lab_blocks(N, BLOCK), BLOCK, 0, stream>>>(dx_dev, dy_dev,
-                                                                     x_dev, N);
-    return lab_cuda(cudaGetLastError());
+    const size_t chunk = N > 16384 ? 16384 : N;
+    cudaError_t error = cudaSuccess;
+    for (size_t i = 0; i < N; i += chunk) {
+        const size_t n = N - i < chunk ? N - i : chunk;
+        gelu_backward_kernel<<<lab_blocks(n, BLOCK), BLOCK, 0, stream>>>(
+            dx_dev + i, dy_dev + i, x_dev + i, n);
+        error = cudaGetLastError();
+    }
+    return lab_cuda(error);
