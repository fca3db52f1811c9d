// 9.6 decode_bytes
    size_t weights, cache;
    LAB_TRY(decoder_weights(&weights, sizes));
    LAB_TRY(cache_bytes(&cache, sizes, B, T, number_bytes));
    weights *= weight_bytes;
    *bytes = weights + cache;
    return LAB_OK;

@ bytes-swapped
-    LAB_TRY(cache_bytes(&cache, sizes, B, T, number_bytes));
-    weights *= weight_bytes;
+    LAB_TRY(cache_bytes(&cache, sizes, B, T, weight_bytes));
+    weights *= number_bytes;

@ cache-twice
-    *bytes = weights + cache;
+    *bytes = weights + 2 * cache;

@ half-the-cache
-    *bytes = weights + cache;
+    *bytes = weights + cache / 2;

@ int-overflow
-    *bytes = weights + cache;
+    const int all = (int)(weights + cache);
+    *bytes = (size_t)all;

@ no-cache
-    *bytes = weights + cache;
+    *bytes = weights;

@ no-weights
-    *bytes = weights + cache;
+    *bytes = cache;

@ number-bytes-for-all
-    weights *= weight_bytes;
+    weights *= number_bytes;

@ number-bytes-twice
-    *bytes = weights + cache;
+    *bytes = weights + cache * number_bytes;

@ one-sequence
-    LAB_TRY(cache_bytes(&cache, sizes, B, T, number_bytes));
+    LAB_TRY(cache_bytes(&cache, sizes, 1, T, number_bytes));

@ query-heads
-    LAB_TRY(cache_bytes(&cache, sizes, B, T, number_bytes));
+    struct decoder_sizes all = *sizes;
+    all.NKV = all.NH;
+    LAB_TRY(cache_bytes(&cache, &all, B, T, number_bytes));

@ unsigned-overflow
-    *bytes = weights + cache;
+    *bytes = (unsigned)(weights + cache);

@ weight-bytes-for-all
-    LAB_TRY(cache_bytes(&cache, sizes, B, T, number_bytes));
+    LAB_TRY(cache_bytes(&cache, sizes, B, T, weight_bytes));

@ weights-for-each-sequence
-    weights *= weight_bytes;
+    weights *= weight_bytes * B;

@ weights-not-in-bytes
-    weights *= weight_bytes;
