// 4.7 cross_attention self-attention
    lab_status status = LAB_OK;
    if (status == LAB_OK) {
        status = batched_linear(buffers->q, x, params->w_q, params->b_q, B, T, C, C);
    }
    if (status == LAB_OK) {
        status = batched_linear(buffers->k, x, params->w_k, params->b_k, B, T, C, C);
    }
    if (status == LAB_OK) {
        status = batched_linear(buffers->v, x, params->w_v, params->b_v, B, T, C, C);
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
    if (status == LAB_OK) {
        status = scaled_dot_product_attention(
            buffers->out_heads, weights, buffers->scores, buffers->q_heads,
            buffers->k_heads, buffers->v_heads, mask, B, NH, T, T, C / NH);
    }
    if (status == LAB_OK) {
        status = merge_heads(buffers->merged, buffers->out_heads, B, T, C, NH);
    }
    if (status == LAB_OK) {
        status =
            batched_linear(out, buffers->merged, params->w_o, params->b_o, B, T, C, C);
    }
    return status;
