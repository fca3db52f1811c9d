// 5.6 transformer_block mlp-reads-ln1
    const struct block_buffers *b = buffers;
    const size_t N = B * T;

    // middle = x + attention(layernorm 1(x))
    LAB_TRY(layernorm(b->ln1, b->ln1_mean, b->ln1_rstd, x, params->ln1_gain,
                      params->ln1_bias, N, C));
    LAB_TRY(multi_head_attention(b->attended, weights, &b->attention, b->ln1,
                                 &params->attention, causal, B, T, C, C, NH));
    LAB_TRY(residual_add(b->middle, x, b->attended, N * C));

    // out = middle + mlp(layernorm 2(middle))
    LAB_TRY(layernorm(b->ln2, b->ln2_mean, b->ln2_rstd, b->middle, params->ln2_gain,
                      params->ln2_bias, N, C));
    LAB_TRY(mlp(b->projected, b->hidden, b->activated, b->ln1, &params->mlp, N, C, H));
    return residual_add(out, b->middle, b->projected, N * C);
