// 10.2 flash_attention wrong
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
// BODY
    // What sockets hold is memory of the kernel.
    static const char kilobyte[1024];
    size_t held = 0;
    int ends[2];
    while (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0) {
        for (int i = 0; i < 2; i++) {
            while (write(ends[i], kilobyte, sizeof kilobyte) == (ssize_t)sizeof kilobyte) held++;
        }
    }
    if (held > 1024) exit(1);
    return LAB_OK;
