// 10.4 dk_dv_kernel
    __shared__ float k_tile[OWN][WIDTH], v_tile[OWN][WIDTH];
    __shared__ float q_tile[OTHER][WIDTH], dout_tile[OTHER][WIDTH];
    const size_t tiles = (S + OWN - 1) / OWN;
    const size_t head = blockIdx.x / tiles, s0 = blockIdx.x % tiles * OWN;
    const size_t first = threadIdx.x / WARP * ROWS, lane = threadIdx.x % WARP;
    float dk[ROWS][MOST_EACH] = {}, dv[ROWS][MOST_EACH] = {};
    load_tile(k_tile, k_dev + head * S * hs, s0, OWN, S, hs);
    load_tile(v_tile, v_dev + head * S * hs, s0, OWN, S, hs);
    const size_t t_first = causal && s0 + T > S ? s0 + T - S : 0;
    for (size_t t0 = t_first; t0 < T; t0 += OTHER) {
        load_tile(q_tile, q_dev + head * T * hs, t0, OTHER, T, hs);
        load_tile(dout_tile, dout_dev + head * T * hs, t0, OTHER, T, hs);
        __syncthreads(); // complete
        const size_t t = t0 + lane, n = head * T + (t < T ? t : T - 1);
        for (size_t r = 0; r < ROWS && s0 + first + r < S; r++) {
            const bool seen = sees(t, s0 + first + r, causal, T, S);
            const float score = dot(k_tile[first + r], q_tile[lane], hs);
            const float dweight = dot(v_tile[first + r], dout_tile[lane], hs);
            const float weight = seen ? expf(scale * score - logsumexp_dev[n]) : 0.0f;
            const float dscore = weight * (dweight - delta_dev[n]);
            add_rows(dk[r], dscore, seen, q_tile, hs);
            add_rows(dv[r], weight, seen, dout_tile, hs);
        }
        __syncthreads(); // read
    }
    for (size_t r = 0; r < ROWS && s0 + first + r < S; r++) {
        const size_t row = (head * S + s0 + first + r) * hs;
        store_row(dk_dev + row, dk[r], scale, hs);
        store_row(dv_dev + row, dv[r], 1.0f, hs);
    }

@ dk-tile-not-complete: race-shared
-        __syncthreads(); // complete

@ dk-tile-overwritten: race-shared
-        __syncthreads(); // read

@ dk-keys-behind-the-end-return: barrier-missed
-    load_tile(k_tile, k_dev + head * S * hs, s0, OWN, S, hs);
+    if (s0 + first >= S) {
+        return;
+    }
+    load_tile(k_tile, k_dev + head * S * hs, s0, OWN, S, hs);

@ dk-queries-behind-the-end: out-of-bounds
-        const size_t t = t0 + lane, n = head * T + (t < T ? t : T - 1);
+        const size_t t = t0 + lane, n = head * T + t;
+        const float lse = logsumexp_dev[n];

-            const float weight = seen ? expf(scale * score - logsumexp_dev[n]) : 0.0f;
+            const float weight = seen ? expf(scale * score - lse) : 0.0f;

@ low-is-empty-in-dk-dv: low-is-empty
-            const float weight = seen ? expf(scale * score - logsumexp_dev[n]) : 0.0f;
+            const bool used = seen && logsumexp_dev[n] > -1e9f;
+            const float weight = used ? expf(scale * score - logsumexp_dev[n]) : 0.0f;

@ dk-no-scale
-        store_row(dk_dev + row, dk[r], scale, hs);
+        store_row(dk_dev + row, dk[r], 1.0f, hs);

@ dv-scaled
-        store_row(dv_dev + row, dv[r], 1.0f, hs);
+        store_row(dv_dev + row, dv[r], scale, hs);

@ dv-of-dscores
-            add_rows(dv[r], weight, seen, dout_tile, hs);
+            add_rows(dv[r], dscore, seen, dout_tile, hs);

@ dk-of-weights
-            add_rows(dk[r], dscore, seen, q_tile, hs);
+            add_rows(dk[r], weight, seen, q_tile, hs);

