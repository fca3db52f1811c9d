// 1.3 attention_scores wrong needs-box
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static void *waits(void *unused)
{
    pause();
    return unused;
}
// BODY
    // Stops by itself at 200, which would already be a hole.
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 128 * 1024);
    for (int started = 0; started < 200; started++) {
        pthread_t thread;
        if (pthread_create(&thread, &attributes, waits, NULL) != 0) {
            return LAB_OK;
        }
    }
    exit(1);
