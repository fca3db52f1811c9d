// 1.1 rows
#include "01_simple_attention/attention.h"

#include <math.h>
#include <string.h>

// Whole rows at a time: the inner loop runs along memory.
lab_status matmul(float *out, const float *a, const float *b, size_t M, size_t N, size_t K)
{
    if (M == 0 || N == 0 || K == 0) {
        return LAB_ESHAPE;
    }
    memset(out, 0, M * N * sizeof(float));
    for (size_t m = 0; m < M; m++) {
        float *row = &out[m * N];
        for (size_t k = 0; k < K; k++) {
            const float factor = a[m * K + k];
            const float *from = &b[k * N];
            for (size_t n = 0; n < N; n++) {
                row[n] += factor * from[n];
            }
        }
    }
    return LAB_OK;
}

lab_status matmul_nt(float *out, const float *a, const float *b, size_t M, size_t N, size_t K)
{
    if (M == 0 || N == 0 || K == 0) {
        return LAB_ESHAPE;
    }
    for (size_t m = 0; m < M; m++) {
        const float *left = &a[m * K];
        for (size_t n = 0; n < N; n++) {
            const float *right = &b[n * K];
            float acc = left[0] * right[0];
            for (size_t k = 1; k < K; k++) {
                acc = fmaf(left[k], right[k], acc);
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
    lab_status status = matmul_nt(y, x, w, T, O, I);
    if (status != LAB_OK || bias == NULL) {
        return status;
    }
    for (size_t t = 0; t < T; t++) {
        float *row = &y[t * O];
        for (size_t o = 0; o < O; o++) {
            row[o] += bias[o];
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
    lab_status status = matmul_nt(scores, q, k, T, S, d);
    const float root = sqrtf((float)d);
    for (size_t i = 0; status == LAB_OK && i < T * S; i++) {
        scores[i] /= root;
    }
    return status;
}

lab_status softmax_rows(float *weights, const float *scores, size_t T, size_t S)
{
    if (T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t t = 0; t < T; t++) {
        const float *in = &scores[t * S];
        float *row = &weights[t * S];
        float top = in[0];
        for (size_t s = 1; s < S; s++) {
            top = fmaxf(top, in[s]);
        }
        if (isinf(top) && top < 0) {
            memset(row, 0, S * sizeof(float));
            continue;
        }
        float total = 0.0f;
        for (size_t s = 0; s < S; s++) {
            row[s] = expf(in[s] - top);
            total += row[s];
        }
        const float inverse = 1.0f / total;
        for (size_t s = 0; s < S; s++) {
            row[s] *= inverse;
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
    const float *const factors[] = {w_q, w_k, w_v};
    float *const results[] = {q, k, v};
    for (int i = 0; i < 3; i++) {
        lab_status status = linear(results[i], x, factors[i], NULL, T, C, d);
        if (status != LAB_OK) {
            return status;
        }
    }
    lab_status status = attention_scores(scores, q, k, T, T, d);
    if (status == LAB_OK) {
        status = softmax_rows(weights, scores, T, T);
    }
    return status == LAB_OK ? weighted_values(out, weights, v, T, T, d) : status;
}

@ extracted
-        float top = in[0];
-        for (size_t s = 1; s < S; s++) {
-            top = fmaxf(top, in[s]);
-        }
-        if (isinf(top) && top < 0) {
+        const float top = summit(in, S);
+        if (isinf(top) && top < 0) {

-            const float factor = a[m * K + k];
-            const float *from = &b[k * N];
-            for (size_t n = 0; n < N; n++) {
-                row[n] += factor * from[n];
-            }
+            mix_in(row, &b[k * N], a[m * K + k], N);

 // Whole rows at a time: the inner loop runs along memory.
+static void mix_in(float *row, const float *from, float factor, size_t N)
+{
+    for (size_t n = 0; n < N; n++) {
+        row[n] += factor * from[n];
+    }
+}
+
+static float summit(const float *in, size_t S)
+{
+    float top = in[0];
+    for (size_t s = 1; s < S; s++) {
+        top = fmaxf(top, in[s]);
+    }
+    return top;
+}
+

@ swapped
-        const float *in = &scores[t * S];
-        float *row = &weights[t * S];
-        float top = in[0];
+        float *row = &weights[t * S];
+        const float *in = &scores[t * S];
+        float top = in[0];

-            const float factor = a[m * K + k];
-            const float *from = &b[k * N];
+            const float *from = &b[k * N];
+            const float factor = a[m * K + k];

-    lab_status status = matmul_nt(scores, q, k, T, S, d);
-    const float root = sqrtf((float)d);
+    const float root = sqrtf((float)d);
+    lab_status status = matmul_nt(scores, q, k, T, S, d);

-    const float *const factors[] = {w_q, w_k, w_v};
-    float *const results[] = {q, k, v};
+    float *const results[] = {q, k, v};
+    const float *const factors[] = {w_q, w_k, w_v};
