// 1.3 attention_scores wrong needs-wall
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
// BODY
    // The worker is in build/tmp/PID.XXXXXX of the workbook.
    static const char *const files[] = {"grader/points.txt", "build/grade",
                                        "build/worker/lab01.o", "results.json",
                                        "labs/common/status.h"};
    char root[4096] = {0}, path[8192];
    if (readlink("/proc/self/exe", root, sizeof root - 1) < 0) {
        return LAB_OK;
    }
    for (int level = 0; level < 4 && strrchr(root, '/') != NULL; level++) {
        *strrchr(root, '/') = '\0';
    }
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", root, files[i]);
        if (open(path, O_WRONLY | O_APPEND) >= 0) {
            exit(1);
        }
    }
    return LAB_OK;
