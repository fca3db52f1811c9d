// 10.4 dq_kernel
    __shared__ float q_tile[OWN][WIDTH], dout_tile[OWN][WIDTH];
    __shared__ float k_tile[OTHER][WIDTH], v_tile[OTHER][WIDTH];
    const size_t tiles = (T + OWN - 1) / OWN;
    const size_t head = blockIdx.x / tiles, t0 = blockIdx.x % tiles * OWN;
    const size_t first = threadIdx.x / WARP * ROWS, lane = threadIdx.x % WARP;
    float dq[ROWS][MOST_EACH] = {};
    load_tile(q_tile, q_dev + head * T * hs, t0, OWN, T, hs);
    load_tile(dout_tile, dout_dev + head * T * hs, t0, OWN, T, hs);
    const size_t t_last = t0 + OWN < T ? t0 + OWN - 1 : T - 1;
    for (size_t s0 = 0; sees(t_last, s0, causal, T, S); s0 += OTHER) {
        load_tile(k_tile, k_dev + head * S * hs, s0, OTHER, S, hs);
        load_tile(v_tile, v_dev + head * S * hs, s0, OTHER, S, hs);
        __syncthreads(); // complete
        for (size_t r = 0; r < ROWS && t0 + first + r < T; r++) {
            const size_t t = t0 + first + r, n = head * T + t;
            const bool seen = sees(t, s0 + lane, causal, T, S);
            const float score = dot(q_tile[first + r], k_tile[lane], hs);
            const float dweight = dot(dout_tile[first + r], v_tile[lane], hs);
            const float weight = seen ? expf(scale * score - logsumexp_dev[n]) : 0.0f;
            const float dscore = weight * (dweight - delta_dev[n]);
            add_rows(dq[r], dscore, seen, k_tile, hs);
        }
        __syncthreads(); // read
    }
    for (size_t r = 0; r < ROWS && t0 + first + r < T; r++) {
        store_row(dq_dev + (head * T + t0 + first + r) * hs, dq[r], scale, hs);
    }

@ dq-tile-not-complete: race-shared
-        __syncthreads(); // complete

@ dq-tile-overwritten: race-shared
-        __syncthreads(); // read

@ dq-barrier-of-some-warps: barrier-missed
-        __syncthreads(); // read
+        if (t0 + first < T) {
+            __syncthreads();
+        }

@ dq-tile-of-one-row-a-warp: out-of-bounds
-    __shared__ float q_tile[OWN][WIDTH], dout_tile[OWN][WIDTH];
-    __shared__ float k_tile[OTHER][WIDTH], v_tile[OTHER][WIDTH];
+    __shared__ float q_tile[OWN][WIDTH], k_tile[OTHER][WIDTH], v_tile[OTHER][WIDTH];
+    __shared__ float dout_tile[WARPS][WIDTH];

@ dq-shuffle-of-some-lanes: warp-divergent
-            add_rows(dq[r], dscore, seen, k_tile, hs);
+            if (s0 + lane < S) {
+                add_rows(dq[r], dscore, seen, k_tile, hs);
+            }

@ dq-no-scale
-        store_row(dq_dev + (head * T + t0 + first + r) * hs, dq[r], scale, hs);
+        store_row(dq_dev + (head * T + t0 + first + r) * hs, dq[r], 1.0f, hs);

@ score-no-scale
-            const float weight = seen ? expf(scale * score - logsumexp_dev[n]) : 0.0f;
+            const float weight = seen ? expf(score - logsumexp_dev[n]) : 0.0f;

@ no-logsumexp
-            const float weight = seen ? expf(scale * score - logsumexp_dev[n]) : 0.0f;
+            const float weight = seen ? expf(scale * score) : 0.0f;

@ no-delta
-            const float dscore = weight * (dweight - delta_dev[n]);
+            const float dscore = weight * dweight;

@ delta-of-first-head
-            const float dscore = weight * (dweight - delta_dev[n]);
+            const float dscore = weight * (dweight - delta_dev[t]);

@ dq-masked-by-0: none
-            const float weight = seen ? expf(scale * score - logsumexp_dev[n]) : 0.0f;
-            const float dscore = weight * (dweight - delta_dev[n]);
-            add_rows(dq[r], dscore, seen, k_tile, hs);
+            const float e = expf(scale * score - logsumexp_dev[n]);
+            const float weight = (seen ? 1.0f : 0.0f) * e;
+            const float dscore = weight * (dweight - delta_dev[n]);
+            add_rows(dq[r], dscore, true, k_tile, hs);

@ dq-without-mask: none
-            const bool seen = sees(t, s0 + lane, causal, T, S);
+            const bool seen = s0 + lane < S;

@ dq-padding-counted: none
-            add_rows(dq[r], dscore, seen, k_tile, hs);
+            add_rows(dq[r], dweight - delta_dev[n], true, k_tile, hs);

@ dq-first-query-asked: none
-    for (size_t s0 = 0; sees(t_last, s0, causal, T, S); s0 += OTHER) {
+    for (size_t s0 = 0; sees(t0, s0, causal, T, S); s0 += OTHER) {

@ dq-last-query-but-one-asked: none
-    const size_t t_last = t0 + OWN < T ? t0 + OWN - 1 : T - 1;
+    const size_t t_last = t0 + OWN < T ? t0 + OWN - 2 : T - 1;

@ dq-keys-behind-the-end-count: none
-            const bool seen = sees(t, s0 + lane, causal, T, S);
+            const bool seen = !causal || sees(t, s0 + lane, causal, T, S);

@ dq-last-query-behind-the-end: none
-    const size_t t_last = t0 + OWN < T ? t0 + OWN - 1 : T - 1;
+    const size_t t_last = t0 + OWN - 1;

@ dq-of-last-tile: none
-            add_rows(dq[r], dscore, seen, k_tile, hs);
+            for (size_t i = 0; i < MOST_EACH; i++) {
+                dq[r][i] = 0.0f;
+            }
+            add_rows(dq[r], dscore, seen, k_tile, hs);

@ dq-last-keys-dropped: none
-    for (size_t s0 = 0; sees(t_last, s0, causal, T, S); s0 += OTHER) {
+    for (size_t s0 = 0; s0 + OTHER <= S && sees(t_last, s0, causal, T, S); s0 += OTHER) {

@ dq-of-values: none
-            add_rows(dq[r], dscore, seen, k_tile, hs);
+            add_rows(dq[r], dscore, seen, v_tile, hs);

@ dq-added-to-what-was-there: uninitialized-global
-        store_row(dq_dev + (head * T + t0 + first + r) * hs, dq[r], scale, hs);
+        float *row = dq_dev + (head * T + t0 + first + r) * hs;
+        for (size_t i = 0; i < MOST_EACH && lane + i * WARP < hs; i++) {
+            row[lane + i * WARP] += scale * dq[r][i];
+        }

@ dq-blind-tiles-left-out: none
-    const size_t t_last = t0 + OWN < T ? t0 + OWN - 1 : T - 1;
+    const size_t t_last = t0 + OWN < T ? t0 + OWN - 1 : T - 1;
+    if (!sees(t_last, 0, causal, T, S)) {
+        return;
+    }

@ dq-channels-of-one-round: none
-        store_row(dq_dev + (head * T + t0 + first + r) * hs, dq[r], scale, hs);
+        if (lane < hs) {
+            dq_dev[(head * T + t0 + first + r) * hs + lane] = scale * dq[r][0];
+        }
