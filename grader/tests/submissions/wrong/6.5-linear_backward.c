// 6.5 linear_backward
    for (size_t i = 0; i < N * I; i++) {
        dx[i] = 0.0f;
    }
    for (size_t n = 0; n < N; n++) {
        for (size_t o = 0; o < O; o++) {
            const float g = dy[n * O + o];
            for (size_t i = 0; i < I; i++) {
                dx[n * I + i] += g * w[o * I + i];
                dw[o * I + i] += g * x[n * I + i];
            }
        }
    }
    for (size_t n = 0; dbias != NULL && n < N; n++) {
        for (size_t o = 0; o < O; o++) {
            dbias[o] += dy[n * O + o];
        }
    }
    return LAB_OK;

@ N-in-16-bits: none
+    N = (unsigned short)N;
     for (size_t i = 0; i < N * I; i++) {

@ at-most-1000: none
-    return LAB_OK;
+    for (size_t j = 0; j < O * I; j++) {
+        dw[j] = fmaxf(-1000.0f, fminf(1000.0f, dw[j]));
+    }
+    return LAB_OK;

@ assigned
-                dw[o * I + i] += g * x[n * I + i];
+                dw[o * I + i] = g * x[n * I + i];

-            dbias[o] += dy[n * O + o];
+            dbias[o] = dy[n * O + o];

@ dbias-assigned
-            dbias[o] += dy[n * O + o];
+            dbias[o] = dy[n * O + o];

@ dbias-from-1
-        for (size_t o = 0; o < O; o++) {
+        for (size_t o = 1; o < O; o++) {
             dbias[o] += dy[n * O + o];

@ dbias-rows-from-1
-    for (size_t n = 0; dbias != NULL && n < N; n++) {
+    for (size_t n = 1; dbias != NULL && n < N; n++) {

@ dw-assigned
-                dw[o * I + i] += g * x[n * I + i];
+                dw[o * I + i] = g * x[n * I + i];

@ dw-overwritten
    const int n = (int)N, i = (int)I, o = (int)O;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, i, o, 1.0f, dy, o, w, i, 0.0f,
                dx, i);
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, o, i, n, 1.0f, dy, o, x, i, 0.0f,
                dw, i);
    for (size_t r = 0; dbias != NULL && r < N; r++) {
        for (size_t c = 0; c < O; c++) {
            dbias[c] += dy[r * O + c];
        }
    }
    return LAB_OK;

@ last-row
    for (size_t n = 0; n < N; n++) {
        for (size_t i = 0; i < I; i++) {
            dx[n * I + i] = 0.0f;
            for (size_t o = 0; o < O; o++) {
                dx[n * I + i] += dy[n * O + o] * w[o * I + i];
            }
        }
    }
    for (size_t o = 0; o < O; o++) {
        for (size_t i = 0; i < I; i++) {
            float sum = 0.0f;
            for (size_t n = 0; n < N; n++) {
                sum = dy[n * O + o] * x[n * I + i];
            }
            dw[o * I + i] += sum;
        }
        if (dbias != NULL) {
            float sum = 0.0f;
            for (size_t n = 0; n < N; n++) {
                sum = dy[n * O + o];
            }
            dbias[o] += sum;
        }
    }
    return LAB_OK;

@ rows-from-1
-    for (size_t n = 0; n < N; n++) {
+    for (size_t n = 1; n < N; n++) {

-    for (size_t n = 0; dbias != NULL && n < N; n++) {
+    for (size_t n = 1; dbias != NULL && n < N; n++) {

@ small-gradients-left-out: small-number
-            const float g = dy[n * O + o];
+            const float g = dy[n * O + o];
+            if (fabsf(g) < 1e-6f) continue;

@ small-products-left-out: none
-                dx[n * I + i] += g * w[o * I + i];
+                dx[n * I + i] += fabsf(g * w[o * I + i]) < 1e-7f ? 0 : g * w[o * I + i];

@ right-in-one-loop
    for (size_t i = 0; i < N * I; i++) {
        dx[i] = 0.0f;
    }
    for (size_t n = 0; n < N; n++) {
        for (size_t o = 0; o < O; o++) {
            float d = dy[n * O + o];
            for (size_t i = 0; i < I; i++) {
                dx[n * I + i] += d * w[o * I + i];
                dw[o * I + i] += d * x[n * I + i];
            }
            if (dbias != NULL) {
                dbias[o] += d;
            }
        }
    }
    return LAB_OK;

@ dbias-mean
-                dbias[o] += d;
+                dbias[o] += d / (float)N;

@ dbias-overwritten
         dx[i] = 0.0f;
+    }
+    for (size_t o = 0; dbias != NULL && o < O; o++) {
+        dbias[o] = 0.0f;

@ dbias-per-input
-            }
-            if (dbias != NULL) {
-                dbias[o] += d;
+                if (dbias != NULL) {
+                    dbias[o] += d;
+                }

@ dbias-wrong-axis
-                dbias[o] += d;
+                dbias[o] += dy[o * N + n];

@ dw-transposed
-                dw[o * I + i] += d * x[n * I + i];
+                dw[i * O + o] += d * x[n * I + i];

@ dy-transposed
-                dw[o * I + i] += d * x[n * I + i];
+                dw[o * I + i] += dy[o * N + n] * x[n * I + i];

-                dbias[o] += d;
+                dbias[o] += dy[o * N + n];

@ last-output
-                dx[n * I + i] += d * w[o * I + i];
+                dx[n * I + i] = d * w[o * I + i];

@ means
-                dw[o * I + i] += d * x[n * I + i];
+                dw[o * I + i] += d * x[n * I + i] / (float)N;

-                dbias[o] += d;
+                dbias[o] += d / (float)N;

@ no-dbias
-            if (dbias != NULL) {
-                dbias[o] += d;
-            }

@ overwritten
         dx[i] = 0.0f;
+    }
+    for (size_t i = 0; i < O * I; i++) {
+        dw[i] = 0.0f;
+    }
+    for (size_t o = 0; dbias != NULL && o < O; o++) {
+        dbias[o] = 0.0f;

@ w-transposed
-                dx[n * I + i] += d * w[o * I + i];
+                dx[n * I + i] += d * w[i * O + o];

@ x-transposed
-                dw[o * I + i] += d * x[n * I + i];
+                dw[o * I + i] += d * x[i * N + n];
