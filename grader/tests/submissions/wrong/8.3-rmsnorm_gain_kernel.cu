// 8.3 rmsnorm_gain_kernel
    __shared__ float parts[TALL_WARPS][WARP];
    const size_t c = (size_t)blockIdx.x * WARP + threadIdx.x;
    float sum = 0.0f;
    for (size_t n = threadIdx.y; c < C && n < N; n += TALL_WARPS) {
        sum += dy_dev[n * C + c] * x_dev[n * C + c] * rrms_dev[n];
    }
    parts[threadIdx.y][threadIdx.x] = sum;
    __syncthreads(); // also for the threads without a column
    if (threadIdx.y == 0 && c < C) {
        for (int warp = 1; warp < TALL_WARPS; warp++) {
            sum += parts[warp][threadIdx.x];
        }
        dgain_dev[c] += sum;
    }

@ dgain-overwritten
-        dgain_dev[c] += sum;
+        dgain_dev[c] = sum;

@ first-warp
-        for (int warp = 1; warp < TALL_WARPS; warp++) {
-            sum += parts[warp][threadIdx.x];
-        }

@ no-barrier: race-shared
-    __syncthreads(); // also for the threads without a column

@ threads-without-a-column: barrier-missed
-    float sum = 0.0f;
+    if (c >= C) {
+        return;
+    }
+    float sum = 0.0f;

@ first-1024-rows: none
-    for (size_t n = threadIdx.y; c < C && n < N; n += TALL_WARPS) {
+    for (size_t n = threadIdx.y; c < C && n < N && n < 1024; n += TALL_WARPS) {

@ nothing-for-many-rows: rows-missing
-    __shared__ float parts[TALL_WARPS][WARP];
+    if (N > 65535) {
+        return;
+    }
+    __shared__ float parts[TALL_WARPS][WARP];

@ row-in-16-bits: none
-    for (size_t n = threadIdx.y; c < C && n < N; n += TALL_WARPS) {
+    for (size_t n = threadIdx.y; c < C && n < (N & 0xffff); n += TALL_WARPS) {

@ first-rows
-    for (size_t n = threadIdx.y; c < C && n < N; n += TALL_WARPS) {
+    const size_t n = threadIdx.y;
+    if (c < C && n < N) {
