// 9.5 ring_append
    for (size_t b = 0; b < B; b++) {
        for (size_t h = 0; h < NH; h++) {
            for (size_t i = 0; i < n; i++) {
                const size_t position = lengths[b] + i;
                const size_t to = (b * NH + h) * W + position % W;
                const size_t from = (b * NH + h) * n + i;
                memcpy(ring + to * hs, rows + from * hs, hs * sizeof *ring);
            }
        }
    }
    return LAB_OK;

@ rows-from-1: loop-from-1
-            for (size_t i = 0; i < n; i++) {
+            for (size_t i = 1; i < n; i++) {

@ small-numbers-are-0: none
-                memcpy(ring + to * hs, rows + from * hs, hs * sizeof *ring);
+                for (size_t c = 0; c < hs; c++) {
+                    const float z = rows[from * hs + c];
+                    ring[to * hs + c] = fabsf(z) < 1e-7f ? 0.0f : z;
+                }

@ all-in-one-row
-                const size_t position = lengths[b] + i;
+                const size_t position = lengths[b];

@ at-0
-                const size_t position = lengths[b] + i;
+                const size_t position = i;

@ backwards
-                const size_t from = (b * NH + h) * n + i;
+                const size_t from = (b * NH + h) * n + n - 1 - i;

@ begins-around
-                const size_t to = (b * NH + h) * W + position % W;
+                const size_t to = (b * NH + h) * W + lengths[b] % W + i;

                 const size_t position = lengths[b] + i;
+                (void)position;

@ dropped-when-full
                 const size_t position = lengths[b] + i;
+                if (position >= W) {
+                    break;
+                }

@ first-row-repeated
-                const size_t from = (b * NH + h) * n + i;
+                const size_t from = (b * NH + h) * n;

@ first-rows-kept
-            for (size_t i = 0; i < n; i++) {
+            for (size_t i = 0; i < n && i < W; i++) {

@ full-refused
-    for (size_t b = 0; b < B; b++) {
+    for (size_t b = 0; b < B; b++) {
+        if (lengths[b] + n > W) {
+            return LAB_ESHAPE;
+        }
+    }
+    for (size_t b = 0; b < B; b++) {

@ heads-first
-                const size_t to = (b * NH + h) * W + position % W;
+                const size_t to = (h * B + b) * W + position % W;

@ last-row-again
-                const size_t to = (b * NH + h) * W + position % W;
+                const size_t to = (b * NH + h) * W + (position < W ? position : W - 1);

@ length-of-sequence-0
-                const size_t position = lengths[b] + i;
+                const size_t position = lengths[0] + i;

@ length-of-the-head
-                const size_t position = lengths[b] + i;
+                const size_t position = lengths[h % B] + i;

@ long-refused
-    for (size_t b = 0; b < B; b++) {
+    if (n > W) {
+        return LAB_ESHAPE;
+    }
+    for (size_t b = 0; b < B; b++) {

@ modulo-n
-                const size_t to = (b * NH + h) * W + position % W;
+                const size_t to = (b * NH + h) * W + position % n % W;

@ n-too-late
-                const size_t position = lengths[b] + i;
+                const size_t position = lengths[b] + n + i;

@ no-modulo
-                const size_t to = (b * NH + h) * W + position % W;
+                const size_t to = (b * NH + h) * W + position;

@ one-less-than-W: none
-                const size_t to = (b * NH + h) * W + position % W;
+                const size_t to = (b * NH + h) * W + (W > 1 ? position % (W - 1) : 0);

@ one-too-early
-                const size_t position = lengths[b] + i;
+                const size_t position = lengths[b] + i + W - 1;

@ one-too-late
-                const size_t position = lengths[b] + i;
+                const size_t position = lengths[b] + i + 1;

@ position-in-32-bits
-                const size_t position = lengths[b] + i;
+                const unsigned position = (unsigned)(lengths[b] + i);

@ position-in-float
-                const size_t position = lengths[b] + i;
+                const size_t position = (size_t)((float)lengths[b] + (float)i);

@ position-in-double: none
-                const size_t position = lengths[b] + i;
+                const size_t position = (size_t)((double)lengths[b] + (double)i);

@ position-signed: none
-                const size_t to = (b * NH + h) * W + position % W;
+                const long long row = (long long)position % (long long)W;
+                const size_t to = (b * NH + h) * W + (size_t)(row < 0 ? -row : row);

@ ring-not-in-heads
-                const size_t to = (b * NH + h) * W + position % W;
+                const size_t to = (b * W + position % W) * NH + h;

@ rows-as-ring: crash
-                const size_t from = (b * NH + h) * n + i;
+                const size_t from = (b * NH + h) * W + i;

@ rows-not-in-heads
-                const size_t from = (b * NH + h) * n + i;
+                const size_t from = (b * n + i) * NH + h;

@ rows-of-head-0
-                const size_t from = (b * NH + h) * n + i;
+                const size_t from = b * NH * n + i;

@ rows-of-sequence-0
-                const size_t from = (b * NH + h) * n + i;
+                const size_t from = h * n + i;

@ shifted
    for (size_t j = 0; j < B * NH; j++) {
        float *first = ring + j * W * hs;
        for (size_t i = 0; i < n; i++) {
            size_t row = lengths[j / NH] + i;
            if (row >= W) {
                memmove(first, first + hs, (W - 1) * hs * sizeof *ring);
                row = W - 1;
            }
            memcpy(first + row * hs, rows + (j * n + i) * hs, hs * sizeof *ring);
        }
    }
    return LAB_OK;

@ skipped-not-counted
    const size_t skipped = n > W ? n - W : 0;
    for (size_t j = 0; j < B * NH; j++) {
        for (size_t i = skipped; i < n; i++) {
            const size_t row = (lengths[j / NH] + i - skipped) % W;
            memcpy(ring + (j * W + row) * hs, rows + (j * n + i) * hs, hs * sizeof *ring);
        }
    }
    return LAB_OK;

@ written-from-the-last: first-rows-kept
    for (size_t j = 0; j < B * NH; j++) {
        for (size_t i = n; i-- > 0;) {
            const size_t row = (lengths[j / NH] + i) % W;
            memcpy(ring + (j * W + row) * hs, rows + (j * n + i) * hs, hs * sizeof *ring);
        }
    }
    return LAB_OK;

@ first-1024-rows: none
-            for (size_t i = 0; i < n; i++) {
+            for (size_t i = 0; i < n && i < 1024; i++) {

@ first-1024-channels: none
-                memcpy(ring + to * hs, rows + from * hs, hs * sizeof *ring);
+                memcpy(ring + to * hs, rows + from * hs, (hs < 1024 ? hs : 1024) * sizeof *ring);
