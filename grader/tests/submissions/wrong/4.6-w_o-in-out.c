// 4.6 multi_head_attention w_o-in-out
    lab_status status =
        batched_linear(buffers->qkv, x, params->w_qkv, params->b_qkv, B, T, C_in, 3 * C);
    if (status == LAB_OK) {
        status = split_qkv(buffers->q, buffers->k, buffers->v, buffers->qkv, B, T, C);
    }
    if (status == LAB_OK) {
        status = split_heads(buffers->q_heads, buffers->q, B, T, C, NH);
    }
    if (status == LAB_OK) {
        status = split_heads(buffers->k_heads, buffers->k, B, T, C, NH);
    }
    if (status == LAB_OK) {
        status = split_heads(buffers->v_heads, buffers->v, B, T, C, NH);
    }
    for (size_t b = 0; b < B && causal && status == LAB_OK; b++) {
        status = causal_mask(buffers->mask + b * T * T, T, T);
    }
    if (status == LAB_OK) {
        status = scaled_dot_product_attention(
            buffers->out_heads, weights, buffers->scores, buffers->q_heads,
            buffers->k_heads, buffers->v_heads, causal ? buffers->mask : NULL, B, NH, T,
            T, C / NH);
    }
    if (status == LAB_OK) {
        status = merge_heads(buffers->merged, buffers->out_heads, B, T, C, NH);
    }
    if (status == LAB_OK) {
        status = matmul(out, buffers->merged, params->w_o, B * T, C, C);
    }
    for (size_t i = 0; i < B * T * C && params->b_o != NULL && status == LAB_OK; i++) {
        out[i] += params->b_o[i % (C)];
    }
    return status;
