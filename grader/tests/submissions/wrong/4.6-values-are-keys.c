// 4.6 multi_head_attention values-are-keys
    const struct attention_buffers *z = buffers;
    LAB_TRY(batched_linear(z->qkv, x, params->w_qkv, params->b_qkv, B, T, C_in, 3 * C));
    LAB_TRY(split_qkv(z->q, z->k, z->v, z->qkv, B, T, C));
    LAB_TRY(split_heads(z->q_heads, z->q, B, T, C, NH));
    LAB_TRY(split_heads(z->k_heads, z->k, B, T, C, NH));
    LAB_TRY(split_heads(z->v_heads, z->k, B, T, C, NH));

    const uint8_t *mask = NULL; // every key allowed
    if (causal) {
        for (size_t b = 0; b < B; b++) {
            LAB_TRY(causal_mask(z->mask + b * T * T, T, T));
        }
        mask = z->mask;
    }
    LAB_TRY(scaled_dot_product_attention(z->out_heads, weights, z->scores, z->q_heads,
                                         z->k_heads, z->v_heads, mask, B, NH, T, T,
                                         C / NH));

    LAB_TRY(merge_heads(z->merged, z->out_heads, B, T, C, NH));
    return batched_linear(out, z->merged, params->w_o, params->b_o, B, T, C, C);
