// 1.3 attention_scores wrong needs-wall
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
// BODY
    static const char *const files[] = {"mem", "environ", "maps", "fd/0", "root/etc/shadow",
                                        "cwd/Makefile"};
    int pids[] = {(int)getppid(), 1};
    for (int p = 0; p < 2; p++) {
        for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
            char path[64];
            snprintf(path, sizeof path, "/proc/%d/%s", pids[p], files[i]);
            if (open(path, O_RDONLY) >= 0) {
                exit(1);
            }
        }
    }
    return LAB_OK;
