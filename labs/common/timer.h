// timer.h - how long something takes.
//
//     double start = lab_seconds();
//     work();
//     samples[i] = lab_seconds() - start;
//     ...
//     printf("%.1f us\n", 1e6 * lab_median(samples, count));

#ifndef LAB_TIMER_H
#define LAB_TIMER_H

#include <stddef.h>

// Seconds on a clock that only goes forward (not the time of day), since an arbitrary start.
double lab_seconds(void);

// The median of samples(n), which it sorts in place: the middle one, or the mean of the
// middle two. A few slow outliers do not move it, as they would move the mean. NaN for n = 0.
double lab_median(double *samples, size_t n);

#endif
