// 11.5 gelu_tanh
    const float root = sqrtf(2.0f / 3.14159265358979f);
    for (size_t n = 0; n < N; n++) {
        const float inner = root * (x[n] + 0.044715f * x[n] * x[n] * x[n]);
        y[n] = 0.5f * x[n] * (1.0f + tanhf(inner));
    }
    return LAB_OK;

@ at-most-100: none
-        y[n] = 0.5f * x[n] * (1.0f + tanhf(inner));
+        y[n] = fminf(100.0f, 0.5f * x[n] * (1.0f + tanhf(inner)));

@ small-results-are-0: small-number
-        y[n] = 0.5f * x[n] * (1.0f + tanhf(inner));
+        y[n] = fabsf(x[n]) < 1e-6f ? 0.0f : 0.5f * x[n] * (1.0f + tanhf(inner));

@ exact
    return gelu(y, x, N);

@ sigmoid
    for (size_t n = 0; n < N; n++) {
        y[n] = x[n] / (1.0f + expf(-1.702f * x[n]));
    }
    return LAB_OK;

@ silu
    for (size_t n = 0; n < N; n++) {
        y[n] = x[n] / (1.0f + expf(-x[n]));
    }
    return LAB_OK;

@ relu
    for (size_t n = 0; n < N; n++) {
        y[n] = fmaxf(x[n], 0.0f);
    }
    return LAB_OK;

@ no-cube
-        const float inner = root * (x[n] + 0.044715f * x[n] * x[n] * x[n]);
+        const float inner = root * (x[n] + 0.044715f * x[n]);

@ square
-        const float inner = root * (x[n] + 0.044715f * x[n] * x[n] * x[n]);
+        const float inner = root * (x[n] + 0.044715f * x[n] * x[n]);

@ no-cubic-term
-        const float inner = root * (x[n] + 0.044715f * x[n] * x[n] * x[n]);
+        const float inner = root * (x[n]);

@ cube-outside
-        const float inner = root * (x[n] + 0.044715f * x[n] * x[n] * x[n]);
+        const float inner = root * x[n] + 0.044715f * x[n] * x[n] * x[n];

@ no-factor
-    const float root = sqrtf(2.0f / 3.14159265358979f);
+    const float root = 1.0f;

@ no-root
-    const float root = sqrtf(2.0f / 3.14159265358979f);
+    const float root = 2.0f / 3.14159265358979f;

@ pi-over-2
-    const float root = sqrtf(2.0f / 3.14159265358979f);
+    const float root = sqrtf(3.14159265358979f / 2.0f);

@ no-half
-        y[n] = 0.5f * x[n] * (1.0f + tanhf(inner));
+        y[n] = x[n] * (1.0f + tanhf(inner));

@ share-alone
-        y[n] = 0.5f * x[n] * (1.0f + tanhf(inner));
+        y[n] = 0.5f * (1.0f + tanhf(inner));

@ minus-tanh
-        y[n] = 0.5f * x[n] * (1.0f + tanhf(inner));
+        y[n] = 0.5f * x[n] * (1.0f - tanhf(inner));

@ no-1
-        y[n] = 0.5f * x[n] * (1.0f + tanhf(inner));
+        y[n] = 0.5f * x[n] * tanhf(inner);

@ ten-times
-        const float inner = root * (x[n] + 0.044715f * x[n] * x[n] * x[n]);
+        const float inner = root * (x[n] + 0.44715f * x[n] * x[n] * x[n]);

@ unchanged
    for (size_t n = 0; n < N; n++) {
        y[n] = x[n];
    }
    return LAB_OK;

@ overflow
-        y[n] = 0.5f * x[n] * (1.0f + tanhf(inner));
+        y[n] = 0.5f * x[n] * (1.0f + (expf(2.0f * inner) - 1.0f) / (expf(2.0f * inner) + 1.0f));

@ overflow-on-both-sides
-        y[n] = 0.5f * x[n] * (1.0f + tanhf(inner));
+        const float up = expf(inner), down = expf(-inner);
+        y[n] = 0.5f * x[n] * (1.0f + (up - down) / (up + down));

@ sigmoid-without-2
-        y[n] = 0.5f * x[n] * (1.0f + tanhf(inner));
+        y[n] = x[n] / (1.0f + expf(-inner));

@ root-rounded
-    const float root = sqrtf(2.0f / 3.14159265358979f);
+    const float root = 0.8f;

@ cube-rounded
-        const float inner = root * (x[n] + 0.044715f * x[n] * x[n] * x[n]);
+        const float inner = root * (x[n] + 0.045f * x[n] * x[n] * x[n]);

@ nan-becomes-0: none
-        y[n] = 0.5f * x[n] * (1.0f + tanhf(inner));
+        y[n] = isnan(x[n]) ? 0.0f : 0.5f * x[n] * (1.0f + tanhf(inner));
