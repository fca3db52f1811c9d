// 1.3 attention_scores wrong needs-box
#include <stdlib.h>
#include <unistd.h>
// BODY
    // Stops by itself at 200; that many are already a hole.
    for (int started = 0; started < 200; started++) {
        pid_t pid = fork();
        if (pid < 0) {
            return LAB_OK;
        }
        if (pid == 0) {
            alarm(10);
            for (;;) {
                pause();
            }
        }
    }
    exit(1);
