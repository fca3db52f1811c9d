// 1.3 attention_scores wrong needs-wall
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
// BODY
    static const char *const folders[] = {"/tmp", "/var/tmp", "/dev/shm", "/dev", "/run",
                                          "/",    ".",        "/proc/self"};
    for (size_t f = 0; f < sizeof folders / sizeof folders[0]; f++) {
        for (int i = 0; i < 100; i++) {
            char path[64];
            snprintf(path, sizeof path, "%s/inode.%d", folders[f], i);
            int file = open(path, O_WRONLY | O_CREAT, 0600);
            int made = mkdir(path, 0700) == 0 || symlink("x", path) == 0;
            if (file >= 0 || made) {
                unlink(path);
                rmdir(path);
                exit(1);
            }
        }
    }
    return LAB_OK;
