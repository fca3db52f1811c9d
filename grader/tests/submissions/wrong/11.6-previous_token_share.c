// 11.6 previous_token_share
    for (size_t n = 0; n < N; n++) {
        const float *weights_n = weights + n * T * T;
        double sum = 0.0;
        for (size_t t = 1; t < T; t++) {
            sum += weights_n[t * T + t - 1];
        }
        share[n] = (float)(sum / (double)(T - 1));
    }
    return LAB_OK;

@ over-T
-        share[n] = (float)(sum / (double)(T - 1));
+        share[n] = (float)(sum / (double)T);

@ next-token
-        for (size_t t = 1; t < T; t++) {
+        for (size_t t = 0; t + 1 < T; t++) {

-            sum += weights_n[t * T + t - 1];
+            sum += weights_n[t * T + t + 1];

@ itself
-        for (size_t t = 1; t < T; t++) {
+        for (size_t t = 0; t < T; t++) {

-            sum += weights_n[t * T + t - 1];
+            sum += weights_n[t * T + t];

-        share[n] = (float)(sum / (double)(T - 1));
+        share[n] = (float)(sum / (double)T);

@ sum
-        share[n] = (float)(sum / (double)(T - 1));
+        share[n] = (float)sum;

@ over-all-cells
-        share[n] = (float)(sum / (double)(T - 1));
+        share[n] = (float)(sum / (double)(T * T));

@ head-0
-        const float *weights_n = weights + n * T * T;
+        const float *weights_n = weights;

@ from-2
-        for (size_t t = 1; t < T; t++) {
+        for (size_t t = 2; t < T; t++) {

@ without-the-last
-        for (size_t t = 1; t < T; t++) {
+        for (size_t t = 1; t + 1 < T; t++) {

@ transposed: next-token
-            sum += weights_n[t * T + t - 1];
+            sum += weights_n[(t - 1) * T + t];
