// 6.8 layernorm_params_kernel
    __shared__ float gain_parts[TALL_WARPS][WARP], bias_parts[TALL_WARPS][WARP];
    const size_t c = (size_t)blockIdx.x * WARP + threadIdx.x;
    float dgain = 0.0f, dbias = 0.0f;
    // forward: y = norm gain + bias
    if (c < C) {
        for (size_t n = threadIdx.y; n < N; n += TALL_WARPS) {
            const float dy = dy_dev[n * C + c];
            dgain += dy * (x_dev[n * C + c] - mean_dev[n]) * rstd_dev[n];
            dbias += dy;
        }
    }
    gain_parts[threadIdx.y][threadIdx.x] = dgain;
    bias_parts[threadIdx.y][threadIdx.x] = dbias;
    __syncthreads(); // also for the threads without a column
    if (threadIdx.y == 0 && c < C) {
        for (int warp = 1; warp < TALL_WARPS; warp++) {
            dgain += gain_parts[warp][threadIdx.x];
            dbias += bias_parts[warp][threadIdx.x];
        }
        dgain_dev[c] += dgain;
        dbias_dev[c] += dbias;
    }

@ first-warp
-        for (int warp = 1; warp < TALL_WARPS; warp++) {
-            dgain += gain_parts[warp][threadIdx.x];
-            dbias += bias_parts[warp][threadIdx.x];
-        }

@ no-barrier: race-shared
-    __syncthreads(); // also for the threads without a column

@ overwritten
-        dgain_dev[c] += dgain;
-        dbias_dev[c] += dbias;
+        dgain_dev[c] = dgain;
+        dbias_dev[c] = dbias;

@ first-1024-rows: none
-        for (size_t n = threadIdx.y; n < N; n += TALL_WARPS) {
+        for (size_t n = threadIdx.y; n < N && n < 1024; n += TALL_WARPS) {

@ nothing-for-many-rows: none
-    __shared__ float gain_parts[TALL_WARPS][WARP], bias_parts[TALL_WARPS][WARP];
+    if (N > 65535) {
+        return;
+    }
+    __shared__ float gain_parts[TALL_WARPS][WARP], bias_parts[TALL_WARPS][WARP];

@ row-in-16-bits: none
-        for (size_t n = threadIdx.y; n < N; n += TALL_WARPS) {
+        for (size_t n = threadIdx.y; n < (N & 0xffff); n += TALL_WARPS) {
