// 4.6 multi_head_attention multiplied
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
    const size_t hs = C / NH;
    for (size_t i = 0; i < B * T * C; i++) {
        buffers->q_heads[i] *= (float)hs;
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
        status =
            batched_linear(out, buffers->merged, params->w_o, params->b_o, B, T, C, C);
    }
    return status;
