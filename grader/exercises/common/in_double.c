// in_double.c - see in_double.h.

#include "exercises/common/in_double.h"

#include <math.h>

#include "08_language_model/language_model.h"

double dot_in_double(const float *a, size_t a_step, const float *b, size_t b_step,
                     size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += (double)a[i * a_step] * (double)b[i * b_step];
    }
    return sum;
}

void linear_in_double(float *y, const float *x, const float *w, size_t N, size_t I,
                      size_t O)
{
    for (size_t i = 0; i < N * O; i++) {
        y[i] = (float)dot_in_double(x + i / O * I, 1, w + i % O * I, 1, I);
    }
}

void rmsnorm_in_double(float *y, float *rrms, const float *x, const float *gain, size_t N,
                       size_t C)
{
    for (size_t n = 0; n < N; n++) {
        const double square = dot_in_double(x + n * C, 1, x + n * C, 1, C) / (double)C;
        const double r = 1.0 / sqrt(square + (double)RMSNORM_EPS);
        rrms[n] = (float)r;
        for (size_t c = 0; c < C; c++) {
            y[n * C + c] = (float)((double)x[n * C + c] * r * (double)gain[c]);
        }
    }
}

void weigh_in_double(float *weights, const float *q, const float *k, size_t seen,
                     size_t T, size_t hs)
{
    const double root = sqrt((double)hs);
    double max = -INFINITY, sum = 0.0;
    for (size_t s = 0; s < seen; s++) {
        max = fmax(max, dot_in_double(q, 1, k + s * hs, 1, hs) / root);
    }
    for (size_t s = 0; s < seen; s++) {
        sum += exp(dot_in_double(q, 1, k + s * hs, 1, hs) / root - max);
    }
    for (size_t s = 0; s < T; s++) {
        const double score = dot_in_double(q, 1, k + s * hs, 1, hs) / root;
        weights[s] = s < seen ? (float)(exp(score - max) / sum) : 0.0f;
    }
}
