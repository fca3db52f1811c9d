// 6.5 add_rows_kernel
    __shared__ float parts[TALL_WARPS][WARP];
    const size_t o = (size_t)blockIdx.x * WARP + threadIdx.x;
    float sum = 0.0f;
    if (o < O) {
        for (size_t n = threadIdx.y; n < N; n += TALL_WARPS) {
            sum += dy_dev[n * O + o];
        }
    }
    parts[threadIdx.y][threadIdx.x] = sum;
    __syncthreads(); // also for the threads without a column
    if (threadIdx.y == 0 && o < O) {
        for (int warp = 1; warp < TALL_WARPS; warp++) {
            sum += parts[warp][threadIdx.x];
        }
        sums_dev[o] += sum;
    }

@ dbias-first-warp
-        for (int warp = 1; warp < TALL_WARPS; warp++) {
-            sum += parts[warp][threadIdx.x];
-        }

@ every-warp-adds: race-global
    const size_t o = (size_t)blockIdx.x * WARP + threadIdx.x;
    float sum = 0.0f;
    for (size_t n = threadIdx.y; o < O && n < N; n += TALL_WARPS) {
        sum += dy_dev[n * O + o];
    }
    if (o < O) {
        sums_dev[o] += sum; // by every warp
    }

@ no-barrier: race-shared
-    __syncthreads(); // also for the threads without a column

@ parts-of-no-column: uninitialized-shared
    __shared__ float parts[TALL_WARPS][WARP];
    const size_t o = (size_t)blockIdx.x * WARP + threadIdx.x;
    if (o < O) {
        float sum = 0.0f;
        for (size_t n = threadIdx.y; n < N; n += TALL_WARPS) {
            sum += dy_dev[n * O + o];
        }
        parts[threadIdx.y][threadIdx.x] = sum;
    }
    __syncthreads();
    if (threadIdx.y == 0) {
        float sum = 0.0f;
        for (int warp = 0; warp < TALL_WARPS; warp++) {
            sum += parts[warp][threadIdx.x]; // of a column that is not there, too
        }
        if (o < O) {
            sums_dev[o] += sum;
        }
    }

@ threads-without-a-column: barrier-missed
+    if (o >= O) {
+        return; // has no column
+    }
     float sum = 0.0f;

@ first-1024-rows: none
-        for (size_t n = threadIdx.y; n < N; n += TALL_WARPS) {
+        for (size_t n = threadIdx.y; n < N && n < 1024; n += TALL_WARPS) {
