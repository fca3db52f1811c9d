// 1.3 attention_scores timeout
#include <signal.h>
#include <unistd.h>
// BODY
    signal(SIGTERM, SIG_IGN);
    for (;;) {
        pause();
    }
    return LAB_OK;
