// 4.6 multi_head_attention mask-always-used
    // the mask is passed on, and nobody has set it when the call is not causal
    const struct attention_buffers *z = buffers;
    lab_status status =
        batched_linear(z->qkv, x, params->w_qkv, params->b_qkv, B, T, C_in, 3 * C);
    if (status == LAB_OK) {
        status = split_qkv(z->q, z->k, z->v, z->qkv, B, T, C);
    }
    if (status == LAB_OK) {
        status = split_heads(z->q_heads, z->q, B, T, C, NH);
    }
    if (status == LAB_OK) {
        status = split_heads(z->k_heads, z->k, B, T, C, NH);
    }
    if (status == LAB_OK) {
        status = split_heads(z->v_heads, z->v, B, T, C, NH);
    }
    for (size_t b = 0; b < B && causal && status == LAB_OK; b++) {
        status = causal_mask(z->mask + b * T * T, T, T);
    }
    if (status == LAB_OK) {
        status = scaled_dot_product_attention(z->out_heads, weights, z->scores, z->q_heads,
                                              z->k_heads, z->v_heads, z->mask, B, NH, T, T,
                                              C / NH);
    }
    if (status == LAB_OK) {
        status = merge_heads(z->merged, z->out_heads, B, T, C, NH);
    }
    if (status == LAB_OK) {
        status = batched_linear(out, z->merged, params->w_o, params->b_o, B, T, C, C);
    }
    return status;
