// 6.8 layernorm_dx_kernel
    const size_t n = (size_t)blockIdx.x * WARPS + threadIdx.y;
    if (n >= N) {
        return; // the whole warp: no other warp waits for it
    }
    const float *dy_n = dy_dev + n * C, *x_n = x_dev + n * C;
    const float mean = mean_dev[n], rstd = rstd_dev[n];

    // forward: norm = (x - mean) rstd, and both mean and rstd are made of x
    float dnorm_mean = 0.0f, dnorm_norm_mean = 0.0f;
    for (size_t c = threadIdx.x; c < C; c += WARP) {
        const float norm = (x_n[c] - mean) * rstd, dnorm = dy_n[c] * gain_dev[c];
        dnorm_mean += dnorm;
        dnorm_norm_mean += dnorm * norm;
    }
    dnorm_mean = warp_sum(dnorm_mean) / (float)C;
    dnorm_norm_mean = warp_sum(dnorm_norm_mean) / (float)C;
    for (size_t c = threadIdx.x; c < C; c += WARP) {
        const float norm = (x_n[c] - mean) * rstd, dnorm = dy_n[c] * gain_dev[c];
        dx_dev[n * C + c] = rstd * (dnorm - dnorm_mean - norm * dnorm_norm_mean);
    }

@ own-lane
-    dnorm_mean = warp_sum(dnorm_mean) / (float)C;
-    dnorm_norm_mean = warp_sum(dnorm_norm_mean) / (float)C;
+    dnorm_mean = dnorm_mean / (float)C;
+    dnorm_norm_mean = dnorm_norm_mean / (float)C;

@ statistics-constant
-    dnorm_mean = warp_sum(dnorm_mean) / (float)C;
-    dnorm_norm_mean = warp_sum(dnorm_norm_mean) / (float)C;
+    (void)dnorm_mean, (void)dnorm_norm_mean;

-        dx_dev[n * C + c] = rstd * (dnorm - dnorm_mean - norm * dnorm_norm_mean);
+        dx_dev[n * C + c] = rstd * dnorm;

@ row-in-shared-memory: out-of-bounds
-    float dnorm_mean = 0.0f, dnorm_norm_mean = 0.0f;
+    __shared__ float rows[WARPS][2048]; // as wide as it gets
+    float dnorm_mean = 0.0f, dnorm_norm_mean = 0.0f, *norms = rows[threadIdx.y];

-        dnorm_mean += dnorm;
+        norms[c] = norm;
+        dnorm_mean += dnorm;

-        const float norm = (x_n[c] - mean) * rstd, dnorm = dy_n[c] * gain_dev[c];
+        const float norm = norms[c], dnorm = dy_n[c] * gain_dev[c];
         dx_dev[n * C + c] = rstd * (dnorm - dnorm_mean - norm * dnorm_norm_mean);

@ half-warp
-    dnorm_mean = warp_sum(dnorm_mean) / (float)C;
-    dnorm_norm_mean = warp_sum(dnorm_norm_mean) / (float)C;
+    for (int step = WARP / 4; step > 0; step /= 2) {
+        dnorm_mean += __shfl_xor_sync(0xffffffffu, dnorm_mean, step);
+        dnorm_norm_mean += __shfl_xor_sync(0xffffffffu, dnorm_norm_mean, step);
+    }
+    dnorm_mean /= (float)C;
+    dnorm_norm_mean /= (float)C;
