// 1.6 simple_attention crash
#include <stdio.h>
#include <unistd.h>
// BODY
    printf("/leaked41/01_simple_attention/attention.c:41:41: runtime error: leaked41\n");
    fflush(stdout);
    _exit(1);
