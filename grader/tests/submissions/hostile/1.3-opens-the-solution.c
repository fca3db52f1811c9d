// 1.3 attention_scores wrong needs-wall
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
// BODY
    // A program that can read this file could compile it.
    char path[4096] = {0}, parent[64];
    snprintf(parent, sizeof parent, "/proc/%d/exe", (int)getppid());
    static const char *const places[] = {"/proc/1/root/etc/passwd", "/etc/shadow"};
    for (int i = 0; i < 2; i++) {
        FILE *file = fopen(places[i], "r");
        if (file != NULL) {
            exit(1);
        }
    }
    if (readlink(parent, path, sizeof path - 1) > 0 && fopen(path, "r") != NULL) {
        exit(1);
    }
    return LAB_OK;
