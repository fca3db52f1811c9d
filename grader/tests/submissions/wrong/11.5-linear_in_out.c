// 11.5 linear_in_out
    LAB_TRY(matmul(y, x, w, N, O, I));
    for (size_t n = 0; n < N; n++) {
        for (size_t o = 0; o < O; o++) {
            y[n * O + o] += bias[o];
        }
    }
    return LAB_OK;

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
