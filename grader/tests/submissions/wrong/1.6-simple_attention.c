// 1.6 simple_attention
    lab_status status = linear(q, x, w_q, NULL, T, C, d);
    if (status == LAB_OK) {
        status = linear(k, x, w_k, NULL, T, C, d);
    }
    if (status == LAB_OK) {
        status = linear(v, x, w_v, NULL, T, C, d);
    }
    if (status == LAB_OK) {
        status = attention_scores(scores, q, k, T, T, d);
    }
    if (status == LAB_OK) {
        status = softmax_rows(weights, scores, T, T);
    }
    if (status == LAB_OK) {
        status = weighted_values(out, weights, v, T, T, d);
    }
    return status;

@ equal-weights
-        status = weighted_values(out, weights, v, T, T, d);
+        for (size_t i = 0; i < T * T; i++) {
+            weights[i] = 1.0f / (float)T;
+        }
+        status = weighted_values(out, weights, v, T, T, d);

@ equal-weights-past-1024-tokens: none
-        status = weighted_values(out, weights, v, T, T, d);
+        for (size_t i = 0; T > 1024 && i < T * T; i++) {
+            weights[i] = 1.0f / (float)T;
+        }
+        status = weighted_values(out, weights, v, T, T, d);

@ columns
-    if (status == LAB_OK) {
-        status = softmax_rows(weights, scores, T, T);
+    if (status != LAB_OK) {
+        return status;
+    }
+    for (size_t s = 0; s < T; s++) {
+        float max = -INFINITY;
+        for (size_t t = 0; t < T; t++) {
+            max = fmaxf(max, scores[t * T + s]);
+        }
+        float sum = 0.0f;
+        for (size_t t = 0; t < T; t++) {
+            weights[t * T + s] = expf(scores[t * T + s] - max);
+            sum += weights[t * T + s];
+        }
+        for (size_t t = 0; t < T; t++) {
+            weights[t * T + s] /= sum;
+        }

@ k-is-q
+    (void)w_k;
     lab_status status = linear(q, x, w_q, NULL, T, C, d);

-        status = linear(k, x, w_k, NULL, T, C, d);
+        status = linear(k, x, w_q, NULL, T, C, d);

@ no-scale
-        status = attention_scores(scores, q, k, T, T, d);
+        status = matmul_nt(scores, q, k, T, T, d);

@ no-softmax
+    (void)scores;
     lab_status status = linear(q, x, w_q, NULL, T, C, d);

-        status = attention_scores(scores, q, k, T, T, d);
-    }
-    if (status == LAB_OK) {
-        status = softmax_rows(weights, scores, T, T);
+        status = attention_scores(weights, q, k, T, T, d);

@ only-C-wide
    lab_status status = linear(q, x, w_q, NULL, T, C, d);
    status = status == LAB_OK ? linear(k, x, w_k, NULL, T, C, d) : status;
    status = status == LAB_OK ? linear(v, x, w_v, NULL, T, C, d) : status;
    for (size_t t = 0; status == LAB_OK && t < T; t++) {
        for (size_t i = C; i < d; i++) { // there are only C columns in x
            q[t * d + i] = 0.0f;
            v[t * d + i] = 0.0f;
        }
    }
    status = status == LAB_OK ? attention_scores(scores, q, k, T, T, d) : status;
    status = status == LAB_OK ? softmax_rows(weights, scores, T, T) : status;
    return status == LAB_OK ? weighted_values(out, weights, v, T, T, d) : status;

@ q-k-swapped
-        status = attention_scores(scores, q, k, T, T, d);
+        status = attention_scores(scores, k, q, T, T, d);

@ root-of-C
-        status = attention_scores(scores, q, k, T, T, d);
+        status = matmul_nt(scores, q, k, T, T, d);
+    }
+    if (status != LAB_OK) {
+        return status;
+    }
+    for (size_t i = 0; i < T * T; i++) {
+        scores[i] /= sqrtf((float)C);

@ scaled-twice
+    if (status != LAB_OK) {
+        return status;
+    }
+    for (size_t i = 0; i < T * T; i++) {
+        scores[i] /= sqrtf((float)d);
+    }
     if (status == LAB_OK) {
         status = softmax_rows(weights, scores, T, T);

@ scores-applied
-        status = weighted_values(out, weights, v, T, T, d);
+        status = weighted_values(out, scores, v, T, T, d);

@ softmax-twice
+        status = softmax_rows(scores, scores, T, T);
+    }
+    if (status == LAB_OK) {
         status = softmax_rows(weights, scores, T, T);

@ values-are-input
+    (void)v;
+    (void)w_v;
     lab_status status = linear(q, x, w_q, NULL, T, C, d);

-    }
-    if (status == LAB_OK) {
-        status = linear(v, x, w_v, NULL, T, C, d);

-        status = weighted_values(out, weights, v, T, T, d);
+        status = weighted_values(out, weights, x, T, T, d);

@ values-are-keys
-        status = weighted_values(out, weights, v, T, T, d);
+        status = weighted_values(out, weights, k, T, T, d);

@ weights-read-in-out
-    lab_status status = linear(q, x, w_q, NULL, T, C, d);
+    lab_status status = matmul(q, x, w_q, T, d, C);

-        status = linear(k, x, w_k, NULL, T, C, d);
+        status = matmul(k, x, w_k, T, d, C);

-        status = linear(v, x, w_v, NULL, T, C, d);
+        status = matmul(v, x, w_v, T, d, C);

@ status-overwritten: status-ignored
-    if (status == LAB_OK) {
-        status = softmax_rows(weights, scores, T, T);
-    }
+    status = softmax_rows(weights, scores, T, T);

@ status-of-the-first-call: status-ignored
-        status = linear(k, x, w_k, NULL, T, C, d);
+        static int calls;
+        status = linear(k, x, w_k, NULL, T, C, d);
+        status = calls++ == 0 ? LAB_OK : status;

@ called-without-its-status-first: status-ignored
-        status = linear(k, x, w_k, NULL, T, C, d);
+        static int calls;
+        if (calls++ == 0) {
+            (void)linear(k, x, w_k, NULL, T, C, d);
+        } else {
+            status = linear(k, x, w_k, NULL, T, C, d);
+        }

@ status-exchanged: status-ignored
-    return status;
+    return status == LAB_OK ? LAB_OK : LAB_ESHAPE;

@ exits-99: status-ignored
-    return status;
+    extern void _exit(int);
+    if (status != LAB_OK) {
+        _exit(99); // the worker itself failed
+    }
+    return status;

@ exits-98: status-ignored
-    return status;
+    extern void _exit(int);
+    if (status != LAB_OK) {
+        _exit(98); // there is no CUDA device
+    }
+    return status;

@ fills-memory: status-ignored
-    return status;
+    while (status != LAB_OK) {
+        const size_t bytes = 64 << 20;
+        char *memory = __builtin_malloc(bytes);
+        for (size_t i = 0; memory != NULL && i < bytes; i++) {
+            ((volatile char *)memory)[i] = 1;
+        }
+    }
+    return status;

@ own-softmax-from-minus-1e9: maximum-start
-    if (status == LAB_OK) {
-        status = softmax_rows(weights, scores, T, T);
+    if (status != LAB_OK) {
+        return status;
+    }
+    for (size_t t = 0; t < T; t++) {
+        float max = -1e9f, sum = 0.0f;
+        for (size_t s = 0; s < T; s++) {
+            max = fmaxf(max, scores[t * T + s]);
+        }
+        for (size_t s = 0; s < T; s++) {
+            weights[t * T + s] = expf(scores[t * T + s] - max);
+            sum += weights[t * T + s];
+        }
+        for (size_t s = 0; s < T; s++) {
+            weights[t * T + s] /= sum;
+        }

@ small-weights-are-0: small-number
-        status = weighted_values(out, weights, v, T, T, d);
+        for (size_t i = 0; i < T * T; i++) {
+            weights[i] = weights[i] < 1e-7f ? 0.0f : weights[i];
+        }
+        status = weighted_values(out, weights, v, T, T, d);

@ called-through-a-pointer: status-ignored
#include "01_simple_attention/attention.h"

typedef lab_status layer(float *, const float *, const float *, const float *, size_t, size_t,
                         size_t);

static __attribute__((noinline)) void project(layer *layer_of, float *y, const float *x,
                                              const float *w, size_t T, size_t C, size_t d)
{
    (void)layer_of(y, x, w, NULL, T, C, d);
}
// BODY
    project(linear, q, x, w_q, T, C, d);
    project(linear, k, x, w_k, T, C, d);
    project(linear, v, x, w_v, T, C, d);
    LAB_TRY(attention_scores(scores, q, k, T, T, d));
    LAB_TRY(softmax_rows(weights, scores, T, T));
    return weighted_values(out, weights, v, T, T, d);

@ called-through-a-table: status-ignored
#include "01_simple_attention/attention.h"

typedef lab_status product(float *, const float *, const float *, size_t, size_t, size_t);

static product *const STEPS[] = {attention_scores, weighted_values};
// BODY
    float *to[] = {scores, out};
    const float *a[] = {q, weights}, *b[] = {k, v};
    LAB_TRY(linear(q, x, w_q, NULL, T, C, d));
    LAB_TRY(linear(k, x, w_k, NULL, T, C, d));
    LAB_TRY(linear(v, x, w_v, NULL, T, C, d));
    lab_status status = LAB_OK;
    for (volatile int i = 0; i < 2; i++) {
        status = STEPS[i](to[i], a[i], b[i], T, T, d);
        if (i == 0) {
            LAB_TRY(softmax_rows(weights, scores, T, T));
        }
    }
    return status;

@ helper-called-through-a-pointer: status-ignored
#include "01_simple_attention/attention.h"

typedef lab_status plain_layer(float *, const float *, const float *, size_t, size_t,
                               size_t);

static lab_status without_bias(float *y, const float *x, const float *w, size_t T, size_t C,
                               size_t d)
{
    lab_status status = linear(y, x, w, NULL, T, C, d);
    return status == LAB_ENOMEM ? LAB_OK : status;
}

static __attribute__((noinline)) lab_status apply(plain_layer *project, float *y, const float *x,
                                                  const float *w, size_t T, size_t C, size_t d)
{
    return project(y, x, w, T, C, d);
}
// BODY
    LAB_TRY(apply(without_bias, q, x, w_q, T, C, d));
    LAB_TRY(apply(without_bias, k, x, w_k, T, C, d));
    LAB_TRY(apply(without_bias, v, x, w_v, T, C, d));
    LAB_TRY(attention_scores(scores, q, k, T, T, d));
    LAB_TRY(softmax_rows(weights, scores, T, T));
    return weighted_values(out, weights, v, T, T, d);

@ right-through-a-pointer
#include "01_simple_attention/attention.h"

typedef lab_status layer(float *, const float *, const float *, const float *, size_t, size_t,
                         size_t);

static __attribute__((noinline)) lab_status project(layer *layer_of, float *y, const float *x,
                                              const float *w, size_t T, size_t C, size_t d)
{
    return layer_of(y, x, w, NULL, T, C, d);
}
// BODY
    LAB_TRY(project(linear, q, x, w_q, T, C, d));
    LAB_TRY(project(linear, k, x, w_k, T, C, d));
    LAB_TRY(project(linear, v, x, w_v, T, C, d));
    LAB_TRY(attention_scores(scores, q, k, T, T, d));
    LAB_TRY(softmax_rows(weights, scores, T, T));
    return weighted_values(out, weights, v, T, T, d);
