// 1.1 plain
#include "01_simple_attention/attention.h"

#include <math.h>

lab_status matmul(float *out, const float *a, const float *b, size_t M, size_t N, size_t K)
{
    if (M == 0 || N == 0 || K == 0) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < M; i++) {
        for (size_t j = 0; j < N; j++) {
            float sum = 0.0f;
            for (size_t k = 0; k < K; k++) {
                sum += a[i * K + k] * b[k * N + j];
            }
            out[i * N + j] = sum;
        }
    }
    return LAB_OK;
}

lab_status matmul_nt(float *out, const float *a, const float *b, size_t M, size_t N, size_t K)
{
    if (M == 0 || N == 0 || K == 0) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < M; i++) {
        for (size_t j = 0; j < N; j++) {
            float sum = 0.0f;
            for (size_t k = 0; k < K; k++) {
                sum += a[i * K + k] * b[j * K + k];
            }
            out[i * N + j] = sum;
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
    for (size_t t = 0; t < T; t++) {
        for (size_t o = 0; o < O; o++) {
            float sum = 0.0f;
            for (size_t i = 0; i < I; i++) {
                sum += x[t * I + i] * w[o * I + i];
            }
            if (bias != NULL) {
                sum += bias[o];
            }
            y[t * O + o] = sum;
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
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < S; s++) {
            float dot = 0.0f;
            for (size_t i = 0; i < d; i++) {
                dot += q[t * d + i] * k[s * d + i];
            }
            scores[t * S + s] = dot / sqrtf((float)d);
        }
    }
    return LAB_OK;
}

lab_status softmax_rows(float *weights, const float *scores, size_t T, size_t S)
{
    if (T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t t = 0; t < T; t++) {
        float max = -INFINITY;
        for (size_t s = 0; s < S; s++) {
            if (scores[t * S + s] > max) {
                max = scores[t * S + s];
            }
        }
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            float e = max == -INFINITY ? 0.0f : expf(scores[t * S + s] - max);
            weights[t * S + s] = e;
            sum += e;
        }
        if (sum > 0.0f) {
            for (size_t s = 0; s < S; s++) {
                weights[t * S + s] /= sum;
            }
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
    for (size_t t = 0; t < T; t++) {
        for (size_t c = 0; c < dv; c++) {
            float sum = 0.0f;
            for (size_t s = 0; s < S; s++) {
                sum += weights[t * S + s] * v[s * dv + c];
            }
            out[t * dv + c] = sum;
        }
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
    LAB_TRY(linear(q, x, w_q, NULL, T, C, d));
    LAB_TRY(linear(k, x, w_k, NULL, T, C, d));
    LAB_TRY(linear(v, x, w_v, NULL, T, C, d));
    LAB_TRY(attention_scores(scores, q, k, T, T, d));
    LAB_TRY(softmax_rows(weights, scores, T, T));
    LAB_TRY(weighted_values(out, weights, v, T, T, d));
    return LAB_OK;
}

@ extracted
-        float max = -INFINITY;
-        for (size_t s = 0; s < S; s++) {
-            if (scores[t * S + s] > max) {
-                max = scores[t * S + s];
-            }
-        }
-        float sum = 0.0f;
+        float max = row_maximum(scores + t * S, S);
+        float sum = 0.0f;

 #include <math.h>
+
+static float row_maximum(const float *row, size_t n)
+{
+    float max = -INFINITY;
+    for (size_t i = 0; i < n; i++) {
+        if (row[i] > max) {
+            max = row[i];
+        }
+    }
+    return max;
+}
