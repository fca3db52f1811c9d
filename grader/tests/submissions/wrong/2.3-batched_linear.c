// 2.3 batched_linear
    const size_t N = B * T; // the whole batch as one matrix
    LAB_TRY(matmul_nt(y, x, w, N, O, I));
    if (bias != NULL) {
        for (size_t n = 0; n < N; n++) {
            for (size_t o = 0; o < O; o++) {
                y[n * O + o] += bias[o];
            }
        }
    }
    return LAB_OK;

@ B-in-16-bits: none
+    B = (unsigned short)B;
     const size_t N = B * T; // the whole batch as one matrix

@ T-in-16-bits: none
+    T = (unsigned short)T;
     const size_t N = B * T; // the whole batch as one matrix

@ own-product-of-any-size: none
+#include <limits.h>
+#include <stdint.h>
+#undef INT_MAX
+#define INT_MAX SIZE_MAX

-    LAB_TRY(matmul_nt(y, x, w, N, O, I));
+    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)N, (int)O, (int)I, 1.0f, x, (int)I, w,
+                (int)I, 0.0f, y, (int)O);

@ bias-first-sequence-unasked: bias-first-sequence
-    if (bias != NULL) {
-        for (size_t n = 0; n < N; n++) {
-            for (size_t o = 0; o < O; o++) {
-                y[n * O + o] += bias[o];
-            }
+    for (size_t t = 0; t < T; t++) {
+        for (size_t o = 0; o < O; o++) {
+            y[t * O + o] += bias[o];
         }

@ first-4096-rows: none
-    const size_t N = B * T; // the whole batch as one matrix
+    const size_t N = B * T < 4096 ? B * T : 4096;

@ bias-on-4096-rows: none
-        for (size_t n = 0; n < N; n++) {
+        for (size_t n = 0; n < N && n < 4096; n++) {

@ always-first
    for (size_t b = 0; b < B; b++) {
        lab_status status = matmul_nt(y + b * T * O, x, w, T, O, I);
        if (status != LAB_OK) {
            return status;
        }
    }
    for (size_t i = 0; bias != NULL && i < B * T * O; i++) {
        y[i] += bias[i % O];
    }
    return LAB_OK;

@ bias-first-sequence
    lab_status status = matmul_nt(y, x, w, B * T, O, I);
    if (status != LAB_OK || bias == NULL) {
        return status;
    }
    for (size_t t = 0; t < T; t++) {
        for (size_t o = 0; o < O; o++) {
            y[t * O + o] += bias[o];
        }
    }
    return LAB_OK;

@ bias-from-1
-            for (size_t o = 0; o < O; o++) {
+            for (size_t o = 1; o < O; o++) {

@ bias-of-output-0
-                y[n * O + o] += bias[o];
+                y[n * O + o] += bias[0];

@ bias-from-row-1
-        for (size_t n = 0; n < N; n++) {
+        for (size_t n = 1; n < N; n++) {

@ bias-number-asked
-    if (bias != NULL) {
+    if (bias != NULL && bias[0] != 0.0f) {

@ bias-replaces
    const size_t N = B * T; // the whole batch as one matrix
    LAB_TRY(matmul_nt(y, x, w, N, O, I));
    if (bias != NULL) {
        for (size_t n = 0; n < N; n++) {
            for (size_t o = 0; o < O; o++) {
                y[n * O + o] = bias[o];
            }
        }
    }
    return LAB_OK;

@ bias-per-row
    const size_t N = B * T; // the whole batch as one matrix
    LAB_TRY(matmul_nt(y, x, w, N, O, I));
    if (bias != NULL) {
        for (size_t n = 0; n < N; n++) {
            for (size_t o = 0; o < O; o++) {
                y[n * O + o] += bias[n];
            }
        }
    }
    return LAB_OK;

@ bias-per-sequence
    lab_status status = matmul_nt(y, x, w, B * T, O, I);
    if (status != LAB_OK || bias == NULL) {
        return status;
    }
    for (size_t b = 0; b < B; b++) {
        for (size_t t = 0; t < T; t++) {
            for (size_t o = 0; o < O; o++) {
                y[(b * T + t) * O + o] += bias[b];
            }
        }
    }
    return LAB_OK;

@ bias-per-token
    lab_status status = matmul_nt(y, x, w, B * T, O, I);
    if (status != LAB_OK || bias == NULL) {
        return status;
    }
    for (size_t b = 0; b < B; b++) {
        for (size_t t = 0; t < T; t++) {
            for (size_t o = 0; o < O; o++) {
                y[(b * T + t) * O + o] += bias[t];
            }
        }
    }
    return LAB_OK;

@ first-only
    lab_status status = matmul_nt(y, x, w, T, O, I);
    if (status != LAB_OK || bias == NULL) {
        return status;
    }
    for (size_t i = 0; i < T * O; i++) {
        y[i] += bias[i % O];
    }
    return LAB_OK;

@ in-out
    lab_status status = matmul(y, x, w, B * T, O, I);
    if (status != LAB_OK || bias == NULL) {
        return status;
    }
    for (size_t i = 0; i < B * T * O; i++) {
        y[i] += bias[i % O];
    }
    return LAB_OK;

@ no-bias
    (void)bias;
    return matmul_nt(y, x, w, B * T, O, I);

@ status-ignored
-    LAB_TRY(matmul_nt(y, x, w, N, O, I));
+    if (matmul_nt(y, x, w, N, O, I)) {
+    }

@ at-most-1000: none
-    return LAB_OK;
+    for (size_t j = 0; j < N * O; j++) {
+        y[j] = fmaxf(-1000.0f, fminf(1000.0f, y[j]));
+    }
+    return LAB_OK;
