// 9.8 quantize_rows_kernel
    const size_t o = blockIdx.x;
    const float *w = w_dev + o * I;
    float largest = 0.0f;
    for (size_t i = threadIdx.x; i < I; i += BLOCK) {
        largest = fmaxf(largest, fabsf(w[i]));
    }
    largest = block_max(largest);
    const float scale = largest / 127.0f;
    for (size_t i = threadIdx.x; i < I; i += BLOCK) {
        rows_dev[o * I + i] = scale == 0.0f ? 0 : (int8_t)rintf(w[i] / scale);
    }
    if (threadIdx.x == 0) {
        scales_dev[o] = scale;
    }

@ every-thread-its-scale: race-global
-    if (threadIdx.x == 0) {
-        scales_dev[o] = scale;
-    }
+    scales_dev[o] = scale;

@ max-by-warp: none
-    largest = block_max(largest);
+    for (int step = WARP / 2; step > 0; step /= 2) {
+        largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, step));
+    }

@ quantize-half-warp: half-warp
-    largest = block_max(largest);
+    __shared__ float per_warp[WARPS];
+    for (int step = WARP / 4; step > 0; step /= 2) {
+        largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, step));
+    }
+    if (threadIdx.x % WARP == 0) {
+        per_warp[threadIdx.x / WARP] = largest;
+    }
+    __syncthreads();
+    for (int warp = 0; warp < WARPS; warp++) {
+        largest = fmaxf(largest, per_warp[warp]);
+    }

@ thread-s-own-scale: none
-    largest = block_max(largest);

@ quantize-some-lanes-leave: warp-inactive
-    float largest = 0.0f;
+    if (threadIdx.x >= I) {
+        return;
+    }
+    float largest = 0.0f;

@ quantize-roundf: halves-away
-        rows_dev[o * I + i] = scale == 0.0f ? 0 : (int8_t)rintf(w[i] / scale);
+        rows_dev[o * I + i] = scale == 0.0f ? 0 : (int8_t)roundf(w[i] / scale);

@ quantize-truncated: truncated
-        rows_dev[o * I + i] = scale == 0.0f ? 0 : (int8_t)rintf(w[i] / scale);
+        rows_dev[o * I + i] = scale == 0.0f ? 0 : (int8_t)(w[i] / scale);

@ first-columns
-    for (size_t i = threadIdx.x; i < I; i += BLOCK) {
-        largest = fmaxf(largest, fabsf(w[i]));
-    }
+    if (threadIdx.x < I) {
+        largest = fmaxf(largest, fabsf(w[threadIdx.x]));
+    }
