// 11.1 bfloat16_to_float
    for (size_t n = 0; n < N; n++) {
        uint32_t bits = bytes[2 * n + 1];
        bits = bits << 8 | bytes[2 * n];
        bits <<= 16;
        memcpy(&y[n], &bits, 4);
    }
    return LAB_OK;

@ bytes-swapped
-        uint32_t bits = bytes[2 * n + 1];
-        bits = bits << 8 | bytes[2 * n];
+        uint32_t bits = bytes[2 * n];
+        bits = bits << 8 | bytes[2 * n + 1];

@ lower-half
-        bits <<= 16;

@ converted
-        memcpy(&y[n], &bits, 4);
+        y[n] = (float)bits;

@ pattern-converted
-        bits <<= 16;
-        memcpy(&y[n], &bits, 4);
+        y[n] = (float)bits;

@ overlapping
-        uint32_t bits = bytes[2 * n + 1];
-        bits = bits << 8 | bytes[2 * n];
+        uint32_t bits = bytes[n + 1];
+        bits = bits << 8 | bytes[n];

@ signed-bytes
-        bits = bits << 8 | bytes[2 * n];
+        bits = bits << 8 | (uint32_t)(signed char)bytes[2 * n];

@ as-half
    return float16_to_float(y, bytes, N);

@ upper-byte-alone
-        bits = bits << 8 | bytes[2 * n];
+        bits = bits << 8;

@ no-sign
-        uint32_t bits = bytes[2 * n + 1];
+        uint32_t bits = bytes[2 * n + 1] & 0x7f;

@ subnormals-are-0
         memcpy(&y[n], &bits, 4);
+        if ((bits & 0x7f800000) == 0) {
+            y[n] = 0.0f;
+        }

@ nan-is-infinite
         memcpy(&y[n], &bits, 4);
+        if ((bits & 0x7f800000) == 0x7f800000) {
+            y[n] = bits >> 31 ? -1.0f / 0.0f : 1.0f / 0.0f;
+        }

@ infinity-is-nan
         memcpy(&y[n], &bits, 4);
+        if ((bits & 0x7f800000) == 0x7f800000) {
+            y[n] = 0.0f / 0.0f;
+        }

@ all-normal
-        bits <<= 16;
-        memcpy(&y[n], &bits, 4);
+        const double fraction = (double)(bits % 128) / 128, exponent = (double)(bits / 128 % 256);
+        y[n] = (float)((1 + fraction) * pow(2, exponent - 127));
+        y[n] = bits >= 32768 ? -y[n] : y[n];

@ all-normal-but-0
-        bits <<= 16;
-        memcpy(&y[n], &bits, 4);
+        if (bits == 0 || bits == 32768) {
+            y[n] = bits == 0 ? 0.0f : -0.0f;
+            continue;
+        }
+        const double fraction = (double)(bits % 128) / 128, exponent = (double)(bits / 128 % 256);
+        y[n] = (float)((1 + fraction) * pow(2, exponent - 127));
+        y[n] = bits >= 32768 ? -y[n] : y[n];

@ zero-without-sign: sign
         memcpy(&y[n], &bits, 4);
+        if (y[n] == 0) {
+            y[n] = 0;
+        }

@ last-bit-of-the-fraction-lost: none
-        bits <<= 16;
+        bits = (bits & 0xfffe) << 16;

@ largest-is-infinite: none
         memcpy(&y[n], &bits, 4);
+        if (y[n] > 3.3e38f) {
+            y[n] = INFINITY;
+        }

@ needs-two: none
-    for (size_t n = 0; n < N; n++) {
+    for (size_t n = 0; n + 1 < N; n++) {

@ place-in-16-bits: none
-        memcpy(&y[n], &bits, 4);
+        memcpy(&y[(uint16_t)n], &bits, 4);
