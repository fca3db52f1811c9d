// 8.3 rmsnorm_kernel
    const size_t n = (size_t)blockIdx.x * WARPS + threadIdx.y;
    if (n >= N) {
        return; // the whole warp: no other warp waits for it
    }
    float sum = 0.0f;
    for (size_t c = threadIdx.x; c < C; c += WARP) {
        sum += x_dev[n * C + c] * x_dev[n * C + c];
    }
    sum = warp_sum(sum);
    const float r = rsqrtf(sum / (float)C + RMSNORM_EPS);
    for (size_t c = threadIdx.x; c < C; c += WARP) {
        y_dev[n * C + c] = x_dev[n * C + c] * r * gain_dev[c];
    }
    if (threadIdx.x == 0) {
        rrms_dev[n] = r;
    }

@ eps-outside
-    const float r = rsqrtf(sum / (float)C + RMSNORM_EPS);
+    const float r = 1.0f / (sqrtf(sum / (float)C) + RMSNORM_EPS);

@ own-lane
-    sum = warp_sum(sum);

@ unguarded: out-of-bounds
-    if (n >= N) {
-        return; // the whole warp: no other warp waits for it
-    }

@ every-lane-writes-rrms: race-global
-    if (threadIdx.x == 0) {
-        rrms_dev[n] = r;
-    }
+    rrms_dev[n] = r;

@ row-in-shared-memory: out-of-bounds
-    float sum = 0.0f;
+    __shared__ float rows[WARPS][2048]; // as wide as it gets
+    float sum = 0.0f, *row = rows[threadIdx.y];

-        sum += x_dev[n * C + c] * x_dev[n * C + c];
+        row[c] = x_dev[n * C + c];
+        sum += row[c] * row[c];

-        y_dev[n * C + c] = x_dev[n * C + c] * r * gain_dev[c];
+        y_dev[n * C + c] = row[c] * r * gain_dev[c];

@ half-warp
-    sum = warp_sum(sum);
+    for (int step = WARP / 4; step > 0; step /= 2) {
+        sum += __shfl_xor_sync(0xffffffffu, sum, step);
+    }

@ first-channels
-    for (size_t c = threadIdx.x; c < C; c += WARP) {
-        sum += x_dev[n * C + c] * x_dev[n * C + c];
-    }
+    if (threadIdx.x < C) {
+        sum += x_dev[n * C + threadIdx.x] * x_dev[n * C + threadIdx.x];
+    }
