// 1.6 simple_attention only-C-wide
    lab_status status = linear(q, x, w_q, NULL, T, C, d);
    status = status == LAB_OK ? linear(k, x, w_k, NULL, T, C, d) : status;
    status = status == LAB_OK ? linear(v, x, w_v, NULL, T, C, d) : status;
    for (size_t t = 0; status == LAB_OK && t < T; t++) {
        for (size_t i = C; i < d; i++) { // there are only C columns in x
            q[t * d + i] = 0.0f;
            v[t * d + i] = 0.0f;
        }
    }
    status = status == LAB_OK ? attention_scores(scores, q, k, T, T, d) : status;
    status = status == LAB_OK ? softmax_rows(weights, scores, T, T) : status;
    return status == LAB_OK ? weighted_values(out, weights, v, T, T, d) : status;
