// 3.1 causal_mask
    long past = (long)S - (long)T;
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < S; s++) {
            if ((long)s <= (long)t + past) {
                mask[t * S + s] = 1;
            } else {
                mask[t * S + s] = 0;
            }
        }
    }
    return LAB_OK;

@ keys-in-16-bits: none
-        for (size_t s = 0; s < S; s++) {
+        for (uint16_t s = 0; s < (uint16_t)S; s++) {

@ queries-in-16-bits: none
-    for (size_t t = 0; t < T; t++) {
+    for (uint16_t t = 0; t < (uint16_t)T; t++) {

@ aligned-at-start-when-longer
-    long past = (long)S - (long)T;
+    size_t past = 0;
+    if (S > T) {
+        past = S - T;
+    }

-            if ((long)s <= (long)t + past) {
+            if (s <= t + past) {

@ aligned-at-start
-    long past = (long)S - (long)T;

-            if ((long)s <= (long)t + past) {
+            if (s <= t) {

@ all-ones
#include <string.h>
// BODY
    memset(mask, 1, T * S);
    return LAB_OK;

@ diagonal-excluded
-            if ((long)s <= (long)t + past) {
+            if ((long)s < (long)t + past) {

@ inverted
-            if ((long)s <= (long)t + past) {
+            if ((long)s > (long)t + past) {

@ sees-next
-            if ((long)s <= (long)t + past) {
+            if ((long)s <= (long)t + past + 1) {

@ sizes-exchanged
-    long past = (long)S - (long)T;
+    long past = (long)T - (long)S;

@ transposed
    long past = (long)S - (long)T;
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < S; s++) {
            mask[s * T + t] = (long)s <= (long)t + past;
        }
    }
    return LAB_OK;

@ unsigned-wrap
-    long past = (long)S - (long)T;

-            if ((long)s <= (long)t + past) {
+            if (s <= t + (S - T)) {

@ upside-down
-            if ((long)s <= (long)t + past) {
+            if ((long)s >= (long)t + past) {

@ upside-down-at-start
-            if ((long)s <= (long)t + past) {
+            if (s >= t) {

@ inverted-at-start
-            if ((long)s <= (long)t + past) {
+            if (s > t) {

@ diagonal-excluded-at-start
-            if ((long)s <= (long)t + past) {
+            if (s < t) {

@ allowed-is-255
-                mask[t * S + s] = 1;
+                mask[t * S + s] = 255;

@ shift-kept-while-T-stays: kept-between-calls
-    long past = (long)S - (long)T;
+    static size_t last;
+    static long past;
+    past = last != T ? (long)S - (long)T : past;
+    last = T;
