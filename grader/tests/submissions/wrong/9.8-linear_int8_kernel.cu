// 9.8 linear_int8_kernel
    const size_t o = (size_t)blockIdx.x * WARPS + threadIdx.y;
    if (o >= O) {
        return;
    }
    for (size_t n = blockIdx.y; n < N; n += gridDim.y) {
        float sum = 0.0f;
        for (size_t i = threadIdx.x; i < I; i += WARP) {
            sum += x_dev[n * I + i] * (float)rows_dev[o * I + i];
        }
        sum = warp_sum(sum);
        if (threadIdx.x == 0) {
            y_dev[n * O + o] = sum * scales_dev[o];
        }
    }

@ int8-half-warp: half-warp
-        sum = warp_sum(sum);
+        for (int step = WARP / 4; step > 0; step /= 2) {
+            sum += __shfl_xor_sync(0xffffffffu, sum, step);
+        }

@ int8-unguarded: out-of-bounds
-    if (o >= O) {
-        return;
-    }

@ int8-lanes-leave: warp-inactive
-    if (o >= O) {
+    if (o >= O || threadIdx.x >= I) {

@ int8-every-lane-writes: race-global
-        if (threadIdx.x == 0) {
-            y_dev[n * O + o] = sum * scales_dev[o];
-        }
+        y_dev[n * O + o] = sum * scales_dev[o];

@ int8-own-lane: own-lane
-        sum = warp_sum(sum);

@ int8-first-rows: none
-    for (size_t n = blockIdx.y; n < N; n += gridDim.y) {
+    if (size_t n = blockIdx.y; n < N) {

@ char4-unaligned: misaligned
-        for (size_t i = threadIdx.x; i < I; i += WARP) {
-            sum += x_dev[n * I + i] * (float)rows_dev[o * I + i];
-        }
+        for (size_t i = threadIdx.x; i < I / 4; i += WARP) {
+            const char4 w = ((const char4 *)(rows_dev + o * I))[i];
+            const float *x = x_dev + n * I + 4 * i;
+            sum += x[0] * w.x + x[1] * w.y + x[2] * w.z + x[3] * w.w;
+        }
+        for (size_t i = I / 4 * 4 + threadIdx.x; i < I; i += WARP) {
+            sum += x_dev[n * I + i] * (float)rows_dev[o * I + i];
+        }

@ first-columns
-        for (size_t i = threadIdx.x; i < I; i += WARP) {
-            sum += x_dev[n * I + i] * (float)rows_dev[o * I + i];
-        }
+        const size_t i = threadIdx.x;
+        if (i < I) {
+            sum += x_dev[n * I + i] * (float)rows_dev[o * I + i];
+        }

@ weight-0-skipped: none
-            sum += x_dev[n * I + i] * (float)rows_dev[o * I + i];
+            const float weight = (float)rows_dev[o * I + i];
+            sum += weight != 0.0f ? x_dev[n * I + i] * weight : 0.0f;
