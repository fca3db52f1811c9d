// 5.1 layernorm_kernel
    __shared__ float parts[ROW_WARPS];
    const size_t n = blockIdx.x;
    const float *x_n = x_dev + n * C;
    float *y_n = y_dev + n * C;

    // pass 1: the mean
    float sum = 0.0f;
    for (size_t c = threadIdx.x; c < C; c += ROW_BLOCK) {
        sum += x_n[c];
    }
    const float mean = block_sum(sum, parts) / (float)C;

    // pass 2: the variance, from the distances; x_n is in the cache now
    float squares = 0.0f;
    for (size_t c = threadIdx.x; c < C; c += ROW_BLOCK) {
        squares += (x_n[c] - mean) * (x_n[c] - mean);
    }
    const float variance = block_sum(squares, parts) / (float)C;
    const float rstd = 1.0f / sqrtf(variance + LAYERNORM_EPS);

    // pass 3: normalize, stretch, shift
    for (size_t c = threadIdx.x; c < C; c += ROW_BLOCK) {
        y_n[c] = (x_n[c] - mean) * rstd * gain_dev[c] + bias_dev[c];
    }
    if (threadIdx.x == 0) {
        mean_dev[n] = mean;
        rstd_dev[n] = rstd;
    }

@ nan-hidden: none
-    const float mean = block_sum(sum, parts) / (float)C;
+    const float total = block_sum(sum, parts);
+    const float mean = total == total ? total / (float)C : 0.0f;

@ eps-outside
-    const float rstd = 1.0f / sqrtf(variance + LAYERNORM_EPS);
+    const float rstd = 1.0f / (sqrtf(variance) + LAYERNORM_EPS);

@ everybody-writes-the-mean: race-global
-    if (threadIdx.x == 0) {
-        mean_dev[n] = mean;
-        rstd_dev[n] = rstd;
-    }
+    mean_dev[n] = mean;
+    rstd_dev[n] = rstd;

@ at-most-100: none
-        y_n[c] = (x_n[c] - mean) * rstd * gain_dev[c] + bias_dev[c];
+        y_n[c] = fminf(100.0f, (x_n[c] - mean) * rstd * gain_dev[c] + bias_dev[c]);

@ small-results-are-0: small-number
-        y_n[c] = (x_n[c] - mean) * rstd * gain_dev[c] + bias_dev[c];
+        const float y = (x_n[c] - mean) * rstd * gain_dev[c] + bias_dev[c];
+        y_n[c] = fabsf(y) < 1e-7f ? 0.0f : y;

@ own-warp
-    __shared__ float parts[ROW_WARPS];
+    enum { ALONE = 0 }; // no shared memory

-    // pass 1: the mean

-    const float mean = block_sum(sum, parts) / (float)C;
+    for (int step = WARP / 2; step > 0; step /= 2) {
+        sum += __shfl_xor_sync(0xffffffffu, sum, step);
+    }
+    const float mean = sum / (float)C;

-    // pass 2: the variance, from the distances; x_n is in the cache now

-    const float variance = block_sum(squares, parts) / (float)C;
-    const float rstd = 1.0f / sqrtf(variance + LAYERNORM_EPS);
+    for (int step = WARP / 2; step > 0; step /= 2) {
+        squares += __shfl_xor_sync(0xffffffffu, squares, step);
+    }
+    const float rstd = 1.0f / sqrtf(squares / (float)C + LAYERNORM_EPS);

-    // pass 3: normalize, stretch, shift

@ tiles-of-groups-left-alone: own-warp
+#include <cooperative_groups.h>
+#include <cooperative_groups/reduce.h>

-    __shared__ float parts[ROW_WARPS];
+    namespace cg = cooperative_groups;
+    const auto tile = cg::tiled_partition<WARP>(cg::this_thread_block());

-    const float mean = block_sum(sum, parts) / (float)C;
+    const float mean = cg::reduce(tile, sum, cg::plus<float>()) / (float)C;

-    const float variance = block_sum(squares, parts) / (float)C;
+    const float variance = cg::reduce(tile, squares, cg::plus<float>()) / (float)C;

@ threads-without-a-channel: warp-inactive
+    if (threadIdx.x >= C) {
+        return; // has no channel
+    }
     const size_t n = blockIdx.x;

@ unbiased
-    const float variance = block_sum(squares, parts) / (float)C;
+    const float variance = block_sum(squares, parts) / (float)(C - 1);

@ half-warp
-    const float mean = block_sum(sum, parts) / (float)C;
+    const bool first_half = threadIdx.x % WARP < WARP / 2;
+    const float mean = block_sum(first_half ? sum : 0.0f, parts) / (float)C;

-    const float variance = block_sum(squares, parts) / (float)C;
+    const float variance = block_sum(first_half ? squares : 0.0f, parts) / (float)C;

