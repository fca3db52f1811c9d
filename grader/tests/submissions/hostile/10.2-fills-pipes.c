// 10.2 flash_attention wrong
#define _GNU_SOURCE
#include <stdlib.h>
#include <fcntl.h>
#include <unistd.h>
// BODY
    // What pipes hold is memory of the kernel. If ten of them hold a megabyte each, the limit is broken.
    int ends[10][2];
    size_t large = 0;
    for (size_t i = 0; i < 10; i++) {
        large += pipe(ends[i]) == 0 && fcntl(ends[i][1], F_SETPIPE_SZ, 1 << 20) >= 1 << 20;
    }
    if (large == 10) exit(1);
    return LAB_OK;
