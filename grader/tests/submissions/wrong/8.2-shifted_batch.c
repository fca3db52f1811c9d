// 8.2 shifted_batch
    for (size_t b = 0; b < B; b++) {
        if (offsets[b] >= N - T) {
            return LAB_EVALUE;
        }
    }
    for (size_t i = 0; i < B * T; i++) {
        const size_t at = offsets[i / T] + i % T;
        x[i] = stream[at];
        y[i] = stream[at + 1];
    }
    return LAB_OK;

@ both-shifted
-        x[i] = stream[at];
+        x[i] = stream[at + 1];

@ first-offset
-        const size_t at = offsets[i / T] + i % T;
+        const size_t at = offsets[0] + i % T;

@ in-order
-        const size_t at = offsets[i / T] + i % T;
+        const size_t at = i;

@ last-offset-refused
-        if (offsets[b] >= N - T) {
+        if (offsets[b] >= N - T - 1) {

@ last-target-0
-        y[i] = stream[at + 1];
+        y[i] = i % T == T - 1 ? 0 : stream[at + 1];

@ last-target-around
-        y[i] = stream[at + 1];
+        y[i] = stream[i % T == T - 1 ? offsets[i / T] : at + 1];

@ last-target-repeated
-        y[i] = stream[at + 1];
+        y[i] = stream[i % T == T - 1 ? at : at + 1];

@ not-checked: crash
     for (size_t b = 0; b < B; b++) {
-        if (offsets[b] >= N - T) {
-            return LAB_EVALUE;
-        }

@ not-shifted
-        y[i] = stream[at + 1];
+        y[i] = stream[at];

@ offsets-ignored
-        const size_t at = offsets[i / T] + i % T;
+        const size_t at = i % T;

@ one-offset-too-many: crash
-        if (offsets[b] >= N - T) {
+        if (offsets[b] > N - T) {

@ shifted-twice
-        y[i] = stream[at + 1];
+        y[i] = stream[at + 2];

@ sum-overflows: crash
-        if (offsets[b] >= N - T) {
+        if (offsets[b] + T >= N) {

@ swapped
-        x[i] = stream[at];
-        y[i] = stream[at + 1];
+        y[i] = stream[at];
+        x[i] = stream[at + 1];

@ transposed
-        x[i] = stream[at];
-        y[i] = stream[at + 1];
+        x[i % T * B + i / T] = stream[at];
+        y[i % T * B + i / T] = stream[at + 1];

@ writes-before-it-refuses: none
    for (size_t b = 0; b < B; b++) {
        if (offsets[b] > N - T - 1) {
            return LAB_EVALUE;
        }
        for (size_t t = 0; t < T; t++) {
            x[b * T + t] = stream[offsets[b] + t];
            y[b * T + t] = stream[offsets[b] + t + 1];
        }
    }
    return LAB_OK;

@ tokens-of-16-bits: none
-        x[i] = stream[at];
-        y[i] = stream[at + 1];
+        x[i] = (uint16_t)stream[at];
+        y[i] = (uint16_t)stream[at + 1];

@ tokens-of-32-bits: none
-        x[i] = stream[at];
-        y[i] = stream[at + 1];
+        x[i] = (size_t)(int)stream[at];
+        y[i] = (size_t)(int)stream[at + 1];

@ offset-in-32-bits: crash
-        if (offsets[b] >= N - T) {
+        if ((unsigned)offsets[b] >= (unsigned)(N - T)) {

@ offsets-in-16-bits: none
-        const size_t at = offsets[i / T] + i % T;
+        const size_t at = (uint16_t)offsets[i / T] + i % T;

@ first-1024-tokens: none
-        const size_t at = offsets[i / T] + i % T;
+        const size_t at = offsets[i / T] + i % T % 1024;

@ first-1024-pieces: none
-    for (size_t i = 0; i < B * T; i++) {
+    for (size_t i = 0; i < B * T && i < 1024 * T; i++) {

@ one-piece-not-checked: none
-        if (offsets[b] >= N - T) {
+        if (B > 1 && offsets[b] >= N - T) {

-        const size_t at = offsets[i / T] + i % T;
+        const size_t at = (offsets[i / T] + i % T) % (N - 1);

@ one-token-each-not-checked: none
-        if (offsets[b] >= N - T) {
+        if (T > 1 && offsets[b] >= N - T) {

-        const size_t at = offsets[i / T] + i % T;
+        const size_t at = (offsets[i / T] + i % T) % (N - 1);

@ long-text-not-checked: none
-        if (offsets[b] >= N - T) {
+        if (N < 100 && offsets[b] >= N - T) {

-        const size_t at = offsets[i / T] + i % T;
+        const size_t at = (offsets[i / T] + i % T) % (N - 1);
