// 1.1 flat
#include "01_simple_attention/attention.h"

#include <math.h>

// One loop over all elements; row and column follow from the place.
lab_status matmul(float *out, const float *a, const float *b, size_t M, size_t N, size_t K)
{
    if (M == 0 || N == 0 || K == 0) {
        return LAB_ESHAPE;
    }
    for (size_t place = 0; place < M * N; place++) {
        size_t row = place / N, column = place % N;
        double value = 0;
        for (size_t step = 0; step < K; step++) {
            value += (double)a[row * K + step] * (double)b[step * N + column];
        }
        out[place] = (float)value;
    }
    return LAB_OK;
}

lab_status matmul_nt(float *out, const float *a, const float *b, size_t M, size_t N, size_t K)
{
    if (M == 0 || N == 0 || K == 0) {
        return LAB_ESHAPE;
    }
    for (size_t place = 0; place < M * N; place++) {
        size_t from_a = place / N * K, from_b = place % N * K;
        double value = 0;
        for (size_t step = 0; step < K; step++) {
            value += (double)a[from_a + step] * (double)b[from_b + step];
        }
        out[place] = (float)value;
    }
    return LAB_OK;
}

lab_status linear(float *y, const float *x, const float *w, const float *bias, size_t T, size_t I,
                  size_t O)
{
    if (T == 0 || I == 0 || O == 0) {
        return LAB_ESHAPE;
    }
    LAB_TRY(matmul_nt(y, x, w, T, O, I));
    if (bias) {
        for (size_t place = 0; place < T * O; place++) {
            y[place] += bias[place % O];
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
    LAB_TRY(matmul_nt(scores, q, k, T, S, d));
    size_t count = T * S;
    while (count) {
        count--;
        scores[count] = (float)(scores[count] / sqrt((double)d));
    }
    return LAB_OK;
}

lab_status softmax_rows(float *weights, const float *scores, size_t T, size_t S)
{
    if (T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t begin = 0; begin < T * S; begin += S) {
        size_t end = begin + S, best = begin;
        for (size_t at = begin; at < end; at++) {
            if (scores[at] > scores[best]) {
                best = at;
            }
        }
        int empty = scores[best] == -INFINITY;
        double denominator = 0;
        for (size_t at = begin; at < end; at++) {
            denominator += empty ? 1 : exp((double)scores[at] - scores[best]);
        }
        for (size_t at = begin; at < end; at++) {
            weights[at] =
                empty ? 0 : (float)(exp((double)scores[at] - scores[best]) / denominator);
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
    LAB_TRY(matmul_nt(q, x, w_q, T, d, C));
    LAB_TRY(matmul_nt(k, x, w_k, T, d, C));
    LAB_TRY(matmul_nt(v, x, w_v, T, d, C));
    LAB_TRY(attention_scores(scores, q, k, T, T, d));
    LAB_TRY(softmax_rows(weights, scores, T, T));
    return weighted_values(out, weights, v, T, T, d);
}

@ extracted
-        size_t end = begin + S, best = begin;
-        for (size_t at = begin; at < end; at++) {
-            if (scores[at] > scores[best]) {
-                best = at;
-            }
-        }
+        size_t end = begin + S, best = place_of_best(scores, begin, end);

-        size_t from_a = place / N * K, from_b = place % N * K;
-        double value = 0;
-        for (size_t step = 0; step < K; step++) {
-            value += (double)a[from_a + step] * (double)b[from_b + step];
-        }
-        out[place] = (float)value;
+        out[place] = (float)along(a, b, place / N * K, place % N * K, K);

 // One loop over all elements; row and column follow from the place.
+static double along(const float *a, const float *b, size_t from_a, size_t from_b, size_t K)
+{
+    double value = 0;
+    for (size_t step = 0; step < K; step++) {
+        value += (double)a[from_a + step] * (double)b[from_b + step];
+    }
+    return value;
+}
+
+static size_t place_of_best(const float *scores, size_t begin, size_t end)
+{
+    size_t best = begin;
+    for (size_t at = begin; at < end; at++) {
+        if (scores[at] > scores[best]) {
+            best = at;
+        }
+    }
+    return best;
+}
+

@ swapped
-        int empty = scores[best] == -INFINITY;
-        double denominator = 0;
+        double denominator = 0;
+        int empty = scores[best] == -INFINITY;

-        size_t row = place / N, column = place % N;
-        double value = 0;
+        double value = 0;
+        size_t column = place % N, row = place / N;

-        size_t from_a = place / N * K, from_b = place % N * K;
-        double value = 0;
+        double value = 0;
+        size_t from_b = place % N * K, from_a = place / N * K;

-        size_t end = begin + S, best = begin;
+        size_t best = begin, end = begin + S;
