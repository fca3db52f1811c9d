// 1.1 helpers
#include "01_simple_attention/attention.h"

#include <float.h>
#include <math.h>

// The dot product of two vectors whose elements lie some distance apart.
static float dot_strided(const float *a, size_t step_a, const float *b, size_t step_b, size_t n)
{
    double result = 0;
    while (n-- > 0) {
        result += (double)*a * (double)*b;
        a += step_a;
        b += step_b;
    }
    return (float)result;
}

static float largest(const float *row, size_t n)
{
    float best = -FLT_MAX;
    int any = 0;
    for (size_t i = 0; i < n; i++) {
        any |= row[i] > -INFINITY;
        best = row[i] > best ? row[i] : best;
    }
    return any ? best : -INFINITY;
}

static void exponentials(float *to, const float *row, float top, size_t n)
{
    double total = 0;
    for (size_t i = 0; i < n; i++) {
        to[i] = expf(row[i] - top);
        total += to[i];
    }
    for (size_t i = 0; i < n; i++) {
        to[i] = (float)(to[i] / total);
    }
}

lab_status matmul(float *out, const float *a, const float *b, size_t M, size_t N, size_t K)
{
    if (M == 0 || N == 0 || K == 0) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < M; i++) {
        for (size_t j = 0; j < N; j++) {
            out[i * N + j] = dot_strided(a + i * K, 1, b + j, N, K);
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
            out[i * N + j] = dot_strided(a + i * K, 1, b + j * K, 1, K);
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
            y[t * O + o] = dot_strided(x + t * I, 1, w + o * I, 1, I) + (bias ? bias[o] : 0.0f);
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
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < S; s++) {
            scores[t * S + s] = scale * dot_strided(q + t * d, 1, k + s * d, 1, d);
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
        const float top = largest(scores + t * S, S);
        if (top > -INFINITY) {
            exponentials(weights + t * S, scores + t * S, top, S);
        } else {
            for (size_t s = 0; s < S; s++) {
                weights[t * S + s] = 0;
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
            out[t * dv + c] = dot_strided(weights + t * S, 1, v + c, dv, S);
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
    lab_status s;
    if ((s = linear(q, x, w_q, NULL, T, C, d)) != LAB_OK ||
        (s = linear(k, x, w_k, NULL, T, C, d)) != LAB_OK ||
        (s = linear(v, x, w_v, NULL, T, C, d)) != LAB_OK ||
        (s = attention_scores(scores, q, k, T, T, d)) != LAB_OK ||
        (s = softmax_rows(weights, scores, T, T)) != LAB_OK) {
        return s;
    }
    return weighted_values(out, weights, v, T, T, d);
}

@ inlined
-            out[i * N + j] = dot_strided(a + i * K, 1, b + j, N, K);
+            double result = 0;
+            const float *x = a + i * K, *z = b + j;
+            size_t n = K;
+            while (n-- > 0) {
+                result += (double)*x * (double)*z;
+                x += 1;
+                z += N;
+            }
+            out[i * N + j] = (float)result;

-        const float top = largest(scores + t * S, S);
-        if (top > -INFINITY) {
-            exponentials(weights + t * S, scores + t * S, top, S);
-        } else {
+        float best = -FLT_MAX;
+        int any = 0;
+        for (size_t i = 0; i < S; i++) {
+            any |= scores[t * S + i] > -INFINITY;
+            best = scores[t * S + i] > best ? scores[t * S + i] : best;
+        }
+        const float top = any ? best : -INFINITY;
+        if (top > -INFINITY) {
+            double total = 0;
+            for (size_t i = 0; i < S; i++) {
+                weights[t * S + i] = expf(scores[t * S + i] - top);
+                total += weights[t * S + i];
+            }
+            for (size_t i = 0; i < S; i++) {
+                weights[t * S + i] = (float)(weights[t * S + i] / total);
+            }
+        } else {

-static float largest(const float *row, size_t n)
-{
-    float best = -FLT_MAX;
-    int any = 0;
-    for (size_t i = 0; i < n; i++) {
-        any |= row[i] > -INFINITY;
-        best = row[i] > best ? row[i] : best;
-    }
-    return any ? best : -INFINITY;
-}
-

-static void exponentials(float *to, const float *row, float top, size_t n)
-{
-    double total = 0;
-    for (size_t i = 0; i < n; i++) {
-        to[i] = expf(row[i] - top);
-        total += to[i];
-    }
-    for (size_t i = 0; i < n; i++) {
-        to[i] = (float)(to[i] / total);
-    }
-}
-
