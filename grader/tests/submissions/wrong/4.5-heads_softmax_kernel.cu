// 4.5 heads_softmax_kernel
    const size_t n = (size_t)blockIdx.x * WARPS + threadIdx.y;
    if (n >= rows) {
        return; // the whole warp: no other warp waits for it
    }
    const size_t b = n / T / NH, t = n % T;
    const float *scores_n = scores_dev + n * S;
    float *weights_n = weights_dev + n * S;
    const uint8_t *mask_bt = mask_dev == NULL ? NULL : mask_dev + b * mask_stride + t * S;

    // pass 1: the largest allowed score
    float max = -INFINITY;
    for (size_t s = threadIdx.x; s < S; s += WARP) {
        if (mask_bt == NULL || mask_bt[s] != 0) {
            max = fmaxf(max, scores_n[s]);
        }
    }
    max = warp_max(max);

    // pass 2: exponentials, exactly 0 where it is forbidden, and their sum
    float sum = 0.0f;
    for (size_t s = threadIdx.x; s < S; s += WARP) {
        const bool allowed = mask_bt == NULL || mask_bt[s] != 0;
        const float e = allowed ? expf(scores_n[s] - max) : 0.0f;
        weights_n[s] = e;
        sum += e;
    }
    sum = warp_sum(sum);

    // pass 3: the row sums to 1; every lane reads what it wrote itself
    const float scale = sum > 0.0f ? 1.0f / sum : 0.0f;
    for (size_t s = threadIdx.x; s < S; s += WARP) {
        weights_n[s] *= scale;
    }

@ fully-masked-nan
-        const float e = allowed ? expf(scores_n[s] - max) : 0.0f;
+        const float e = allowed ? expf(scores_n[s] - max) : expf(-INFINITY - max);

-    const float scale = sum > 0.0f ? 1.0f / sum : 0.0f;
+    const float scale = 1.0f / sum;

@ mask-of-sequence-0
-    const size_t b = n / T / NH, t = n % T;
+    const size_t t = n % T;
+    (void)NH, (void)mask_stride;

-    const uint8_t *mask_bt = mask_dev == NULL ? NULL : mask_dev + b * mask_stride + t * S;
+    const uint8_t *mask_bt = mask_dev == NULL ? NULL : mask_dev + t * S;

@ max-of-the-first-keys: none
-    for (size_t s = threadIdx.x; s < S; s += WARP) {
+    for (size_t s = threadIdx.x; s < S && s < WARP; s += WARP) {
         if (mask_bt == NULL || mask_bt[s] != 0) {

@ max-in-int: none
-    float max = -INFINITY;
+    int max = -2147483647;

@ max-by-the-first-mask: none
-        if (mask_bt == NULL || mask_bt[s] != 0) {
+        if (mask_bt == NULL || mask_dev[s] != 0) {
             max = fmaxf(max, scores_n[s]);

@ own-maximum
-    max = warp_max(max);

@ own-row
-    max = warp_max(max);

-    sum = warp_sum(sum);

@ own-sum
-    sum = warp_sum(sum);

-    const float scale = sum > 0.0f ? 1.0f / sum : 0.0f;

-        weights_n[s] *= scale;
+        weights_n[s] = sum > 0.0f ? weights_n[s] / sum : 0.0f;

@ row-of-a-thread: race-global
-    const size_t n = (size_t)blockIdx.x * WARPS + threadIdx.y;
+    const size_t n = (size_t)blockIdx.x * WARPS;

@ max-from-zero
-    float max = -INFINITY;
+    float max = 0.0f;

@ max-from-minus-10000: max-from-zero
-    float max = -INFINITY;
+    float max = -10000.0f;

@ max-from-minus-1e9
-    float max = -INFINITY;
+    float max = -1e9f;

@ half-warp
-    max = warp_max(max);
+    for (int step = WARP / 4; step > 0; step /= 2) {
+        max = fmaxf(max, __shfl_xor_sync(0xffffffffu, max, step));
+    }

-    sum = warp_sum(sum);
+    for (int step = WARP / 4; step > 0; step /= 2) {
+        sum += __shfl_xor_sync(0xffffffffu, sum, step);
+    }

@ nothing-20-below: none
-        const float e = allowed ? expf(scores_n[s] - max) : 0.0f;
+        const float below = scores_n[s] - max;
+        const float e = allowed && below > -20.0f ? expf(below) : 0.0f;
