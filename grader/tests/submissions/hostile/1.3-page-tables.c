// 1.3 attention_scores memory
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
// BODY
    // 1.5 gigabytes of page tables, and hardly any pages, because nothing is written.
    size_t apart = (size_t)2 << 20, bytes = apart * 393216;
    volatile char *memory =
        mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        return LAB_OK;
    }
    madvise((void *)memory, bytes, MADV_NOHUGEPAGE);
    for (size_t b = 0; b < bytes; b += apart) {
        scores[0] += (float)memory[b];
    }
    usleep(200 * 1000);
    exit(1);
