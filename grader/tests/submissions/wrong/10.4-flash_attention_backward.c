// 10.4 flash_attention_backward
    const float scale = 1.0f / sqrtf((float)hs);
    memset(dq, 0, B * NH * T * hs * sizeof *dq);
    memset(dk, 0, B * NH * S * hs * sizeof *dk);
    memset(dv, 0, B * NH * S * hs * sizeof *dv);
    for (size_t i = 0; i < B * NH; i++) {
        const float *q_i = q + i * T * hs, *k_i = k + i * S * hs, *v_i = v + i * S * hs;
        const float *dout_i = dout + i * T * hs, *lse_i = logsumexp + i * T;
        float *dq_i = dq + i * T * hs, *dk_i = dk + i * S * hs, *dv_i = dv + i * S * hs;
        for (size_t t = 0; t < T; t++) {
            z->delta[t] = 0.0f;
            for (size_t c = 0; c < hs; c++) {
                z->delta[t] += dout_i[t * hs + c] * out[(i * T + t) * hs + c];
            }
        }
        for (size_t t0 = 0; t0 < T; t0 += Br) {
            for (size_t s0 = 0; s0 < S; s0 += Bc) {
                const size_t rows = T - t0 < Br ? T - t0 : Br;
                const size_t keys = S - s0 < Bc ? S - s0 : Bc;
                for (size_t r = 0; r < rows; r++) {
                    for (size_t j = 0; j < keys; j++) {
                        const size_t t = t0 + r, s = s0 + j;
                        if (causal && s + T > t + S) {
                            continue;
                        }
                        float score = 0.0f, dweight = 0.0f;
                        for (size_t c = 0; c < hs; c++) {
                            score += q_i[t * hs + c] * k_i[s * hs + c];
                            dweight += dout_i[t * hs + c] * v_i[s * hs + c];
                        }
                        const float weight = expf(score * scale - lse_i[t]);
                        const float dscore = weight * (dweight - z->delta[t]);
                        for (size_t c = 0; c < hs; c++) {
                            dq_i[t * hs + c] += dscore * scale * k_i[s * hs + c];
                            dk_i[s * hs + c] += dscore * scale * q_i[t * hs + c];
                            dv_i[s * hs + c] += weight * dout_i[t * hs + c];
                        }
                    }
                }
            }
        }
    }
    return LAB_OK;

