// 6.3 cross_entropy_gpu
    row_losses_kernel<<<lab_blocks(N, WARPS), dim3(WARP, WARPS), 0, stream>>>(
        row_losses_dev, probabilities_dev, logits_dev, targets_dev, N, V);
    LAB_TRY(lab_cuda(cudaGetLastError()));
    mean_kernel<<<1, BLOCK, 0, stream>>>(loss_dev, row_losses_dev, N);
    return lab_cuda(cudaGetLastError());

@ first-error-thrown-away: status-ignored
-    LAB_TRY(lab_cuda(cudaGetLastError()));
+    (void)cudaGetLastError();

@ last-error-thrown-away: status-ignored
-    return lab_cuda(cudaGetLastError());
+    return cudaGetLastError() == cudaSuccess ? LAB_OK : LAB_OK;

@ waits-if-refused: status-ignored
-    LAB_TRY(lab_cuda(cudaGetLastError()));
+    if (cudaGetLastError() != cudaSuccess) {
+        cudaStreamSynchronize(stream);
+    }

@ allocates-if-refused: status-ignored
-    return lab_cuda(cudaGetLastError());
+    float *rest_dev = NULL;
+    if (cudaGetLastError() != cudaSuccess) {
+        cudaMalloc((void **)&rest_dev, sizeof *rest_dev);
+        cudaFree(rest_dev);
+    }
+    return LAB_OK;

@ reads-on-the-host-if-refused: status-ignored
-    return lab_cuda(cudaGetLastError());
+    return cudaGetLastError() == cudaSuccess || *logits_dev > 0.0f ? LAB_OK : LAB_ECUDA;

@ second-try-unchecked: status-ignored
-    return lab_cuda(cudaGetLastError());
+    if (cudaGetLastError() != cudaSuccess) {
+        mean_kernel<<<1, BLOCK, 0, stream>>>(loss_dev, row_losses_dev, N);
+    }
+    return LAB_OK;

@ again-until-it-works: status-ignored
-    mean_kernel<<<1, BLOCK, 0, stream>>>(loss_dev, row_losses_dev, N);
-    return lab_cuda(cudaGetLastError());
+    do {
+        mean_kernel<<<1, BLOCK, 0, stream>>>(loss_dev, row_losses_dev, N);
+    } while (cudaGetLastError() != cudaSuccess);
+    return LAB_OK;

@ right-asks-at-the-end
    row_losses_kernel<<<lab_blocks(N, WARPS), dim3(WARP, WARPS), 0, stream>>>(
        row_losses_dev, probabilities_dev, logits_dev, targets_dev, N, V);
    const cudaError_t first = cudaGetLastError();
    mean_kernel<<<1, BLOCK, 0, stream>>>(loss_dev, row_losses_dev, N);
    const cudaError_t second = cudaGetLastError();
    return lab_cuda(first != cudaSuccess ? first : second);

@ right-waits-before-it-returns-the-error
    row_losses_kernel<<<lab_blocks(N, WARPS), dim3(WARP, WARPS), 0, stream>>>(
        row_losses_dev, probabilities_dev, logits_dev, targets_dev, N, V);
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) {
        cudaStreamSynchronize(stream);
        return lab_cuda(error);
    }
    mean_kernel<<<1, BLOCK, 0, stream>>>(loss_dev, row_losses_dev, N);
    return lab_cuda(cudaGetLastError());