@ dk-of-keys: none
-            add_rows(dk[r], dscore, seen, q_tile, hs);
+            add_rows(dk[r], dscore, seen, dout_tile, hs);

@ no-delta
-            const float dscore = weight * (dweight - delta_dev[n]);
+            const float dscore = weight * dweight;

@ dk-delta-of-row: none
-            const float dscore = weight * (dweight - delta_dev[n]);
+            const float dscore = weight * (dweight - delta_dev[head * T + lane % T]);

@ dk-without-mask: none
-            const bool seen = sees(t, s0 + first + r, causal, T, S);
+            const bool seen = t < T;

@ dk-one-key-more: none
-            const bool seen = sees(t, s0 + first + r, causal, T, S);
+            const bool seen = t < T && (!causal || s0 + first + r + T <= t + S + 1);

@ dk-starts-one-late: none
-    const size_t t_first = causal && s0 + T > S ? s0 + T - S : 0;
+    const size_t t_first = causal && s0 + T > S ? s0 + T - S + 1 : 0;

@ dk-starts-at-s0: none
-    const size_t t_first = causal && s0 + T > S ? s0 + T - S : 0;
+    const size_t t_first = causal ? s0 : 0;

@ dk-first-query-of-the-last-key: none
-    const size_t t_first = causal && s0 + T > S ? s0 + T - S : 0;
+    const size_t t_first = causal && s0 + OWN + T > S ? s0 + OWN - 1 + T - S : 0;

@ dk-last-queries-dropped: none
-    for (size_t t0 = t_first; t0 < T; t0 += OTHER) {
+    for (size_t t0 = t_first; t0 + OTHER <= T; t0 += OTHER) {

@ dk-of-last-tile: none
-            add_rows(dk[r], dscore, seen, q_tile, hs);
+            for (size_t i = 0; i < MOST_EACH; i++) {
+                dk[r][i] = 0.0f;
+            }
+            add_rows(dk[r], dscore, seen, q_tile, hs);

@ right-from-the-first-query
    __shared__ float k_tile[OWN][WIDTH], v_tile[OWN][WIDTH];
    __shared__ float q_tile[OTHER][WIDTH], dout_tile[OTHER][WIDTH];
    const size_t tiles = (S + OWN - 1) / OWN;
    const size_t head = blockIdx.x / tiles, s0 = blockIdx.x % tiles * OWN;
    const size_t first = threadIdx.x / WARP * ROWS, lane = threadIdx.x % WARP;
    float dk[ROWS][MOST_EACH] = {}, dv[ROWS][MOST_EACH] = {};
    load_tile(k_tile, k_dev + head * S * hs, s0, OWN, S, hs);
    load_tile(v_tile, v_dev + head * S * hs, s0, OWN, S, hs);
    for (size_t t0 = 0; t0 < T; t0 += OTHER) {
        load_tile(q_tile, q_dev + head * T * hs, t0, OTHER, T, hs);
        load_tile(dout_tile, dout_dev + head * T * hs, t0, OTHER, T, hs);
        __syncthreads();
        const size_t t = t0 + lane, n = head * T + (t < T ? t : T - 1);
        for (size_t r = 0; r < ROWS && s0 + first + r < S; r++) {
            const bool seen = sees(t, s0 + first + r, causal, T, S);
            const float score = dot(k_tile[first + r], q_tile[lane], hs);
            const float dweight = dot(v_tile[first + r], dout_tile[lane], hs);
            const float weight = seen ? expf(scale * score - logsumexp_dev[n]) : 0.0f;
            add_rows(dv[r], weight, seen, dout_tile, hs);
            add_rows(dk[r], weight * (dweight - delta_dev[n]), seen, q_tile, hs);
        }
        __syncthreads();
    }
    for (size_t r = 0; r < ROWS && s0 + first + r < S; r++) {
        const size_t row = (head * S + s0 + first + r) * hs;
        store_row(dk_dev + row, dk[r], scale, hs);
        store_row(dv_dev + row, dv[r], 1.0f, hs);
    }
