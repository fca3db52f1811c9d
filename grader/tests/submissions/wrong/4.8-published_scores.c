// 4.8 published_scores
    if (T != NH) {
        return LAB_ESHAPE;
    }
    const size_t hs = C / NH;
    for (size_t b = 0; b < B; b++) {
        for (size_t h = 0; h < NH; h++) {
            for (size_t t = 0; t < T; t++) {
                for (size_t s = 0; s < T; s++) {
                    float sum = 0.0f;
                    for (size_t c = 0; c < hs; c++) {
                        sum += q[(b * T + h) * C + t * hs + c] *
                               k[(b * T + s) * C + h * hs + c];
                    }
                    scores[((b * NH + h) * T + t) * T + s] = sum;
                }
            }
        }
    }
    return LAB_OK;

@ heads-from-1: loop-from-1
-        for (size_t h = 0; h < NH; h++) {
+        for (size_t h = 1; h < NH; h++) {

@ sum-from-1: loop-from-1
-                    for (size_t c = 0; c < hs; c++) {
+                    for (size_t c = 1; c < hs; c++) {

@ whole-sum: fraction-in-int
-                    float sum = 0.0f;
+                    int sum = 0;

@ at-most-100: none
-                    scores[((b * NH + h) * T + t) * T + s] = sum;
+                    scores[((b * NH + h) * T + t) * T + s] = fmaxf(-100.0f, fminf(100.0f, sum));

@ small-results-are-0: small-number
-                    scores[((b * NH + h) * T + t) * T + s] = sum;
+                    scores[((b * NH + h) * T + t) * T + s] = fabsf(sum) < 1e-5f ? 0.0f : sum;

@ any-sizes: none
-    if (T != NH) {
-        return LAB_ESHAPE;
-    }

@ both
    // both keep their shape (B,T,NH,hs) and are read as (B,NH,T,hs)
    if (T != NH) {
        return LAB_ESHAPE;
    }
    const size_t hs = C / NH;
    for (size_t i = 0; i < B * NH; i++) {
        for (size_t t = 0; t < T; t++) {
            for (size_t s = 0; s < T; s++) {
                float sum = 0.0f;
                for (size_t c = 0; c < hs; c++) {
                    sum += q[(i * T + t) * hs + c] * k[(i * T + s) * hs + c];
                }
                scores[(i * T + t) * T + s] = sum;
            }
        }
    }
    return LAB_OK;

@ k-instead
-                        sum += q[(b * T + h) * C + t * hs + c] *
-                               k[(b * T + s) * C + h * hs + c];
+                        sum += q[(b * T + t) * C + h * hs + c] *
+                               k[(b * T + h) * C + s * hs + c];

@ last-term
-                        sum += q[(b * T + h) * C + t * hs + c] *
-                               k[(b * T + s) * C + h * hs + c];
+                        sum = q[(b * T + h) * C + t * hs + c] *
+                              k[(b * T + s) * C + h * hs + c];

@ other-head-of-k
-                               k[(b * T + s) * C + h * hs + c];
+                               k[(b * T + s) * C + t * hs + c];

@ scaled
-                    scores[((b * NH + h) * T + t) * T + s] = sum;
+                    scores[((b * NH + h) * T + t) * T + s] = sum / sqrtf((float)hs);

@ the-right-scores
-                        sum += q[(b * T + h) * C + t * hs + c] *
+                        sum += q[(b * T + t) * C + h * hs + c] *

@ one-sequence-of-any-size: none
-    if (T != NH) {
+    if (T != NH && B != 1) {

@ any-multiple-of-NH: none
-    if (T != NH) {
+    if (T % NH != 0) {

@ any-divisor-of-NH: crash
-    if (T != NH) {
+    if (NH % T != 0) {
