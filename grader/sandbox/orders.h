// orders.h - the grader's orders to grader/sandbox/inside: the header of a memory file,
// followed by the seccomp filter.

#ifndef GRADER_ORDERS_H
#define GRADER_ORDERS_H

#include <stdint.h>

enum { MOST_INSTRUCTIONS = 4096 };

struct orders {
    uint32_t user;         // user and group to become; 0: no change
    uint32_t limits;       // 1: set the following limits
    uint64_t processes;    // processes of this user, including threads
    uint64_t file_bytes;   // maximum file size
    uint64_t open_files;   // descriptors
    uint64_t stack_bytes;  // hard limits, too
    uint32_t landlock;     // 1: raise wall.h
    uint32_t alone;        // 1: it may start no process (wall.h)
    uint32_t instructions; // instructions of the filter, 8 bytes each; 0: no filter
};

#endif
