// 8.3 rmsnorm_dx_kernel
    const size_t n = (size_t)blockIdx.x * WARPS + threadIdx.y;
    if (n >= N) {
        return; // the whole warp: no other warp waits for it
    }
    const float r = rrms_dev[n];
    float mean = 0.0f;
    for (size_t c = threadIdx.x; c < C; c += WARP) {
        mean += dy_dev[n * C + c] * gain_dev[c] * x_dev[n * C + c] * r;
    }
    mean = warp_sum(mean) / (float)C;
    for (size_t c = threadIdx.x; c < C; c += WARP) {
        const float norm = x_dev[n * C + c] * r;
        dx_dev[n * C + c] = r * (dy_dev[n * C + c] * gain_dev[c] - norm * mean);
    }

@ no-projection
-        dx_dev[n * C + c] = r * (dy_dev[n * C + c] * gain_dev[c] - norm * mean);
+        dx_dev[n * C + c] = r * dy_dev[n * C + c] * gain_dev[c];
+        (void)norm;

@ own-lane
-    mean = warp_sum(mean) / (float)C;
+    mean = mean / (float)C;

@ row-in-shared-memory: out-of-bounds
-    float mean = 0.0f;
+    __shared__ float rows[WARPS][2048]; // as wide as it gets
+    float mean = 0.0f, *norms = rows[threadIdx.y];

-        mean += dy_dev[n * C + c] * gain_dev[c] * x_dev[n * C + c] * r;
+        norms[c] = x_dev[n * C + c] * r;
+        mean += dy_dev[n * C + c] * gain_dev[c] * norms[c];

-        const float norm = x_dev[n * C + c] * r;
+        const float norm = norms[c];

@ half-warp
-    mean = warp_sum(mean) / (float)C;
+    for (int step = WARP / 4; step > 0; step /= 2) {
+        mean += __shfl_xor_sync(0xffffffffu, mean, step);
+    }
+    mean = mean / (float)C;

@ first-channels
-    for (size_t c = threadIdx.x; c < C; c += WARP) {
-        mean += dy_dev[n * C + c] * gain_dev[c] * x_dev[n * C + c] * r;
-    }
+    const size_t x = threadIdx.x;
+    if (x < C) {
+        mean += dy_dev[n * C + x] * gain_dev[x] * x_dev[n * C + x] * r;
+    }
