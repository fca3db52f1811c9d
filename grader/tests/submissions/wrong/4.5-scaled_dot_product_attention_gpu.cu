// 4.5 scaled_dot_product_attention_gpu
    const int t = (int)T, s = (int)S, c = (int)hs, batch = (int)(B * NH);
    const float one = 1.0f, zero = 0.0f, scale = 1.0f / sqrtf((float)hs);
    const long long queries = (long long)(T * hs), keys = (long long)(S * hs);
    const long long pairs = (long long)(T * S);
    lab_status status = lab_cublas(cublasSgemmStridedBatched(
        cublas, CUBLAS_OP_T, CUBLAS_OP_N, s, t, c, &scale, k_dev, c, keys, q_dev, c,
        queries, &zero, scores_dev, s, pairs, batch));
    if (status != LAB_OK) {
        return status;
    }
    const size_t rows = B * NH * T;
    heads_softmax_kernel<<<(unsigned)((rows + WARPS - 1) / WARPS), dim3(WARP, WARPS), 0,
                           stream>>>(weights_dev, scores_dev, mask_dev, T * S, rows, NH, T,
                                     S);
    status = lab_cuda(cudaGetLastError());
    if (status != LAB_OK) {
        return status;
    }
    return lab_cublas(cublasSgemmStridedBatched(
        cublas, CUBLAS_OP_N, CUBLAS_OP_N, c, t, s, &one, v_dev, c, keys, weights_dev, s,
        pairs, &zero, out_dev, c, queries, batch));

@ k-not-transposed
-        cublas, CUBLAS_OP_T, CUBLAS_OP_N, s, t, c, &scale, k_dev, c, keys, q_dev, c,
+        cublas, CUBLAS_OP_N, CUBLAS_OP_N, s, t, c, &scale, k_dev, s, keys, q_dev, c,

@ no-scale
-    const float one = 1.0f, zero = 0.0f, scale = 1.0f / sqrtf((float)hs);
+    const float one = 1.0f, zero = 0.0f, scale = 1.0f;

@ qk-exchanged
-        cublas, CUBLAS_OP_T, CUBLAS_OP_N, s, t, c, &scale, k_dev, c, keys, q_dev, c,
-        queries, &zero, scores_dev, s, pairs, batch));
+        cublas, CUBLAS_OP_T, CUBLAS_OP_N, t, s, c, &scale, q_dev, c, queries, k_dev, c,
+        keys, &zero, scores_dev, t, pairs, batch));

@ sqrt-C
-    const float one = 1.0f, zero = 0.0f, scale = 1.0f / sqrtf((float)hs);
+    const float one = 1.0f, zero = 0.0f, scale = 1.0f / sqrtf((float)(NH * hs));

@ stride-forgotten
-        cublas, CUBLAS_OP_T, CUBLAS_OP_N, s, t, c, &scale, k_dev, c, keys, q_dev, c,
+        cublas, CUBLAS_OP_T, CUBLAS_OP_N, s, t, c, &scale, k_dev, c, 0, q_dev, c,

@ leading-dimension-too-small: none
-        cublas, CUBLAS_OP_N, CUBLAS_OP_N, c, t, s, &one, v_dev, c, keys, weights_dev, s,
+        cublas, CUBLAS_OP_N, CUBLAS_OP_N, c, t, s, &one, v_dev, 1, keys, weights_dev, s,
