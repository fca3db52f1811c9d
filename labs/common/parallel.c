// parallel.c - see parallel.h.
//
// One number says what there is to do: how many items the loop has and how many are taken. A thread
// takes one by raising the number, if it has not changed in between. Only who has taken an item
// reads the loop's function and context, and those stay until every item is done. So a thread that
// comes late finds nothing to take, and nobody waits for it.
//
// Start reading at lab_parallel, then at take_items.

#define _POSIX_C_SOURCE 200809L

#include "common/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

static struct {
    void (*work)(void *context, size_t first, size_t count);
    void *context;
} loop;

// The loop's number in the upper 16 bits, then 24 for its items and 24 for those taken.
static _Atomic uint64_t state;
static _Atomic size_t done, asleep;
static _Atomic bool caller_asleep;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER,
                      all_done = PTHREAD_COND_INITIALIZER;
static _Atomic size_t used = 1; // threads of a loop
static size_t created = 1;
static _Thread_local bool inside; // of a loop

enum { BITS = 24, LOOKS = 2000 }; // looks take about 40 microseconds
static const uint64_t MASK = ((uint64_t)1 << BITS) - 1;

static bool has_items(uint64_t now)
{
    return (now & MASK) < (now >> BITS & MASK);
}

// A pause between two looks at the same memory.
static void pause_briefly(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static void finish_item(size_t items)
{
    if (atomic_fetch_add(&done, 1) + 1 == items && atomic_load(&caller_asleep)) {
        pthread_mutex_lock(&lock);
        pthread_cond_signal(&all_done);
        pthread_mutex_unlock(&lock);
    }
}

static void take_items(void)
{
    uint64_t now = atomic_load(&state);
    inside = true;
    while (has_items(now)) {
        if (atomic_compare_exchange_weak(&state, &now, now + 1)) {
            loop.work(loop.context, (size_t)(now & MASK), 1);
            finish_item((size_t)(now >> BITS & MASK));
            now = atomic_load(&state);
        }
    }
    inside = false;
}

// ---- the other threads --------------------------------------------------------------------

static bool may_work(size_t index)
{
    return index < atomic_load(&used) && has_items(atomic_load(&state));
}

static void *worker(void *argument)
{
    const size_t index = (size_t)(uintptr_t)argument;
    for (;;) {
        for (int look = 0; look < LOOKS && !may_work(index); look++) {
            pause_briefly();
        }
        if (!may_work(index)) {
            pthread_mutex_lock(&lock);
            atomic_fetch_add(&asleep, 1);
            while (
                !may_work(index)) { // lab_parallel looks at asleep after it changed state
                pthread_cond_wait(&more, &lock);
            }
            atomic_fetch_sub(&asleep, 1);
            pthread_mutex_unlock(&lock);
        }
        take_items();
    }
    return NULL;
}

size_t lab_threads_set(size_t threads)
{
    const size_t wanted = threads < LAB_THREADS_MOST ? threads : LAB_THREADS_MOST;
    pthread_attr_t attributes;
    if (wanted > created && pthread_attr_init(&attributes) == 0) {
        pthread_t thread;
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        while (created < wanted && pthread_create(&thread, &attributes, worker,
                                                  (void *)(uintptr_t)created) == 0) {
            created++;
        }
        pthread_attr_destroy(&attributes);
    }
    atomic_store(&used, wanted == 0 ? 1 : wanted < created ? wanted : created);
    return lab_threads();
}

size_t lab_threads(void)
{
    return atomic_load(&used);
}

// ---- a loop -------------------------------------------------------------------------------

static void wait_for(size_t items)
{
    for (int look = 0; look < LOOKS && atomic_load(&done) < items; look++) {
        pause_briefly();
    }
    if (atomic_load(&done) == items) {
        return;
    }
    pthread_mutex_lock(&lock);
    atomic_store(&caller_asleep, true);
    while (atomic_load(&done) < items) {
        pthread_cond_wait(&all_done, &lock);
    }
    atomic_store(&caller_asleep, false);
    pthread_mutex_unlock(&lock);
}

void lab_parallel(void (*work)(void *context, size_t first, size_t count), void *context,
                  size_t count)
{
    if (inside || lab_threads() == 1 || count < 2 || count > MASK) {
        work(context, 0, count);
        return;
    }
    const uint64_t number = (atomic_load(&state) >> 2 * BITS) + 1;
    loop.work = work;
    loop.context = context;
    atomic_store(&done, 0);
    atomic_store(&state, number << 2 * BITS | (uint64_t)count << BITS);
    if (atomic_load(&asleep) > 0) {
        pthread_mutex_lock(&lock);
        pthread_cond_broadcast(&more);
        pthread_mutex_unlock(&lock);
    }
    take_items();
    wait_for(count);
}
