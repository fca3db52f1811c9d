// 1.5 weighted_values
    for (size_t t = 0; t < T; t++) {
        for (size_t i = 0; i < dv; i++) {
            float sum = 0.0f;
            for (size_t s = 0; s < S; s++) {
                sum += weights[t * S + s] * v[s * dv + i];
            }
            out[t * dv + i] = sum;
        }
    }
    return LAB_OK;

@ T-in-16-bits: none
+    T = (unsigned short)T;
     for (size_t t = 0; t < T; t++) {

@ S-in-16-bits: none
+    S = (unsigned short)S;
     for (size_t t = 0; t < T; t++) {

@ dv-in-16-bits: none
+    dv = (unsigned short)dv;
     for (size_t t = 0; t < T; t++) {

@ stops-at-a-weight-of-1: none
-                sum += weights[t * S + s] * v[s * dv + i];
+                sum += weights[t * S + s] * v[s * dv + i];
+                if (weights[t * S + s] == 1.0f) {
+                    break;
+                }

@ from-1
-            float sum = 0.0f;
-            for (size_t s = 0; s < S; s++) {
+            float sum = 0;
+            for (size_t s = 1; s < S; s++) {

@ last-key-only
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < S; s++) {
            for (size_t i = 0; i < dv; i++) {
                out[t * dv + i] = weights[t * S + s] * v[s * dv + i];
            }
        }
    }
    return LAB_OK;

@ mean
-            out[t * dv + i] = sum;
+            out[t * dv + i] = sum / (float)S;

@ not-set
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < S; s++) {
            for (size_t i = 0; i < dv; i++) {
                out[t * dv + i] += weights[t * S + s] * v[s * dv + i];
            }
        }
    }
    return LAB_OK;

@ out-transposed
-            out[t * dv + i] = sum;
+            out[i * T + t] = sum;

@ rounded
    lab_status status = matmul(out, weights, v, T, dv, S);
    for (size_t i = 0; status == LAB_OK && i < T * dv; i++) {
        out[i] = truncf(out[i] * 1e6f) / 1e6f;
    }
    return status;

@ unweighted
    (void)weights;
    for (size_t t = 0; t < T; t++) {
        for (size_t i = 0; i < dv; i++) {
            float sum = 0.0f;
            for (size_t s = 0; s < S; s++) {
                sum += v[s * dv + i];
            }
            out[t * dv + i] = sum / (float)S;
        }
    }
    return LAB_OK;

@ v-transposed
    return matmul_nt(out, weights, v, T, dv, S);

@ weights-transposed
-                sum += weights[t * S + s] * v[s * dv + i];
+                sum += weights[s * T + t] * v[s * dv + i];

@ whole-sum
-            float sum = 0.0f;
+            int sum = 0;

-            out[t * dv + i] = sum;
+            out[t * dv + i] = (float)sum;

@ status-dropped: status-ignored
    lab_status status = matmul(out, weights, v, T, dv, S);
    (void)status;
    return LAB_OK;

@ at-most-1000: none
-            out[t * dv + i] = sum;
+            out[t * dv + i] = fmaxf(-1000.0f, fminf(1000.0f, sum));
