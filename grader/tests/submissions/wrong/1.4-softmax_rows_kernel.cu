// 1.4 softmax_rows_kernel
    __shared__ float parts[ROW_WARPS];
    const float *scores = scores_dev + blockIdx.x * S;
    float *weights = weights_dev + blockIdx.x * S;
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;

    float max = -INFINITY;
    for (size_t s = threadIdx.x; s < S; s += ROW_THREADS) {
        max = fmaxf(max, scores[s]);
    }
    for (int d = WARP / 2; d > 0; d /= 2) {
        max = fmaxf(max, __shfl_xor_sync(0xffffffff, max, d));
    }
    if (lane == 0) {
        parts[warp] = max;
    }
    __syncthreads();
    for (int w = 0; w < ROW_WARPS; w++) {
        max = fmaxf(max, parts[w]);
    }
    __syncthreads();

    float shift = max == -INFINITY ? 0.0f : max;
    float sum = 0.0f;
    for (size_t s = threadIdx.x; s < S; s += ROW_THREADS) {
        weights[s] = expf(scores[s] - shift);
        sum += weights[s];
    }
    for (int d = WARP / 2; d > 0; d /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    }
    if (lane == 0) {
        parts[warp] = sum;
    }
    __syncthreads();
    sum = 0.0f;
    for (int w = 0; w < ROW_WARPS; w++) {
        sum += parts[w];
    }
    for (size_t s = threadIdx.x; s < S; s += ROW_THREADS) {
        weights[s] = sum > 0.0f ? weights[s] / sum : 0.0f;
    }

@ barrier-in-branch: race-shared
         parts[warp] = max;
+        __syncthreads();

