// 2.5 batched_attention_gpu
    const int b = (int)B, t = (int)T, c = (int)C;
    const long long map = (long long)T * T, tokens = (long long)T * C;
    const float scale = 1.0f / sqrtf((float)C), one = 1.0f, zero = 0.0f;
    lab_status status = batched_linear_gpu(q_dev, x_dev, w_q_dev, NULL, B, T, C, C, cublas, stream);
    if (status == LAB_OK) {
        status = batched_linear_gpu(k_dev, x_dev, w_k_dev, NULL, B, T, C, C, cublas, stream);
    }
    if (status == LAB_OK) {
        status = batched_linear_gpu(v_dev, x_dev, w_v_dev, NULL, B, T, C, C, cublas, stream);
    }
    if (status == LAB_OK) {
        status = lab_cublas(cublasSgemmStridedBatched(
            cublas, CUBLAS_OP_T, CUBLAS_OP_N, t, t, c, &scale, k_dev, c, tokens, q_dev, c, tokens,
            &zero, scores_dev, t, map, b));
    }
    if (status == LAB_OK) {
        status = softmax_rows_gpu(weights_dev, scores_dev, B * T, T, stream);
    }
    if (status == LAB_OK) {
        status = lab_cublas(cublasSgemmStridedBatched(
            cublas, CUBLAS_OP_N, CUBLAS_OP_N, c, t, t, &one, v_dev, c, tokens, weights_dev, t, map,
            &zero, out_dev, c, tokens, b));
    }
    return status;

@ alpha-one: no-scale
-            cublas, CUBLAS_OP_T, CUBLAS_OP_N, t, t, c, &scale, k_dev, c, tokens, q_dev, c, tokens,
+            cublas, CUBLAS_OP_T, CUBLAS_OP_N, t, t, c, &one, k_dev, c, tokens, q_dev, c, tokens,

@ q-and-k-swapped: swapped
-            cublas, CUBLAS_OP_T, CUBLAS_OP_N, t, t, c, &scale, k_dev, c, tokens, q_dev, c, tokens,
+            cublas, CUBLAS_OP_T, CUBLAS_OP_N, t, t, c, &scale, q_dev, c, tokens, k_dev, c, tokens,

@ stride-of-a-map: out-of-bounds
-            cublas, CUBLAS_OP_N, CUBLAS_OP_N, c, t, t, &one, v_dev, c, tokens, weights_dev, t, map,
+            cublas, CUBLAS_OP_N, CUBLAS_OP_N, c, t, t, &one, v_dev, c, map, weights_dev, t, map,

@ stride-zero: first-keys
-            cublas, CUBLAS_OP_T, CUBLAS_OP_N, t, t, c, &scale, k_dev, c, tokens, q_dev, c, tokens,
+            cublas, CUBLAS_OP_T, CUBLAS_OP_N, t, t, c, &scale, k_dev, c, 0, q_dev, c, tokens,

@ weights-flagged: weights-transposed
-            cublas, CUBLAS_OP_N, CUBLAS_OP_N, c, t, t, &one, v_dev, c, tokens, weights_dev, t, map,
+            cublas, CUBLAS_OP_N, CUBLAS_OP_T, c, t, t, &one, v_dev, c, tokens, weights_dev, t, map,

@ status-of-the-library: status-ignored
-    if (status == LAB_OK) {
-        status = softmax_rows_gpu(weights_dev, scores_dev, B * T, T, stream);
-    }
+    status = softmax_rows_gpu(weights_dev, scores_dev, B * T, T, stream);
