// 1.1 beginner
#include "01_simple_attention/attention.h"

#include <math.h>

lab_status matmul(float *out, const float *a, const float *b, size_t M, size_t N, size_t K)
{
    if (M == 0 || N == 0 || K == 0) {
        return LAB_ESHAPE;
    }
    size_t i, j, k;
    for (i = 0; i < M; i++)
        for (j = 0; j < N; j++) {
            out[i * N + j] = 0;
            for (k = 0; k < K; k++)
                out[i * N + j] = out[i * N + j] + a[i * K + k] * b[k * N + j];
        }
    return LAB_OK;
}

lab_status matmul_nt(float *out, const float *a, const float *b, size_t M, size_t N, size_t K)
{
    if (M == 0 || N == 0 || K == 0) {
        return LAB_ESHAPE;
    }
    size_t i, j, k;
    for (i = 0; i < M; i++)
        for (j = 0; j < N; j++) {
            out[i * N + j] = 0;
            for (k = 0; k < K; k++)
                out[i * N + j] = out[i * N + j] + a[i * K + k] * b[j * K + k];
        }
    return LAB_OK;
}

lab_status linear(float *y, const float *x, const float *w, const float *bias, size_t T, size_t I,
                  size_t O)
{
    if (T == 0 || I == 0 || O == 0) {
        return LAB_ESHAPE;
    }
    size_t t, i, o;
    for (t = 0; t < T; t++)
        for (o = 0; o < O; o++) {
            if (bias == NULL)
                y[t * O + o] = 0;
            else
                y[t * O + o] = bias[o];
            for (i = 0; i < I; i++)
                y[t * O + o] = y[t * O + o] + x[t * I + i] * w[o * I + i];
        }
    return LAB_OK;
}

lab_status attention_scores(float *scores, const float *q, const float *k, size_t T, size_t S,
                            size_t d)
{
    if (T == 0 || S == 0 || d == 0) {
        return LAB_ESHAPE;
    }
    size_t t, s, i;
    for (t = 0; t < T; t++)
        for (s = 0; s < S; s++) {
            scores[t * S + s] = 0;
            for (i = 0; i < d; i++)
                scores[t * S + s] = scores[t * S + s] + q[t * d + i] * k[s * d + i];
            scores[t * S + s] = scores[t * S + s] / sqrt(d);
        }
    return LAB_OK;
}

lab_status softmax_rows(float *weights, const float *scores, size_t T, size_t S)
{
    if (T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    size_t t, s;
    for (t = 0; t < T; t++) {
        float max = scores[t * S];
        float sum = 0;
        for (s = 0; s < S; s++)
            if (scores[t * S + s] > max)
                max = scores[t * S + s];
        if (isinf(max)) {
            for (s = 0; s < S; s++)
                weights[t * S + s] = 0;
        } else {
            for (s = 0; s < S; s++)
                sum = sum + exp(scores[t * S + s] - max);
            for (s = 0; s < S; s++)
                weights[t * S + s] = exp(scores[t * S + s] - max) / sum;
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
    size_t t, s, i;
    for (t = 0; t < T; t++)
        for (i = 0; i < dv; i++) {
            out[t * dv + i] = 0;
            for (s = 0; s < S; s++)
                out[t * dv + i] = out[t * dv + i] + weights[t * S + s] * v[s * dv + i];
        }
    return LAB_OK;
}

lab_status simple_attention(float *out, float *weights, float *q, float *k, float *v,
                            float *scores, const float *x, const float *w_q, const float *w_k,
                            const float *w_v, size_t T, size_t C, size_t d)
{
    if (T == 0 || C == 0 || d == 0) {
        return LAB_ESHAPE;
    }
    lab_status result;
    result = linear(q, x, w_q, NULL, T, C, d);
    if (result != LAB_OK)
        return result;
    result = linear(k, x, w_k, NULL, T, C, d);
    if (result != LAB_OK)
        return result;
    result = linear(v, x, w_v, NULL, T, C, d);
    if (result != LAB_OK)
        return result;
    result = attention_scores(scores, q, k, T, T, d);
    if (result != LAB_OK)
        return result;
    result = softmax_rows(weights, scores, T, T);
    if (result != LAB_OK)
        return result;
    result = weighted_values(out, weights, v, T, T, d);
    if (result != LAB_OK)
        return result;
    return LAB_OK;
}
