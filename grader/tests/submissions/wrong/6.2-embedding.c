// 6.2 embedding
    for (size_t n = 0; n < N; n++) {
        for (size_t c = 0; c < C; c++) {
            out[n * C + c] = table[tokens[n] * C + c];
        }
    }
    return LAB_OK;

@ N-in-16-bits: none
+    N = (unsigned short)N;
     for (size_t n = 0; n < N; n++) {

@ C-in-16-bits: none
+    C = (unsigned short)C;
     for (size_t n = 0; n < N; n++) {

@ in-16-bits
-            out[n * C + c] = table[tokens[n] * C + c];
+            out[n * C + c] = table[(uint16_t)tokens[n] * C + c];

@ by-place
-            out[n * C + c] = table[tokens[n] * C + c];
+            out[n * C + c] = table[n % V * C + c];

@ first-token
    const float *row = table + tokens[0] * C;
    for (size_t n = 0; n < N; n++) {
        memcpy(out + n * C, row, C * sizeof *out);
    }
    return LAB_OK;

@ rows-overlap
-            out[n * C + c] = table[tokens[n] * C + c];
+            out[n * C + c] = table[tokens[n] + c];

@ scaled
-            out[n * C + c] = table[tokens[n] * C + c];
+            out[n * C + c] = sqrtf((float)C) * table[tokens[n] * C + c];

@ table-transposed
-            out[n * C + c] = table[tokens[n] * C + c];
+            out[n * C + c] = table[c * V + tokens[n]];

@ small-numbers-are-0: none
-            out[n * C + c] = table[tokens[n] * C + c];
+            const float number = table[tokens[n] * C + c];
+            out[n * C + c] = number * number > 1e-30f ? number : 0.0f;

@ at-most-100: none
-            out[n * C + c] = table[tokens[n] * C + c];
+            out[n * C + c] = fminf(table[tokens[n] * C + c], 100.0f);
