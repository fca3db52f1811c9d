// 6.11 model_forward position-0
    lab_status status;
    const size_t C = s->C, N = B * T, BTC = N * C;
    status = embedding(z->embedded, tokens, params->token_table, N, C, V);
    if (status != LAB_OK) {
        return status;
    }
    for (size_t i = 0; i < BTC; i++) {
        float position = 0.0f;
        if (params->position_table != NULL) {
            position = params->position_table[i % C];
        }
        z->positioned[i] = z->embedded[i] + position;
    }
    status = dropout(z->streams, z->positioned, uniforms, s->dropout, uniforms != NULL, BTC);
    if (status != LAB_OK) {
        return status;
    }
    for (size_t l = 0; l < s->L; l++) {
        struct block_params block = model_block_params(params, s, l);
        struct block_buffers buffers = model_block_buffers(z, s, l);
        status = transformer_block(z->streams + (l + 1) * BTC,
                                   z->weights + l * B * s->NH * T * T, &buffers,
                                   z->streams + l * BTC, &block, s->causal, B, T, C, s->NH,
                                   s->H);
        if (status != LAB_OK) {
            return status;
        }
    }
    status = batched_linear(z->logits, z->streams + s->L * BTC, params->w_out,
                            params->b_out, B, T, C, V);
    if (status != LAB_OK || targets == NULL) {
        return status;
    }
    return cross_entropy(loss, z->probabilities, z->logits, targets, N, V);
