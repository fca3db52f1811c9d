// 6.11 model_backward positions-assigned
    lab_status status;
    const size_t C = s->C, N = B * T, BTC = N * C, pairs = B * s->NH * T * T;
    status = cross_entropy_backward(dz->dlogits, z->probabilities, targets, N, V);
    if (status != LAB_OK) {
        return status;
    }
    status = linear_backward(dz->dstreams + s->L * BTC, grads->w_out, grads->b_out,
                             dz->dlogits, z->streams + s->L * BTC, params->w_out, N, C, V);
    if (status != LAB_OK) {
        return status;
    }
    for (size_t l = s->L; l-- > 0;) {
        struct block_params block = model_block_params(params, s, l);
        struct block_grads block_grads = model_block_grads(grads, s, l);
        struct block_buffers buffers = model_block_buffers(z, s, l);
        status = block_backward(dz->dstreams + l * BTC, &block_grads, dz,
                                dz->dstreams + (l + 1) * BTC, z->streams + l * BTC, &block,
                                z->weights + l * pairs, &buffers, B, T, C, s->NH, s->H);
        if (status != LAB_OK) {
            return status;
        }
    }
    status = dropout(dz->dpositioned, dz->dstreams, uniforms, s->dropout, uniforms != NULL,
                     BTC);
    if (status != LAB_OK) {
        return status;
    }
    if (grads->position_table != NULL) {
        for (size_t i = 0; i < BTC; i++) {
            grads->position_table[i % (T * C)] = dz->dpositioned[i];
        }
    }
    return embedding_backward(grads->token_table, dz->dpositioned, tokens, N, C, V);
