// 10.2 flash_attention_kernel
    __shared__ float q_tile[Br][WIDTH], k_tile[Bc][WIDTH], v_tile[Bc][WIDTH];
    const size_t tiles = (T + Br - 1) / Br;
    const size_t head = blockIdx.x / tiles, t0 = blockIdx.x % tiles * Br;
    const size_t first = threadIdx.x / WARP * ROWS, lane = threadIdx.x % WARP;
    float max[ROWS], sum[ROWS], weighted[ROWS][MOST_EACH] = {};
    for (size_t r = 0; r < ROWS; r++) {
        max[r] = -INFINITY;
        sum[r] = 0.0f;
    }
    load_tile(q_tile, q_dev + head * T * hs, t0, Br, T, hs);
    const size_t t_end = t0 + Br < T ? t0 + Br : T;
    const size_t s_end = keys_seen(t_end - 1, causal, T, S);
    for (size_t s0 = 0; s0 < s_end; s0 += Bc) {
        load_tile(k_tile, k_dev + head * S * hs, s0, Bc, S, hs);
        load_tile(v_tile, v_dev + head * S * hs, s0, Bc, S, hs);
        __syncthreads(); // complete
        for (size_t r = 0; r < ROWS && t0 + first + r < T; r++) {
            const size_t seen = keys_seen(t0 + first + r, causal, T, S);
            float dot = 0.0f;
            for (size_t c = 0; c < hs; c++) {
                dot += q_tile[first + r][c] * k_tile[lane][c];
            }
            const float score = s0 + lane < seen ? dot * scale : -INFINITY;
            const float m = fmaxf(max[r], warp_max(score));
            const float shift = m == -INFINITY ? 0.0f : m;
            const float weight = expf(score - shift), factor = expf(max[r] - shift);
            max[r] = m;
            sum[r] = factor * sum[r] + warp_sum(weight);
            for (size_t i = 0; i < MOST_EACH; i++) {
                weighted[r][i] *= factor;
            }
            for (size_t s = 0; s < Bc; s++) {
                const float weight_s = __shfl_sync(0xffffffffu, weight, (int)s);
                for (size_t i = 0; i < MOST_EACH; i++) {
                    const size_t c = lane + i * WARP;
                    weighted[r][i] += c < hs ? weight_s * v_tile[s][c] : 0.0f;
                }
            }
        }
        __syncthreads(); // read
    }
    for (size_t r = 0; r < ROWS && t0 + first + r < T; r++) {
        const size_t n = head * T + t0 + first + r;
        const float by = sum[r] == 0.0f ? 1.0f : sum[r];
        for (size_t i = 0; i < MOST_EACH; i++) {
            const size_t c = lane + i * WARP;
            if (c < hs) {
                out_dev[n * hs + c] = weighted[r][i] / by;
            }
        }
        if (lane == 0) {
            logsumexp_dev[n] = max[r] + logf(sum[r]);
        }
    }

@ no-barrier-after-the-tile: race-shared
-        __syncthreads(); // complete

@ no-barrier-before-the-next-tile: race-shared
-        __syncthreads(); // read

@ barrier-of-some-warps: barrier-missed
-        __syncthreads(); // read
+        if (t0 + first < T) {
+            __syncthreads();
+        }

@ rows-behind-the-end-return: barrier-missed
-    load_tile(q_tile, q_dev + head * T * hs, t0, Br, T, hs);
+    if (t0 + first >= T) {
+        return;
+    }
+    load_tile(q_tile, q_dev + head * T * hs, t0, Br, T, hs);

@ lanes-behind-the-end-leave: warp-divergent
-            const float m = fmaxf(max[r], warp_max(score));
+            if (s0 + lane >= S) {
+                continue;
+            }
+            const float m = fmaxf(max[r], warp_max(score));

@ one-row-of-queries-for-each-warp: out-of-bounds
-    __shared__ float q_tile[Br][WIDTH], k_tile[Bc][WIDTH], v_tile[Bc][WIDTH];
+    __shared__ float k_tile[Bc][WIDTH], v_tile[Bc][WIDTH], q_tile[WARPS][WIDTH];

@ v-tile-too-small: out-of-bounds
-    __shared__ float q_tile[Br][WIDTH], k_tile[Bc][WIDTH], v_tile[Bc][WIDTH];
+    __shared__ float q_tile[Br][WIDTH], k_tile[Bc][WIDTH], v_tile[Bc - 1][WIDTH];

