// 11.5 linear_in_out
    LAB_TRY(matmul(y, x, w, N, O, I));
    for (size_t n = 0; n < N; n++) {
        for (size_t o = 0; o < O; o++) {
            y[n * O + o] += bias[o];
        }
    }
    return LAB_OK;

@ at-most-100: none
-            y[n * O + o] += bias[o];
+            y[n * O + o] = fmaxf(-100.0f, fminf(100.0f, y[n * O + o] + bias[o]));

@ at-most-10000: none
-            y[n * O + o] += bias[o];
+            y[n * O + o] = fmaxf(-10000.0f, fminf(10000.0f, y[n * O + o] + bias[o]));

@ small-results-are-0: small-number
-            y[n * O + o] += bias[o];
+            y[n * O + o] += bias[o];
+            y[n * O + o] = fabsf(y[n * O + o]) < 1e-5f ? 0.0f : y[n * O + o];

@ out-in
-    LAB_TRY(matmul(y, x, w, N, O, I));
+    LAB_TRY(matmul_nt(y, x, w, N, O, I));

@ no-bias
    (void)bias;
    return matmul(y, x, w, N, O, I);

@ out-in-no-bias
    (void)bias;
    return matmul_nt(y, x, w, N, O, I);

@ minus-bias
-            y[n * O + o] += bias[o];
+            y[n * O + o] -= bias[o];

@ bias-0-for-all
-            y[n * O + o] += bias[o];
+            y[n * O + o] += bias[0];

@ bias-in-row-0
-    for (size_t n = 0; n < N; n++) {
+    for (size_t n = 0; n < 1; n++) {

@ sizes-swapped: none
-    LAB_TRY(matmul(y, x, w, N, O, I));
+    LAB_TRY(matmul(y, x, w, N, I, O));
