// 4.7 cross_attention in-out
    lab_status status = LAB_OK;
    if (status == LAB_OK) {
        status = matmul(buffers->q, x, params->w_q, B * T, C, C);
    }
    for (size_t i = 0; i < B * T * C && params->b_q != NULL; i++) {
        buffers->q[i] += params->b_q[i % C];
    }
    if (status == LAB_OK) {
        status = matmul(buffers->k, memory, params->w_k, B * S, C, C);
    }
    for (size_t i = 0; i < B * S * C && params->b_k != NULL; i++) {
        buffers->k[i] += params->b_k[i % C];
    }
    if (status == LAB_OK) {
        status = matmul(buffers->v, memory, params->w_v, B * S, C, C);
    }
    for (size_t i = 0; i < B * S * C && params->b_v != NULL; i++) {
        buffers->v[i] += params->b_v[i % C];
    }
    if (status == LAB_OK) {
        status = split_heads(buffers->q_heads, buffers->q, B, T, C, NH);
    }
    if (status == LAB_OK) {
        status = split_heads(buffers->k_heads, buffers->k, B, S, C, NH);
    }
    if (status == LAB_OK) {
        status = split_heads(buffers->v_heads, buffers->v, B, S, C, NH);
    }
    if (status == LAB_OK) {
        status = scaled_dot_product_attention(
            buffers->out_heads, weights, buffers->scores, buffers->q_heads,
            buffers->k_heads, buffers->v_heads, mask, B, NH, T, S, C / NH);
    }
    if (status == LAB_OK) {
        status = merge_heads(buffers->merged, buffers->out_heads, B, T, C, NH);
    }
    if (status == LAB_OK) {
        status = matmul(out, buffers->merged, params->w_o, B * T, C, C);
    }
    for (size_t i = 0; i < B * T * C && params->b_o != NULL; i++) {
        out[i] += params->b_o[i % C];
    }
    return status;
