// 3.4 causal_attention scale-first-sequence
    LAB_TRY(batched_linear(q, x, w_q, NULL, B, T, C, C));
    LAB_TRY(batched_linear(k, x, w_k, NULL, B, T, C, C));
    LAB_TRY(batched_linear(v, x, w_v, NULL, B, T, C, C));

    LAB_TRY(batched_matmul_nt(scores, q, k, B, T, T, C));
    for (size_t i = 0; i < T * T; i++) {
        scores[i] /= sqrtf((float)C);
    }

    // every sequence has its own scores, all share one mask
    LAB_TRY(causal_mask(mask, T, T));
    for (size_t b = 0; b < B; b++) {
        LAB_TRY(masked_softmax(weights + b * T * T, scores + b * T * T, mask, T, T));
    }
    LAB_TRY(batched_matmul(out, weights, v, B, T, C, T));
    return LAB_OK;
