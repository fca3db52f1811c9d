// 10.3 flash_attention_causal
    *visited = 0;
    for (size_t i = 0; i < B * NH; i++) {
        for (size_t t0 = 0; t0 < T; t0 += Br) {
            const size_t rows = T - t0 < Br ? T - t0 : Br;
            for (size_t r = 0; r < rows; r++) {
                z->max[r] = -INFINITY;
                z->sum[r] = 0.0f;
            }
            memset(z->weighted, 0, rows * hs * sizeof *z->weighted);
            for (size_t s0 = 0; s0 < S; s0 += Bc) {
                const size_t keys = S - s0 < Bc ? S - s0 : Bc;
                if (s0 + T >= t0 + rows + S) {
                    break;
                }
                LAB_TRY(partial_attention(z->tile_max, z->tile_sum, z->tile_weighted,
                                          z->scores, q + (i * T + t0) * hs,
                                          k + (i * S + s0) * hs, v + (i * S + s0) * hs, rows,
                                          keys, hs, (ptrdiff_t)(t0 + S) - (ptrdiff_t)(s0 + T)));
                LAB_TRY(online_softmax_merge(z->max, z->sum, z->weighted, z->tile_max,
                                             z->tile_sum, z->tile_weighted, rows, hs));
                ++*visited;
            }
            for (size_t r = 0; r < rows; r++) {
                const float sum = z->sum[r] > 0.0f ? z->sum[r] : 1.0f;
                for (size_t c = 0; c < hs; c++) {
                    out[(i * T + t0 + r) * hs + c] = z->weighted[r * hs + c] / sum;
                }
                logsumexp[i * T + t0 + r] = z->max[r] + logf(sum);
            }
        }
    }
    return LAB_OK;

@ visited-in-16-bits: none
-                ++*visited;
+                *visited = (unsigned short)(*visited + 1);

@ maximum-from-1e9
-                z->max[r] = -INFINITY;
+                z->max[r] = -1e9f;

-                logsumexp[i * T + t0 + r] = z->max[r] + logf(sum);
+                logsumexp[i * T + t0 + r] = z->max[r] + logf(z->sum[r]);

@ one-tile-more
-                if (s0 + T >= t0 + rows + S) {
-                    break;
-                }
+                ++*visited;
+                if (s0 + T >= t0 + rows + S) {
+                    break;
+                }

-                ++*visited;

@ all-tiles
-                if (s0 + T >= t0 + rows + S) {
+                if (false) {

@ first-query-asked
-                if (s0 + T >= t0 + rows + S) {
+                if (s0 + T > t0 + S) {

@ strictly
-                if (s0 + T >= t0 + rows + S) {
+                if (s0 + T + 1 >= t0 + rows + S) {

@ tiles-aligned-at-the-start
-                if (s0 + T >= t0 + rows + S) {
+                if (s0 >= t0 + rows) {

@ last-key-asked
-                if (s0 + T >= t0 + rows + S) {
+                if (s0 + Bc - 1 + T >= t0 + rows + S) {

@ by-number-of-tile
-                if (s0 + T >= t0 + rows + S) {
+                if (s0 / Bc > t0 / Br) {

@ at-least-one-tile
-                if (s0 + T >= t0 + rows + S) {
+                if (s0 > 0 && s0 + T >= t0 + rows + S) {

@ no-mask-in-tiles
-                                          keys, hs, (ptrdiff_t)(t0 + S) - (ptrdiff_t)(s0 + T)));
+                                          keys, hs, (ptrdiff_t)keys));

@ visited-of-one-head
-        for (size_t t0 = 0; t0 < T; t0 += Br) {
+        *visited = 0;
+        for (size_t t0 = 0; t0 < T; t0 += Br) {

@ scores-counted
-                ++*visited;
+                *visited += Br * Bc;

@ visited-of-last-queries
-            const size_t rows = T - t0 < Br ? T - t0 : Br;
+            const size_t rows = T - t0 < Br ? T - t0 : Br;
+            *visited = 0;

@ visited-not-set: reads-old-output
-    *visited = 0;

@ next-query-asked
-                if (s0 + T >= t0 + rows + S) {
+                if (s0 + T > t0 + rows + S) {

@ at-most-100: none
-                    out[(i * T + t0 + r) * hs + c] = z->weighted[r * hs + c] / sum;
+                    out[(i * T + t0 + r) * hs + c] = fminf(z->weighted[r * hs + c] / sum, 100.0f);

@ small-results-are-0: small-number
-                    out[(i * T + t0 + r) * hs + c] = z->weighted[r * hs + c] / sum;
+                    const float o = z->weighted[r * hs + c] / sum;
+                    out[(i * T + t0 + r) * hs + c] = fabsf(o) < 1e-7f ? 0.0f : o;
