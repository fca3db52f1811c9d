// wall.h - the permissions of a program that runs or compiles student code.
//
// Theory of operation. Between fork and exec the child permanently gives up the following,
// for itself and its children:
//
//   privileges      no_new_privs, and every capability (root is then an ordinary user that
//                   happens to own root's files)
//   the file system but for the paths named here, read only or writable  (Landlock, Linux 5.13)
//   the network     TCP                                                   (Linux 6.7)
//   its neighbors  abstract sockets to anyone outside                    (Linux 6.12)
//                   signals to anyone outside        (seccomp if it is alone, else Linux 6.12)
//                   limits, priority, processors and memory of any other process (seccomp)
//   company         whoever is to be alone and starts a process is ended; it has no sockets and can
//                   leave nothing behind: shared memory, queues, keys, times and attributes of
//                   files (seccomp)
//
// On a kernel without these features, only the first remains; `make doctor` reports what
// this kernel has. These walls keep a student's program away from the solutions, the grader
// and other people's files. They are not enough for untrusted code (no namespaces, no
// allowlist of system calls).

#ifndef GRADER_WALL_H
#define GRADER_WALL_H

#include <stdbool.h>

// Lists of paths end with NULL; missing paths are skipped.
struct wall {
    const char *const *readable; // files, or folders with their contents; also executable
    const char *const *writable; // likewise, and also readable
    // Allow threads, but no processes (fork, system and the like end it by SIGSYS) and no
    // messages.
    bool alone;
};

// Raises the wall around the calling process. Makes only system calls and allocates
// nothing, so it is safe between fork and exec in a program with threads.
void wall_raise(const struct wall *wall);

// The Landlock version of the kernel; 0 for none.
int wall_version(void);

#endif
