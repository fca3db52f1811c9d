// 1.3 attention_scores crash
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
// BODY
    // Each of eight children stays below the limit; together they use 1.2 gigabytes.
    for (int child = 0; child < 8; child++) {
        if (fork() == 0) {
            size_t bytes = (size_t)150 << 20;
            volatile char *memory = malloc(bytes);
            for (size_t i = 0; memory != NULL && i < bytes; i += 4096) {
                memory[i] = 1;
            }
            alarm(4);
            for (;;) {
                pause();
            }
        }
    }
    while (wait(NULL) > 0) {
    }
    return LAB_OK;
