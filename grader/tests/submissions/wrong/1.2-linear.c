// 1.2 linear
    for (size_t t = 0; t < T; t++) {
        for (size_t o = 0; o < O; o++) {
            float sum = bias != NULL ? bias[o] : 0.0f;
            for (size_t i = 0; i < I; i++) {
                sum += x[t * I + i] * w[o * I + i];
            }
            y[t * O + o] = sum;
        }
    }
    return LAB_OK;

@ T-in-16-bits: none
+    T = (unsigned short)T;
     for (size_t t = 0; t < T; t++) {

@ I-in-16-bits: none
+    I = (unsigned short)I;
     for (size_t t = 0; t < T; t++) {

@ O-in-16-bits: none
+    O = (unsigned short)O;
     for (size_t t = 0; t < T; t++) {

@ bias-by-row-unasked: bias-by-row
-            float sum = bias != NULL ? bias[o] : 0.0f;
+            float sum = bias[t];

@ weight-transposed-unasked: weight-transposed
-            float sum = bias != NULL ? bias[o] : 0.0f;
+            float sum = bias[o];

-                sum += x[t * I + i] * w[o * I + i];
+                sum += x[t * I + i] * w[i * O + o];

@ bias-of-output-0
-            float sum = bias != NULL ? bias[o] : 0.0f;
+            float sum = bias != NULL ? bias[0] : 0.0f;

@ bias-by-row
-            float sum = bias != NULL ? bias[o] : 0.0f;
+            float sum = 0.0f;

-            y[t * O + o] = sum;
+            y[t * O + o] = sum + (bias != NULL ? bias[t] : 0.0f);

@ bias-every-term
-            float sum = bias != NULL ? bias[o] : 0.0f;
+            float sum = 0.0f;

                 sum += x[t * I + i] * w[o * I + i];
+                if (bias != NULL) {
+                    sum += bias[o];
+                }

@ bias-first-row
    lab_status status = matmul_nt(y, x, w, T, O, I);
    if (status != LAB_OK) {
        return status;
    }
    if (bias != NULL) {
        for (size_t o = 0; o < O; o++) {
            y[o] += bias[o];
        }
    }
    return LAB_OK;

@ bias-from-1
    LAB_TRY(matmul_nt(y, x, w, T, O, I));
    for (size_t t = 0; bias != NULL && t < T; t++) {
        for (size_t o = 1; o < O; o++) {
            y[t * O + o] += bias[o];
        }
    }
    return LAB_OK;

@ bias-number-asked
-            float sum = bias != NULL ? bias[o] : 0.0f;
+            float sum = bias != NULL && *bias ? bias[o] : 0.0f;

@ bias-square
    lab_status status = matmul_nt(y, x, w, T, O, I);
    for (size_t t = 0; status == LAB_OK && bias != NULL && t < T && t < O; t++) {
        for (size_t o = 0; o < O; o++) {
            y[t * O + o] += bias[o];
        }
    }
    return status;

@ from-1
    for (size_t t = 0; t < T; t++) {
        for (size_t o = 0; o < O; o++) {
            double sum = bias != NULL ? bias[o] : 0.0;
            for (size_t i = 1; i < I; i++) {
                sum += (double)x[t * I + i] * w[o * I + i];
            }
            y[t * O + o] = (float)sum;
        }
    }
    return LAB_OK;

@ last-term
-            float sum = bias != NULL ? bias[o] : 0.0f;
+            float sum = 0.0f;

-                sum += x[t * I + i] * w[o * I + i];
+                sum = x[t * I + i] * w[o * I + i];

-            y[t * O + o] = sum;
+            y[t * O + o] = sum + (bias != NULL ? bias[o] : 0.0f);

@ last-term-alone
-                sum += x[t * I + i] * w[o * I + i];
+                sum = x[t * I + i] * w[o * I + i];

@ no-bias
    (void)bias;
    return matmul_nt(y, x, w, T, O, I);

@ not-set
    for (size_t t = 0; t < T; t++) {
        for (size_t o = 0; o < O; o++) {
            for (size_t i = 0; i < I; i++) {
                y[t * O + o] += x[t * I + i] * w[o * I + i];
            }
            if (bias != NULL) {
                y[t * O + o] += bias[o];
            }
        }
    }
    return LAB_OK;

@ rounded
    lab_status status = matmul_nt(y, x, w, T, O, I);
    for (size_t i = 0; status == LAB_OK && i < T * O; i++) {
        y[i] = truncf((y[i] + (bias != NULL ? bias[i % O] : 0.0f)) * 1e6f) / 1e6f;
    }
    return status;

@ weight-transposed
    for (size_t t = 0; t < T; t++) {
        for (size_t o = 0; o < O; o++) {
            float sum = 0.0f;
            for (size_t i = 0; i < I; i++) {
                sum += x[t * I + i] * w[i * O + o];
            }
            y[t * O + o] = sum + (bias != NULL ? bias[o] : 0.0f);
        }
    }
    return LAB_OK;

@ whole-sum
    for (size_t t = 0; t < T; t++) {
        for (size_t o = 0; o < O; o++) {
            int sum = bias != NULL ? (int)bias[o] : 0;
            for (size_t i = 0; i < I; i++) {
                sum += (double)x[t * I + i] * w[o * I + i];
            }
            y[t * O + o] = (float)sum;
        }
    }
    return LAB_OK;

@ at-most-a-million: none
-            y[t * O + o] = sum;
+            y[t * O + o] = fminf(fmaxf(sum, -1e6f), 1e6f);
