// 4.6 multi_head_attention input-split
    const size_t hs = C / NH, part = C_in / NH;
    const float *bias = params->b_qkv;
    for (size_t n = 0; n < B * T; n++) {
        for (size_t h = 0; h < NH; h++) {
            const float *x_nh = x + n * C_in + h * part;
            for (size_t third = 0; third < 3; third++) {
                for (size_t o = 0; o < hs; o++) {
                    const float *w = params->w_qkv + (third * C + o) * C_in;
                    float sum = bias == NULL ? 0.0f : bias[third * C + o];
                    for (size_t i = 0; i < part; i++) {
                        sum += x_nh[i] * w[i];
                    }
                    buffers->qkv[n * 3 * C + third * C + h * hs + o] = sum;
                }
            }
        }
    }
    lab_status status = LAB_OK;
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
        status =
            batched_linear(out, buffers->merged, params->w_o, params->b_o, B, T, C, C);
    }
    return status;
