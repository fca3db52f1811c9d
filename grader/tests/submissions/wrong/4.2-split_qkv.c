// 4.2 split_qkv
    for (size_t n = 0; n < B * T; n++) {
        const float *from = qkv + 3 * n * C;
        memcpy(q + n * C, from + 0 * C, C * sizeof(float));
        memcpy(k + n * C, from + 1 * C, C * sizeof(float));
        memcpy(v + n * C, from + 2 * C, C * sizeof(float));
    }
    return LAB_OK;

@ C-in-16-bits: none
+    C = (unsigned short)C;
     for (size_t n = 0; n < B * T; n++) {

@ in-16-bits: none
-    for (size_t n = 0; n < B * T; n++) {
+    const unsigned short rows = (unsigned short)(B * T);
+    for (size_t n = 0; n < rows; n++) {

@ at-most-10: none
-        memcpy(k + n * C, from + 1 * C, C * sizeof(float));
+        for (size_t c = 0; c < C; c++) {
+            k[n * C + c] = fminf(from[C + c], 10.0f);
+        }

@ blocks
    const size_t third = B * T * C;
    memcpy(q, qkv, third * sizeof *q);
    memcpy(k, qkv + third, third * sizeof *k);
    memcpy(v, qkv + 2 * third, third * sizeof *v);
    return LAB_OK;

@ interleaved
    for (size_t i = 0; i < B * T * C; i++) {
        q[i] = *qkv++;
        k[i] = *qkv++;
        v[i] = *qkv++;
    }
    return LAB_OK;

@ order-k-q-v
-        memcpy(q + n * C, from + 0 * C, C * sizeof(float));
-        memcpy(k + n * C, from + 1 * C, C * sizeof(float));
+        memcpy(k + n * C, from + 0 * C, C * sizeof(float));
+        memcpy(q + n * C, from + 1 * C, C * sizeof(float));

@ order-k-v-q
    for (size_t n = 0; n < B * T; n++) {
        const float *from = qkv + 3 * n * C;
        memcpy(k + n * C, from + 0 * C, C * sizeof(float));
        memcpy(v + n * C, from + 1 * C, C * sizeof(float));
        memcpy(q + n * C, from + 2 * C, C * sizeof(float));
    }
    return LAB_OK;

@ order-q-v-k
-        memcpy(k + n * C, from + 1 * C, C * sizeof(float));
-        memcpy(v + n * C, from + 2 * C, C * sizeof(float));
+        memcpy(v + n * C, from + 1 * C, C * sizeof(float));
+        memcpy(k + n * C, from + 2 * C, C * sizeof(float));

@ order-v-k-q
    for (size_t n = 0; n < B * T; n++) {
        const float *from = qkv + 3 * n * C;
        memcpy(v + n * C, from + 0 * C, C * sizeof(float));
        memcpy(k + n * C, from + 1 * C, C * sizeof(float));
        memcpy(q + n * C, from + 2 * C, C * sizeof(float));
    }
    return LAB_OK;

@ order-v-q-k
    for (size_t n = 0; n < B * T; n++) {
        const float *from = qkv + 3 * n * C;
        memcpy(v + n * C, from + 0 * C, C * sizeof(float));
        memcpy(q + n * C, from + 1 * C, C * sizeof(float));
        memcpy(k + n * C, from + 2 * C, C * sizeof(float));
    }
    return LAB_OK;

@ steps-of-C
    for (size_t b = 0; b < B; b++) {
        for (size_t t = 0; t < T; t++) {
            for (size_t c = 0; c < C; c++) {
                const size_t at = (b * T + t) * C + c;
                q[at] = qkv[at];
                k[at] = qkv[at + C];
                v[at] = qkv[at + 2 * C];
            }
        }
    }
    return LAB_OK;

@ sequences-of-TC
    for (size_t b = 0; b < B; b++) {
        for (size_t t = 0; t < T; t++) {
            for (size_t c = 0; c < C; c++) {
                const size_t at = (b * T + t) * C + c;
                q[at] = qkv[b * T * C + t * 3 * C + c];
                k[at] = qkv[b * T * C + t * 3 * C + C + c];
                v[at] = qkv[b * T * C + t * 3 * C + 2 * C + c];
            }
        }
    }
    return LAB_OK;

@ tokens-of-C
    for (size_t b = 0; b < B; b++) {
        for (size_t t = 0; t < T; t++) {
            for (size_t c = 0; c < C; c++) {
                const size_t at = (b * T + t) * C + c;
                q[at] = qkv[b * T * 3 * C + t * C + c];
                k[at] = qkv[b * T * 3 * C + t * C + C + c];
                v[at] = qkv[b * T * 3 * C + t * C + 2 * C + c];
            }
        }
    }
    return LAB_OK;
