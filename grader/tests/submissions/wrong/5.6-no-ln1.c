// 5.6 transformer_block no-ln1
    const struct block_buffers *b = buffers;
    lab_status status = multi_head_attention(b->attended, weights, &b->attention, x,
                                             &params->attention, causal, B, T, C, C, NH);
    if (status == LAB_OK) {
        status = residual_add(b->middle, x, b->attended, B * T * C);
    }
    if (status == LAB_OK) {
        status = layernorm(b->ln2, b->ln2_mean, b->ln2_rstd, b->middle, params->ln2_gain,
                           params->ln2_bias, B * T, C);
    }
    if (status == LAB_OK) {
        status =
            mlp(b->projected, b->hidden, b->activated, b->ln2, &params->mlp, B * T, C, H);
    }
    if (status == LAB_OK) {
        status = residual_add(out, b->middle, b->projected, B * T * C);
    }
    return status;
