// 1.3 attention_scores timeout
#include <signal.h>
// BODY
    for (int number = 1; number < 65; number++) {
        signal(number, SIG_IGN);
    }
    for (;;) {
    }
    return LAB_OK;
