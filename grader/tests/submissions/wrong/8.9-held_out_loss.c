// 8.9 held_out_loss
    const size_t T = shape->T;
    struct language_shape one = *shape;
    one.B = 1;
    double sum = 0.0, means = 0.0;
    size_t counted = 0, windows = 0;
    for (size_t at = 0; at < N - 1; at += T) {
        float mean = 0.0f;
        one.T = at + T < N ? T : N - 1 - at;
        const size_t *targets = stream + at + 1;
        LAB_TRY(language_forward(&mean, z, params, stream + at, targets, &one));
        sum += (double)mean * (double)one.T;
        means += (double)mean;
        counted += one.T;
        windows++;
    }
    (void)means, (void)windows;
    *loss = sum / (double)counted;
    return LAB_OK;

@ sum-in-float
-    double sum = 0.0, means = 0.0;
+    float sum = 0.0f;
+    double means = 0.0;

-        sum += (double)mean * (double)one.T;
+        sum += mean * (float)one.T;

@ bits
-    *loss = sum / (double)counted;
+    *loss = sum / (double)counted / log(2.0);

@ first-window-alone
-        windows++;
+        windows++;
+        break;

@ last-window-alone
-        sum += (double)mean * (double)one.T;
+        sum = (double)mean * (double)one.T;

-        counted += one.T;
+        counted = one.T;

@ last-window-dropped
-        one.T = at + T < N ? T : N - 1 - at;
+        one.T = at + T < N ? T : N - 1 - at;
+        if (one.T < T && at > 0) {
+            break;
+        }

@ last-window-lost
-        one.T = at + T < N ? T : N - 1 - at;
+        one.T = at + T < N ? T : N - 1 - at;
+        if (one.T < T && at > 0) {
+            break;
+        }

-    *loss = sum / (double)counted;
+    *loss = sum / (double)(N - 1);

@ last-window-moved-back
-        one.T = at + T < N ? T : N - 1 - at;
-        const size_t *targets = stream + at + 1;
-        LAB_TRY(language_forward(&mean, z, params, stream + at, targets, &one));
+        size_t from = at;
+        one.T = T;
+        if (at + T >= N) {
+            one.T = at == 0 ? N - 1 : T;
+            from = N - 1 - one.T;
+        }
+        const size_t *targets = stream + from + 1;
+        LAB_TRY(language_forward(&mean, z, params, stream + from, targets, &one));

@ mean-of-means
-    *loss = sum / (double)counted;
+    *loss = means / (double)windows;

@ not-shifted
-        const size_t *targets = stream + at + 1;
+        const size_t *targets = stream + at;

@ over-N
-    *loss = sum / (double)counted;
+    *loss = sum / (double)N;

@ perplexity
-    *loss = sum / (double)counted;
+    *loss = exp(sum / (double)counted);

@ sliding
    double sum = 0.0;
    struct language_shape one = *shape;
    one.B = 1;
    for (size_t n = 1; n < N; n++) {
        float unused;
        one.T = n < shape->T ? n : shape->T;
        LAB_TRY(language_forward(&unused, z, params, stream + n - one.T,
                                 stream + n - one.T + 1, &one));
        const float *p = z->probabilities + (one.T - 1) * one.V;
        sum -= log((double)p[stream[n]]);
    }
    *loss = sum / (double)(N - 1);
    return LAB_OK;

@ sum-for-mean
-    *loss = sum / (double)counted;
+    *loss = sum;

@ targets-inside-windows
    struct language_shape one = *shape;
    one.B = 1;
    const size_t most = shape->T > 1 ? shape->T - 1 : 1;
    double sum = 0.0;
    size_t counted = 0;
    for (size_t at = 0; at + 1 < N; at += shape->T) {
        float mean;
        one.T = at + 1 + most <= N ? most : N - 1 - at;
        LAB_TRY(language_forward(&mean, z, params, stream + at, stream + at + 1, &one));
        sum += (double)mean * (double)one.T;
        counted += one.T;
    }
    *loss = sum / (double)counted;
    return LAB_OK;

@ token-lost-at-borders
-    for (size_t at = 0; at < N - 1; at += T) {
+    for (size_t at = 0; at < N - 1; at += T + 1) {

@ token-twice-at-borders
-    for (size_t at = 0; at < N - 1; at += T) {
+    for (size_t at = 0; at < N - 1; at += T > 1 ? T - 1 : 1) {

@ with-shape-B: crash
-    one.B = 1;

@ last-window-as-full
-        sum += (double)mean * (double)one.T;
+        sum += (double)mean * (double)T;

@ window-40-skipped: none
-        sum += (double)mean * (double)one.T;
+        sum += windows == 40 ? 0.0 : (double)mean * (double)one.T;

@ at-most-32-windows: none
-        windows++;
+        windows++;
+        if (windows == 32) {
+            break;
+        }

@ summed-in-float: none
-        sum += (double)mean * (double)one.T;
+        sum = (double)(float)(sum + (double)mean * (double)one.T);

@ no-target-fewer: none
-    *loss = sum / (double)counted;
+    *loss = sum / (double)(N == T ? N : counted);
