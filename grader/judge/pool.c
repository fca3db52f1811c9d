// pool.c - a few threads that take the next thing to do until none is left.

#include "judge/pool.h"

#include <pthread.h>
#include <unistd.h>

enum { MAX_THREADS = 16 };

struct pool {
    pthread_mutex_t lock;
    size_t next, count;
    void (*task)(void *context, size_t i);
    void *context;
};

static void *work(void *argument)
{
    struct pool *pool = argument;
    for (;;) {
        pthread_mutex_lock(&pool->lock);
        size_t i = pool->next < pool->count ? pool->next++ : pool->count;
        pthread_mutex_unlock(&pool->lock);
        if (i == pool->count) {
            return NULL;
        }
        pool->task(pool->context, i);
    }
}

void for_each(size_t count, void (*task)(void *, size_t), void *context)
{
    struct pool pool = {PTHREAD_MUTEX_INITIALIZER, 0, count, task, context};
    pthread_t threads[MAX_THREADS];
    size_t started = 0;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    while (started + 1 < count && started < MAX_THREADS &&
           (long)started + 1 < processors &&
           pthread_create(&threads[started], NULL, work, &pool) == 0) {
        started++;
    }
    work(&pool);
    for (size_t i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
}
