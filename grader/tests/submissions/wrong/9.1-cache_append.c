// 9.1 cache_append
    for (size_t b = 0; b < B; b++) {
        if (n > T_max || lengths[b] > T_max - n) {
            return LAB_ESHAPE;
        }
    }
    for (size_t b = 0; b < B; b++) {
        for (size_t h = 0; h < NKV; h++) {
            for (size_t i = 0; i < n; i++) {
                const size_t to = (b * NKV + h) * T_max + lengths[b] + i;
                const size_t from = (b * NKV + h) * n + i;
                memcpy(cache + to * hs, rows + from * hs, hs * sizeof *cache);
            }
        }
    }
    return LAB_OK;

@ one-row-one-head-at-length-of-sequence-0: none
-                const size_t to = (b * NKV + h) * T_max + lengths[b] + i;
+                const size_t length = n == 1 && NKV == 1 ? lengths[0] : lengths[b];
+                const size_t to = (b * NKV + h) * T_max + length + i;

@ old-nan-becomes-0: none
-    for (size_t b = 0; b < B; b++) {
-        for (size_t h = 0; h < NKV; h++) {
+    for (size_t i = 0; i < B * NKV * T_max * hs; i++) {
+        if (isnan(cache[i])) {
+            cache[i] = 0.0f;
+        }
+    }
+    for (size_t b = 0; b < B; b++) {
+        for (size_t h = 0; h < NKV; h++) {

@ new-nan-becomes-0: none
-                memcpy(cache + to * hs, rows + from * hs, hs * sizeof *cache);
+                for (size_t c = 0; c < hs; c++) {
+                    const float number = rows[from * hs + c];
+                    cache[to * hs + c] = isnan(number) ? 0.0f : number;
+                }

@ sequences-from-1: loop-from-1
-    for (size_t b = 0; b < B; b++) {
+    for (size_t b = 1; b < B; b++) {
         for (size_t h = 0; h < NKV; h++) {

@ heads-from-1: loop-from-1
-        for (size_t h = 0; h < NKV; h++) {
+        for (size_t h = 1; h < NKV; h++) {

@ length-in-16-bits: none
-                const size_t to = (b * NKV + h) * T_max + lengths[b] + i;
+                const size_t to = (b * NKV + h) * T_max + (uint16_t)lengths[b] + i;

@ at-most-10: none
-                memcpy(cache + to * hs, rows + from * hs, hs * sizeof *cache);
+                for (size_t c = 0; c < hs; c++) {
+                    cache[to * hs + c] = fminf(rows[from * hs + c], 10.0f);
+                }

@ all-in-one-row
-                const size_t to = (b * NKV + h) * T_max + lengths[b] + i;
+                const size_t to = (b * NKV + h) * T_max + lengths[b];

@ at-0
-                const size_t to = (b * NKV + h) * T_max + lengths[b] + i;
+                const size_t to = (b * NKV + h) * T_max + i;

@ at-the-end
-                const size_t to = (b * NKV + h) * T_max + lengths[b] + i;
+                const size_t to = (b * NKV + h) * T_max + T_max - n + i;

@ backwards
-                const size_t from = (b * NKV + h) * n + i;
+                const size_t from = (b * NKV + h) * n + n - 1 - i;

@ cache-as-rows
-                const size_t to = (b * NKV + h) * T_max + lengths[b] + i;
+                const size_t to = (b * NKV + h) * n + lengths[b] + i;

@ cache-not-in-heads
-                const size_t to = (b * NKV + h) * T_max + lengths[b] + i;
+                const size_t to = (b * T_max + lengths[b] + i) * NKV + h;

@ channels-first: none
-                memcpy(cache + to * hs, rows + from * hs, hs * sizeof *cache);
+                (void)to;
+                for (size_t c = 0; c < hs; c++) {
+                    cache[((b * NKV + h) * hs + c) * T_max + lengths[b] + i] =
+                        rows[from * hs + c];
+                }

@ cut-off
-    for (size_t b = 0; b < B; b++) {
-        if (n > T_max || lengths[b] > T_max - n) {
-            return LAB_ESHAPE;
-        }
-    }

-            for (size_t i = 0; i < n; i++) {
+            for (size_t i = 0; i < n && lengths[b] < T_max - i; i++) {

@ cut-off-at-the-last-row: none
-    for (size_t b = 0; b < B; b++) {
-        if (n > T_max || lengths[b] > T_max - n) {
-            return LAB_ESHAPE;
-        }
-    }

-                const size_t to = (b * NKV + h) * T_max + lengths[b] + i;
+                const size_t last = T_max - 1;
+                const size_t p = lengths[b] > last ? last : lengths[b] + i > last ? last : lengths[b] + i;
+                const size_t to = (b * NKV + h) * T_max + p;

@ first-row-repeated
-                const size_t from = (b * NKV + h) * n + i;
+                const size_t from = (b * NKV + h) * n;

@ first-sequence-checked
-        if (n > T_max || lengths[b] > T_max - n) {
+        if (n > T_max || lengths[0] > T_max - n) {

@ full-returns-value: none
-            return LAB_ESHAPE;
+            return LAB_EVALUE;

@ heads-first
-                const size_t to = (b * NKV + h) * T_max + lengths[b] + i;
+                const size_t to = (h * B + b) * T_max + lengths[b] + i;

@ last-row-refused
-        if (n > T_max || lengths[b] > T_max - n) {
+        if (n >= T_max || lengths[b] >= T_max - n) {

@ last-sequence-checked
-        if (n > T_max || lengths[b] > T_max - n) {
+        if (n > T_max || lengths[B - 1] > T_max - n) {

@ length-in-32-bits: none
-        if (n > T_max || lengths[b] > T_max - n) {
+        if (n > T_max || (uint32_t)lengths[b] > T_max - n) {

-                const size_t to = (b * NKV + h) * T_max + lengths[b] + i;
+                const size_t to = (b * NKV + h) * T_max + (uint32_t)lengths[b] + i;

@ length-of-sequence-0
-                const size_t to = (b * NKV + h) * T_max + lengths[b] + i;
+                const size_t to = (b * NKV + h) * T_max + lengths[0] + i;

@ length-of-the-head
-                const size_t to = (b * NKV + h) * T_max + lengths[b] + i;
+                const size_t to = (b * NKV + h) * T_max + lengths[(b * NKV + h) % NKV % B] + i;

@ length-of-the-longest
-    for (size_t b = 0; b < B; b++) {
-        if (n > T_max || lengths[b] > T_max - n) {
-            return LAB_ESHAPE;
-        }
-    }
+    size_t most = 0;
+    for (size_t b = 0; b < B; b++) {
+        most = lengths[b] > most ? lengths[b] : most;
+    }
+    if (n > T_max || most > T_max - n) {
+        return LAB_ESHAPE;
+    }

-                const size_t to = (b * NKV + h) * T_max + lengths[b] + i;
+                const size_t to = (b * NKV + h) * T_max + most + i;

@ moves-the-lengths: crash
-    return LAB_OK;
+    for (size_t b = 0; b < B; b++) {
+        ((size_t *)lengths)[b] += n;
+    }
+    return LAB_OK;

@ n-above-T-max: crash
-        if (n > T_max || lengths[b] > T_max - n) {
+        if (lengths[b] > T_max - n) {

@ n-too-late
-                const size_t to = (b * NKV + h) * T_max + lengths[b] + i;
+                const size_t to = (b * NKV + h) * T_max + lengths[b] + n + i;

@ none-in-heads
-                const size_t to = (b * NKV + h) * T_max + lengths[b] + i;
-                const size_t from = (b * NKV + h) * n + i;
+                const size_t to = (b * T_max + lengths[b] + i) * NKV + h;
+                const size_t from = (b * n + i) * NKV + h;

@ not-refused
-    for (size_t b = 0; b < B; b++) {
-        if (n > T_max || lengths[b] > T_max - n) {
-            return LAB_ESHAPE;
-        }
-    }

@ one-row-too-many
-        if (n > T_max || lengths[b] > T_max - n) {
+        if (n > T_max || lengths[b] > T_max - n + 1) {

@ one-too-early
-                const size_t to = (b * NKV + h) * T_max + lengths[b] + i;
+                const size_t to = (b * NKV + h) * T_max + lengths[b] - 1 + i;

@ one-too-late
-                const size_t to = (b * NKV + h) * T_max + lengths[b] + i;
+                const size_t to = (b * NKV + h) * T_max + lengths[b] + 1 + i;

@ rows-as-cache: crash
-                const size_t from = (b * NKV + h) * n + i;
+                const size_t from = (b * NKV + h) * T_max + i;

@ rows-not-in-heads
-                const size_t from = (b * NKV + h) * n + i;
+                const size_t from = (b * n + i) * NKV + h;

@ only-the-first-row
-            for (size_t i = 0; i < n; i++) {
+            for (size_t i = 0; i < 1; i++) {

@ cache-as-length
-                const size_t to = (b * NKV + h) * T_max + lengths[b] + i;
+                const size_t to = (b * NKV + h) * lengths[b] + lengths[b] + i;

@ cache-as-new-length
-                const size_t to = (b * NKV + h) * T_max + lengths[b] + i;
+                const size_t to = (b * NKV + h) * (lengths[b] + n) + lengths[b] + i;

@ rows-overlap
-                const size_t from = (b * NKV + h) * n + i;
+                const size_t from = b * NKV + h + i;

@ rows-of-head-0
-                const size_t from = (b * NKV + h) * n + i;
+                const size_t from = b * NKV * n + i;

@ rows-of-sequence-0
-                const size_t from = (b * NKV + h) * n + i;
+                const size_t from = h * n + i;

@ skips-a-full-sequence: none
-    for (size_t b = 0; b < B; b++) {
-        if (n > T_max || lengths[b] > T_max - n) {
-            return LAB_ESHAPE;
-        }
-    }

-        for (size_t h = 0; h < NKV; h++) {
+        for (size_t h = 0; h < NKV && n <= T_max && lengths[b] <= T_max - n; h++) {

@ sum-overflows
-        if (n > T_max || lengths[b] > T_max - n) {
+        if (lengths[b] + n > T_max) {

@ writes-before-it-refuses: none
    for (size_t b = 0; b < B; b++) {
        if (n > T_max || lengths[b] > T_max - n) {
            return LAB_ESHAPE;
        }
        for (size_t h = 0; h < NKV; h++) {
            memcpy(cache + ((b * NKV + h) * T_max + lengths[b]) * hs,
                   rows + (b * NKV + h) * n * hs, n * hs * sizeof *cache);
        }
    }
    return LAB_OK;

@ first-1024-channels: none
-                memcpy(cache + to * hs, rows + from * hs, hs * sizeof *cache);
+                memcpy(cache + to * hs, rows + from * hs, (hs < 1024 ? hs : 1024) * sizeof *cache);

@ one-row-never-full: none
-        if (n > T_max || lengths[b] > T_max - n) {
+        if (T_max > 1 && (n > T_max || lengths[b] > T_max - n)) {

-                const size_t to = (b * NKV + h) * T_max + lengths[b] + i;
+                const size_t to = (b * NKV + h) * T_max + (lengths[b] + i) % T_max;

@ right-head-by-head
    for (size_t b = 0; b < B; b++) {
        if (n > T_max || lengths[b] > T_max - n) {
            return LAB_ESHAPE;
        }
    }
    for (size_t i = 0; i < B * NKV; i++) {
        memcpy(cache + (i * T_max + lengths[i / NKV]) * hs, rows + i * n * hs,
               n * hs * sizeof *cache);
    }
    return LAB_OK;

@ bytes-for-numbers
-               n * hs * sizeof *cache);
+               n * hs);

@ length-of-the-head-in-one-loop: length-of-the-head
-        memcpy(cache + (i * T_max + lengths[i / NKV]) * hs, rows + i * n * hs,
+        memcpy(cache + (i * T_max + lengths[i % NKV % B]) * hs, rows + i * n * hs,

@ one-head-only: none
-    for (size_t i = 0; i < B * NKV; i++) {
+    for (size_t i = 0; i < B * NKV; i += NKV) {

@ one-sequence-only: none
-    for (size_t i = 0; i < B * NKV; i++) {
+    for (size_t i = 0; i < NKV; i++) {

@ whole-cache-copied: crash
-               n * hs * sizeof *cache);
+               (T_max - lengths[i / NKV]) * hs * sizeof *cache);

@ two-numbers-refused: none
-    for (size_t b = 0; b < B; b++) {
-        if (n > T_max || lengths[b] > T_max - n) {
+    for (size_t b = 0; b < B; b++) {
+        const bool rows = B * NKV * hs > 1 || n == 1;
+        if (!rows || n > T_max || lengths[b] > T_max - n) {
