// 1.3 attention_scores_kernel
    __shared__ float q_tile[TILE][TILE];
    __shared__ float k_tile[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    size_t s = blockIdx.x * TILE + x, s0 = blockIdx.x * TILE;
    for (size_t t = blockIdx.y * TILE + y; t - y < T; t += gridDim.y * TILE) {
        float sum = 0.0f;
        for (size_t i0 = 0; i0 < d; i0 += TILE) {
            q_tile[y][x] = t < T && i0 + x < d ? q_dev[t * d + i0 + x] : 0.0f;
            k_tile[y][x] = s0 + y < S && i0 + x < d ? k_dev[(s0 + y) * d + i0 + x] : 0.0f;
            __syncthreads();
            for (int i = 0; i < TILE; i++) {
                sum += q_tile[y][i] * k_tile[x][i];
            }
            __syncthreads();
        }
        if (t < T && s < S) {
            scores_dev[t * S + s] = sum * scale;
        }
    }

@ edge-not-zeroed: uninitialized-shared
-            q_tile[y][x] = t < T && i0 + x < d ? q_dev[t * d + i0 + x] : 0.0f;
-            k_tile[y][x] = s0 + y < S && i0 + x < d ? k_dev[(s0 + y) * d + i0 + x] : 0.0f;
+            if (t < T && i0 + x < d) {
+                q_tile[y][x] = q_dev[t * d + i0 + x];
+            }
+            if (s0 + y < S && i0 + x < d) {
+                k_tile[y][x] = k_dev[(s0 + y) * d + i0 + x];
+            }

@ left-early: barrier-missed
+        if (t >= T || s >= S) {
+            return;
+        }
         float sum = 0.0f;

@ no-barrier-after-reading: race-shared
-            __syncthreads();
         }

@ no-barrier-before-reading: race-shared
-            __syncthreads();
             for (int i = 0; i < TILE; i++) {

@ no-scale
-            scores_dev[t * S + s] = sum * scale;
+            scores_dev[t * S + s] = sum;

@ one-step-too-few: last-step-missing
-        for (size_t i0 = 0; i0 < d; i0 += TILE) {
+        for (size_t i0 = 0; i0 + TILE <= d; i0 += TILE) {

@ scores-transposed: transposed
-            scores_dev[t * S + s] = sum * scale;
+            scores_dev[s * T + t] = sum * scale;

@ tile-too-small: index
-    __shared__ float k_tile[TILE][TILE];
+    __shared__ float k_tile[TILE][TILE - 1];

@ unguarded: out-of-bounds
-            q_tile[y][x] = t < T && i0 + x < d ? q_dev[t * d + i0 + x] : 0.0f;
+            q_tile[y][x] = q_dev[t * d + i0 + x];

@ last-of-whole-tiles: none
-            for (int i = 0; i < TILE; i++) {
+            for (size_t i = 0; i < (i0 + TILE < d ? TILE : d % TILE); i++) {

@ first-tile-only
-        for (size_t i0 = 0; i0 < d; i0 += TILE) {
+        for (size_t i0 = 0; i0 < d && i0 < TILE; i0 += TILE) {

@ k-tile-read-transposed: k-tile-transposed
-                sum += q_tile[y][i] * k_tile[x][i];
+                sum += q_tile[y][i] * k_tile[i][x];
