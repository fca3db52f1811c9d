// 5.7 transformer_stack
    for (size_t l = 0; l < L; l++) {
        const float *in = l == 0 ? x : streams + (l - 1) * B * T * C;
        float *out = streams + l * B * T * C;
        lab_status status = transformer_block(out, weights + l * B * NH * T * T, buffers,
                                              in, &params[l], causal, B, T, C, NH, H);
        if (status != LAB_OK) {
            return status;
        }
    }
    return LAB_OK;

@ stream-at-most-1000: none
-        if (status != LAB_OK) {
+        for (size_t i = 0; i < B * T * C; i++) {
+            out[i] = fminf(out[i], 1000.0f);
+        }
+        if (status != LAB_OK) {

@ status-of-the-last-block: status-ignored
+    lab_status status = LAB_OK;
     for (size_t l = 0; l < L; l++) {

-        lab_status status = transformer_block(out, weights + l * B * NH * T * T, buffers,
-                                              in, &params[l], causal, B, T, C, NH, H);
-        if (status != LAB_OK) {
-            return status;
-        }
-    }
-    return LAB_OK;
+        status = transformer_block(out, weights + l * B * NH * T * T, buffers, in,
+                                   &params[l], causal, B, T, C, NH, H);
+    }
+    return status;

@ adds-input
+        for (size_t i = 0; i < B * T * C; i++) {
+            out[i] += in[i];
+        }
     }

@ first-params
-                                              in, &params[l], causal, B, T, C, NH, H);
+                                              in, params, causal, B, T, C, NH, H);

@ last-params
-        lab_status status = transformer_block(out, weights + l * B * NH * T * T, buffers,
-                                              in, &params[l], causal, B, T, C, NH, H);
+        lab_status status =
+            transformer_block(out, weights + l * B * NH * T * T, buffers, in,
+                              params + (L - 1), causal, B, T, C, NH, H);

@ reads-x
-        const float *in = l == 0 ? x : streams + (l - 1) * B * T * C;
+        const float *in = x;

@ reads-block-0
-        const float *in = l == 0 ? x : streams + (l - 1) * B * T * C;
+        const float *in = l == 0 ? x : streams;

@ reversed
-        lab_status status = transformer_block(out, weights + l * B * NH * T * T, buffers,
-                                              in, &params[l], causal, B, T, C, NH, H);
+        lab_status status =
+            transformer_block(out, weights + l * B * NH * T * T, buffers, in,
+                              &params[L - 1 - l], causal, B, T, C, NH, H);

@ streams-reversed
-        const float *in = l == 0 ? x : streams + (l - 1) * B * T * C;
-        float *out = streams + l * B * T * C;
+        const float *in = l == 0 ? x : streams + (L - l) * B * T * C;
+        float *out = streams + (L - 1 - l) * B * T * C;

@ streams-without-B
    const float *input = x;
    for (size_t l = 0; l < L; l++) {
        float *output = streams + l * T * C;
        LAB_TRY(transformer_block(output, weights + l * B * NH * T * T, buffers, input,
                                  &params[l], causal, B, T, C, NH, H));
        input = output;
    }
    return LAB_OK;

@ weights-in-one-place
-        lab_status status = transformer_block(out, weights + l * B * NH * T * T, buffers,
-                                              in, &params[l], causal, B, T, C, NH, H);
+        lab_status status = transformer_block(out, weights, buffers, in, &params[l],
+                                              causal, B, T, C, NH, H);

@ weights-without-B
    const float *input = x;
    for (size_t l = 0; l < L; l++) {
        float *output = streams + l * B * T * C;
        LAB_TRY(transformer_block(output, weights + l * NH * T * T, buffers, input,
                                  &params[l], causal, B, T, C, NH, H));
        input = output;
    }
    return LAB_OK;

@ weights-without-NH
    const float *input = x;
    for (size_t l = 0; l < L; l++) {
        float *output = streams + l * B * T * C;
        LAB_TRY(transformer_block(output, weights + l * B * T * T, buffers, input,
                                  &params[l], causal, B, T, C, NH, H));
        input = output;
    }
    return LAB_OK;

@ 32-different-blocks: none
-                                              in, &params[l], causal, B, T, C, NH, H);
+                                              in, &params[l % 32], causal, B, T, C, NH, H);

@ block-20-repeats: none
-                                              in, &params[l], causal, B, T, C, NH, H);
+                                              in, &params[l < 20 ? l : 19], causal, B, T, C, NH, H);
