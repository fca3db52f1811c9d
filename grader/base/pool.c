// pool.c - worker threads that take the next task until none is left.

#include "base/pool.h"

#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

struct pool {
    pthread_mutex_t lock;
    size_t next, count; // tasks next to count - 1 are still to do
    void (*task)(void *context, size_t i);
    void *context;
};

static bool take(struct pool *pool, bool from_the_end, size_t *i)
{
    pthread_mutex_lock(&pool->lock);
    bool any = pool->next < pool->count;
    if (any) {
        *i = from_the_end ? --pool->count : pool->next++;
    }
    pthread_mutex_unlock(&pool->lock);
    return any;
}

static void *work(void *argument)
{
    struct pool *pool = argument;
    for (size_t i; take(pool, false, &i);) {
        pool->task(pool->context, i);
    }
    return NULL;
}

static void share(size_t jobs, size_t count, void (*task)(void *, size_t), void *context,
                  bool both_ends)
{
    struct pool pool = {PTHREAD_MUTEX_INITIALIZER, 0, count, task, context};
    pthread_t threads[MOST_THREADS];
    size_t started = 0;
    long most = jobs > 0 ? (long)jobs : sysconf(_SC_NPROCESSORS_ONLN);
    while (started + 1 < count && started < MOST_THREADS && (long)started + 1 < most &&
           pthread_create(&threads[started], NULL, work, &pool) == 0) {
        started++;
    }
    for (size_t i; take(&pool, both_ends, &i);) {
        task(context, i);
    }
    for (size_t i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
}

void for_each(size_t jobs, size_t count, void (*task)(void *, size_t), void *context)
{
    share(jobs, count, task, context, false);
}

void for_each_from_both_ends(size_t jobs, size_t count, void (*task)(void *, size_t),
                             void *context)
{
    share(jobs, count, task, context, true);
}