@ mean-of-first-channels
-    for (size_t c = threadIdx.x; c < C; c += ROW_BLOCK) {
-        sum += x_n[c];
-    }
+    if (threadIdx.x < C) {
+        sum += x_n[threadIdx.x];
+    }

@ variance-of-first-channels
-    for (size_t c = threadIdx.x; c < C; c += ROW_BLOCK) {
-        squares += (x_n[c] - mean) * (x_n[c] - mean);
-    }
+    if (threadIdx.x < C) {
+        squares += (x_n[threadIdx.x] - mean) * (x_n[threadIdx.x] - mean);
+    }

@ right-without-a-helper
    __shared__ float parts[ROW_WARPS];
    const size_t n = blockIdx.x;
    const float *x_n = x_dev + n * C;
    float *y_n = y_dev + n * C;

    float sum = 0.0f;
    for (size_t c = threadIdx.x; c < C; c += ROW_BLOCK) {
        sum += x_n[c];
    }
    for (int step = WARP / 2; step > 0; step /= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
    }
    if (threadIdx.x % WARP == 0) {
        parts[threadIdx.x / WARP] = sum;
    }
    __syncthreads();
    sum = 0.0f;
    for (int warp = 0; warp < ROW_WARPS; warp++) {
        sum += parts[warp];
    }
    __syncthreads();

    const float mean = sum / (float)C;

    float squares = 0.0f;
    for (size_t c = threadIdx.x; c < C; c += ROW_BLOCK) {
        squares += (x_n[c] - mean) * (x_n[c] - mean);
    }
    for (int step = WARP / 2; step > 0; step /= 2) {
        squares += __shfl_xor_sync(0xffffffffu, squares, step);
    }
    if (threadIdx.x % WARP == 0) {
        parts[threadIdx.x / WARP] = squares;
    }
    __syncthreads();
    squares = 0.0f;
    for (int warp = 0; warp < ROW_WARPS; warp++) {
        squares += parts[warp];
    }
    __syncthreads();

    const float rstd = 1.0f / sqrtf(squares / (float)C + LAYERNORM_EPS);

    for (size_t c = threadIdx.x; c < C; c += ROW_BLOCK) {
        y_n[c] = (x_n[c] - mean) * rstd * gain_dev[c] + bias_dev[c];
    }
    if (threadIdx.x == 0) {
        mean_dev[n] = mean;
        rstd_dev[n] = rstd;
    }

@ no-barrier-before-reading: race-shared
-    __syncthreads();
     sum = 0.0f;

@ no-barrier-before-writing-again: race-shared
         sum += parts[warp];
     }
-    __syncthreads();

@ parts-of-no-warp: uninitialized-shared
-    __shared__ float parts[ROW_WARPS];
+    __shared__ float parts[WARP];

-    for (int warp = 0; warp < ROW_WARPS; warp++) {
+    for (int warp = 0; warp < WARP; warp++) {
         sum += parts[warp];

-    for (int warp = 0; warp < ROW_WARPS; warp++) {
+    for (int warp = 0; warp < WARP; warp++) {
         squares += parts[warp];

@ one-channel-each: none
-    for (size_t c = threadIdx.x; c < C; c += ROW_BLOCK) {
-        y_n[c] = (x_n[c] - mean) * rstd * gain_dev[c] + bias_dev[c];
+    const size_t c = threadIdx.x;
+    if (c < C) {
+        y_n[c] = (x_n[c] - mean) * rstd * gain_dev[c] + bias_dev[c];

@ row-in-shared-memory: index
-    const float *x_n = x_dev + n * C;
+    __shared__ float x_n[12000]; // as wide as it gets
+    for (size_t c = threadIdx.x; c < C; c += ROW_BLOCK) {
+        x_n[c] = x_dev[n * C + c];
+    }
+    __syncthreads();

@ first-1024-rows: none
-    const size_t n = blockIdx.x;
+    const size_t n = blockIdx.x;
+    if (n >= 1024) { // the whole block
+        return;
+    }

@ right-with-atomics
    __shared__ float sum, squares;
    const float *x = x_dev + blockIdx.x * C;
    if (threadIdx.x == 0) {
        sum = squares = 0.0f;
    }
    __syncthreads();
    for (size_t c = threadIdx.x; c < C; c += ROW_BLOCK) {
        atomicAdd(&sum, x[c]);
    }
    __syncthreads();
    const float mean = sum / (float)C;
    for (size_t c = threadIdx.x; c < C; c += ROW_BLOCK) {
        atomicAdd(&squares, (x[c] - mean) * (x[c] - mean));
    }
    __syncthreads();
    const float rstd = rsqrtf(squares / (float)C + LAYERNORM_EPS);
    for (size_t c = threadIdx.x; c < C; c += ROW_BLOCK) {
        y_dev[blockIdx.x * C + c] = (x[c] - mean) * rstd * gain_dev[c] + bias_dev[c];
    }
    if (threadIdx.x == 0) {
        mean_dev[blockIdx.x] = mean;
        rstd_dev[blockIdx.x] = rstd;
    }
