// timer.c - two clocks, and the median of measurements.

#define _POSIX_C_SOURCE 200809L

#include "common/timer.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

static double seconds_on(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double lab_seconds(void)
{
    return seconds_on(CLOCK_MONOTONIC);
}

double lab_thread_seconds(void)
{
    return seconds_on(CLOCK_THREAD_CPUTIME_ID);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

double lab_median(double *samples, size_t n)
{
    if (n == 0) {
        return NAN;
    }
    qsort(samples, n, sizeof samples[0], by_value);
    return n % 2 ? samples[n / 2] : (samples[n / 2 - 1] + samples[n / 2]) / 2;
}
