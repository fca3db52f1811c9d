// 1.3 attention_scores timeout
#include <unistd.h>
// BODY
    for (int descriptor = 0; descriptor < 256; descriptor++) {
        close(descriptor);
    }
    for (;;) {
        pause();
    }
    return LAB_OK;
