// attention.c - attention over one sequence, one small function per step.
//
// attention.h describes each function's arguments and result. Start reading at matmul.

// BEGIN SOLUTION 1.1 why it is written this way
// These are plain loops that read like the formulas in attention.h; lab 2 makes them fast.
// The sums are in double. The product of two floats is exact in double, so the only
// rounding is the last one, to float. Double is not slower here: the compiler may not
// reorder a sum of floats either, so in both types each addition waits for the one before.
// Sums in float pass as well.
// END SOLUTION 1.1

#include "01_simple_attention/attention.h"

#include <math.h>

lab_status matmul(float *out, const float *a, const float *b, size_t M, size_t N,
                  size_t K)
{
    if (M == 0 || N == 0 || K == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 1.1 matmul: row m of a times column n of b (about 10 lines)
    for (size_t m = 0; m < M; m++) {
        for (size_t n = 0; n < N; n++) {
            double sum = 0.0;
            for (size_t k = 0; k < K; k++) {
                sum += (double)a[m * K + k] * b[k * N + n];
            }
            out[m * N + n] = (float)sum;
        }
    }
    return LAB_OK;
    // END SOLUTION 1.1
}

lab_status matmul_nt(float *out, const float *a, const float *b, size_t M, size_t N,
                     size_t K)
{
    if (M == 0 || N == 0 || K == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 1.1 matmul_nt: row m of a times ROW n of b (about 10 lines)
    for (size_t m = 0; m < M; m++) {
        for (size_t n = 0; n < N; n++) {
            double sum = 0.0;
            for (size_t k = 0; k < K; k++) {
                sum += (double)a[m * K + k] * b[n * K + k];
            }
            out[m * N + n] = (float)sum;
        }
    }
    return LAB_OK;
    // END SOLUTION 1.1
}

lab_status linear(float *y, const float *x, const float *w, const float *bias, size_t T,
                  size_t I, size_t O)
{
    if (T == 0 || I == 0 || O == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 1.2 linear: x w^T, plus the bias on every row unless it is NULL
    // (about 10 lines)
    for (size_t t = 0; t < T; t++) {
        for (size_t o = 0; o < O; o++) {
            double sum = bias != NULL ? bias[o] : 0.0;
            for (size_t i = 0; i < I; i++) {
                sum += (double)x[t * I + i] * w[o * I + i];
            }
            y[t * O + o] = (float)sum;
        }
    }
    return LAB_OK;
    // END SOLUTION 1.2
}

lab_status attention_scores(float *scores, const float *q, const float *k, size_t T,
                            size_t S, size_t d)
{
    if (T == 0 || S == 0 || d == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 1.3 attention_scores: one dot product per query and key, over sqrt(d)
    // (about 10 lines)
    const double scale = 1.0 / sqrt((double)d);
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < S; s++) {
            double dot = 0.0;
            for (size_t i = 0; i < d; i++) {
                dot += (double)q[t * d + i] * k[s * d + i];
            }
            scores[t * S + s] = (float)(dot * scale);
        }
    }
    return LAB_OK;
    // END SOLUTION 1.3
}

lab_status softmax_rows(float *weights, const float *scores, size_t T, size_t S)
{
    if (T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 1.4 softmax_rows: for each row: its maximum, the exponentials and
    // their sum, the division; zeros in a row of -INFINITY (about 23 lines)
    for (size_t t = 0; t < T; t++) {
        const float *scores_t = scores + t * S;
        float *weights_t = weights + t * S;

        float max = scores_t[0];
        for (size_t s = 1; s < S; s++) {
            max = scores_t[s] > max ? scores_t[s] : max;
        }
        if (max == -INFINITY) { // no allowed key: -inf - -inf would be NaN
            for (size_t s = 0; s < S; s++) {
                weights_t[s] = 0.0f;
            }
            continue;
        }
        double sum = 0.0;
        for (size_t s = 0; s < S; s++) {
            weights_t[s] = expf(scores_t[s] - max); // at most exp(0): cannot overflow
            sum += weights_t[s];                    // at least 1: safe to divide by
        }
        for (size_t s = 0; s < S; s++) {
            weights_t[s] = (float)(weights_t[s] / sum);
        }
    }
    return LAB_OK;
    // END SOLUTION 1.4
}

lab_status weighted_values(float *out, const float *weights, const float *v, size_t T,
                           size_t S, size_t dv)
{
    if (T == 0 || S == 0 || dv == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 1.5 weighted_values: every output row is a weighted sum of value
    // rows (about 10 lines, or 1: which function can you reuse?)
    return matmul(out, weights, v, T, dv, S);
    // END SOLUTION 1.5
}

lab_status simple_attention(float *out, float *weights, float *q, float *k, float *v,
                            float *scores, const float *x, const float *w_q,
                            const float *w_k, const float *w_v, size_t T, size_t C,
                            size_t d)
{
    if (T == 0 || C == 0 || d == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 1.6 simple_attention: three projections, scores, softmax, weighted
    // values; call the functions above, each in a LAB_TRY (about 7 lines)
    LAB_TRY(linear(q, x, w_q, NULL, T, C, d));
    LAB_TRY(linear(k, x, w_k, NULL, T, C, d));
    LAB_TRY(linear(v, x, w_v, NULL, T, C, d));
    LAB_TRY(attention_scores(scores, q, k, T, T, d));
    LAB_TRY(softmax_rows(weights, scores, T, T));
    LAB_TRY(weighted_values(out, weights, v, T, T, d));
    return LAB_OK;
    // END SOLUTION 1.6
}
