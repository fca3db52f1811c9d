// in_double.h - parts of lab 8's model with every sum in double, rounded once when it is stored: what
// another student's right code may give.

#ifndef GRADER_COMMON_IN_DOUBLE_H
#define GRADER_COMMON_IN_DOUBLE_H

#include <stddef.h>

// sum over i of a[i a_step] b[i b_step]
double dot_in_double(const float *a, size_t a_step, const float *b, size_t b_step,
                     size_t n);

// y (N,O) = x (N,I) w^T (I,O)
void linear_in_double(float *y, const float *x, const float *w, size_t N, size_t I,
                      size_t O);

void rmsnorm_in_double(float *y, float *rrms, const float *x, const float *gain, size_t N,
                       size_t C);

// One query: its weights over the T keys, of which it sees the first `seen`.
void weigh_in_double(float *weights, const float *q, const float *k, size_t seen,
                     size_t T, size_t hs);

#endif
