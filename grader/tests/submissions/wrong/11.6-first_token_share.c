// 11.6 first_token_share
    for (size_t n = 0; n < N; n++) {
        const float *weights_n = weights + n * T * T;
        double sum = 0.0;
        for (size_t t = 0; t < T; t++) {
            sum += weights_n[t * T];
        }
        share[n] = (float)(sum / (double)T);
    }
    return LAB_OK;

@ without-itself-over-T
-        for (size_t t = 0; t < T; t++) {
+        for (size_t t = 1; t < T; t++) {

@ without-itself
-        for (size_t t = 0; t < T; t++) {
+        for (size_t t = 1; t < T; t++) {

-        share[n] = (float)(sum / (double)T);
+        share[n] = (float)(sum / (double)(T > 1 ? T - 1 : 1));

@ first-query
-            sum += weights_n[t * T];
+            sum += weights_n[t];

@ last-token
-            sum += weights_n[t * T];
+            sum += weights_n[t * T + T - 1];

@ second-token
-            sum += weights_n[t * T];
+            sum += T < 2 ? 0 : weights_n[t * T + 1];

@ sum
-        share[n] = (float)(sum / (double)T);
+        share[n] = (float)sum;

@ over-all-cells
-        share[n] = (float)(sum / (double)T);
+        share[n] = (float)(sum / (double)(T * T));

@ head-0
-        const float *weights_n = weights + n * T * T;
+        const float *weights_n = weights;
