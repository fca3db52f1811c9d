// orders.h - the judge's orders to grader/sandbox/inside: the head of a file in memory,
// behind which lies the seccomp filter.

#ifndef GRADER_ORDERS_H
#define GRADER_ORDERS_H

#include <stdint.h>

enum { MOST_INSTRUCTIONS = 4096 };

struct orders {
    uint32_t user;         // to become, user and group; 0: it is so already
    uint32_t limits;       // 1: set those that follow
    uint64_t processes;    // of this user, threads included
    uint64_t file_bytes;   // size of a file written
    uint64_t open_files;   // descriptors
    uint64_t stack_bytes;  // and no way to raise it
    uint32_t landlock;     // 1: raise wall.h
    uint32_t alone;        // 1: it may start no process (wall.h)
    uint32_t instructions; // of the filter, 8 bytes each; 0: no filter
};

#endif
