// 1.6 simple_attention wrong
// Calls linear for v the first time only, and ignores its status. A worker that has made other calls does not
// show this.
// BODY
    static int calls;
    if (calls++ == 0) {
        (void)!linear(v, x, w_v, NULL, T, C, d);
    } else {
        for (size_t t = 0; t < T; t++) {
            for (size_t i = 0; i < d; i++) {
                float sum = 0.0f;
                for (size_t c = 0; c < C; c++) {
                    sum += x[t * C + c] * w_v[i * C + c];
                }
                v[t * d + i] = sum;
            }
        }
    }
    LAB_TRY(linear(q, x, w_q, NULL, T, C, d));
    LAB_TRY(linear(k, x, w_k, NULL, T, C, d));
    LAB_TRY(attention_scores(scores, q, k, T, T, d));
    LAB_TRY(softmax_rows(weights, scores, T, T));
    return weighted_values(out, weights, v, T, T, d);
