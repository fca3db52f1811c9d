// 1.3 attention_scores crash
#include <unistd.h>
// BODY
    // A child that holds the worker's output open and never ends.
    if (fork() == 0) {
        for (;;) {
            pause();
        }
    }
    return LAB_OK;
