// 6.13 learning_rate
    if (step <= warmup) {
        *lr = peak * (float)step / (float)warmup;
        return LAB_OK;
    }
    if (step > total) {
        *lr = floor;
        return LAB_OK;
    }
    float p = (float)(step - warmup) / (float)(total - warmup);
    *lr = floor + (peak - floor) * (1.0f + cosf(3.14159265f * p)) / 2.0f;
    return LAB_OK;

@ as-a-share-of-the-peak: none
-    *lr = floor + (peak - floor) * (1.0f + cosf(3.14159265f * p)) / 2.0f;
+    const float share = floor / peak;
+    *lr = peak * (share + (1.0f - share) * (1.0f + cosf(3.14159265f * p)) / 2.0f);

@ constant
    *lr = step < warmup ? peak * (float)step / (float)warmup : peak;
    (void)floor;
    return LAB_OK;

@ cosine-from-step-0
-    float p = (float)(step - warmup) / (float)(total - warmup);
+    float p = (float)step / (float)total;

@ cosine-one-late
-    float p = (float)(step - warmup) / (float)(total - warmup);
+    float p = (float)(step - 1 - warmup) / (float)(total - warmup);

@ cosine-to-0
-    *lr = floor + (peak - floor) * (1.0f + cosf(3.14159265f * p)) / 2.0f;
+    *lr = peak * (1.0f + cosf(3.14159265f * p)) / 2.0f;

@ floor-on-top
-    *lr = floor + (peak - floor) * (1.0f + cosf(3.14159265f * p)) / 2.0f;
+    *lr = floor + peak * (1.0f + cosf(3.14159265f * p)) / 2.0f;

@ linear
-    *lr = floor + (peak - floor) * (1.0f + cosf(3.14159265f * p)) / 2.0f;
+    *lr = floor + (peak - floor) * (1.0f - p);

@ no-floor
+    (void)floor;
     if (step > total) {

-        *lr = floor;
+        *lr = 0.0f;

-    *lr = floor + (peak - floor) * (1.0f + cosf(3.14159265f * p)) / 2.0f;
+    *lr = peak * (1.0f + cosf(3.14159265f * p)) / 2.0f;

@ no-half
-    *lr = floor + (peak - floor) * (1.0f + cosf(3.14159265f * p)) / 2.0f;
+    *lr = floor + (peak - floor) * (1.0f + cosf(3.14159265f * p));

@ no-warmup
-        *lr = peak * (float)step / (float)warmup;
+        *lr = peak;

@ one-late
    const double k = (double)step - 1.0, w = (double)warmup;
    if (k < w || (k == w && warmup > 0)) {
        *lr = (float)(peak * k / w);
    } else if (k <= (double)total) {
        const double p = total > warmup ? (k - w) / (double)(total - warmup) : 0.0;
        *lr = (float)(floor + ((double)peak - floor) * 0.5 * (1.0 + cos(acos(-1.0) * p)));
    } else {
        *lr = floor;
    }
    return LAB_OK;

@ rebound
-        return LAB_OK;
-    }
-    if (step > total) {
-        *lr = floor;

@ steps-in-32-bits: none
-    float p = (float)(step - warmup) / (float)(total - warmup);
+    float p = (float)(int)(step - warmup) / (float)(int)(total - warmup);

@ warmup-downwards
-        *lr = peak * (float)step / (float)warmup;
+        *lr = peak * (1.0f - (float)step / (float)warmup);

@ warmup-from-0
-        *lr = peak * (float)step / (float)warmup;
+        *lr = peak * (float)(step - 1) / (float)warmup;

@ warmup-from-floor
-        *lr = peak * (float)step / (float)warmup;
+        *lr = floor + (peak - floor) * (float)step / (float)warmup;

@ warmup-not-below-floor
-        *lr = peak * (float)step / (float)warmup;
+        *lr = fmaxf(floor, peak * (float)step / (float)warmup);

@ whole-cosine
-    *lr = floor + (peak - floor) * (1.0f + cosf(3.14159265f * p)) / 2.0f;
+    *lr = floor + (peak - floor) * (1.0f + cosf(6.2831853f * p)) / 2.0f;

@ whole-number-division
-        *lr = peak * (float)step / (float)warmup;
+        *lr = peak * (float)(step / warmup);

@ floor-above-peak-refused: none
-    if (step <= warmup) {
+    if (floor > peak) {
+        return LAB_EVALUE;
+    }
+    if (step <= warmup) {

@ floor-above-peak-clamped: none
-    if (step <= warmup) {
+    if (floor > peak) {
+        floor = peak;
+    }
+    if (step <= warmup) {

@ warmup-below
-    if (step <= warmup) {
+    if (step < warmup) {

@ warmup-one-early
-        *lr = peak * (float)step / (float)warmup;
+        *lr = peak * (float)(step + 1) / (float)warmup;

@ warmup-over-warmup-plus-1
-        *lr = peak * (float)step / (float)warmup;
+        *lr = peak * (float)step / (float)(warmup + 1);

@ cosine-over-total
-    float p = (float)(step - warmup) / (float)(total - warmup);
+    float p = (float)(step - warmup) / (float)total;

@ warmup-not-subtracted
-    float p = (float)(step - warmup) / (float)(total - warmup);
+    float p = (float)step / (float)(total - warmup);

@ quarter-cosine
-    *lr = floor + (peak - floor) * (1.0f + cosf(3.14159265f * p)) / 2.0f;
+    *lr = floor + (peak - floor) * cosf(3.14159265f * p / 2.0f);

@ no-pi
-    *lr = floor + (peak - floor) * (1.0f + cosf(3.14159265f * p)) / 2.0f;
+    *lr = floor + (peak - floor) * (1.0f + cosf(p)) / 2.0f;

@ minus-cosine
-    *lr = floor + (peak - floor) * (1.0f + cosf(3.14159265f * p)) / 2.0f;
+    *lr = floor + (peak - floor) * (1.0f - cosf(3.14159265f * p)) / 2.0f;

@ cut-at-floor
-    *lr = floor + (peak - floor) * (1.0f + cosf(3.14159265f * p)) / 2.0f;
+    *lr = fmaxf(floor, peak * (1.0f + cosf(3.14159265f * p)) / 2.0f);

@ floor-not-added
-    *lr = floor + (peak - floor) * (1.0f + cosf(3.14159265f * p)) / 2.0f;
+    *lr = (peak - floor) * (1.0f + cosf(3.14159265f * p)) / 2.0f;

@ 0-beyond-total
-        *lr = floor;
+        *lr = 0.0f;

@ peak-beyond-total
-        *lr = floor;
+        *lr = peak;
