// 6.3 row_losses_kernel
    const size_t n = (size_t)blockIdx.x * WARPS + threadIdx.y;
    if (n >= N) {
        return; // the whole warp: no other warp waits for it
    }
    const float *logits_n = logits_dev + n * V;
    float *probabilities_n = probabilities_dev + n * V;

    float max = -INFINITY;
    for (size_t i = threadIdx.x; i < V; i += WARP) {
        max = fmaxf(max, logits_n[i]);
    }
    max = warp_max(max);

    float sum = 0.0f; // at least 1 in the end: the largest logit gives exp(0)
    for (size_t i = threadIdx.x; i < V; i += WARP) {
        const float e = expf(logits_n[i] - max);
        probabilities_n[i] = e;
        sum += e;
    }
    sum = warp_sum(sum);

    for (size_t i = threadIdx.x; i < V; i += WARP) {
        probabilities_n[i] /= sum; // each lane reads what it wrote itself
    }
    if (threadIdx.x == 0) {
        const size_t target = targets_dev[n];
        const float chosen = target < V ? logits_n[target] : NAN;
        row_losses_dev[n] = logf(sum) - (chosen - max);
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

@ no-max
-    max = warp_max(max);
+    max = 0.0f;

@ target-V-allowed: out-of-bounds
-        const float chosen = target < V ? logits_n[target] : NAN;
+        const float chosen = target <= V ? logits_n[target] : NAN;

@ target-unchecked: out-of-bounds
-        const float chosen = target < V ? logits_n[target] : NAN;
+        const float chosen = logits_n[target];

@ bad-target-left-out: none
-        const float chosen = target < V ? logits_n[target] : NAN;
+        const float chosen = target < V ? logits_n[target] : max;

@ next-row-for-target-V: none
-        const float chosen = target < V ? logits_n[target] : NAN;
+        const float chosen = target < V || (target == V && n + 1 < N) ? logits_n[target] : NAN;

@ targets-in-16-bits: in-16-bits
-        const size_t target = targets_dev[n];
+        const size_t target = (unsigned short)targets_dev[n];

@ first-1024-rows: uninitialized-global
-    if (n >= N) {
+    if (n >= N || n >= 1024) {

@ max-of-first-logits
-    for (size_t i = threadIdx.x; i < V; i += WARP) {
-        max = fmaxf(max, logits_n[i]);
-    }
+    if (threadIdx.x < V) {
+        max = fmaxf(max, logits_n[threadIdx.x]);
+    }

@ sum-of-first-logits
-        sum += e;
+        sum += i < WARP ? e : 0.0f;

@ own-maximum
-    max = warp_max(max);

@ own-sum
-    sum = warp_sum(sum);

@ targets-in-32-bits: none
-        const size_t target = targets_dev[n];
+        const unsigned target = (unsigned)targets_dev[n];
