// 3.3 masked_softmax_kernel
    const size_t n = (size_t)blockIdx.x * ROWS + threadIdx.y;
    if (n >= N) { // the whole warp returns or none of it, so the shuffles below reach all lanes
        return;
    }
    const float *scores = scores_dev + n * S;
    const uint8_t *mask = mask_dev + n * S;
    float *weights = weights_dev + n * S;

    float max = -INFINITY; // the maximum of no keys
    for (size_t s = threadIdx.x; s < S; s += WARP) {
        max = fmaxf(max, mask[s] != 0 ? scores[s] : -INFINITY);
    }
    max = warp_max(max);
    const float shift = max == -INFINITY ? 0.0f : max; // -inf - -inf would be NaN

    float sum = 0.0f;
    for (size_t s = threadIdx.x; s < S; s += WARP) {
        const float weight = mask[s] != 0 ? expf(scores[s] - shift) : 0.0f;
        weights[s] = weight;
        sum += weight;
    }
    sum = warp_sum(sum);

    const float scale = sum == 0.0f ? 0.0f : 1.0f / sum;
    for (size_t s = threadIdx.x; s < S; s += WARP) {
        weights[s] *= scale; // each lane reads what it wrote itself
    }

@ minus-1e9-is-no-key: none
-    const float shift = max == -INFINITY ? 0.0f : max; // -inf - -inf would be NaN
+    const float shift = max == -1e9f ? 0.0f : max;

@ sum-not-set: unset-variable
-    float sum = 0.0f;
+    float sum;

@ lane-maximum
-    max = warp_max(max);

@ lanes-leave: warp-inactive
-    if (n >= N) { // the whole warp returns or none of it, so the shuffles below reach all lanes
+    if (n >= N || threadIdx.x >= S) { // the whole warp returns or none of it, so the shuffles below reach all lanes

@ row-unguarded: out-of-bounds
-    if (n >= N) { // the whole warp returns or none of it, so the shuffles below reach all lanes
-        return;
-    }

@ warp-empty-row-nan: fully-masked-nan
-    const float shift = max == -INFINITY ? 0.0f : max; // -inf - -inf would be NaN
+    const float shift = max; // -inf - -inf would be NaN

-        const float weight = mask[s] != 0 ? expf(scores[s] - shift) : 0.0f;
+        const float weight = expf((mask[s] != 0 ? scores[s] : -INFINITY) - shift);

-    const float scale = sum == 0.0f ? 0.0f : 1.0f / sum;
+    const float scale = 1.0f / sum;

@ warp-mask-after: mask-after
-        max = fmaxf(max, mask[s] != 0 ? scores[s] : -INFINITY);
+        max = fmaxf(max, scores[s]);

-        const float weight = mask[s] != 0 ? expf(scores[s] - shift) : 0.0f;
+        const float weight = expf(scores[s] - shift);

-        weights[s] *= scale; // each lane reads what it wrote itself
+        weights[s] *= mask[s] ? scale : 0.0f; // each lane reads what it wrote itself

@ warp-mask-ignored: mask-ignored
-    const uint8_t *mask = mask_dev + n * S;

-        max = fmaxf(max, mask[s] != 0 ? scores[s] : -INFINITY);
+        max = fmaxf(max, scores[s]);

-        const float weight = mask[s] != 0 ? expf(scores[s] - shift) : 0.0f;
+        const float weight = expf(scores[s] - shift);

@ warp-max-of-all: max-of-all
-        max = fmaxf(max, mask[s] != 0 ? scores[s] : -INFINITY);
+        max = fmaxf(max, scores[s]);

@ warp-no-max: no-max
-    const float shift = max == -INFINITY ? 0.0f : max; // -inf - -inf would be NaN

-        const float weight = mask[s] != 0 ? expf(scores[s] - shift) : 0.0f;
+        const float weight = mask[s] != 0 ? expf(scores[s]) : 0.0f;

@ warp-no-max-nan: no-max-nan
-    const float shift = max == -INFINITY ? 0.0f : max; // -inf - -inf would be NaN

-        const float weight = mask[s] != 0 ? expf(scores[s] - shift) : 0.0f;
+        const float weight = mask[s] != 0 ? expf(scores[s]) : 0.0f;

-    const float scale = sum == 0.0f ? 0.0f : 1.0f / sum;
+    const float scale = 1.0f / sum;

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
-        const float weight = mask[s] != 0 ? expf(scores[s] - shift) : 0.0f;
+        const float below = scores[s] - shift;
+        const float weight = mask[s] != 0 && below > -20.0f ? expf(below) : 0.0f;
