// 1.6 simple_attention wrong
// Is right, but ends the program, with much output, if a function that it calls fails.
#include <stdio.h>
#include <stdlib.h>
// BODY
    lab_status status = linear(q, x, w_q, NULL, T, C, d);
    for (int line = 0; status != LAB_OK && line < 100000; line++) {
        printf("linear failed\n");
    }
    if (status != LAB_OK) {
        exit(0);
    }
    LAB_TRY(linear(k, x, w_k, NULL, T, C, d));
    LAB_TRY(linear(v, x, w_v, NULL, T, C, d));
    LAB_TRY(attention_scores(scores, q, k, T, T, d));
    LAB_TRY(softmax_rows(weights, scores, T, T));
    return weighted_values(out, weights, v, T, T, d);
