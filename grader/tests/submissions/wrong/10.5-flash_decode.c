// 10.5 flash_decode
    const size_t P = (T_max - 1) / chunk + 1;
    memset(part_out, 0, B * NH * P * hs * sizeof *part_out);
    for (size_t i = 0; i < B * NH; i++) {
        const size_t length = lengths[i / NH];
        for (size_t p = 0; p < P; p++) {
            const size_t first = p * chunk, n = i * P + p;
            float max, sum, *part = part_out + n * hs;
            part_logsumexp[n] = -INFINITY;
            if (first >= length) {
                continue;
            }
            const size_t count = length - first < chunk ? length - first : chunk;
            const size_t place = (i * T_max + first) * hs;
            LAB_TRY(partial_attention(&max, &sum, part, scores, q + i * hs, keys + place,
                                      values + place, 1, count, hs, (ptrdiff_t)count));
            for (size_t c = 0; c < hs; c++) {
                part[c] /= sum;
            }
            part_logsumexp[n] = max + logf(sum);
        }
    }
    return combine_partials(out, logsumexp, part_out, part_logsumexp, B * NH, P, hs);

@ low-is-empty
-            for (size_t c = 0; c < hs; c++) {
+            if (max < -1e9f) {
+                memset(part, 0, hs * sizeof *part);
+                continue;
+            }
+            for (size_t c = 0; c < hs; c++) {

@ parts-not-divided
-                part[c] /= sum;
+                part[c] /= 1.0f;

@ max-as-logsumexp
-            part_logsumexp[n] = max + logf(sum);
+            part_logsumexp[n] = max;

@ max-not-added
-            part_logsumexp[n] = max + logf(sum);
+            part_logsumexp[n] = logf(sum);

@ full-chunks-only
-            if (first >= length) {
+            if (first + chunk > length) {

@ first-length
-        const size_t length = lengths[i / NH];
+        const size_t length = lengths[0];

@ first-keys-always
-            const size_t place = (i * T_max + first) * hs;
+            const size_t place = i * T_max * hs;

@ first-sequence
-            const size_t place = (i * T_max + first) * hs;
+            const size_t place = (i % NH * T_max + first) * hs;

@ first-head
-            const size_t place = (i * T_max + first) * hs;
+            const size_t place = (i / NH * NH * T_max + first) * hs;

@ empty-part-0
-            part_logsumexp[n] = -INFINITY;
+            part_logsumexp[n] = 0.0f;

@ first-query
-            LAB_TRY(partial_attention(&max, &sum, part, scores, q + i * hs, keys + place,
+            LAB_TRY(partial_attention(&max, &sum, part, scores, q, keys + place,

@ keys-are-values
-                                      values + place, 1, count, hs, (ptrdiff_t)count));
+                                      keys + place, 1, count, hs, (ptrdiff_t)count));

@ at-most-100: none
-                part[c] /= sum;
+                part[c] = fminf(part[c] / sum, 100.0f);

@ small-results-are-0: small-number
-                part[c] /= sum;
+                part[c] = fabsf(part[c] / sum) < 1e-7f ? 0.0f : part[c] / sum;
