// 8.1 vocabulary
    uint8_t seen[256] = {0};
    for (size_t n = 0; n < N; n++) {
        seen[text[n]] = 1;
    }
    size_t places = 0;
    for (size_t i = 0; i < 256; i++) {
        if (seen[i]) {
            bytes[places] = (uint8_t)i;
            places++;
        }
    }
    *V = places;
    return LAB_OK;

@ all-bytes
-        if (seen[i]) {
+        if (seen[i] < 2) {

@ ascii-only
-    for (size_t i = 0; i < 256; i++) {
+    for (size_t i = 0; i < 128; i++) {

@ by-frequency
    size_t counts[256] = {0};
    for (size_t n = 0; n < N; n++) {
        counts[text[n]]++;
    }
    *V = 0;
    for (size_t most = N; most > 0; most--) {
        for (size_t i = 0; i < 256; i++) {
            if (counts[i] == most) {
                bytes[(*V)++] = (uint8_t)i;
            }
        }
    }
    return LAB_OK;

@ count-of-8-bits
-        seen[text[n]] = 1;
+        seen[text[n]]++;

@ descending
-    for (size_t i = 0; i < 256; i++) {
+    for (size_t i = 256; i-- > 0;) {

@ in-order-of-occurrence
    *V = 0;
    for (size_t n = 0; n < N; n++) {
        size_t i = 0;
        while (i < *V && bytes[i] != text[n]) {
            i++;
        }
        if (i == *V) {
            bytes[i] = text[n];
            *V += 1;
        }
    }
    return LAB_OK;

@ last-byte-missed
-    for (size_t n = 0; n < N; n++) {
+    for (size_t n = 0; n < N - 1; n++) {

@ range
    uint8_t low = text[0], high = text[0];
    for (size_t n = 1; n < N; n++) {
        if (text[n] < low) {
            low = text[n];
        }
        if (text[n] > high) {
            high = text[n];
        }
    }
    *V = 0;
    for (size_t i = low; i <= high; i++) {
        bytes[*V] = (uint8_t)i;
        *V += 1;
    }
    return LAB_OK;

@ repeated-only
+#include <string.h>

     uint8_t seen[256] = {0};
+    uint8_t twice[256] = {0};

-        seen[text[n]] = 1;
+        if (memchr(text, text[n], n) != NULL) {
+            twice[text[n]] = 1;
+        }

-        if (seen[i]) {
+        if (seen[i] || twice[i]) {

@ rest-written
     *V = places;
+    while (places < 256) {
+        bytes[places++] = 0;
+    }

@ signed-order
-    for (size_t i = 0; i < 256; i++) {
+    for (int c = -128; c < 128; c++) {
+        const uint8_t i = (uint8_t)c;

@ stops-at-0
-    for (size_t n = 0; n < N; n++) {
+    for (size_t n = 0; n < N && text[n] != 0; n++) {

@ V-too-small
-    *V = places;
+    *V = places - 1;

@ without-0
-    for (size_t i = 0; i < 256; i++) {
+    for (size_t i = 1; i < 256; i++) {

@ without-255
-    for (size_t i = 0; i < 256; i++) {
+    for (size_t i = 0; i < 255; i++) {

@ count-of-16-bits
-    uint8_t seen[256] = {0};
+    uint16_t seen[256] = {0};

-        seen[text[n]] = 1;
+        seen[text[n]]++;

@ V-of-8-bits
-    *V = places;
+    *V = (uint8_t)places;

@ printed-bytes-only
-    for (size_t i = 0; i < 256; i++) {
+    for (size_t i = 32; i < 256; i++) {
