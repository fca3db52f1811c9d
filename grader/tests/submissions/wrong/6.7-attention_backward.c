// 6.7 attention_backward
    const float scale = 1.0f / sqrtf((float)hs);
    for (size_t h = 0; h < B * NH; h++) {
        const float *dout_h = dout + h * T * hs, *q_h = q + h * T * hs;
        const float *k_h = k + h * S * hs, *v_h = v + h * S * hs;
        const float *w = weights + h * T * S;
        float *dw = dweights + h * T * S, *ds = dscores + h * T * S;
        float *dq_h = dq + h * T * hs, *dk_h = dk + h * S * hs, *dv_h = dv + h * S * hs;
        for (size_t i = 0; i < T * hs; i++) {
            dq_h[i] = 0.0f;
        }
        for (size_t i = 0; i < S * hs; i++) {
            dk_h[i] = dv_h[i] = 0.0f;
        }
        for (size_t t = 0; t < T; t++) {
            for (size_t s = 0; s < S; s++) {
                float sum = 0.0f;
                for (size_t i = 0; i < hs; i++) {
                    sum += dout_h[t * hs + i] * v_h[s * hs + i];
                    dv_h[s * hs + i] += w[t * S + s] * dout_h[t * hs + i];
                }
                dw[t * S + s] = sum;
            }
        }
        lab_status status = softmax_backward(ds, dw, w, T, S);
        if (status != LAB_OK) {
            return status;
        }
        for (size_t t = 0; t < T; t++) {
            for (size_t s = 0; s < S; s++) {
                for (size_t i = 0; i < hs; i++) {
                    dq_h[t * hs + i] += ds[t * S + s] * k_h[s * hs + i] * scale;
                    dk_h[s * hs + i] += ds[t * S + s] * q_h[t * hs + i] * scale;
                }
            }
        }
    }
    return LAB_OK;

@ assumes-causal
    const float scale = 1.0f / sqrtf((float)hs);
    for (size_t h = 0; h < B * NH; h++) {
        const float *dout_h = dout + h * T * hs, *q_h = q + h * T * hs;
        const float *k_h = k + h * S * hs, *v_h = v + h * S * hs;
        const float *w = weights + h * T * S;
        float *dq_h = dq + h * T * hs, *dk_h = dk + h * S * hs, *dv_h = dv + h * S * hs;
        for (size_t i = 0; i < T * hs; i++) {
            dq_h[i] = 0.0f;
        }
        for (size_t i = 0; i < S * hs; i++) {
            dk_h[i] = dv_h[i] = 0.0f;
        }
        for (size_t t = 0; t < T; t++) {
            const size_t keys = t + 1 < S ? t + 1 : S;
            float mean = 0.0f;
            for (size_t s = 0; s < keys; s++) {
                float sum = 0.0f;
                for (size_t i = 0; i < hs; i++) {
                    sum += dout_h[t * hs + i] * v_h[s * hs + i];
                    dv_h[s * hs + i] += w[t * S + s] * dout_h[t * hs + i];
                }
                dweights[(h * T + t) * S + s] = sum;
                mean += w[t * S + s] * sum;
            }
            for (size_t s = 0; s < keys; s++) {
                const float ds =
                    w[t * S + s] * (dweights[(h * T + t) * S + s] - mean) * scale;
                dscores[(h * T + t) * S + s] = ds;
                for (size_t i = 0; i < hs; i++) {
                    dq_h[t * hs + i] += ds * k_h[s * hs + i];
                    dk_h[s * hs + i] += ds * q_h[t * hs + i];
                }
            }
        }
    }
    return LAB_OK;

