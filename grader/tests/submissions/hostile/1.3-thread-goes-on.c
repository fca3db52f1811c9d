// 1.3 attention_scores wrong
#include <pthread.h>
static void *write_later(void *scores)
{
    for (volatile int i = 0; i < 1000; i++) {
        ((volatile float *)scores)[0] = 0.0f;
    }
    return NULL;
}
// BODY
    (void)q, (void)k;
    pthread_t thread;
    pthread_create(&thread, NULL, write_later, scores);
    pthread_join(thread, NULL);
    return LAB_OK;
