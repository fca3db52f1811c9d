// 6.10 embedding_backward
    for (size_t n = 0; n < N; n++) {
        for (size_t c = 0; c < C; c++) {
            dtable[tokens[n] * C + c] += dy[n * C + c];
        }
    }
    return LAB_OK;

@ N-in-16-bits: none
+    N = (unsigned short)N;
     for (size_t n = 0; n < N; n++) {

@ in-16-bits
-            dtable[tokens[n] * C + c] += dy[n * C + c];
+            const uint16_t token = (uint16_t)tokens[n];
+            dtable[token * C + c] += dy[n * C + c];

@ by-place
-            dtable[tokens[n] * C + c] += dy[n * C + c];
+            dtable[n % V * C + c] += dy[n * C + c];

@ channels-from-1
-        for (size_t c = 0; c < C; c++) {
+        for (size_t c = 1; c < C; c++) {

@ divided-by-N
-            dtable[tokens[n] * C + c] += dy[n * C + c];
+            dtable[tokens[n] * C + c] += dy[n * C + c] / (float)N;

@ first-only
+        size_t seen = 0;
+        for (size_t j = 0; j < n; j++) {
+            seen += tokens[j] == tokens[n];
+        }
+        if (seen > 0) {
+            continue;
+        }
         for (size_t c = 0; c < C; c++) {

@ from-1
-    for (size_t n = 0; n < N; n++) {
+    for (size_t n = 1; n < N; n++) {

@ mean-of-repeats
    for (size_t n = 0; n < N; n++) {
        size_t uses = 0;
        for (size_t j = 0; j < N; j++) {
            uses += tokens[j] == tokens[n];
        }
        for (size_t c = 0; c < C; c++) {
            dtable[tokens[n] * C + c] += dy[n * C + c] / (float)uses;
        }
    }
    return LAB_OK;

@ overwritten
-            dtable[tokens[n] * C + c] += dy[n * C + c];
+            dtable[tokens[n] * C + c] = dy[n * C + c];

@ sign
-            dtable[tokens[n] * C + c] += dy[n * C + c];
+            dtable[tokens[n] * C + c] -= dy[n * C + c];

@ table-transposed
-            dtable[tokens[n] * C + c] += dy[n * C + c];
+            dtable[c * V + tokens[n]] += dy[n * C + c];

@ zeroed
+    for (size_t i = 0; i < V * C; i++) {
+        dtable[i] = 0.0f;
+    }
     for (size_t n = 0; n < N; n++) {

@ small-gradients-left-out: none
-            dtable[tokens[n] * C + c] += dy[n * C + c];
+            if (fabsf(dy[n * C + c]) > 1e-6f) dtable[tokens[n] * C + c] += dy[n * C + c];

@ at-most-1000: none
-            dtable[tokens[n] * C + c] += dy[n * C + c];
+            dtable[tokens[n] * C + c] += fmaxf(-1000.0f, fminf(1000.0f, dy[n * C + c]));

@ without-C
-            dtable[tokens[n] * C + c] += dy[n * C + c];
+            dtable[tokens[n] + c] += dy[n * C + c];
