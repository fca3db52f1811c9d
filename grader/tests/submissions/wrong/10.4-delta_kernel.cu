// 10.4 delta_kernel
    const size_t n = (size_t)blockIdx.x * WARPS + threadIdx.x / WARP;
    if (n >= N) {
        return;
    }
    float sum = 0.0f;
    for (size_t c = threadIdx.x % WARP; c < hs; c += WARP) {
        sum += dout_dev[n * hs + c] * out_dev[n * hs + c];
    }
    sum = warp_sum(sum);
    if (threadIdx.x % WARP == 0) {
        delta_dev[n] = sum;
    }

@ delta-of-one-lane: none
-    sum = warp_sum(sum);

@ delta-half-warp: half-warp
-    sum = warp_sum(sum);
+    for (int step = WARP / 4; step > 0; step /= 2) {
+        sum += __shfl_xor_sync(0xffffffffu, sum, step);
+    }

@ delta-of-32-channels: none
-    for (size_t c = threadIdx.x % WARP; c < hs; c += WARP) {
+    for (size_t c = threadIdx.x % WARP; c < hs; c += hs) {

@ delta-of-dout
-        sum += dout_dev[n * hs + c] * out_dev[n * hs + c];
+        sum += dout_dev[n * hs + c] * dout_dev[n * hs + c];

@ delta-behind-the-end: out-of-bounds
-    if (n >= N) {
+    if (n > N) {

@ delta-shuffle-in-branch: warp-inactive
-    sum = warp_sum(sum);
+    if (threadIdx.x % WARP < hs) {
+        sum = warp_sum(sum);
+    }

@ delta-of-a-block: race-global
-    const size_t n = (size_t)blockIdx.x * WARPS + threadIdx.x / WARP;
+    const size_t n = (size_t)blockIdx.x + threadIdx.x / WARP;
