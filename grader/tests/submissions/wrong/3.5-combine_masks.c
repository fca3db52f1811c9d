// 3.5 combine_masks
    for (size_t b = 0; b < B; b++) {
        for (size_t t = 0; t < T; t++) {
            for (size_t s = 0; s < S; s++) {
                mask[(b * T + t) * S + s] = attention[t * S + s] && padding[b * S + s];
            }
        }
    }
    return LAB_OK;

@ B-in-16-bits: none
+    B = (unsigned short)B;
     for (size_t b = 0; b < B; b++) {

@ S-in-16-bits: none
+    S = (unsigned short)S;
     for (size_t b = 0; b < B; b++) {

@ attention-only
+    (void)padding;
     for (size_t b = 0; b < B; b++) {

-                mask[(b * T + t) * S + s] = attention[t * S + s] && padding[b * S + s];
+                mask[b * T * S + t * S + s] = attention[t * S + s];

@ first-rows
-                mask[(b * T + t) * S + s] = attention[t * S + s] && padding[b * S + s];
+                mask[(b * T + t) * S + s] =
+                    t < S && attention[t * S + s] && padding[b * S + s];

@ first-sequence
-                mask[(b * T + t) * S + s] = attention[t * S + s] && padding[b * S + s];
+                mask[b * T * S + t * S + s] = attention[t * S + s] && padding[s];

@ or
-                mask[(b * T + t) * S + s] = attention[t * S + s] && padding[b * S + s];
+                mask[b * T * S + t * S + s] = attention[t * S + s] | padding[b * S + s];

@ padding-only
+    (void)attention;
     for (size_t b = 0; b < B; b++) {

-                mask[(b * T + t) * S + s] = attention[t * S + s] && padding[b * S + s];
+                mask[b * T * S + t * S + s] = padding[b * S + s];

@ queries-too
-                mask[(b * T + t) * S + s] = attention[t * S + s] && padding[b * S + s];
+                mask[b * T * S + t * S + s] = attention[t * S + s] && padding[b * S + s] && padding[b * S + t];

@ queries
-                mask[(b * T + t) * S + s] = attention[t * S + s] && padding[b * S + s];
+                mask[b * T * S + t * S + s] = attention[t * S + s] & padding[b * S + t];

@ one-query-takes-sequence-0: first-sequence
-                mask[(b * T + t) * S + s] = attention[t * S + s] && padding[b * S + s];
+                const size_t sequence = T > 1 ? b : 0;
+                mask[(b * T + t) * S + s] = attention[t * S + s] && padding[sequence * S + s];

@ padding-in-16-bits: none
-                mask[(b * T + t) * S + s] = attention[t * S + s] && padding[b * S + s];
+                const uint16_t at = (uint16_t)(b * S + s);
+                mask[(b * T + t) * S + s] = attention[t * S + s] && padding[at];
