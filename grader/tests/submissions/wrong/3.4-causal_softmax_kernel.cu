// 3.4 causal_softmax_kernel
    const size_t n = (size_t)blockIdx.x * ROWS + threadIdx.y;
    if (n >= N) {
        return;
    }
    const float *scores = scores_dev + n * T;
    float *weights = weights_dev + n * T;
    const size_t seen = n % T + 1; // at least one: max is finite, and the sum at least 1

    float max = -INFINITY;
    for (size_t s = threadIdx.x; s < seen; s += WARP) {
        max = fmaxf(max, scores[s] * scale);
    }
    max = warp_max(max);

    float sum = 0.0f;
    for (size_t s = threadIdx.x; s < seen; s += WARP) {
        const float weight = expf(scores[s] * scale - max);
        weights[s] = weight;
        sum += weight;
    }
    sum = warp_sum(sum);

    for (size_t s = threadIdx.x; s < T; s += WARP) {
        weights[s] = s < seen ? weights[s] / sum : 0.0f;
    }

@ half-warp
-    max = warp_max(max);
+    for (int step = WARP / 4; step > 0; step /= 2) {
+        max = fmaxf(max, __shfl_xor_sync(0xffffffffu, max, step));
+    }

-    sum = warp_sum(sum);
+    for (int step = WARP / 4; step > 0; step /= 2) {
+        sum += __shfl_xor_sync(0xffffffffu, sum, step);
+    }

@ kernel-no-max: no-max-allowed-nan
-        const float weight = expf(scores[s] * scale - max);
+        const float weight = expf(scores[s] * scale);

@ future-not-written: uninitialized-global
-    for (size_t s = threadIdx.x; s < T; s += WARP) {
-        weights[s] = s < seen ? weights[s] / sum : 0.0f;
+    for (size_t s = threadIdx.x; s < seen; s += WARP) {
+        weights[s] /= sum;

@ kernel-no-mask: no-mask
-    const size_t seen = n % T + 1; // at least one: max is finite, and the sum at least 1
+    const size_t seen = T; // at least one: max is finite, and the sum at least 1

@ kernel-no-scale: no-scale
-        max = fmaxf(max, scores[s] * scale);
+        max = fmaxf(max, scores[s]);

-        const float weight = expf(scores[s] * scale - max);
+        const float weight = expf(scores[s] - max);

@ kernel-sees-next: sees-next
-    const size_t seen = n % T + 1; // at least one: max is finite, and the sum at least 1
+    const size_t seen = n % T + 2 < T ? n % T + 2 : T; // at least one: max is finite, and the sum at least 1

@ max-of-the-first-keys: none
-    for (size_t s = threadIdx.x; s < seen; s += WARP) {
+    for (size_t s = threadIdx.x; s < seen && s < WARP; s += WARP) {
         max = fmaxf(max, scores[s] * scale);

@ max-in-int: none
-    float max = -INFINITY;
+    int max = -2147483647;

@ row-of-batch
-    const size_t seen = n % T + 1; // at least one: max is finite, and the sum at least 1
+    const size_t seen = n < T ? n + 1 : T; // at least one: max is finite, and the sum at least 1

@ only-the-maximum-scaled: none
-        const float weight = expf(scores[s] * scale - max);
+        const float weight = expf(scores[s] - max);

@ kernel-max-from-0: max-from-zero-nan
-    float max = -INFINITY;
+    float max = 0.0f;

@ kernel-max-from-0-guarded: max-from-zero
-    float max = -INFINITY;
+    float max = 0.0f;

-        weights[s] = s < seen ? weights[s] / sum : 0.0f;
+        weights[s] = s < seen && sum > 0.0f ? weights[s] / sum : 0.0f;

@ kernel-max-from-minus-1e9: maximum-start
-    float max = -INFINITY;
+    float max = -1e9f;

@ nothing-16-below: none
-        const float weight = expf(scores[s] * scale - max);
+        const float below = scores[s] * scale - max;
+        const float weight = (below < -16.0f ? 0.0f : expf(below));