-    __syncthreads();
     for (int w = 0; w < ROW_WARPS; w++) {

@ block-empty-row-nan: empty-row-nan
-    float shift = max == -INFINITY ? 0.0f : max;
+    float shift = max;

-        weights[s] = sum > 0.0f ? weights[s] / sum : 0.0f;
+        weights[s] = weights[s] / sum;

@ block-no-max: no-max-guarded
    __shared__ float parts[ROW_WARPS];
    const float *scores = scores_dev + blockIdx.x * S;
    float *weights = weights_dev + blockIdx.x * S;
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;

    float sum = 0.0f;
    for (size_t s = threadIdx.x; s < S; s += ROW_THREADS) {
        weights[s] = expf(scores[s]);
        sum += weights[s];
    }
    for (int d = WARP / 2; d > 0; d /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    }
    if (lane == 0) {
        parts[warp] = sum;
    }
    __syncthreads();
    sum = 0.0f;
    for (int w = 0; w < ROW_WARPS; w++) {
        sum += parts[w];
    }
    for (size_t s = threadIdx.x; s < S; s += ROW_THREADS) {
        weights[s] = sum > 0.0f ? weights[s] / sum : 0.0f;
    }

@ first-warp-maximum
-    __shared__ float parts[ROW_WARPS];
+    __shared__ float maxima[ROW_WARPS], sums[ROW_WARPS];

-        parts[warp] = max;
+        maxima[warp] = max;

-    for (int w = 0; w < ROW_WARPS; w++) {
-        max = fmaxf(max, parts[w]);
-    }
-    __syncthreads();
+    max = maxima[0];

-        parts[warp] = sum;
+        sums[warp] = sum;

-        sum += parts[w];
+        sum += sums[w];

-        weights[s] = sum > 0.0f ? weights[s] / sum : 0.0f;
+        weights[s] = sum == 0.0f ? 0.0f : weights[s] / sum;

@ no-barrier: race-shared
-    __syncthreads();
     sum = 0.0f;

@ no-step: first-keys-only
-    for (size_t s = threadIdx.x; s < S; s += ROW_THREADS) {
+    if (size_t s = threadIdx.x; s < S) {
         max = fmaxf(max, scores[s]);

-    for (size_t s = threadIdx.x; s < S; s += ROW_THREADS) {
+    if (size_t s = threadIdx.x; s < S) {
         weights[s] = expf(scores[s] - shift);

-    for (size_t s = threadIdx.x; s < S; s += ROW_THREADS) {
+    if (size_t s = threadIdx.x; s < S) {
         weights[s] = sum > 0.0f ? weights[s] / sum : 0.0f;

@ one-array-no-barrier: race-shared
         max = fmaxf(max, parts[w]);
     }
-    __syncthreads();

@ some-lanes-leave: warp-inactive
+    if (threadIdx.x >= S) {
+        return;
+    }
     float max = -INFINITY;

@ sum-without-atomics: race-shared
-    for (int d = WARP / 2; d > 0; d /= 2) {
-        sum += __shfl_xor_sync(0xffffffff, sum, d);
-    }
-    if (lane == 0) {
-        parts[warp] = sum;
+    __shared__ float total;
+    if (threadIdx.x == 0) {
+        total = 0.0f;

-    sum = 0.0f;
-    for (int w = 0; w < ROW_WARPS; w++) {
-        sum += parts[w];
-    }
+    total += sum;
+    __syncthreads();
+    sum = total;

@ thread-maximum-no-guard
-    for (int d = WARP / 2; d > 0; d /= 2) {
-        max = fmaxf(max, __shfl_xor_sync(0xffffffff, max, d));
-    }
-    if (lane == 0) {
-        parts[warp] = max;
-    }
-    __syncthreads();
-    for (int w = 0; w < ROW_WARPS; w++) {
-        max = fmaxf(max, parts[w]);
-    }
-    __syncthreads();

-    float shift = max == -INFINITY ? 0.0f : max;
+    float shift = max;

-        weights[s] = sum > 0.0f ? weights[s] / sum : 0.0f;
+        weights[s] = weights[s] / sum;

@ thread-maximum
-    for (int d = WARP / 2; d > 0; d /= 2) {
-        max = fmaxf(max, __shfl_xor_sync(0xffffffff, max, d));
-    }
-    if (lane == 0) {
-        parts[warp] = max;
-    }
-    __syncthreads();
-    for (int w = 0; w < ROW_WARPS; w++) {
-        max = fmaxf(max, parts[w]);
-    }
-    __syncthreads();

@ warp-maximum
-    __shared__ float parts[ROW_WARPS];
+    __shared__ float sums[ROW_WARPS];

-    if (lane == 0) {
-        parts[warp] = max;
-    }
-    __syncthreads();
-    for (int w = 0; w < ROW_WARPS; w++) {
-        max = fmaxf(max, parts[w]);
-    }
-    __syncthreads();

-        parts[warp] = sum;
+        sums[warp] = sum;

-        sum += parts[w];
+        sum += sums[w];

@ warp-only
-    if (lane == 0) {
-        parts[warp] = max;
-    }
-    __syncthreads();
-    for (int w = 0; w < ROW_WARPS; w++) {
-        max = fmaxf(max, parts[w]);
-    }
-    __syncthreads();

-    if (lane == 0) {
-        parts[warp] = sum;
-    }
-    __syncthreads();
-    sum = 0.0f;
-    for (int w = 0; w < ROW_WARPS; w++) {
-        sum += parts[w];
-    }

@ room-for-rows-of-2048: index
-    const float *scores = scores_dev + blockIdx.x * S;
+    __shared__ float row[2048];
+    for (size_t s = threadIdx.x; s < S; s += ROW_THREADS) {
+        row[s] = scores_dev[blockIdx.x * S + s];
+    }
+    const float *scores = row;

@ half-warp
-    for (int d = WARP / 2; d > 0; d /= 2) {
-        max = fmaxf(max, __shfl_xor_sync(0xffffffff, max, d));
+    for (int d = WARP / 4; d > 0; d /= 2) {
+        max = fmaxf(max, __shfl_xor_sync(0xffffffff, max, d));

-    for (int d = WARP / 2; d > 0; d /= 2) {
-        sum += __shfl_xor_sync(0xffffffff, sum, d);
+    for (int d = WARP / 4; d > 0; d /= 2) {
+        sum += __shfl_xor_sync(0xffffffff, sum, d);

@ nothing-for-many-rows: rows-missing
-    const float *scores = scores_dev + blockIdx.x * S;
+    if (gridDim.x > 65535) {
+        return;
+    }
+    const float *scores = scores_dev + blockIdx.x * S;

@ row-in-16-bits: race-global
-    const float *scores = scores_dev + blockIdx.x * S;
+    const unsigned short row = (unsigned short)blockIdx.x;
+    const float *scores = scores_dev + row * S;

-    float *weights = weights_dev + blockIdx.x * S;
+    float *weights = weights_dev + row * S;

@ max-in-int-guarded
-    float shift = max == -INFINITY ? 0.0f : max;
+    float shift = max == -INFINITY ? 0.0f : (float)(int)max;

@ nothing-20-below: none
-        weights[s] = expf(scores[s] - shift);
+        const float below = scores[s] - shift;
+        weights[s] = (below < -20.0f ? 0.0f : expf(below));
