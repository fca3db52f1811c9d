// 5.6 transformer_block mlp-reads-attended
    const struct block_buffers *b = buffers;
    lab_status status = layernorm(b->ln1, b->ln1_mean, b->ln1_rstd, x, params->ln1_gain,
                                  params->ln1_bias, B * T, C);
    if (status == LAB_OK) {
        status = multi_head_attention(b->attended, weights, &b->attention, b->ln1,
                                      &params->attention, causal, B, T, C, C, NH);
    }
    if (status == LAB_OK) {
        status = residual_add(b->middle, x, b->attended, B * T * C);
    }
    if (status == LAB_OK) {
        status = layernorm(b->ln2, b->ln2_mean, b->ln2_rstd, b->attended,
                           params->ln2_gain, params->ln2_bias, B * T, C);
    }
    if (status == LAB_OK) {
        status =
            mlp(b->projected, b->hidden, b->activated, b->ln2, &params->mlp, B * T, C, H);
    }
    if (status == LAB_OK) {
        status = residual_add(out, b->middle, b->projected, B * T * C);
    }
    return status;
