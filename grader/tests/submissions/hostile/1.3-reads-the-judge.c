// 1.3 attention_scores wrong needs-wall
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <unistd.h>
// BODY
    // The expected numbers are somewhere in that memory.
    char byte;
    struct iovec here = {&byte, 1}, there = {(void *)0x400000, 1};
    if (process_vm_readv(getppid(), &here, 1, &there, 1, 0) == 1 ||
        ptrace(PTRACE_SEIZE, getppid(), 0, 0) == 0) {
        exit(1);
    }
    return LAB_OK;
