// 11.1 float16_to_float
    for (size_t n = 0; n < N; n++) {
        unsigned half = bytes[2 * n + 1];
        half = half * 256 + bytes[2 * n];
        int e = half / 1024 % 32;
        float f = (float)(half % 1024);
        float size = (1 + f / 1024) * powf(2, e - 15);
        if (e == 0) {
            size = f / 1024 * powf(2, -14);
        }
        if (e == 31) {
            size = f == 0 ? INFINITY : NAN;
        }
        y[n] = half & 0x8000 ? -size : size;
    }
    return LAB_OK;

@ bytes-swapped
-        unsigned half = bytes[2 * n + 1];
-        half = half * 256 + bytes[2 * n];
+        unsigned half = bytes[2 * n];
+        half = half * 256 + bytes[2 * n + 1];

@ as-bfloat16
    return bfloat16_to_float(y, bytes, N);

@ overlapping
-        unsigned half = bytes[2 * n + 1];
-        half = half * 256 + bytes[2 * n];
+        unsigned half = bytes[n + 1];
+        half = half * 256 + bytes[n];

@ signed-bytes
-        half = half * 256 + bytes[2 * n];
+        half = (half << 8 | (unsigned)(signed char)bytes[2 * n]) & 0xffff;

@ infinite-from-30
-        if (e == 31) {
+        if (e >= 30) {

@ no-sign
-        y[n] = half & 0x8000 ? -size : size;
+        y[n] = size;

@ sign-subtracted
-        y[n] = half & 0x8000 ? -size : size;
+        y[n] = size - (float)(half >> 15);

@ subnormals-are-0
-            size = f / 1024 * powf(2, -14);
+            size = 0;

@ subnormals-halved
-            size = f / 1024 * powf(2, -14);
+            size = f / 1024 * powf(2, e - 15);

@ subnormals-are-normal
-        if (e == 0) {
-            size = f / 1024 * powf(2, -14);
-        }
+        if (e == 0 && f == 0) {
+            size = 0;
+        }

@ e-0-is-normal
-        if (e == 0) {
-            size = f / 1024 * powf(2, -14);
-        }

@ all-normal
-        if (e == 0) {
-            size = f / 1024 * powf(2, -14);
-        }
-        if (e == 31) {
-            size = f == 0 ? INFINITY : NAN;
-        }

@ all-normal-but-0
-        if (e == 0) {
-            size = f / 1024 * powf(2, -14);
-        }
-        if (e == 31) {
-            size = f == 0 ? INFINITY : NAN;
-        }
+        if (e == 0 && f == 0) {
+            size = 0;
+        }

@ infinity-is-65536
-        if (e == 31) {
-            size = f == 0 ? INFINITY : NAN;
-        }

@ nan-is-infinite
-            size = f == 0 ? INFINITY : NAN;
+            size = INFINITY;

@ infinity-is-nan
-            size = f == 0 ? INFINITY : NAN;
+            size = NAN;

@ infinity-without-sign
-        y[n] = half & 0x8000 ? -size : size;
+        y[n] = half & 0x8000 && e < 31 ? -size : size;

@ no-hidden-1
-        float size = (1 + f / 1024) * powf(2, e - 15);
+        float size = f / 1024 * powf(2, e - 15);

@ bias-16
-        float size = (1 + f / 1024) * powf(2, e - 15);
+        float size = (1 + f / 1024) * powf(2, e - 16);

@ bias-14
-        float size = (1 + f / 1024) * powf(2, e - 15);
+        float size = (1 + f / 1024) * powf(2, e - 14);

@ over-1023
-        float size = (1 + f / 1024) * powf(2, e - 15);
+        float size = (1 + f / 1023) * powf(2, e - 15);

-            size = f / 1024 * powf(2, -14);
+            size = f / 1023 * powf(2, -14);

@ over-1023-for-normal-numbers: none
-        float size = (1 + f / 1024) * powf(2, e - 15);
+        float size = (1 + f / 1023) * powf(2, e - 15);

@ whole-number-division
-        float size = (1 + f / 1024) * powf(2, e - 15);
+        float size = (float)(1 + (half % 1024) / 1024) * powf(2, e - 15);

@ exponent-not-changed
    for (size_t n = 0; n < N; n++) {
        uint32_t half = (uint32_t)bytes[2 * n + 1] << 8 | bytes[2 * n];
        uint32_t bits = (half >> 15) << 31 | (half >> 10 & 31) << 23 | (half & 1023) << 13;
        memcpy(&y[n], &bits, 4);
    }
    return LAB_OK;

@ zero-without-sign: sign
-        y[n] = half & 0x8000 ? -size : size;
+        y[n] = half & 0x8000 && size != 0 ? -size : size;

@ subnormals-without-sign
-        y[n] = half & 0x8000 ? -size : size;
+        y[n] = half & 0x8000 && e > 0 ? -size : size;

@ largest-is-infinite: none
-        if (e == 31) {
+        if (e == 31 || (e == 30 && f == 1023)) {

@ smallest-normal-is-subnormal: none
-        if (e == 0) {
+        if (e == 0 || (e == 1 && f == 0)) {

@ place-in-16-bits: none
-        y[n] = half & 0x8000 ? -size : size;
+        y[(uint16_t)n] = half & 0x8000 ? -size : size;
