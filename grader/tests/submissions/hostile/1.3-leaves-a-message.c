// 1.3 attention_scores wrong needs-wall
// If a program can leave or send a message, another program could print it.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>
// BODY
    static const int families[] = {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK};
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        if (socket(families[i], SOCK_DGRAM, 0) >= 0) {
            exit(1);
        }
    }
    const long key = 20261122; // a program that knows this key can find the memory
    if (syscall(SYS_shmget, key, 4096, 01600) >= 0 || // IPC_CREAT and 0600
        syscall(SYS_msgget, key, 01600) >= 0 || syscall(SYS_semget, key, 1, 01600) >= 0 ||
        syscall(SYS_mq_open, "left-behind", 0102, 0600, NULL) >= 0 ||
        syscall(SYS_add_key, "user", "left-behind", "code", 4L, -4L) >= 0 ||
        syscall(SYS_keyctl, 0L, -4L, 0L) >= 0) {
        exit(1);
    }
    // Changes to the worker's own file, which belongs to the user who started the grader.
    struct stat status;
    if (stat("/proc/self/exe", &status) == 0 &&
        (chmod("/proc/self/exe", status.st_mode & 07777) == 0 ||
         utimensat(AT_FDCWD, "/proc/self/exe", NULL, 0) == 0 ||
         setxattr("/proc/self/exe", "user.left", "code", 4, 0) == 0)) {
        exit(1);
    }
    return LAB_OK;
