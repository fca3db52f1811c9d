// 10.2 flash_attention
    for (size_t i = 0; i < B * NH; i++) {
        for (size_t t0 = 0; t0 < T; t0 += Br) {
            const size_t rows = T - t0 < Br ? T - t0 : Br;
            const float *q_tile = q + (i * T + t0) * hs;
            for (size_t r = 0; r < rows; r++) {
                z->max[r] = -INFINITY;
                z->sum[r] = 0.0f;
            }
            memset(z->weighted, 0, rows * hs * sizeof *z->weighted);
            for (size_t s0 = 0; s0 < S; s0 += Bc) {
                const size_t keys = S - s0 < Bc ? S - s0 : Bc;
                const float *k_tile = k + (i * S + s0) * hs;
                const float *v_tile = v + (i * S + s0) * hs;
                ptrdiff_t diagonal = (ptrdiff_t)keys;
                if (causal) {
                    diagonal = (ptrdiff_t)t0 + (ptrdiff_t)S - (ptrdiff_t)T - (ptrdiff_t)s0;
                }
                LAB_TRY(partial_attention(z->tile_max, z->tile_sum, z->tile_weighted,
                                          z->scores, q_tile, k_tile, v_tile, rows, keys, hs,
                                          diagonal));
                LAB_TRY(online_softmax_merge(z->max, z->sum, z->weighted, z->tile_max,
                                             z->tile_sum, z->tile_weighted, rows, hs));
            }
            for (size_t r = 0; r < rows; r++) {
                const size_t n = i * T + t0 + r;
                const float by = z->sum[r] > 0.0f ? z->sum[r] : 1.0f;
                for (size_t c = 0; c < hs; c++) {
                    out[n * hs + c] = z->weighted[r * hs + c] / by;
                }
                logsumexp[n] = z->max[r] + logf(by);
            }
        }
    }
    return LAB_OK;

@ logsumexp-subtracted
-                logsumexp[n] = z->max[r] + logf(by);
+                logsumexp[n] = z->max[r] - logf(by);

@ status-of-the-last-tile: status-ignored
+            lab_status status = LAB_OK;
             for (size_t s0 = 0; s0 < S; s0 += Bc) {

-                LAB_TRY(partial_attention(z->tile_max, z->tile_sum, z->tile_weighted,
-                                          z->scores, q_tile, k_tile, v_tile, rows, keys, hs,
-                                          diagonal));
-                LAB_TRY(online_softmax_merge(z->max, z->sum, z->weighted, z->tile_max,
-                                             z->tile_sum, z->tile_weighted, rows, hs));
-            }
+                status = partial_attention(z->tile_max, z->tile_sum, z->tile_weighted,
+                                           z->scores, q_tile, k_tile, v_tile, rows, keys,
+                                           hs, diagonal);
+                LAB_TRY(online_softmax_merge(z->max, z->sum, z->weighted, z->tile_max,
+                                             z->tile_sum, z->tile_weighted, rows, hs));
+            }
+            LAB_TRY(status);

