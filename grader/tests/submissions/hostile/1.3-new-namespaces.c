// 1.3 attention_scores wrong needs-box
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <unistd.h>
// BODY
    static const int flags[] = {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWNET, CLONE_NEWPID};
    for (int i = 0; i < 4; i++) {
        if (unshare(flags[i]) == 0 || unshare(CLONE_NEWUSER | flags[i]) == 0) {
            exit(1);
        }
    }
    if (mount("none", "/tmp", "tmpfs", 0, NULL) == 0 || chroot("/usr") == 0 ||
        setns(open("/proc/1/ns/mnt", O_RDONLY), 0) == 0) {
        exit(1);
    }
    return LAB_OK;