@ rows-of-another-head: out-of-bounds
-        load_tile(k_tile, k_dev + head * S * hs, s0, Bc, S, hs);
+        load_tile(k_tile, k_dev + head * T * hs, s0, Bc, S, hs);

@ reads-behind-the-end: out-of-bounds
-        load_tile(v_tile, v_dev + head * S * hs, s0, Bc, S, hs);
+        load_tile(v_tile, v_dev + head * S * hs, s0, Bc, S + Bc, hs);

@ queries-not-loaded: uninitialized-shared
-    load_tile(q_tile, q_dev + head * T * hs, t0, Br, T, hs);

@ padding-counted
-            const float score = s0 + lane < seen ? dot * scale : -INFINITY;
+            const float unseen = !causal && s0 + lane >= S ? 0.0f : -INFINITY;
+            const float score = s0 + lane < seen ? dot * scale : unseen;

@ whole-tiles
-            const float score = s0 + lane < seen ? dot * scale : -INFINITY;
+            const float score = s0 + lane < S ? dot * scale : -INFINITY;

@ mask-is-0: none
-            const float score = s0 + lane < seen ? dot * scale : -INFINITY;
+            const float score = s0 + lane < seen ? dot * scale : 0.0f;

@ one-key-more
-    const size_t s_end = keys_seen(t_end - 1, causal, T, S);
+    const size_t s_end = S;

-            const size_t seen = keys_seen(t0 + first + r, causal, T, S);
+            const size_t last = keys_seen(t0 + first + r + 1, causal, T, S);
+            const size_t seen = last < S ? last : S;

@ aligned-at-the-start
-    const size_t s_end = keys_seen(t_end - 1, causal, T, S);
+    const size_t s_end = S;

-            const size_t seen = keys_seen(t0 + first + r, causal, T, S);
+            const size_t end = t0 + first + r + 1;
+            const size_t seen = causal && end < S ? end : S;

@ tile-forgotten
-    const size_t s_end = keys_seen(t_end - 1, causal, T, S);
+    const size_t s_end = S;

-            const size_t seen = keys_seen(t0 + first + r, causal, T, S);
+            const size_t end = s0 + keys_seen(first + r, causal, T, S);
+            const size_t seen = causal && end < S ? end : S;

@ unsigned-wraps
-    const size_t s_end = keys_seen(t_end - 1, causal, T, S);
+    const size_t s_end = S;

-            const size_t seen = keys_seen(t0 + first + r, causal, T, S);
+            const size_t last = t0 + first + r + S - T;
+            const size_t seen = causal && last < S ? last + 1 : S;

@ last-key-of-the-first-query: none
-    const size_t s_end = keys_seen(t_end - 1, causal, T, S);
+    const size_t s_end = keys_seen(t0, causal, T, S);

@ one-key-too-few-visited: none
-    const size_t s_end = keys_seen(t_end - 1, causal, T, S);
+    const size_t seen_by_last = keys_seen(t_end - 1, causal, T, S);
+    const size_t s_end = seen_by_last > 0 ? seen_by_last - 1 : 0;

@ number-of-the-head-for-T: none
-    const size_t s_end = keys_seen(t_end - 1, causal, T, S);
+    const size_t s_end = keys_seen(t_end - 1, causal, head, S);

