// 4.6 multi_head_attention_gpu
    const struct attention_buffers *z = buffers;
    const size_t hs = C / NH;
    lab_status status = batched_linear_gpu(z->qkv, x_dev, params->w_qkv, params->b_qkv, B,
                                           T, C_in, 3 * C, cublas, stream);
    if (status == LAB_OK) {
        status = split_qkv_gpu(z->q, z->k, z->v, z->qkv, B, T, C, stream);
    }
    if (status == LAB_OK) {
        status = split_heads_gpu(z->q_heads, z->q, B, T, C, NH, stream);
    }
    if (status == LAB_OK) {
        status = split_heads_gpu(z->k_heads, z->k, B, T, C, NH, stream);
    }
    if (status == LAB_OK) {
        status = split_heads_gpu(z->v_heads, z->v, B, T, C, NH, stream);
    }
    // one mask for all sequences: a launch for each would take longer than writing them
    if (status == LAB_OK && causal) {
        status = causal_mask_gpu(z->mask, T, T, stream);
    }
    if (status == LAB_OK) {
        status = attend(z->out_heads, weights_dev, z->scores, z->q_heads, z->k_heads,
                        z->v_heads, causal ? z->mask : NULL, 0, B, NH, T, T, hs, cublas,
                        stream);
    }
    if (status == LAB_OK) {
        status = merge_heads_gpu(z->merged, z->out_heads, B, T, C, NH, stream);
    }
    if (status == LAB_OK) {
        status = batched_linear_gpu(out_dev, z->merged, params->w_o, params->b_o, B, T, C,
                                    C, cublas, stream);
    }
    return status;

@ merged-by-reshape
-        status = merge_heads_gpu(z->merged, z->out_heads, B, T, C, NH, stream);
-    }
-    if (status == LAB_OK) {
-        status = batched_linear_gpu(out_dev, z->merged, params->w_o, params->b_o, B, T, C,
+        status = batched_linear_gpu(out_dev, z->out_heads, params->w_o, params->b_o, B, T, C,

@ never-causal
-                        z->v_heads, causal ? z->mask : NULL, 0, B, NH, T, T, hs, cublas,
+                        z->v_heads, NULL, 0, B, NH, T, T, hs, cublas,

@ no-b_qkv
-    lab_status status = batched_linear_gpu(z->qkv, x_dev, params->w_qkv, params->b_qkv, B,
+    lab_status status = batched_linear_gpu(z->qkv, x_dev, params->w_qkv, NULL, B,
