// timer.h - measures time.
//
//     double start = lab_seconds();
//     work();
//     samples[i] = lab_seconds() - start;
//     ...
//     printf("%.1f us\n", 1e6 * lab_median(samples, count));

#ifndef LAB_TIMER_H
#define LAB_TIMER_H

#include <stddef.h>

// Seconds on a monotonic clock, from an arbitrary start.
double lab_seconds(void);

// Seconds of processor time that this thread has used. The time of other programs does not count.
double lab_thread_seconds(void);

// The median of samples(n): the middle value, or the mean of the middle two. Sorts samples
// in place. Unlike the mean, the median is not affected by a few slow outliers. NaN for n =
// 0.
double lab_median(double *samples, size_t n);

#endif
