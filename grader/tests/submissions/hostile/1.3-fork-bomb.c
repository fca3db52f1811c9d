// 1.3 attention_scores crash
#include <unistd.h>
// BODY
    // The first fork ends the program; otherwise it stops by itself at 200.
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
    return LAB_OK;
