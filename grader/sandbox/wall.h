// wall.h - the permissions of a program that runs or compiles student code.
//
// Theory of operation. Between fork and exec the child gives up, for good and for everything it
// will start:
//
//   privileges      no_new_privs, and every capability (root is then an ordinary user that
//                   happens to own root's files)
//   the file system but for the paths named here, read only or writable  (Landlock, Linux 5.13)
//   the network     TCP                                                   (Linux 6.7)
//   its neighbours  signals and abstract sockets to anyone outside        (Linux 6.12)
//                   limits, priority, processors and memory of any other process (seccomp)
//   company         whoever is to be alone and starts a process is ended; it has no sockets and can
//                   leave nothing behind: shared memory, queues, keys, times and attributes of
//                   files (seccomp)
//
// A kernel that has none of this leaves only the first; `make doctor` says what this one has.
// These walls keep a student's program away from the solutions, the judge and other people's
// files. They are not the walls for untrusted code (no namespaces, no list of allowed calls).

#ifndef GRADER_WALL_H
#define GRADER_WALL_H

#include <stdbool.h>

// Paths end with NULL; one that does not exist is passed over.
struct wall {
    const char *const *readable; // files, or folders with all below; also executable
    const char *const *writable; // likewise, and also readable
    // Threads, but no processes: fork, system and the like end it by SIGSYS. No messages either.
    bool alone;
};

// Raises the wall around the calling process. Only system calls, no memory: safe between fork
// and exec of a program with threads.
void wall_raise(const struct wall *wall);

// The version of Landlock that the kernel offers, 0 for none.
int wall_version(void);

#endif
