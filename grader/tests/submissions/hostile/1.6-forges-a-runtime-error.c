// 1.6 simple_attention crash
#include <stdio.h>
#include <unistd.h>
// BODY
    if (T == 1234567) { // never; but the function uses 1.3, so the workbook's version is linked
        return attention_scores(scores, q, k, T, T, d);
    }
    printf("/leaked41/01_simple_attention/attention.c:41:41: runtime error: leaked41\n");
    fflush(stdout);
    _exit(1);
