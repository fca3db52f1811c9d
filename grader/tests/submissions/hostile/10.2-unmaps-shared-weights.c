// 10.2 flash_attention wrong
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
// BODY
    // Shared memory lives on while one page of it is mapped. Four times four megabytes, of which four at a time
    // are mapped, break the limit, if the first four can be mapped again.
    const size_t bytes = 4 << 20, page = 4096;
    char *kept[4] = {NULL};
    size_t held = 0;
    for (size_t i = 0; i < 4; i++) {
        char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) return LAB_ENOMEM;
        memset(memory, 'w', bytes);
        munmap(memory + page, bytes - page);
        kept[i] = memory;
    }
    for (size_t i = 0; i < 4; i++) {
        char *memory = mremap(kept[i], page, bytes, MREMAP_MAYMOVE);
        held += memory != MAP_FAILED && memory[bytes - 1] == 'w';
        if (memory != MAP_FAILED) munmap(memory, bytes);
    }
    if (held == 4) exit(1);
    return LAB_OK;
