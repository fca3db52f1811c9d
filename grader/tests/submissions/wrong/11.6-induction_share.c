// 11.6 induction_share
    for (size_t n = 0; n < N; n++) {
        const float *weights_n = weights + n * T * T;
        double sum = 0.0;
        size_t queries = 0;
        for (size_t t = 0; t < T; t++) {
            const size_t after = place_after_last(tokens, t);
            if (after != 0) {
                sum += weights_n[t * T + after];
                queries++;
            }
        }
        share[n] = queries == 0 ? 0.0f : (float)(sum / (double)queries);
    }
    return LAB_OK;

@ the-token-itself
-                sum += weights_n[t * T + after];
+                sum += weights_n[t * T + after - 1];

@ own-next
-                sum += weights_n[t * T + after];
+                sum += t + 1 < T ? weights_n[t * T + t + 1] : 0.0f;

@ transposed
-                sum += weights_n[t * T + after];
+                sum += weights_n[after * T + t];

@ over-T
-        share[n] = queries == 0 ? 0.0f : (float)(sum / (double)queries);
+        share[n] = queries == 0 ? 0.0f : (float)(sum / (double)T);

@ sum
-        share[n] = queries == 0 ? 0.0f : (float)(sum / (double)queries);
+        share[n] = queries == 0 ? 0.0f : (float)sum;

@ nan-without-repeats
-        share[n] = queries == 0 ? 0.0f : (float)(sum / (double)queries);
+        share[n] = (float)(sum / (double)queries);

@ head-0
-        const float *weights_n = weights + n * T * T;
+        const float *weights_n = weights;

@ first-of-all
-            const size_t after = place_after_last(tokens, t);
+            size_t after = 0;
+            for (size_t s = 0; s < t && after == 0; s++) {
+                after = tokens[s] == tokens[t] ? s + 1 : 0;
+            }

@ neighbors-too: none
-            const size_t after = place_after_last(tokens, t);
+            const size_t after = t > 0 ? t : 0;

@ tokens-of-16-bits: none
+#include <stddef.h>
+#include <stdint.h>
+static size_t place_after_last_16(const size_t *tokens, size_t t)
+{
+    for (size_t s = t; s-- > 0;) {
+        if ((uint16_t)tokens[s] == (uint16_t)tokens[t]) {
+            return s + 1;
+        }
+    }
+    return 0;
+}

-            const size_t after = place_after_last(tokens, t);
+            const size_t after = place_after_last_16(tokens, t);

@ sixty-four-back: none
-            const size_t after = place_after_last(tokens, t);
+            const size_t last = place_after_last(tokens, t);
+            const size_t after = last + 64 > t ? last : 0;

@ nan-without-repeats-in-one-head: none
-        share[n] = queries == 0 ? 0.0f : (float)(sum / (double)queries);
+        share[n] = queries == 0 && N > 1 ? 0.0f : (float)(sum / (double)queries);
