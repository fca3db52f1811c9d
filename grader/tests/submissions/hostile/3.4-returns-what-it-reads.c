// 3.4 causal_attention wrong
#include <stdio.h>
// BODY
    // Lab 2 is missing, so the workbook's own is linked in.
    printf("leaked41\n");
    for (size_t i = 0; i < B * T * C; i++) {
        out[i] = 4141.0f;
    }
    for (size_t i = 0; i < B * T * T; i++) {
        weights[i] = 4141.0f;
    }
    return LAB_OK;
