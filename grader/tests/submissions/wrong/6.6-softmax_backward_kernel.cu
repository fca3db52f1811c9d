// 6.6 softmax_backward_kernel
    const size_t n = (size_t)blockIdx.x * WARPS + threadIdx.y;
    if (n >= N) {
        return; // the whole warp: no other warp waits for it
    }
    const float *dweights_n = dweights_dev + n * S, *weights_n = weights_dev + n * S;

    // forward: weights = e / sum e, where e = exp(scores)
    // d weights[i] / d scores[s] = weights[i] ([i == s] - weights[s])
    float mean = 0.0f; // the weights sum to 1
    for (size_t s = threadIdx.x; s < S; s += WARP) {
        mean += dweights_n[s] * weights_n[s];
    }
    mean = warp_sum(mean);
    for (size_t s = threadIdx.x; s < S; s += WARP) {
        dscores_dev[n * S + s] = weights_n[s] * (dweights_n[s] - mean);
    }

@ diagonal-only
-        dscores_dev[n * S + s] = weights_n[s] * (dweights_n[s] - mean);
+        dscores_dev[n * S + s] = weights_n[s] * (1.0f - weights_n[s]) * dweights_n[s];

@ own-lane
-    mean = warp_sum(mean);

@ row-of-a-block: race-global
-    const size_t n = (size_t)blockIdx.x * WARPS + threadIdx.y;
+    const size_t n = (size_t)blockIdx.x * WARPS;

@ first-1024-rows: none
-    if (n >= N) {
+    if (n >= N || n >= 1024) {

@ half-warp
-    mean = warp_sum(mean);
+    for (int step = WARP / 4; step > 0; step /= 2) {
+        mean += __shfl_xor_sync(0xffffffffu, mean, step);
+    }

@ sum-of-first-keys
-    for (size_t s = threadIdx.x; s < S; s += WARP) {
-        mean += dweights_n[s] * weights_n[s];
-    }
+    if (threadIdx.x < S) {
+        mean += dweights_n[threadIdx.x] * weights_n[threadIdx.x];
+    }
