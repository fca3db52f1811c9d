// 4.7 cross_attention T-for-S-in-split
    const struct cross_attention_buffers *z = buffers;
    LAB_TRY(batched_linear(z->q, x, params->w_q, params->b_q, B, T, C, C));
    LAB_TRY(batched_linear(z->k, memory, params->w_k, params->b_k, B, S, C, C));
    LAB_TRY(batched_linear(z->v, memory, params->w_v, params->b_v, B, S, C, C));
    LAB_TRY(split_heads(z->q_heads, z->q, B, T, C, NH));
    LAB_TRY(split_heads(z->k_heads, z->k, B, T, C, NH));
    LAB_TRY(split_heads(z->v_heads, z->v, B, T, C, NH));
    LAB_TRY(scaled_dot_product_attention(z->out_heads, weights, z->scores, z->q_heads,
                                         z->k_heads, z->v_heads, mask, B, NH, T, S,
                                         C / NH));
    LAB_TRY(merge_heads(z->merged, z->out_heads, B, T, C, NH));
    return batched_linear(out, z->merged, params->w_o, params->b_o, B, T, C, C);
