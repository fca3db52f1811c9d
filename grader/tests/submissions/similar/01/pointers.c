// 1.1 pointers
#include "01_simple_attention/attention.h"

#include <math.h>

lab_status matmul(float *out, const float *a, const float *b, size_t M, size_t N, size_t K)
{
    if (M == 0 || N == 0 || K == 0) {
        return LAB_ESHAPE;
    }
    for (const float *row = a, *last = a + M * K; row != last; row += K) {
        for (const float *column = b; column != b + N; column++) {
            const float *p = row;
            const float *r = column;
            float s = 0.f;
            do {
                s += *p++ * *r;
                r += N;
            } while (p != row + K);
            *out++ = s;
        }
    }
    return LAB_OK;
}

lab_status matmul_nt(float *out, const float *a, const float *b, size_t M, size_t N, size_t K)
{
    if (M == 0 || N == 0 || K == 0) {
        return LAB_ESHAPE;
    }
    for (const float *row = a, *last = a + M * K; row != last; row += K) {
        const float *r = b;
        for (size_t n = N; n > 0; --n) {
            float s = 0.f;
            for (const float *p = row; p != row + K; ++p) {
                s += *p * *r++;
            }
            *out++ = s;
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
    for (const float *end = x + T * I; x != end; x += I) {
        const float *weight = w;
        const float *shift = bias;
        for (size_t o = O; o > 0; --o) {
            float s = shift == NULL ? 0.f : *shift++;
            for (size_t i = 0; i != I; ++i) {
                s += x[i] * *weight++;
            }
            *y++ = s;
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
    float divisor = sqrtf(d);
    const float *query = q;
    for (size_t t = T; t > 0; --t, query += d) {
        const float *key = k;
        for (size_t s = S; s > 0; --s, key += d) {
            float product = 0.f;
            for (size_t i = d; i-- > 0;) {
                product += query[i] * key[i];
            }
            *scores++ = product / divisor;
        }
    }
    return LAB_OK;
}

lab_status softmax_rows(float *weights, const float *scores, size_t T, size_t S)
{
    if (T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t t = T; t > 0; --t, weights += S, scores += S) {
        const float *p = scores + 1;
        float high = *scores;
        for (; p != scores + S; ++p) {
            high = high < *p ? *p : high;
        }
        float norm = 0.f;
        for (size_t s = 0; s != S; ++s) {
            weights[s] = high == -INFINITY ? 0.f : expf(scores[s] - high);
            norm += weights[s];
        }
        for (size_t s = 0; norm != 0.f && s != S; ++s) {
            weights[s] /= norm;
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
    for (size_t t = T; t > 0; --t, out += dv, weights += S) {
        for (size_t c = 0; c != dv; ++c) {
            const float *value = v + c;
            out[c] = 0.f;
            for (size_t s = 0; s != S; ++s, value += dv) {
                out[c] += weights[s] * *value;
            }
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
    lab_status status = linear(q, x, w_q, NULL, T, C, d);
    status = status ? status : linear(k, x, w_k, NULL, T, C, d);
    status = status ? status : linear(v, x, w_v, NULL, T, C, d);
    status = status ? status : attention_scores(scores, q, k, T, T, d);
    status = status ? status : softmax_rows(weights, scores, T, T);
    status = status ? status : weighted_values(out, weights, v, T, T, d);
    return status;
}

@ swapped
-            const float *p = row;
-            const float *r = column;
-            float s = 0.f;
+            float s = 0.f;
+            const float *r = column;
+            const float *p = row;

-        const float *weight = w;
-        const float *shift = bias;
+        const float *shift = bias;
+        const float *weight = w;

-    float divisor = sqrtf(d);
-    const float *query = q;
+    const float *query = q;
+    float divisor = sqrtf(d);

-        const float *p = scores + 1;
-        float high = *scores;
+        float high = *scores;
+        const float *p = scores + 1;

-            const float *value = v + c;
-            out[c] = 0.f;
+            out[c] = 0.f;
+            const float *value = v + c;

@ extracted
-        const float *p = scores + 1;
-        float high = *scores;
-        for (; p != scores + S; ++p) {
-            high = high < *p ? *p : high;
-        }
+        float high = highest(scores, S);

-            float product = 0.f;
-            for (size_t i = d; i-- > 0;) {
-                product += query[i] * key[i];
-            }
-            *scores++ = product / divisor;
+            *scores++ = meet(query, key, d) / divisor;

 #include <math.h>
+
+static float highest(const float *from, size_t S)
+{
+    const float *p = from + 1;
+    float high = *from;
+    for (; p != from + S; ++p) {
+        high = high < *p ? *p : high;
+    }
+    return high;
+}
+
+static float meet(const float *query, const float *key, size_t d)
+{
+    float product = 0.f;
+    for (size_t i = d; i-- > 0;) {
+        product += query[i] * key[i];
+    }
+    return product;
+}