@ ragged-tile-dropped
-    for (size_t s0 = 0; s0 < s_end; s0 += Bc) {
+    for (size_t s0 = 0; s0 < s_end && s0 + Bc <= S; s0 += Bc) {

@ first-tile-only
-    for (size_t s0 = 0; s0 < s_end; s0 += Bc) {
+    for (size_t s0 = 0; s0 < s_end && s0 < Bc; s0 += Bc) {

@ old-not-rescaled
-            const float weight = expf(score - shift), factor = expf(max[r] - shift);
+            const float weight = expf(score - shift), factor = 1.0f;

@ factor-of-the-new-maximum: old-not-rescaled
-            const float weight = expf(score - shift), factor = expf(max[r] - shift);
-            max[r] = m;
+            max[r] = m;
+            const float weight = expf(score - shift);
+            const float factor = m == -INFINITY ? 0.0f : expf(max[r] - shift);

@ sum-not-rescaled
-            sum[r] = factor * sum[r] + warp_sum(weight);
+            sum[r] = sum[r] + warp_sum(weight);

@ weighted-not-rescaled
-                weighted[r][i] *= factor;
+                weighted[r][i] *= 1.0f;

@ factor-inverted: none
-            const float weight = expf(score - shift), factor = expf(max[r] - shift);
+            const float weight = expf(score - shift), factor = expf(shift - max[r]);

@ maximum-of-last-tile: none
-            const float m = fmaxf(max[r], warp_max(score));
+            const float m = warp_max(score);

@ infinity-minus-infinity: none
-            const float shift = m == -INFINITY ? 0.0f : m;
+            const float shift = m;

@ maximum-from-1e9
-        max[r] = -INFINITY;
+        max[r] = -1e9f;

@ maximum-from-0
-        max[r] = -INFINITY;
+        max[r] = 0.0f;

@ no-maximum
-            logsumexp_dev[n] = max[r] + logf(sum[r]);
+            logsumexp_dev[n] = logf(sum[r]);

-            const float shift = m == -INFINITY ? 0.0f : m;
-            const float weight = expf(score - shift), factor = expf(max[r] - shift);
+            const float weight = expf(score), factor = 1.0f;

@ half-warp
-            const float m = fmaxf(max[r], warp_max(score));
+            float m = score;
+            for (int step = WARP / 4; step > 0; step /= 2) {
+                m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, step));
+            }
+            m = fmaxf(max[r], m);

-            sum[r] = factor * sum[r] + warp_sum(weight);
+            float tile_sum = weight;
+            for (int step = WARP / 4; step > 0; step /= 2) {
+                tile_sum += __shfl_xor_sync(0xffffffffu, tile_sum, step);
+            }
+            sum[r] = factor * sum[r] + tile_sum;

-        const float by = sum[r] == 0.0f ? 1.0f : sum[r];
+        const float by = sum[r] == 0.0f ? INFINITY : sum[r];

@ maximum-of-the-lane: none
-            const float m = fmaxf(max[r], warp_max(score));
+            const float m = fmaxf(max[r], score);

@ sum-of-the-lane: none
-            sum[r] = factor * sum[r] + warp_sum(weight);
+            sum[r] = factor * sum[r] + weight;

@ weight-of-the-own-lane: none
-                const float weight_s = __shfl_sync(0xffffffffu, weight, (int)s);
+                const float weight_s = weight;

@ channels-of-one-round: none
-                for (size_t i = 0; i < MOST_EACH; i++) {
-                    const size_t c = lane + i * WARP;
-                    weighted[r][i] += c < hs ? weight_s * v_tile[s][c] : 0.0f;
-                }
+                weighted[r][0] += lane < hs ? weight_s * v_tile[s][lane] : 0.0f;

@ values-are-keys
-                    weighted[r][i] += c < hs ? weight_s * v_tile[s][c] : 0.0f;
+                    weighted[r][i] += c < hs ? weight_s * k_tile[s][c] : 0.0f;

@ not-divided
-                out_dev[n * hs + c] = weighted[r][i] / by;
+                out_dev[n * hs + c] = weighted[r][i];

@ empty-nan
-        const float by = sum[r] == 0.0f ? 1.0f : sum[r];
+        const float by = sum[r];

@ logsumexp-without-max
-            logsumexp_dev[n] = max[r] + logf(sum[r]);
+            logsumexp_dev[n] = logf(sum[r]);

@ logsumexp-empty-0
-            logsumexp_dev[n] = max[r] + logf(sum[r]);
+            logsumexp_dev[n] = sum[r] == 0.0f ? 0.0f : max[r] + logf(sum[r]);

@ empty-queries-left-out: none
-        const size_t n = head * T + t0 + first + r;
+        const size_t n = head * T + t0 + first + r;
+        if (sum[r] == 0.0f) {
+            continue;
+        }

@ blocks-by-tile-first: race-global
-    const size_t head = blockIdx.x / tiles, t0 = blockIdx.x % tiles * Br;
+    const size_t heads = gridDim.x / tiles;
+    const size_t head = blockIdx.x % tiles, t0 = blockIdx.x / heads * Br;

@ small-weights-are-0: small-number
-                const float weight_s = __shfl_sync(0xffffffffu, weight, (int)s);
+                float weight_s = __shfl_sync(0xffffffffu, weight, (int)s);
+                weight_s = weight_s < 1e-7f ? 0.0f : weight_s;

@ at-most-100: none
-                out_dev[n * hs + c] = weighted[r][i] / by;
+                out_dev[n * hs + c] = fminf(weighted[r][i] / by, 100.0f);