@ diagonal-only
-        lab_status status = softmax_backward(ds, dw, w, T, S);
-        if (status != LAB_OK) {
-            return status;
+        for (size_t i = 0; i < T * S; i++) {
+            ds[i] = dw[i] * w[i] * (1.0f - w[i]);

@ dk-not-scaled
-                    dk_h[s * hs + i] += ds[t * S + s] * q_h[t * hs + i] * scale;
+                    dk_h[s * hs + i] += ds[t * S + s] * q_h[t * hs + i];

@ dk-not-transposed
-                    dk_h[s * hs + i] += ds[t * S + s] * q_h[t * hs + i] * scale;
+                    dk_h[s * hs + i] += ds[s * T + t] * q_h[t * hs + i] * scale;

@ dk-with-k
-        const float *dout_h = dout + h * T * hs, *q_h = q + h * T * hs;
+        const float *dout_h = dout + h * T * hs;

-                    dk_h[s * hs + i] += ds[t * S + s] * q_h[t * hs + i] * scale;
+                    dk_h[s * hs + i] += ds[t * S + s] * k_h[t * hs + i] * scale;

@ dq-not-scaled
-                    dq_h[t * hs + i] += ds[t * S + s] * k_h[s * hs + i] * scale;
+                    dq_h[t * hs + i] += ds[t * S + s] * k_h[s * hs + i];

@ dv-not-transposed
-                    dv_h[s * hs + i] += w[t * S + s] * dout_h[t * hs + i];
+                    dv_h[s * hs + i] += w[s * T + t] * dout_h[t * hs + i];

@ dv-of-dscores
-                    dv_h[s * hs + i] += w[t * S + s] * dout_h[t * hs + i];

+                    dv_h[s * hs + i] += ds[t * S + s] * dout_h[t * hs + i];
                     dq_h[t * hs + i] += ds[t * S + s] * k_h[s * hs + i] * scale;

@ dv-scaled
-                    dv_h[s * hs + i] += w[t * S + s] * dout_h[t * hs + i];
+                    dv_h[s * hs + i] += w[t * S + s] * dout_h[t * hs + i] * scale;

@ first-head-weights
-        const float *w = weights + h * T * S;
-        float *dw = dweights + h * T * S, *ds = dscores + h * T * S;
+        const float *w = weights + h / NH * NH * T * S;
+        float *dw = dweights + h / NH * NH * T * S, *ds = dscores + h * T * S;

@ last-query-only
-                    dv_h[s * hs + i] += w[t * S + s] * dout_h[t * hs + i];
+                    dv_h[s * hs + i] = w[t * S + s] * dout_h[t * hs + i];

-                    dk_h[s * hs + i] += ds[t * S + s] * q_h[t * hs + i] * scale;
+                    dk_h[s * hs + i] = ds[t * S + s] * q_h[t * hs + i] * scale;

@ multiplied
-    const float scale = 1.0f / sqrtf((float)hs);
+    const float scale = sqrtf((float)hs);

@ no-scale
-    const float scale = 1.0f / sqrtf((float)hs);

-                    dq_h[t * hs + i] += ds[t * S + s] * k_h[s * hs + i] * scale;
-                    dk_h[s * hs + i] += ds[t * S + s] * q_h[t * hs + i] * scale;
+                    dq_h[t * hs + i] += ds[t * S + s] * k_h[s * hs + i];
+                    dk_h[s * hs + i] += ds[t * S + s] * q_h[t * hs + i];

@ no-softmax
-        lab_status status = softmax_backward(ds, dw, w, T, S);
-        if (status != LAB_OK) {
-            return status;
+        for (size_t i = 0; i < T * S; i++) {
+            ds[i] = dw[i];

@ scaled-twice
-                    dq_h[t * hs + i] += ds[t * S + s] * k_h[s * hs + i] * scale;
-                    dk_h[s * hs + i] += ds[t * S + s] * q_h[t * hs + i] * scale;
+                    dq_h[t * hs + i] += ds[t * S + s] * scale * k_h[s * hs + i] * scale;
+                    dk_h[s * hs + i] += ds[t * S + s] * scale * q_h[t * hs + i] * scale;

@ sqrt-C
-    const float scale = 1.0f / sqrtf((float)hs);
+    const float scale = 1.0f / sqrtf((float)(NH * hs));

@ sqrt-S
-    const float scale = 1.0f / sqrtf((float)hs);
+    const float scale = 1.0f / sqrtf((float)S);

@ v-transposed
-                    sum += dout_h[t * hs + i] * v_h[s * hs + i];
+                    sum += dout_h[t * hs + i] * v_h[i * S + s];

@ one-query-takes-keys-of-sequence-0: none
-        const float *k_h = k + h * S * hs, *v_h = v + h * S * hs;
+        const size_t keys = T > 1 ? h : h % NH;
+        const float *k_h = k + keys * S * hs, *v_h = v + keys * S * hs;

@ at-most-1000: none
-    return LAB_OK;
+    for (size_t j = 0; j < B * NH * T * hs; j++) {
+        dq[j] = fmaxf(-1000.0f, fminf(1000.0f, dq[j]));
+    }
+    return LAB_OK;

@ sizes-swapped
-        lab_status status = softmax_backward(ds, dw, w, T, S);
+        lab_status status = softmax_backward(ds, dw, w, S, T);

@ small-weights-skipped: small-number
-            for (size_t s = 0; s < S; s++) {
-                float sum = 0.0f;
+            for (size_t s = 0; s < S; s++) {
+                float sum = 0.0f;
+                if (w[t * S + s] < 1e-8f) {
+                    dw[t * S + s] = 0.0f;
+                    continue;
+                }

@ no-sum
-        lab_status status = softmax_backward(ds, dw, w, T, S);
-        if (status != LAB_OK) {
-            return status;
-        }
+        for (size_t i = 0; i < T * S; i++) {
+            ds[i] = dw[i] * w[i];
+        }

@ dweights-with-k
-                    sum += dout_h[t * hs + i] * v_h[s * hs + i];
+                    sum += dout_h[t * hs + i] * k_h[s * hs + i];
