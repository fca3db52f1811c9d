// 1.1 plain2
#include "01_simple_attention/attention.h"

#include <math.h>

lab_status matmul(float *out, const float *a, const float *b, size_t M, size_t N, size_t K)
{
    if (M == 0 || N == 0 || K == 0) {
        return LAB_ESHAPE;
    }
    for (size_t m = 0; m < M; ++m) {
        for (size_t n = 0; n < N; ++n) {
            float acc = 0.0f;
            for (size_t k = 0; k < K; ++k) {
                acc += a[m * K + k] * b[k * N + n];
            }
            out[m * N + n] = acc;
        }
    }
    return LAB_OK;
}

lab_status matmul_nt(float *out, const float *a, const float *b, size_t M, size_t N, size_t K)
{
    if (M == 0 || N == 0 || K == 0) {
        return LAB_ESHAPE;
    }
    for (size_t m = 0; m < M; ++m) {
        for (size_t n = 0; n < N; ++n) {
            float acc = 0.0f;
            for (size_t k = 0; k < K; ++k) {
                acc += a[m * K + k] * b[n * K + k];
            }
            out[m * N + n] = acc;
        }
    }
    return LAB_OK;
}

lab_status linear(float *y, const float *x, const float *w, const float *bias, size_t T, size_t I,
                  size_t O)
{
    if (T == 0 || I == 0 || O == 0) {
        return LAB_ESHAPE;
    }
    for (size_t t = 0; t < T; ++t) {
        for (size_t o = 0; o < O; ++o) {
            float acc = 0.0f;
            if (bias) {
                acc = bias[o];
            }
            for (size_t i = 0; i < I; ++i) {
                acc += x[t * I + i] * w[o * I + i];
            }
            y[t * O + o] = acc;
        }
    }
    return LAB_OK;
}

lab_status attention_scores(float *scores, const float *q, const float *k, size_t T, size_t S,
                            size_t d)
{
    if (T == 0 || S == 0 || d == 0) {
        return LAB_ESHAPE;
    }
    const float scale = 1.0f / sqrtf((float)d);
    for (size_t t = 0; t < T; ++t) {
        for (size_t s = 0; s < S; ++s) {
            float acc = 0.0f;
            for (size_t i = 0; i < d; ++i) {
                acc += q[t * d + i] * k[s * d + i];
            }
            scores[t * S + s] = acc * scale;
        }
    }
    return LAB_OK;
}

lab_status softmax_rows(float *weights, const float *scores, size_t T, size_t S)
{
    if (T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t t = 0; t < T; ++t) {
        const float *row = scores + t * S;
        float *result = weights + t * S;
        float max = row[0];
        for (size_t s = 1; s < S; ++s) {
            if (row[s] > max) {
                max = row[s];
            }
        }
        if (max == -INFINITY) {
            for (size_t s = 0; s < S; ++s) {
                result[s] = 0.0f;
            }
            continue;
        }
        float sum = 0.0f;
        for (size_t s = 0; s < S; ++s) {
            result[s] = expf(row[s] - max);
            sum += result[s];
        }
        for (size_t s = 0; s < S; ++s) {
            result[s] /= sum;
        }
    }
    return LAB_OK;
}

lab_status weighted_values(float *out, const float *weights, const float *v, size_t T, size_t S,
                           size_t dv)
{
    if (T == 0 || S == 0 || dv == 0) {
        return LAB_ESHAPE;
    }
    return matmul(out, weights, v, T, dv, S);
}

lab_status simple_attention(float *out, float *weights, float *q, float *k, float *v,
                            float *scores, const float *x, const float *w_q, const float *w_k,
                            const float *w_v, size_t T, size_t C, size_t d)
{
    if (T == 0 || C == 0 || d == 0) {
        return LAB_ESHAPE;
    }
    LAB_TRY(linear(q, x, w_q, NULL, T, C, d));
    LAB_TRY(linear(k, x, w_k, NULL, T, C, d));
    LAB_TRY(linear(v, x, w_v, NULL, T, C, d));
    LAB_TRY(attention_scores(scores, q, k, T, T, d));
    LAB_TRY(softmax_rows(weights, scores, T, T));
    LAB_TRY(weighted_values(out, weights, v, T, T, d));
    return LAB_OK;
}
