// allowance.c - see allowance.h.

#include "sandbox/allowance.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/memory.h"

struct allowance {
    pthread_mutex_t lock;
    double seconds, used, promised;
};

struct allowance *allowance_new(void)
{
    struct allowance *allowance = grader_alloc(sizeof *allowance);
    pthread_mutex_init(&allowance->lock, NULL);
    return allowance;
}

void allowance_free(struct allowance *allowance)
{
    if (allowance != NULL) {
        pthread_mutex_destroy(&allowance->lock);
        free(allowance);
    }
}

void allowance_set(struct allowance *allowance, double seconds)
{
    pthread_mutex_lock(&allowance->lock);
    allowance->seconds = seconds;
    pthread_mutex_unlock(&allowance->lock);
}

bool allowance_begin(struct allowance *allowance, double seconds)
{
    if (allowance == NULL) {
        return true;
    }
    pthread_mutex_lock(&allowance->lock);
    bool begins = allowance->used + allowance->promised < allowance->seconds;
    allowance->promised += begins ? seconds : 0;
    pthread_mutex_unlock(&allowance->lock);
    return begins;
}

void allowance_end(struct allowance *allowance, double promised, double used)
{
    if (allowance != NULL) {
        pthread_mutex_lock(&allowance->lock);
        allowance->promised -= promised;
        allowance->used += used;
        pthread_mutex_unlock(&allowance->lock);
    }
}

void allowance_charge(struct allowance *allowance, double used)
{
    allowance_end(allowance, 0, used);
}

double allowance_used(struct allowance *allowance)
{
    pthread_mutex_lock(&allowance->lock);
    double used = allowance->used;
    pthread_mutex_unlock(&allowance->lock);
    return used;
}

bool allowance_is_low(struct allowance *allowance)
{
    return allowance != NULL && allowance_used(allowance) > allowance->seconds / 2;
}

bool allowance_is_used_up(struct allowance *allowance)
{
    bool left = allowance_begin(allowance, 0);
    if (left) {
        allowance_end(allowance, 0, 0);
    }
    return !left;
}
