// 9.6 cache_bytes
    const size_t hs = s->C / s->NH;
    const size_t one_token = s->NKV * hs * number_bytes;
    const size_t one_layer = B * T * one_token;
    *bytes = 2 * s->L * one_layer;
    return LAB_OK;

@ C-for-hs
-    const size_t hs = s->C / s->NH;
+    const size_t hs = s->C;

@ bits
-    *bytes = 2 * s->L * one_layer;
+    *bytes = 2 * s->L * one_layer * 8;

@ bytes-taken-for-bits
-    *bytes = 2 * s->L * one_layer;
+    *bytes = 2 * s->L * one_layer / 8;

@ int-overflow
-    *bytes = 2 * s->L * one_layer;
+    const int all = (int)(2 * s->L * one_layer);
+    *bytes = (size_t)all;

@ keys-only
-    *bytes = 2 * s->L * one_layer;
+    *bytes = s->L * one_layer;

@ numbers-not-bytes
-    const size_t one_token = s->NKV * hs * number_bytes;
+    const size_t one_token = s->NKV * hs;

@ one-head
-    const size_t one_token = s->NKV * hs * number_bytes;
+    const size_t one_token = hs * number_bytes;

@ one-layer
-    *bytes = 2 * s->L * one_layer;
+    *bytes = 2 * one_layer;

@ one-sequence
-    const size_t one_layer = B * T * one_token;
+    const size_t one_layer = T * one_token;

@ one-token
-    const size_t one_layer = B * T * one_token;
+    const size_t one_layer = B * one_token;

@ query-heads
-    const size_t one_token = s->NKV * hs * number_bytes;
+    const size_t one_token = s->NH * hs * number_bytes;

@ rounded-away
     const size_t hs = s->C / s->NH;
-    const size_t one_token = s->NKV * hs * number_bytes;
+    const size_t one_token = s->NKV / s->NH * hs * s->NH * number_bytes;

@ unsigned-overflow
-    *bytes = 2 * s->L * one_layer;
+    *bytes = (unsigned)(2 * s->L * one_layer);