@ causal-ignored
-                if (causal) {
+                if (causal && S == 0) {

@ always-causal
-                if (causal) {
+                if (causal || S > 0) {

@ aligned-at-the-start
-                    diagonal = (ptrdiff_t)t0 + (ptrdiff_t)S - (ptrdiff_t)T - (ptrdiff_t)s0;
+                    diagonal = (ptrdiff_t)t0 - (ptrdiff_t)s0;

@ itself-unseen
-                    diagonal = (ptrdiff_t)t0 + (ptrdiff_t)S - (ptrdiff_t)T - (ptrdiff_t)s0;
+                    diagonal = (ptrdiff_t)t0 + (ptrdiff_t)S - (ptrdiff_t)T - (ptrdiff_t)s0 - 1;

@ one-key-more
-                    diagonal = (ptrdiff_t)t0 + (ptrdiff_t)S - (ptrdiff_t)T - (ptrdiff_t)s0;
+                    diagonal = (ptrdiff_t)t0 + (ptrdiff_t)S - (ptrdiff_t)T - (ptrdiff_t)s0 + 1;

@ tile-forgotten
-                    diagonal = (ptrdiff_t)t0 + (ptrdiff_t)S - (ptrdiff_t)T - (ptrdiff_t)s0;
+                    diagonal = (ptrdiff_t)S - (ptrdiff_t)T;

@ tile-subtracted
-                    diagonal = (ptrdiff_t)t0 + (ptrdiff_t)S - (ptrdiff_t)T - (ptrdiff_t)s0;
+                    diagonal = (ptrdiff_t)s0 + (ptrdiff_t)S - (ptrdiff_t)T - (ptrdiff_t)t0;

@ tile-by-tile-rule
-                    diagonal = (ptrdiff_t)t0 + (ptrdiff_t)S - (ptrdiff_t)T - (ptrdiff_t)s0;
+                    diagonal = s0 / Bc < t0 / Br ? (ptrdiff_t)keys : 0;
+                }
+                if (causal && s0 / Bc > t0 / Br) {
+                    break;

@ whole-tiles
-                    diagonal = (ptrdiff_t)t0 + (ptrdiff_t)S - (ptrdiff_t)T - (ptrdiff_t)s0;
+                    diagonal = s0 + T <= t0 + Br - 1 + S ? (ptrdiff_t)keys : -(ptrdiff_t)rows;

@ key-offset-forgotten: none
-                    diagonal = (ptrdiff_t)t0 + (ptrdiff_t)S - (ptrdiff_t)T - (ptrdiff_t)s0;
+                    diagonal = (ptrdiff_t)t0 + (ptrdiff_t)S - (ptrdiff_t)T;

@ ragged-tile-dropped
-            for (size_t s0 = 0; s0 < S; s0 += Bc) {
+            for (size_t s0 = 0; s0 + Bc <= S; s0 += Bc) {

@ ragged-queries-dropped: none
-        for (size_t t0 = 0; t0 < T; t0 += Br) {
+        for (size_t t0 = 0; t0 + Br <= T; t0 += Br) {

@ rows-not-clamped: crash
-            const size_t rows = T - t0 < Br ? T - t0 : Br;
+            const size_t rows = Br;

@ keys-not-clamped: crash
-                const size_t keys = S - s0 < Bc ? S - s0 : Bc;
+                const size_t keys = Bc;

@ first-tile-only
-            for (size_t s0 = 0; s0 < S; s0 += Bc) {
+            for (size_t s0 = 0; s0 < 1; s0 += Bc) {

@ last-tile-only
-                LAB_TRY(online_softmax_merge(z->max, z->sum, z->weighted, z->tile_max,
-                                             z->tile_sum, z->tile_weighted, rows, hs));
+                memcpy(z->max, z->tile_max, rows * sizeof *z->max);
+                memcpy(z->sum, z->tile_sum, rows * sizeof *z->sum);
+                memcpy(z->weighted, z->tile_weighted, rows * hs * sizeof *z->weighted);

@ restarted-for-each-tile: last-tile-only
-                const size_t keys = S - s0 < Bc ? S - s0 : Bc;
+                const size_t keys = S - s0 < Bc ? S - s0 : Bc;
+                for (size_t r = 0; r < rows; r++) {
+                    z->max[r] = -INFINITY;
+                    z->sum[r] = 0.0f;
+                }
+                memset(z->weighted, 0, rows * hs * sizeof *z->weighted);

@ started-once
-    for (size_t i = 0; i < B * NH; i++) {
+    for (size_t r = 0; r < Br; r++) {
+        z->max[r] = -INFINITY;
+        z->sum[r] = 0.0f;
+    }
+    memset(z->weighted, 0, Br * hs * sizeof *z->weighted);
+    for (size_t i = 0; i < B * NH; i++) {

-            for (size_t r = 0; r < rows; r++) {
-                z->max[r] = -INFINITY;
-                z->sum[r] = 0.0f;
-            }
-            memset(z->weighted, 0, rows * hs * sizeof *z->weighted);

@ started-once-a-head
-        for (size_t t0 = 0; t0 < T; t0 += Br) {
+        for (size_t r = 0; r < Br; r++) {
+            z->max[r] = -INFINITY;
+            z->sum[r] = 0.0f;
+        }
+        memset(z->weighted, 0, Br * hs * sizeof *z->weighted);
+        for (size_t t0 = 0; t0 < T; t0 += Br) {

-            for (size_t r = 0; r < rows; r++) {
-                z->max[r] = -INFINITY;
-                z->sum[r] = 0.0f;
-            }
-            memset(z->weighted, 0, rows * hs * sizeof *z->weighted);

@ never-started: reads-old-output
-            for (size_t r = 0; r < rows; r++) {
-                z->max[r] = -INFINITY;
-                z->sum[r] = 0.0f;
-            }
-            memset(z->weighted, 0, rows * hs * sizeof *z->weighted);

@ maximum-from-1e9
-                z->max[r] = -INFINITY;
+                z->max[r] = -1e9f;

-                logsumexp[n] = z->max[r] + logf(by);
+                logsumexp[n] = z->max[r] + logf(z->sum[r]);

@ maximum-from-1e9-guarded
-                z->max[r] = -INFINITY;
+                z->max[r] = -1e9f;

@ low-is-empty: maximum-from-1e9
-                const float by = z->sum[r] > 0.0f ? z->sum[r] : 1.0f;
+                const bool none = z->max[r] < -1e30f;
+                const float by = none ? INFINITY : z->sum[r];

-                logsumexp[n] = z->max[r] + logf(by);
+                logsumexp[n] = none ? -INFINITY : z->max[r] + logf(by);

@ maximum-from-0
-                z->max[r] = -INFINITY;
+                z->max[r] = 0.0f;

-                logsumexp[n] = z->max[r] + logf(by);
+                logsumexp[n] = z->max[r] + logf(z->sum[r]);

@ maximum-from-0-guarded
-                z->max[r] = -INFINITY;
+                z->max[r] = 0.0f;

@ softmaxes-added
-                LAB_TRY(online_softmax_merge(z->max, z->sum, z->weighted, z->tile_max,
-                                             z->tile_sum, z->tile_weighted, rows, hs));
+                for (size_t r = 0; r < rows; r++) {
+                    for (size_t c = 0; c < hs && z->tile_sum[r] > 0.0f; c++) {
+                        out[(i * T + t0 + r) * hs + c] +=
+                            z->tile_weighted[r * hs + c] / z->tile_sum[r];
+                    }
+                }
+                LAB_TRY(online_softmax_merge(z->max, z->sum, z->weighted, z->tile_max,
+                                             z->tile_sum, z->tile_weighted, rows, hs));

-            const float *q_tile = q + (i * T + t0) * hs;
+            const float *q_tile = q + (i * T + t0) * hs;
+            memset(out + (i * T + t0) * hs, 0, rows * hs * sizeof *out);

-                for (size_t c = 0; c < hs; c++) {
-                    out[n * hs + c] = z->weighted[r * hs + c] / by;
-                }

@ softmaxes-averaged
-                LAB_TRY(online_softmax_merge(z->max, z->sum, z->weighted, z->tile_max,
-                                             z->tile_sum, z->tile_weighted, rows, hs));
+                for (size_t r = 0; r < rows; r++) {
+                    for (size_t c = 0; c < hs && z->tile_sum[r] > 0.0f; c++) {
+                        out[(i * T + t0 + r) * hs + c] +=
+                            z->tile_weighted[r * hs + c] / z->tile_sum[r];
+                    }
+                }
+                LAB_TRY(online_softmax_merge(z->max, z->sum, z->weighted, z->tile_max,
+                                             z->tile_sum, z->tile_weighted, rows, hs));

-            const float *q_tile = q + (i * T + t0) * hs;
+            const float *q_tile = q + (i * T + t0) * hs;
+            memset(out + (i * T + t0) * hs, 0, rows * hs * sizeof *out);

-                    out[n * hs + c] = z->weighted[r * hs + c] / by;
+                    out[n * hs + c] /= (float)((S + Bc - 1) / Bc);

@ divided-each-time
-                LAB_TRY(online_softmax_merge(z->max, z->sum, z->weighted, z->tile_max,
-                                             z->tile_sum, z->tile_weighted, rows, hs));
+                LAB_TRY(online_softmax_merge(z->max, z->sum, z->weighted, z->tile_max,
+                                             z->tile_sum, z->tile_weighted, rows, hs));
+                for (size_t n = 0; n < rows * hs; n++) {
+                    z->weighted[n] /= z->sum[n / hs] > 0.0f ? z->sum[n / hs] : 1.0f;
+                }

@ divided-in-the-loop
-                LAB_TRY(online_softmax_merge(z->max, z->sum, z->weighted, z->tile_max,
-                                             z->tile_sum, z->tile_weighted, rows, hs));
+                LAB_TRY(online_softmax_merge(z->max, z->sum, z->weighted, z->tile_max,
+                                             z->tile_sum, z->tile_weighted, rows, hs));
+                for (size_t n = 0; n < rows * hs; n++) {
+                    z->weighted[n] /= z->sum[n / hs] > 0.0f ? z->sum[n / hs] : 1.0f;
+                }

-                    out[n * hs + c] = z->weighted[r * hs + c] / by;
+                    out[n * hs + c] = z->weighted[r * hs + c];

@ not-divided
-                    out[n * hs + c] = z->weighted[r * hs + c] / by;
+                    out[n * hs + c] = z->weighted[r * hs + c];

@ divided-by-last-sum
-                    out[n * hs + c] = z->weighted[r * hs + c] / by;
+                    out[n * hs + c] = z->weighted[r * hs + c] / (z->tile_sum[r] > 0.0f ? z->tile_sum[r] : 1.0f);

@ empty-nan
-                    out[n * hs + c] = z->weighted[r * hs + c] / by;
+                    out[n * hs + c] = z->weighted[r * hs + c] / z->sum[r];

@ logsumexp-without-max
-                logsumexp[n] = z->max[r] + logf(by);
+                logsumexp[n] = logf(z->sum[r]);

@ logsumexp-without-log-sum
-                logsumexp[n] = z->max[r] + logf(by);
+                logsumexp[n] = z->max[r];

@ logsumexp-without-log
-                logsumexp[n] = z->max[r] + logf(by);
+                logsumexp[n] = z->max[r] + by;

@ logsumexp-base-2
-                logsumexp[n] = z->max[r] + logf(by);
+                logsumexp[n] = z->max[r] * 1.44269504f + log2f(by);

@ logsumexp-of-last-max
-                logsumexp[n] = z->max[r] + logf(by);
+                logsumexp[n] = z->tile_max[r] + logf(by);

@ logsumexp-minus-max
-                logsumexp[n] = z->max[r] + logf(by);
+                logsumexp[n] = logf(z->sum[r]) - (z->sum[r] > 0.0f ? z->max[r] : 0.0f);

@ logsumexp-empty-0
-                logsumexp[n] = z->max[r] + logf(by);
+                logsumexp[n] = z->sum[r] > 0.0f ? z->max[r] + logf(by) : 0.0f;

@ logsumexp-of-product: none
-                logsumexp[n] = z->max[r] + logf(by);
+                logsumexp[n] = z->max[r] * logf(by);

@ values-are-keys
-                const float *v_tile = v + (i * S + s0) * hs;
+                const float *v_tile = k_tile;
+                (void)v;

@ keys-are-values
-                const float *k_tile = k + (i * S + s0) * hs;
+                const float *k_tile = v + (i * S + s0) * hs;
+                (void)k;

@ keys-of-head-0
-                const float *k_tile = k + (i * S + s0) * hs;
-                const float *v_tile = v + (i * S + s0) * hs;
+                const float *k_tile = k + (i / NH * NH * S + s0) * hs;
+                const float *v_tile = v + (i / NH * NH * S + s0) * hs;

@ keys-of-sequence-0
-                const float *k_tile = k + (i * S + s0) * hs;
-                const float *v_tile = v + (i * S + s0) * hs;
+                const float *k_tile = k + (i % NH * S + s0) * hs;
+                const float *v_tile = v + (i % NH * S + s0) * hs;

@ keys-of-first-tile
-                const float *k_tile = k + (i * S + s0) * hs;
+                const float *k_tile = k + i * S * hs;

@ values-of-first-tile
-                const float *v_tile = v + (i * S + s0) * hs;
+                const float *v_tile = v + i * S * hs;

@ first-tile-again
-                const float *k_tile = k + (i * S + s0) * hs;
-                const float *v_tile = v + (i * S + s0) * hs;
+                const float *k_tile = k + i * S * hs;
+                const float *v_tile = v + i * S * hs;

@ queries-of-first-tile
-            const float *q_tile = q + (i * T + t0) * hs;
+            const float *q_tile = q + i * T * hs;

@ logsumexp-of-tile: none
-                logsumexp[n] = z->max[r] + logf(by);
+                logsumexp[i * T + r] = z->max[r] + logf(by);

@ first-sequence-only: none
-    for (size_t i = 0; i < B * NH; i++) {
+    for (size_t i = 0; i < NH; i++) {

@ k-tile-of-queries: crash
-                const float *k_tile = k + (i * S + s0) * hs;
+                const float *k_tile = k + (i * T + s0) * hs;

@ small-results-are-0: none
-                    out[n * hs + c] = z->weighted[r * hs + c] / by;
+                    const float result = z->weighted[r * hs + c] / by;
+                    out[n * hs + c] = result * result < 1e-14f ? 0.0f : result;

@ at-most-100: none
-                    out[n * hs + c] = z->weighted[r * hs + c] / by;
+                    out[n * hs + c] = fminf(z->weighted[r * hs + c] / by, 100.0f);

@ not-causal-at-width-1: none
-                if (causal) {
+                if (causal && hs > 1) {

@ causal-in-tiles-of-one-key: always-causal
-                if (causal) {
+                if (causal || Bc == 1) {

@ right-inline
    const float scale = 1.0f / sqrtf((float)hs);
    for (size_t n = 0; n < B * NH * T; n++) {
        const size_t i = n / T, t = n % T;
        const float *q_n = q + n * hs;
        float max = -INFINITY, sum = 0.0f, *acc = out + n * hs;
        memset(acc, 0, hs * sizeof *acc);
        for (size_t s0 = 0; s0 < S; s0 += Bc) {
            const size_t end = s0 + Bc < S ? s0 + Bc : S;
            float tile_max = -INFINITY;
            for (size_t s = s0; s < end; s++) {
                float dot = 0.0f;
                for (size_t c = 0; c < hs; c++) {
                    dot += q_n[c] * k[(i * S + s) * hs + c];
                }
                z->scores[s - s0] = dot * scale;
                if (causal && s + T > t + S) {
                    z->scores[s - s0] = -INFINITY;
                }
                tile_max = fmaxf(tile_max, z->scores[s - s0]);
            }
            if (tile_max == -INFINITY) {
                continue;
            }
            const float new_max = fmaxf(max, tile_max);
            const float factor = expf(max - new_max);
            sum *= factor;
            for (size_t c = 0; c < hs; c++) {
                acc[c] *= factor;
            }
            for (size_t s = s0; s < end; s++) {
                const float e = expf(z->scores[s - s0] - new_max);
                sum += e;
                for (size_t c = 0; c < hs; c++) {
                    acc[c] += e * v[(i * S + s) * hs + c];
                }
            }
            max = new_max;
        }
        for (size_t c = 0; sum > 0.0f && c < hs; c++) {
            acc[c] /= sum;
        }
        logsumexp[n] = max + logf(sum);
    }
    (void)Br;
    return LAB_OK;

@ no-scale
-                z->scores[s - s0] = dot * scale;
+                z->scores[s - s0] = dot + 0.0f * scale;

@ over-hs
-                z->scores[s - s0] = dot * scale;
+                z->scores[s - s0] = dot * scale * scale;

@ multiplied
-                z->scores[s - s0] = dot * scale;
+                z->scores[s - s0] = dot / scale;

@ sqrt-C
-    const float scale = 1.0f / sqrtf((float)hs);
+    const float scale = 1.0f / sqrtf((float)(NH * hs));

@ sqrt-Bc
-    const float scale = 1.0f / sqrtf((float)hs);
+    const float scale = 1.0f / sqrtf((float)Bc);

@ future-only
-                if (causal && s + T > t + S) {
+                if (causal && s + T < t + S) {

@ unsigned-wraps
-                if (causal && s + T > t + S) {
+                if (causal && s > t + S - T) {

@ mask-is-0
-                    z->scores[s - s0] = -INFINITY;
+                    z->scores[s - s0] = 0.0f;

@ old-not-rescaled
-            sum *= factor;
-            for (size_t c = 0; c < hs; c++) {
-                acc[c] *= factor;
-            }
+            sum += 0.0f * factor;

@ max-overwritten-too-early: old-not-rescaled
-            const float factor = expf(max - new_max);
+            max = new_max;
+            const float factor = expf(max - new_max);

@ sum-not-rescaled
-            sum *= factor;

@ weighted-not-rescaled
-                acc[c] *= factor;
+                acc[c] *= 1.0f;

@ tile-not-rescaled
-                const float e = expf(z->scores[s - s0] - new_max);
+                const float e = expf(z->scores[s - s0] - tile_max);

@ factor-inverted
-            const float factor = expf(max - new_max);
+            const float factor = max == -INFINITY ? 0.0f : expf(new_max - max);

@ factor-inverted-from-the-start: none
-            const float factor = expf(max - new_max);
+            const float factor = expf(new_max - max);

@ maximum-of-last-tile
-            const float new_max = fmaxf(max, tile_max);
+            const float new_max = tile_max;

@ max-not-stored: none
-            max = new_max;

@ no-maximum
-            const float factor = expf(max - new_max);
+            const float factor = 1.0f;

-                const float e = expf(z->scores[s - s0] - new_max);
+                const float e = expf(z->scores[s - s0]);

-        logsumexp[n] = max + logf(sum);
+        logsumexp[n] = logf(sum);

@ base-2
-            const float factor = expf(max - new_max);
+            const float factor = exp2f(max - new_max);

-                const float e = expf(z->scores[s - s0] - new_max);
+                const float e = exp2f(z->scores[s - s0] - new_max);

@ logsumexp-unscaled
-        logsumexp[n] = max + logf(sum);
+        logsumexp[n] = max / scale + logf(sum);

@ padding-counted
-        for (size_t c = 0; sum > 0.0f && c < hs; c++) {
+        const size_t padding = causal ? 0 : (Bc - S % Bc) % Bc;
+        if (padding > 0) {
+            const float larger = fmaxf(max, 0.0f), factor = expf(max - larger);
+            sum = factor * sum + (float)padding * expf(0.0f - larger);
+            max = larger;
+            for (size_t c = 0; c < hs; c++) {
+                acc[c] *= factor;
+            }
+        }
+        for (size_t c = 0; sum > 0.0f && c < hs; c++) {

@ not-in-heads
-        const float *q_n = q + n * hs;
-        float max = -INFINITY, sum = 0.0f, *acc = out + n * hs;
+        const size_t token = (i / NH * T + t) * NH + i % NH;
+        const float *q_n = q + token * hs;
+        float max = -INFINITY, sum = 0.0f, *acc = out + token * hs;

-                    dot += q_n[c] * k[(i * S + s) * hs + c];
+                    dot += q_n[c] * k[((i / NH * S + s) * NH + i % NH) * hs + c];

-                    acc[c] += e * v[(i * S + s) * hs + c];
+                    acc[c] += e * v[((i / NH * S + s) * NH + i % NH) * hs + c];

@ out-not-in-heads
-        float max = -INFINITY, sum = 0.0f, *acc = out + n * hs;
+        const size_t token = (i / NH * T + t) * NH + i % NH;
+        float max = -INFINITY, sum = 0.0f, *acc = out + token * hs;

@ k-not-transposed
-                    dot += q_n[c] * k[(i * S + s) * hs + c];
+                    dot += q_n[c] * k[i * S * hs + c * S + s];

@ all-scores-in-one-tile: crash
-                z->scores[s - s0] = dot * scale;
+                z->scores[s] = dot * scale;
