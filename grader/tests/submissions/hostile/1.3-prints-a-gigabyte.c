// 1.3 attention_scores timeout
#include <stdio.h>
// BODY
    for (size_t i = 0; i < (size_t)1 << 30; i++) {
        putchar('x');
    }
    return LAB_OK;
