// 4.6 multi_head_attention down-columns
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
    for (size_t i = 0; i < B * NH; i++) {
        const float *q = buffers->q_heads + i * T * hs,
                    *k = buffers->k_heads + i * T * hs;
        float *scores = buffers->scores + i * T * T, *w = weights + i * T * T;
        if (status == LAB_OK) {
            status = matmul_nt(scores, q, k, T, T, hs);
        }
        for (size_t s = 0; s < T; s++) {
            float sum = 0.0f;
            for (size_t t = 0; t < T; t++) {
                const bool hidden = causal && s > t;
                w[t * T + s] = hidden ? 0.0f : expf(scores[t * T + s] / sqrtf((float)hs));
                sum += w[t * T + s];
            }
            for (size_t t = 0; t < T; t++) {
                w[t * T + s] /= sum;
            }
        }
        if (status == LAB_OK) {
            status = matmul(buffers->out_heads + i * T * hs, w,
                            buffers->v_heads + i * T * hs, T, hs, T);
        }
    }
    if (status == LAB_OK) {
        status = merge_heads(buffers->merged, buffers->out_heads, B, T, C, NH);
    }
    if (status == LAB_OK) {
        status =
            batched_linear(out, buffers->merged, params->w_o, params->b_o, B, T, C, C);
    }
    return status;
