// 4.7 cross_attention fully-masked-nan
    lab_status status = LAB_OK;
    if (status == LAB_OK) {
        status = batched_linear(buffers->q, x, params->w_q, params->b_q, B, T, C, C);
    }
    if (status == LAB_OK) {
        status = batched_linear(buffers->k, memory, params->w_k, params->b_k, B, S, C, C);
    }
    if (status == LAB_OK) {
        status = batched_linear(buffers->v, memory, params->w_v, params->b_v, B, S, C, C);
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
    float *scores = buffers->scores;
    if (status == LAB_OK) {
        status = batched_matmul_nt(scores, buffers->q_heads, buffers->k_heads, B * NH, T,
                                   S, C / NH);
    }
    for (size_t i = 0; i < B * NH * T * S; i++) {
        const uint8_t allowed =
            mask == NULL || mask[i / (NH * T * S) * T * S + i % (T * S)];
        scores[i] = (allowed ? scores[i] : -INFINITY) / sqrtf((float)(C / NH));
    }
    for (size_t n = 0; n < B * NH * T; n++) {
        const float *row = scores + n * S;
        float max = -INFINITY, sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            max = fmaxf(max, row[s]);
        }
        for (size_t s = 0; s < S; s++) {
            weights[n * S + s] = expf(row[s] - max);
            sum += weights[n * S + s];
        }
        for (size_t s = 0; s < S; s++) {
            weights[n * S + s] /= sum;
        }
    }
    if (status == LAB_OK) {
        status = batched_matmul(buffers->out_heads, weights, buffers->v_heads, B * NH, T,
                                C / NH, S);
    }
    if (status == LAB_OK) {
        status = merge_heads(buffers->merged, buffers->out_heads, B, T, C, NH);
    }
    if (status == LAB_OK) {
        status =
            batched_linear(out, buffers->merged, params->w_o, params->b_o, B, T, C, C);
    }
    return status;
