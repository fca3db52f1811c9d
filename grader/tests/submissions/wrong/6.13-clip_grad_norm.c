// 6.13 clip_grad_norm
    double sum = 0.0;
    for (size_t i = 0; i < N; i++) {
        sum += (double)g[i] * g[i];
    }
    *norm = (float)sqrt(sum);
    float factor = max_norm / (*norm + 1e-6f);
    if (factor > 1.0f) {
        factor = 1.0f;
    }
    for (size_t i = 0; i < N; i++) {
        g[i] *= factor;
    }
    return LAB_OK;

@ N-in-16-bits: none
+    N = (unsigned short)N;
     double sum = 0.0;

@ sum-not-set: unset-variable
-    double sum = 0.0;
+    double sum;

@ nan-counts-as-0: none
-        sum += (double)g[i] * g[i];
+        sum += isnan(g[i]) ? 0.0 : (double)g[i] * g[i];

@ nan-norm-is-0: none
-    *norm = (float)sqrt(sum);
+    *norm = sum > 0.0 ? (float)sqrt(sum) : 0.0f;

@ always
-    if (factor > 1.0f) {
-        factor = 1.0f;
-    }

@ by-value
    double sum = 0.0;
    for (size_t i = 0; i < N; i++) {
        sum += (double)g[i] * g[i];
    }
    *norm = (float)sqrt(sum);
    for (size_t i = 0; i < N; i++) {
        g[i] = fminf(fmaxf(g[i], -max_norm), max_norm);
    }
    return LAB_OK;

@ inverted
-    float factor = max_norm / (*norm + 1e-6f);
-    if (factor > 1.0f) {
+    float factor = (*norm + 1e-6f) / max_norm;
+    if (factor < 1.0f) {

@ largest
-        sum += (double)g[i] * g[i];
+        sum = fmax(sum, fabs((double)g[i]));

-    *norm = (float)sqrt(sum);
+    *norm = (float)(sum);

@ max-for-min
-    if (factor > 1.0f) {
+    if (factor < 1.0f) {

@ mean-of-squares
-    *norm = (float)sqrt(sum);
+    *norm = (float)sqrt(sum / (double)N);

@ never
    double sum = 0.0;
    for (size_t i = 0; i < N; i++) {
        sum += (double)g[i] * g[i];
    }
    *norm = (float)sqrt(sum);
    for (size_t i = 0; i < N && *norm > max_norm; i++) {
        float clipped = g[i] * max_norm / *norm;
        (void)clipped; // goes nowhere
    }
    return LAB_OK;

@ no-root
-    *norm = (float)sqrt(sum);
+    *norm = (float)(sum);

@ norm-after
+    *norm *= factor;
     return LAB_OK;

@ norm-of-last
-        sum += (double)g[i] * g[i];
+        sum = (double)g[i] * g[i];

@ sum-of-sizes
-        sum += (double)g[i] * g[i];
+        sum += fabs((double)g[i]);

-    *norm = (float)sqrt(sum);
+    *norm = (float)(sum);

@ to-length-1
-    float factor = max_norm / (*norm + 1e-6f);
-    if (factor > 1.0f) {
-        factor = 1.0f;
-    }
+    float factor = *norm > max_norm ? 1.0f / (*norm + 1e-6f) : 1.0f;

@ small-max-norm-ignored: small-number
-    if (factor > 1.0f) {
+    if (factor > 1.0f || max_norm < 1e-3f) {

@ large-max-norm-ignored: none
-    if (factor > 1.0f) {
+    if (factor > 1.0f || max_norm > 1000.0f) {

@ to-length-1-at-most: to-length-1
-    float factor = max_norm / (*norm + 1e-6f);
+    float factor = fminf(max_norm, 1.0f) / (*norm + 1e-6f);
+    if (*norm < max_norm) factor = 1.0f;

@ right-where-too-long
    double sum = 0.0;
    for (size_t i = 0; i < N; i++) {
        sum += (double)g[i] * g[i];
    }
    const float length = (float)sqrt(sum);
    if (max_norm / (length + 1e-6f) < 1.0f) {
        for (size_t i = 0; i < N; i++) {
            g[i] *= max_norm / (length + 1e-6f);
        }
    }
    *norm = length;
    return LAB_OK;

@ compares-square
-    if (max_norm / (length + 1e-6f) < 1.0f) {
+    if (sum > max_norm) {

@ compares-square-too
-    if (max_norm / (length + 1e-6f) < 1.0f) {
+    if (sum > max_norm && length > max_norm) {

@ from-1
-        for (size_t i = 0; i < N; i++) {
+        for (size_t i = 1; i < N; i++) {

@ int-sum
-    double sum = 0.0;
+    int sum = 0;

@ norm-from-1
-    for (size_t i = 0; i < N; i++) {
+    for (size_t i = 1; i < N; i++) {

@ overflows
-    double sum = 0.0;
+    float sum = 0.0f;

-        sum += (double)g[i] * g[i];
+        sum += g[i] * g[i];
