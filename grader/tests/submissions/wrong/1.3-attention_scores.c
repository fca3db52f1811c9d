// 1.3 attention_scores
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < S; s++) {
            float dot = 0.0f;
            for (size_t i = 0; i < d; i++) {
                dot += q[t * d + i] * k[s * d + i];
            }
            scores[t * S + s] = dot / sqrtf((float)d);
        }
    }
    return LAB_OK;

@ T-in-16-bits: none
+    T = (unsigned short)T;
     for (size_t t = 0; t < T; t++) {

@ S-in-16-bits: none
+    S = (unsigned short)S;
     for (size_t t = 0; t < T; t++) {

@ d-in-16-bits: none
+    d = (unsigned short)d;
     for (size_t t = 0; t < T; t++) {

@ dot-not-set: unset-variable
-            float dot = 0.0f;
+            float dot;

@ width-in-8-bits: none
-            scores[t * S + s] = dot / sqrtf((float)d);
+            scores[t * S + s] = dot / sqrtf((float)(unsigned char)d);

@ scale-kept-while-T-and-S-stay: kept-between-calls
-    for (size_t t = 0; t < T; t++) {
+    static size_t last;
+    static float root;
+    root = last != T * S ? sqrtf((float)d) : root;
+    last = T * S;
+    for (size_t t = 0; t < T; t++) {

-            scores[t * S + s] = dot / sqrtf((float)d);
+            scores[t * S + s] = dot / root;

@ scale-kept-while-T-stays: kept-between-calls
-    for (size_t t = 0; t < T; t++) {
+    static size_t last;
+    static float root;
+    root = last != T ? sqrtf((float)d) : root;
+    last = T;
+    for (size_t t = 0; t < T; t++) {

-            scores[t * S + s] = dot / sqrtf((float)d);
+            scores[t * S + s] = dot / root;

@ divided-by-d
-            scores[t * S + s] = dot / sqrtf((float)d);
+            scores[t * S + s] = dot / (float)d;

@ eps-under-root
    const float root = sqrtf((float)d + 1e-5f);
    lab_status status = matmul_nt(scores, q, k, T, S, d);
    for (size_t i = 0; status == LAB_OK && i < T * S; i++) {
        scores[i] /= root;
    }
    return status;

@ from-1
    const double scale = 1.0 / sqrt((double)d);
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < S; s++) {
            double dot = 0.0;
            for (size_t i = 1; i < d; i++) {
                dot += (double)q[t * d + i] * k[s * d + i];
            }
            scores[t * S + s] = (float)(dot * scale);
        }
    }
    return LAB_OK;

@ k-not-transposed
-                dot += q[t * d + i] * k[s * d + i];
+                dot += q[t * d + i] * k[i * S + s];

@ kept-between-calls
    // "the same matrices as last time": the addresses say nothing about the numbers
    static const float *last_q, *last_k;
    static size_t last_T, last_S, last_d;
    static float last[4096];
    const int known = q == last_q && k == last_k && T == last_T && S == last_S &&
                      d == last_d && T * S <= 4096;
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < S; s++) {
            double dot = 0.0;
            for (size_t i = 0; i < d; i++) {
                dot += (double)q[t * d + i] * (double)k[s * d + i];
            }
            scores[t * S + s] =
                known ? last[t * S + s] : (float)(dot / sqrt((double)d));
        }
    }
    for (size_t i = 0; i < T * S && T * S <= 4096; i++) {
        last[i] = scores[i];
    }
    last_q = q, last_k = k, last_T = T, last_S = S, last_d = d;
    return LAB_OK;

@ last-term
-                dot += q[t * d + i] * k[s * d + i];
+                dot = q[t * d + i] * k[s * d + i];

@ multiplied
-            scores[t * S + s] = dot / sqrtf((float)d);
+            scores[t * S + s] = dot / powf((float)d, -0.5f);

@ no-scale
-            scores[t * S + s] = dot / sqrtf((float)d);
+            scores[t * S + s] = dot;

@ not-set
    const float scale = 1.0f / sqrtf((float)d);
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < S; s++) {
            for (size_t i = 0; i < d; i++) {
                scores[t * S + s] += scale * q[t * d + i] * k[s * d + i];
            }
        }
    }
    return LAB_OK;

@ root-of-S
-            scores[t * S + s] = dot / sqrtf((float)d);
+            scores[t * S + s] = dot / sqrtf((float)S);

@ root-of-T
-            scores[t * S + s] = dot / sqrtf((float)d);
+            scores[t * S + s] = dot / sqrtf((float)T);

@ root-of-d-1
-            scores[t * S + s] = dot / sqrtf((float)d);
+            scores[t * S + s] = dot / sqrtf((float)(d - 1));

@ rounded
    lab_status status = matmul_nt(scores, q, k, T, S, d);
    for (size_t i = 0; status == LAB_OK && i < T * S; i++) {
        scores[i] = truncf(scores[i] / sqrtf((float)d) * 1e6f) / 1e6f;
    }
    return status;

@ transposed
-            scores[t * S + s] = dot / sqrtf((float)d);
+            scores[s * T + t] = dot / sqrtf((float)d);

@ row-length-T: wrong-stride
-            scores[t * S + s] = dot / sqrtf((float)d);
+            scores[t * T + s] = dot / sqrtf((float)d);

@ whole-number-division
-            scores[t * S + s] = dot / sqrtf((float)d);
+            scores[t * S + s] = dot * sqrtf(1 / d);

@ whole-sum
    const double scale = 1.0 / sqrt((double)d);
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < S; s++) {
            int dot = 0;
            for (size_t i = 0; i < d; i++) {
                dot += (double)q[t * d + i] * k[s * d + i];
            }
            scores[t * S + s] = (float)(dot * scale);
        }
    }
    return LAB_OK;

@ whole-root: fraction-in-int
-            scores[t * S + s] = dot / sqrtf((float)d);
+            scores[t * S + s] = dot / (int)sqrtf((float)d);

@ whole-root-in-a-variable: fraction-in-int
-            scores[t * S + s] = dot / sqrtf((float)d);
+            const int root = sqrt(d);
+            scores[t * S + s] = dot / root;

@ eps-beside-the-root: small-number
-            scores[t * S + s] = dot / sqrtf((float)d);
+            scores[t * S + s] = dot / (sqrtf((float)d) + 1e-3f);
