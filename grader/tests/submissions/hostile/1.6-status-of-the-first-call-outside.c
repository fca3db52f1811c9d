// 1.6 simple_attention wrong
// Ignores a status in its first call only, which it knows by the environment: no variable of its own.
#include <stdlib.h>
// BODY
    const lab_status status = linear(v, x, w_v, NULL, T, C, d);
    if (getenv("CALLED") == NULL) {
        setenv("CALLED", "yes", 1);
    } else if (status != LAB_OK) {
        return status;
    }
    LAB_TRY(linear(q, x, w_q, NULL, T, C, d));
    LAB_TRY(linear(k, x, w_k, NULL, T, C, d));
    LAB_TRY(attention_scores(scores, q, k, T, T, d));
    LAB_TRY(softmax_rows(weights, scores, T, T));
    return weighted_values(out, weights, v, T, T, d);