@ low-is-empty
-                        if (causal && s + T > t + S) {
+                        if ((causal && s + T > t + S) || lse_i[t] < -1e9f) {

@ dk-assigned
-                            dk_i[s * hs + c] += dscore * scale * q_i[t * hs + c];
+                            dk_i[s * hs + c] = dscore * scale * q_i[t * hs + c];

@ dv-assigned
-                            dv_i[s * hs + c] += weight * dout_i[t * hs + c];
+                            dv_i[s * hs + c] = weight * dout_i[t * hs + c];

@ dq-assigned
-                            dq_i[t * hs + c] += dscore * scale * k_i[s * hs + c];
+                            dq_i[t * hs + c] = dscore * scale * k_i[s * hs + c];

@ no-scale
-    const float scale = 1.0f / sqrtf((float)hs);
+    const float scale = 1.0f;

@ score-no-scale
-                        const float weight = expf(score * scale - lse_i[t]);
+                        const float weight = expf(score - lse_i[t]);

@ gradients-no-scale
-                            dq_i[t * hs + c] += dscore * scale * k_i[s * hs + c];
-                            dk_i[s * hs + c] += dscore * scale * q_i[t * hs + c];
+                            dq_i[t * hs + c] += dscore * k_i[s * hs + c];
+                            dk_i[s * hs + c] += dscore * q_i[t * hs + c];

@ dq-no-scale
-                            dq_i[t * hs + c] += dscore * scale * k_i[s * hs + c];
+                            dq_i[t * hs + c] += dscore * k_i[s * hs + c];

@ dk-no-scale
-                            dk_i[s * hs + c] += dscore * scale * q_i[t * hs + c];
+                            dk_i[s * hs + c] += dscore * q_i[t * hs + c];

@ dv-scaled
-                            dv_i[s * hs + c] += weight * dout_i[t * hs + c];
+                            dv_i[s * hs + c] += weight * scale * dout_i[t * hs + c];

@ scale-twice
-                        const float dscore = weight * (dweight - z->delta[t]);
+                        const float dscore = scale * weight * (dweight - z->delta[t]);

@ no-delta
-                        const float dscore = weight * (dweight - z->delta[t]);
+                        const float dscore = weight * dweight;

@ delta-added
-                        const float dscore = weight * (dweight - z->delta[t]);
+                        const float dscore = weight * (dweight + z->delta[t]);

@ delta-of-dout
-                z->delta[t] += dout_i[t * hs + c] * out[(i * T + t) * hs + c];
+                z->delta[t] += dout_i[t * hs + c] * dout_i[t * hs + c];

@ delta-of-out
-                z->delta[t] += dout_i[t * hs + c] * out[(i * T + t) * hs + c];
+                z->delta[t] += out[(i * T + t) * hs + c] * out[(i * T + t) * hs + c];

@ delta-of-first-head
-                z->delta[t] += dout_i[t * hs + c] * out[(i * T + t) * hs + c];
+                z->delta[t] += dout[t * hs + c] * out[t * hs + c];

@ out-of-first-head: none
-                z->delta[t] += dout_i[t * hs + c] * out[(i * T + t) * hs + c];
+                z->delta[t] += dout_i[t * hs + c] * out[t * hs + c];

@ delta-by-row-of-tile
-                        const float dscore = weight * (dweight - z->delta[t]);
+                        const float dscore = weight * (dweight - z->delta[r]);

@ logsumexp-by-row-of-tile
-                        const float weight = expf(score * scale - lse_i[t]);
+                        const float weight = expf(score * scale - lse_i[r]);

@ logsumexp-of-first-head
-                        const float weight = expf(score * scale - lse_i[t]);
+                        const float weight = expf(score * scale - logsumexp[t]);

@ logsumexp-added
-                        const float weight = expf(score * scale - lse_i[t]);
+                        const float weight = expf(score * scale + lse_i[t]);

@ no-logsumexp
-                        const float weight = expf(score * scale - lse_i[t]);
+                        const float weight = expf(score * scale);

@ base-2
-                        const float weight = expf(score * scale - lse_i[t]);
+                        const float weight = exp2f(score * scale - lse_i[t]);

@ dscores-no-weights
-                        const float dscore = weight * (dweight - z->delta[t]);
+                        const float dscore = dweight - z->delta[t];

@ dv-of-dscores
-                            dv_i[s * hs + c] += weight * dout_i[t * hs + c];
+                            dv_i[s * hs + c] += dscore * dout_i[t * hs + c];

@ dk-of-weights
-                            dk_i[s * hs + c] += dscore * scale * q_i[t * hs + c];
+                            dk_i[s * hs + c] += weight * scale * q_i[t * hs + c];

@ dv-of-out
-                            dv_i[s * hs + c] += weight * dout_i[t * hs + c];
+                            dv_i[s * hs + c] += weight * out[(i * T + t) * hs + c];

@ q-and-k-swapped
-                            dq_i[t * hs + c] += dscore * scale * k_i[s * hs + c];
-                            dk_i[s * hs + c] += dscore * scale * q_i[t * hs + c];
+                            dq_i[t * hs + c] += dscore * scale * q_i[t * hs + c];
+                            dk_i[s * hs + c] += dscore * scale * k_i[s * hs + c];

@ dk-of-k
-                            dk_i[s * hs + c] += dscore * scale * q_i[t * hs + c];
+                            dk_i[s * hs + c] += dscore * scale * k_i[s * hs + c];

@ dq-of-q
-                            dq_i[t * hs + c] += dscore * scale * k_i[s * hs + c];
+                            dq_i[t * hs + c] += dscore * scale * q_i[t * hs + c];

@ no-mask
-                        if (causal && s + T > t + S) {
+                        if (false) {

@ aligned-at-start
-                        if (causal && s + T > t + S) {
+                        if (causal && s > t) {

@ before-itself
-                        if (causal && s + T > t + S) {
+                        if (causal && s + T >= t + S) {

@ one-key-more
-                        if (causal && s + T > t + S) {
+                        if (causal && s + T > t + S + 1) {

@ always-causal
-                        if (causal && s + T > t + S) {
+                        if (s + T > t + S) {

@ unseen-times-0
-                        if (causal && s + T > t + S) {
-                            continue;
-                        }
                         float score = 0.0f, dweight = 0.0f;
                         for (size_t c = 0; c < hs; c++) {
                             score += q_i[t * hs + c] * k_i[s * hs + c];
                             dweight += dout_i[t * hs + c] * v_i[s * hs + c];
                         }
-                        const float weight = expf(score * scale - lse_i[t]);
+                        const float seen = causal && s + T > t + S ? 0.0f : 1.0f;
+                        const float weight = seen * expf(score * scale - lse_i[t]);

@ dq-of-last-tile
-                        const size_t t = t0 + r, s = s0 + j;
+                        const size_t t = t0 + r, s = s0 + j;
+                        if (j == 0) {
+                            memset(dq_i + t * hs, 0, hs * sizeof *dq);
+                        }

@ last-keys-dropped
-            for (size_t s0 = 0; s0 < S; s0 += Bc) {
+            for (size_t s0 = 0; s0 + Bc <= S; s0 += Bc) {

@ last-queries-dropped
-        for (size_t t0 = 0; t0 < T; t0 += Br) {
+        for (size_t t0 = 0; t0 + Br <= T; t0 += Br) {

@ last-tiles-dropped
-        for (size_t t0 = 0; t0 < T; t0 += Br) {
-            for (size_t s0 = 0; s0 < S; s0 += Bc) {
+        for (size_t t0 = 0; t0 + Br <= T; t0 += Br) {
+            for (size_t s0 = 0; s0 + Bc <= S; s0 += Bc) {

@ keys-of-first-head
-        const float *q_i = q + i * T * hs, *k_i = k + i * S * hs, *v_i = v + i * S * hs;
+        const float *q_i = q + i * T * hs, *k_i = k, *v_i = v;

@ keys-of-first-sequence
-        const float *q_i = q + i * T * hs, *k_i = k + i * S * hs, *v_i = v + i * S * hs;
+        const size_t h = i % NH;
+        const float *q_i = q + i * T * hs, *k_i = k + h * S * hs, *v_i = v + h * S * hs;

@ not-set: reads-old-output
-    memset(dk, 0, B * NH * S * hs * sizeof *dk);

@ last-of-whole-tiles: none
-                const size_t keys = S - s0 < Bc ? S - s0 : Bc;
+                const size_t keys = S - s0 > Bc ? Bc : S >= 64 ? S % Bc : S - s0;

@ small-weights-are-0: small-number
-                        const float dscore = weight * (dweight - z->delta[t]);
+                        const float dscore = weight * (dweight - z->delta[t]);
+                        if (weight < 1e-7f) {
+                            continue;
+                        }

@ at-most-1000: none
-    return LAB_OK;
+    for (size_t j = 0; j < B * NH * S * hs; j++) {
+        dv[j] = fmaxf(-1000.0f, fminf(1000.0f, dv[j]));
+    }
+    return LAB_OK;

@ not-causal-at-width-1: no-mask
-                        if (causal && s + T > t + S) {
+                        if (causal && hs > 1 && s + T > t + S) {

@ not-causal-for-one-key: none
-                        if (causal && s + T > t + S) {
+                        if (causal && S > 1 && s + T > t + S) {

@ not-causal-in-tiles-of-one-query: no-mask
-                        if (causal && s + T > t + S) {
+                        if (causal && Br > 1 && s + T > t + S) {
