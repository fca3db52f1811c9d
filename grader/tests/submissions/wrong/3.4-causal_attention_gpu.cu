// 3.4 causal_attention_gpu
    (void)mask_dev; // a comparison of two indices is cheaper than reading the answer
    lab_status status =
        batched_linear_gpu(q_dev, x_dev, w_q_dev, NULL, B, T, C, C, cublas, stream);
    if (status == LAB_OK) {
        status =
            batched_linear_gpu(k_dev, x_dev, w_k_dev, NULL, B, T, C, C, cublas, stream);
    }
    if (status == LAB_OK) {
        status =
            batched_linear_gpu(v_dev, x_dev, w_v_dev, NULL, B, T, C, C, cublas, stream);
    }
    if (status == LAB_OK) {
        status = batched_matmul_nt_gpu(scores_dev, q_dev, k_dev, B, T, T, C, stream);
    }
    if (status == LAB_OK) {
        const size_t N = B * T;
        causal_softmax_kernel<<<lab_blocks(N, ROWS), dim3(WARP, ROWS), 0, stream>>>(
            weights_dev, scores_dev, N, T, 1.0f / sqrtf((float)C));
        status = lab_cuda(cudaGetLastError());
    }
    if (status == LAB_OK) {
        status = batched_matmul_gpu(out_dev, weights_dev, v_dev, B, T, C, T, stream);
    }
    return status;

@ kernel-over-C: over-C
-            weights_dev, scores_dev, N, T, 1.0f / sqrtf((float)C));
+            weights_dev, scores_dev, N, T, 1.0f / (float)C);

@ kernel-qk-swapped: qk-swapped
-        status = batched_matmul_nt_gpu(scores_dev, q_dev, k_dev, B, T, T, C, stream);
+        status = batched_matmul_nt_gpu(scores_dev, k_dev, q_dev, B, T, T, C, stream);

@ status-overwritten: status-ignored
-    if (status == LAB_OK) {
-        status = batched_matmul_nt_gpu(scores_dev, q_dev, k_dev, B, T, T, C, stream);
-    }
+    status = batched_matmul_nt_gpu(scores_dev, q_dev, k_dev, B, T, T, C, stream);
