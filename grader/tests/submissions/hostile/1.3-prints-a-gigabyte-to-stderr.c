// 1.3 attention_scores timeout
#include <stdio.h>
// BODY
    for (size_t i = 0; i < (size_t)1 << 24; i++) {
        fputs("no end in sight, no end in sight, no end in sight, no end in sight\n", stderr);
    }
    return LAB_OK;
