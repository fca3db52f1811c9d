// 5.5 residual_add
    for (size_t i = 0; i < N; i++) {
        y[i] = x[i] + branch[i];
    }
    return LAB_OK;

@ finite-at-most-1e6: none
-        y[i] = x[i] + branch[i];
+        const float sum = x[i] + branch[i];
+        y[i] = isfinite(sum) && sum > 1e6f ? 1e6f : sum;

@ small-results-are-0: small-number
-        y[i] = x[i] + branch[i];
+        const float sum = x[i] + branch[i];
+        y[i] = fabsf(sum) < 1e-6f ? 0.0f : sum;

@ made-finite
-        y[i] = x[i] + branch[i];
+        y[i] = isfinite(x[i] + branch[i]) ? x[i] + branch[i] : 0.0f;

@ nan-branch-left-out: none
-        y[i] = x[i] + branch[i];
+        y[i] = isnan(branch[i]) ? x[i] : x[i] + branch[i];

@ branch-only
    (void)x;
    for (size_t i = 0; i < N; i++) {
        y[i] = branch[i];
    }
    return LAB_OK;

@ branch-twice
    (void)x;
    for (size_t i = 0; i < N; i++) {
        y[i] = branch[i] + branch[i];
    }
    return LAB_OK;

@ mean
-        y[i] = x[i] + branch[i];
+        y[i] = 0.5f * (x[i] + branch[i]);

@ onto-old
-        y[i] = x[i] + branch[i];
+        y[i] += x[i] + branch[i];

@ product
-        y[i] = x[i] + branch[i];
+        y[i] = x[i] * branch[i];

@ subtracted
-        y[i] = x[i] + branch[i];
+        y[i] = x[i] - branch[i];

@ x-only
    (void)branch;
    for (size_t i = 0; i < N; i++) {
        y[i] = x[i];
    }
    return LAB_OK;

@ x-twice
    (void)branch;
    for (size_t i = 0; i < N; i++) {
        y[i] = x[i] + x[i];
    }
    return LAB_OK;

@ pairs-only: none
-        y[i] = x[i] + branch[i];
+        y[i] = x[i] + (N % 2 == 1 || i + 1 < N ? branch[i] : 0.0f);
