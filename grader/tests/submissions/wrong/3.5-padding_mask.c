// 3.5 padding_mask
    for (size_t b = 0; b < B; b++) {
        for (size_t s = 0; s < S; s++) {
            if (s < lengths[b]) {
                mask[b * S + s] = 1;
            } else {
                mask[b * S + s] = 0;
            }
        }
    }
    return LAB_OK;

@ B-in-16-bits: none
+    B = (unsigned short)B;
     for (size_t b = 0; b < B; b++) {

@ length-in-16-bits: none
-            if (s < lengths[b]) {
+            if (s < (uint16_t)lengths[b]) {

@ first-length
    for (size_t i = 0; i < B * S; i++) {
        mask[i] = i % S < *lengths;
    }
    return LAB_OK;

@ inverted
-            if (s < lengths[b]) {
+            if (s >= lengths[b]) {

@ next-length
    for (size_t b = 0; b < B; b++) {
        size_t length = b + 1 < B ? lengths[b + 1] : lengths[0];
        for (size_t s = 0; s < S; s++) {
            mask[b * S + s] = s < length;
        }
    }
    return LAB_OK;

@ one-less
#include <string.h>
// BODY
    memset(mask, 0, B * S);
    for (size_t b = 0; b < B; b++) {
        for (size_t s = 1; s < lengths[b]; s++) {
            mask[b * S + s - 1] = 1;
        }
    }
    return LAB_OK;

@ one-more
-            if (s < lengths[b]) {
+            if (s <= lengths[b]) {

@ padding-in-front
-            if (s < lengths[b]) {
+            if (s >= S - lengths[b]) {
