// 6.3 mean_kernel
    __shared__ double sums[BLOCK];
    double sum = 0.0;
    for (size_t n = threadIdx.x; n < N; n += BLOCK) {
        sum += row_losses_dev[n];
    }
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            sums[threadIdx.x] += sums[threadIdx.x + half];
        }
        __syncthreads(); // outside the if: all threads of the block must reach it
    }
    if (threadIdx.x == 0) {
        *loss_dev = (float)(sums[0] / (double)N);
    }

@ barrier-in-the-if: barrier-missed
             sums[threadIdx.x] += sums[threadIdx.x + half];
+            __syncthreads();

-        __syncthreads(); // outside the if: all threads of the block must reach it

@ no-barrier-in-the-tree: race-shared
-        __syncthreads(); // outside the if: all threads of the block must reach it

@ sum
-        *loss_dev = (float)(sums[0] / (double)N);
+        *loss_dev = (float)(sums[0]);

@ nothing-for-many-rows: none
-    __shared__ double sums[BLOCK];
+    if (N > 65535) {
+        return;
+    }
+    __shared__ double sums[BLOCK];

@ without-the-last-of-many-rows: none
-    for (size_t n = threadIdx.x; n < N; n += BLOCK) {
+    for (size_t n = threadIdx.x; n < N - (N > 65535); n += BLOCK) {

@ first-rows-only
-    for (size_t n = threadIdx.x; n < N; n += BLOCK) {
+    for (size_t n = threadIdx.x; n < N && n < BLOCK; n += BLOCK) {
