// 1.3 attention_scores crash
#include <stdio.h>
#include <stdlib.h>
// BODY
    fprintf(stderr, "worker: mmap: Cannot allocate memory\n"); // as if the worker had failed
    exit(99);
