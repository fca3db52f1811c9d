// 9.2 attention_decode_kernel
    __shared__ float maxima[WARPS], sums[WARPS];
    const size_t i = blockIdx.x;
    const size_t S = lengths_dev[i / NH];
    const float *q = q_dev + i * hs;
    const float *keys = keys_dev + i * T_max * hs, *values = values_dev + i * T_max * hs;
    float *scores = scores_dev + i * T_max, *weights = weights_dev + i * T_max;

    float max = -INFINITY;
    for (size_t s = threadIdx.x; s < S; s += BLOCK) {
        float dot = 0.0f;
        for (size_t c = 0; c < hs; c++) {
            dot += q[c] * keys[s * hs + c];
        }
        scores[s] = dot / sqrtf((float)hs);
        max = fmaxf(max, scores[s]);
    }
    max = block_max(max, maxima);

    float sum = 0.0f;
    for (size_t s = threadIdx.x; s < S; s += BLOCK) {
        weights[s] = expf(scores[s] - max);
        sum += weights[s];
    }
    sum = block_sum(sum, sums);
    for (size_t s = threadIdx.x; s < T_max; s += BLOCK) {
        weights[s] = s < S ? weights[s] / sum : 0.0f;
    }
    __syncthreads();

    for (size_t c = threadIdx.x; c < hs; c += BLOCK) {
        float value = 0.0f;
        for (size_t s = 0; s < S; s++) {
            value += weights[s] * values[s * hs + c];
        }
        out_dev[i * hs + c] = value;
    }

@ all-rows
-    const size_t S = lengths_dev[i / NH];
+    const size_t S = T_max;

@ decode-length-of-sequence-0: length-of-sequence-0
-    const size_t S = lengths_dev[i / NH];
+    const size_t S = lengths_dev[0];

@ length-by-block: out-of-bounds
-    const size_t S = lengths_dev[i / NH];
+    const size_t S = lengths_dev[i];

@ decode-no-scale: no-scale
-        scores[s] = dot / sqrtf((float)hs);
+        scores[s] = dot;

@ decode-tail-not-written: tail-not-written
-    for (size_t s = threadIdx.x; s < T_max; s += BLOCK) {
-        weights[s] = s < S ? weights[s] / sum : 0.0f;
+    for (size_t s = threadIdx.x; s < S; s += BLOCK) {
+        weights[s] = weights[s] / sum;

@ first-keys: none
-    for (size_t s = threadIdx.x; s < T_max; s += BLOCK) {
+    if (size_t s = threadIdx.x; s < T_max) {

@ no-barrier-before-values: race-global
         weights[s] = s < S ? weights[s] / sum : 0.0f;
     }
-    __syncthreads();

@ barrier-in-the-loop: barrier-missed
         weights[s] = s < S ? weights[s] / sum : 0.0f;
+        __syncthreads();
     }
-    __syncthreads();

@ one-array: race-shared
-    sum = block_sum(sum, sums);
+    sum = block_sum(sum, maxima);

@ threads-without-a-channel-leave: warp-inactive
-    float max = -INFINITY;
+    if (threadIdx.x >= hs) {
+        return;
+    }
+    float max = -INFINITY;

@ every-warp-all-keys: race-global
-    for (size_t s = threadIdx.x; s < S; s += BLOCK) {
-        float dot = 0.0f;
+    for (size_t s = threadIdx.x % WARP; s < S; s += WARP) {
+        float dot = 0.0f;

@ thread-maximum: own-maximum
-    max = block_max(max, maxima);

@ thread-sum: own-sum
-    sum = block_sum(sum, sums);

-        weights[s] = s < S ? weights[s] / sum : 0.0f;
+        weights[s] = s < S && sum > 0.0f ? weights[s] / sum : 0.0f;

@ thread-row: own-row
-    max = block_max(max, maxima);

-    sum = block_sum(sum, sums);

@ decode-float4: misaligned
-        for (size_t c = 0; c < hs; c++) {
-            dot += q[c] * keys[s * hs + c];
-        }
+        for (size_t c = 0; c < hs / 4; c++) {
+            const float4 a = ((const float4 *)q)[c], b = ((const float4 *)(keys + s * hs))[c];
+            dot += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
+        }
+        for (size_t c = hs / 4 * 4; c < hs; c++) {
+            dot += q[c] * keys[s * hs + c];
+        }

@ last-of-whole-blocks: none
-        for (size_t s = 0; s < S; s++) {
+        for (size_t s = 0; s < (S % 64 == 0 ? S - 1 : S); s++) {
             value += weights[s] * values[s * hs + c];

@ maximum-from-1e9
-    float max = -INFINITY;
+    float max = -1e9f;

@ maximum-from-0-guarded
-    float max = -INFINITY;
+    float max = 0.0f;

-        weights[s] = s < S ? weights[s] / sum : 0.0f;
+        weights[s] = s < S && sum > 0.0f ? weights[s] / sum : 0.0f;

@ maximum-from-1e4-guarded
-    float max = -INFINITY;
+    float max = -10000.0f;

-        weights[s] = s < S ? weights[s] / sum : 0.0f;
+        weights[s] = s < S && sum > 0.0f ? weights[s] / sum : 0.0f;

@ maximum-from-1e9-guarded
-    float max = -INFINITY;
+    float max = -1e9f;

-        weights[s] = s < S ? weights[s] / sum : 0.0f;
+        weights[s] = s < S && sum > 0.0f ? weights[s] / sum : 0.0f;

@ half-warp
-    max = block_max(max, maxima);
+    for (int step = WARP / 4; step > 0; step /= 2) {
+        max = fmaxf(max, __shfl_xor_sync(0xffffffffu, max, step));
+    }
+    const bool first_half = threadIdx.x % WARP < WARP / 2;
+    max = fmaxf(max, block_max(first_half ? max : -INFINITY, maxima));

-    sum = block_sum(sum, sums);
+    sum = block_sum(first_half ? sum : 0.0f, sums);

@ nothing-20-below: none
-        weights[s] = expf(scores[s] - max);
+        const float below = scores[s] - max;
+        weights[s] = (below < -20.0f ? 0.0f : expf(below));

@ length-in-16-bits: none
-    const size_t S = lengths_dev[i / NH];
+    const unsigned short S = (unsigned short)lengths_dev[i / NH];

@ base-2
-        weights[s] = expf(scores[s] - max);
+        weights[s] = exp2f(scores[s] - max);

@ root-cut-off: fraction-in-int
-        scores[s] = dot / sqrtf((float)hs);
+        scores[s] = dot / (float)(int)sqrtf((float)hs);

@ first-block-of-keys
-    const size_t S = lengths_dev[i / NH];
+    const size_t S = lengths_dev[i / NH] < BLOCK ? lengths_dev[i / NH] : BLOCK;
