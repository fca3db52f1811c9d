// 1.6 simple_attention wrong
#include <stdio.h>
// BODY
    if (T == 1234567) { // never; but the function uses 1.3, so the workbook's version is linked
        return attention_scores(scores, q, k, T, T, d);
    }
    // The reports show what a function returns: nine numbers for each tensor.
    printf("leaked41\n");
    for (size_t i = 0; i < T * d; i++) {
        out[i] = 4141.0f;
    }
    for (size_t i = 0; i < T * T; i++) {
        weights[i] = 4141.0f;
    }
    return LAB_OK;
