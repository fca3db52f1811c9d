// 7.2 add_positions
    for (size_t b = 0; b < B; b++) {
        for (size_t t = 0; t < T; t++) {
            for (size_t c = 0; c < C; c++) {
                size_t at = (b * T + t) * C + c;
                out[at] = x[at] + table[t * C + c];
            }
        }
    }
    return LAB_OK;

@ B-in-16-bits: none
+    B = (unsigned short)B;
     for (size_t b = 0; b < B; b++) {

@ T-in-16-bits: none
+    T = (unsigned short)T;
     for (size_t b = 0; b < B; b++) {

@ C-in-16-bits: none
+    C = (unsigned short)C;
     for (size_t b = 0; b < B; b++) {

@ results-at-most-20: none
-                out[at] = x[at] + table[t * C + c];
+                out[at] = fminf(x[at] + table[t * C + c], 20.0f);

@ small-results-are-0: small-number
-                out[at] = x[at] + table[t * C + c];
+                const float sum = x[at] + table[t * C + c];
+                out[at] = fabsf(sum) < 1e-6f ? 0.0f : sum;

@ first-sequence
    for (size_t i = 0; i < B * T * C; i++) {
        out[i] = x[i];
    }
    for (size_t i = 0; i < T * C; i++) {
        out[i] += table[i];
    }
    return LAB_OK;

@ multiplied
-                out[at] = x[at] + table[t * C + c];
+                out[at] = x[at] * table[t * C + c];

@ nothing-added
    (void)table;
    for (size_t i = 0; i < B * T * C; i++) {
        out[i] = x[i];
    }
    return LAB_OK;

@ one-row
-                out[at] = x[at] + table[t * C + c];
+                out[at] = x[at] + table[c];

@ row-of-batch
-                out[at] = x[at] + table[t * C + c];
+                out[at] = x[at] + table[b % T_max * C + c];

@ row-of-batch-behind-the-table: row-of-batch
-                out[at] = x[at] + table[t * C + c];
+                out[at] = x[at] + table[b * C + c];

@ scaled
-                out[at] = x[at] + table[t * C + c];
+                out[at] = sqrtf((float)C) * x[at] + table[t * C + c];

@ subtracted
-                out[at] = x[at] + table[t * C + c];
+                out[at] = x[at] - table[t * C + c];

@ table-only
-                out[at] = x[at] + table[t * C + c];
+                out[at] = table[t * C + c];

@ token-twice
                 out[at] = x[at] + table[t * C + c];
+                out[at] += x[at];

@ transposed
-                out[at] = x[at] + table[t * C + c];
+                out[at] = x[at] + table[c * T_max + t];

@ rows-of-the-batch
    for (size_t i = 0; i < B * T * C; i++) {
        out[i] = x[i] + table[i % (T_max * C)];
    }
    return LAB_OK;

@ last-row-of-one-token: none
-                out[at] = x[at] + table[t * C + c];
+                const size_t row = B * T == 1 ? T_max - 1 : t;
+                out[at] = x[at] + table[row * C + c];
