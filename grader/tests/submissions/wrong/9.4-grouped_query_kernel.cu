// 9.4 grouped_query_kernel
    const size_t n = blockIdx.x;
    const size_t t = n % T, h = n / T % NH, b = n / T / NH, NKV = NH / G;
    const size_t first = (b * NKV + h / G) * S * hs;
    const uint8_t *mask = mask_dev == NULL ? NULL : mask_dev + (b * T + t) * S;
    attend(out_dev + n * hs, weights_dev + n * S, scores_dev + n * S, q_dev + n * hs,
           k_dev + first, v_dev + first, mask, S, hs);

@ gqa-modulo: heads-interleaved
-    const size_t first = (b * NKV + h / G) * S * hs;
+    const size_t first = (b * NKV + h % NKV) * S * hs;

@ gqa-sequence-0: mask-of-sequence-0
-    const uint8_t *mask = mask_dev == NULL ? NULL : mask_dev + (b * T + t) * S;
+    const uint8_t *mask = mask_dev == NULL ? NULL : mask_dev + t * S;

@ gqa-query-0: mask-of-query-0
-    const uint8_t *mask = mask_dev == NULL ? NULL : mask_dev + (b * T + t) * S;
+    const uint8_t *mask = mask_dev == NULL ? NULL : mask_dev + b * T * S;

@ gqa-mask-ignored: mask-ignored
-    const uint8_t *mask = mask_dev == NULL ? NULL : mask_dev + (b * T + t) * S;
+    const uint8_t *mask = NULL;

@ mask-by-block: out-of-bounds
-    const uint8_t *mask = mask_dev == NULL ? NULL : mask_dev + (b * T + t) * S;
+    const uint8_t *mask = mask_dev == NULL ? NULL : mask_dev + n * S;

@ not-shared: out-of-bounds
-    const size_t first = (b * NKV + h / G) * S * hs;
+    const size_t first = (b * NH + h) * S * hs;

@ null-mask: null-pointer
-    const uint8_t *mask = mask_dev == NULL ? NULL : mask_dev + (b * T + t) * S;
+    const uint8_t *mask = mask_dev + (b * T + t) * S;
+    if (mask[0] > 1) {
+        return;
+    }

@ first-block-of-keys
-           k_dev + first, v_dev + first, mask, S, hs);
+           k_dev + first, v_dev + first, mask, S < BLOCK ? S : BLOCK, hs);
