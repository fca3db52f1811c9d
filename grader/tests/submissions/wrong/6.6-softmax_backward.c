// 6.6 softmax_backward
    for (size_t n = 0; n < N; n++) {
        const float *w = weights + n * S, *dw = dweights + n * S;
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            sum += w[s] * dw[s];
        }
        for (size_t s = 0; s < S; s++) {
            dscores[n * S + s] = w[s] * (dw[s] - sum);
        }
    }
    return LAB_OK;

@ whole-sum: fraction-in-int
-        float sum = 0.0f;
+        int sum = 0;

@ columns
    for (size_t s = 0; s < S; s++) {
        float sum = 0.0f;
        for (size_t n = 0; n < N; n++) {
            sum += weights[n * S + s] * dweights[n * S + s];
        }
        for (size_t n = 0; n < N; n++) {
            dscores[n * S + s] = weights[n * S + s] * (dweights[n * S + s] - sum);
        }
    }
    return LAB_OK;

@ diagonal-only
    for (size_t i = 0; i < N * S; i++) {
        dscores[i] = weights[i] * (1.0f - weights[i]) * dweights[i];
    }
    return LAB_OK;

@ no-sum
    for (size_t n = 0; n < N; n++) {
        const float *w = weights + n * S, *dw = dweights + n * S;
        for (size_t s = 0; s < S; s++) {
            dscores[n * S + s] = w[s] * dw[s];
        }
    }
    return LAB_OK;

@ no-weight
-            dscores[n * S + s] = w[s] * (dw[s] - sum);
+            dscores[n * S + s] = dw[s] - sum;

@ plain-mean
-            sum += w[s] * dw[s];
+            sum += dw[s] / (float)S;

@ plus
-            dscores[n * S + s] = w[s] * (dw[s] - sum);
+            dscores[n * S + s] = w[s] * (dw[s] + sum);

@ sum-is-last
-            sum += w[s] * dw[s];
+            sum = w[s] * dw[s];

@ sum-not-reset
+    float sum = 0.0f;
     for (size_t n = 0; n < N; n++) {

-        float sum = 0.0f;

@ sum-outside
-            dscores[n * S + s] = w[s] * (dw[s] - sum);
+            dscores[n * S + s] = w[s] * dw[s] - sum;

@ unweighted-sum
-            sum += w[s] * dw[s];
+            sum += dw[s];

@ last-of-whole-vectors: none
-            sum += w[s] * dw[s];
+            sum += s < (S - 1) / 64 * 64 + S % 64 ? w[s] * dw[s] : 0.0f;

@ small-weights-are-0: small-number
-            dscores[n * S + s] = w[s] * (dw[s] - sum);
+            dscores[n * S + s] = w[s] < 1e-9f ? 0.0f : w[s] * (dw[s] - sum);

@ at-most-10: none
-            dscores[n * S + s] = w[s] * (dw[s] - sum);
+            dscores[n * S + s] = w[s] * fmaxf(-10.0f, fminf(10.0f, dw[s] - sum));

@ mean-over-S
-            dscores[n * S + s] = w[s] * (dw[s] - sum);
+            dscores[n * S + s] = w[s] * (dw[s] - sum / (float)S);
