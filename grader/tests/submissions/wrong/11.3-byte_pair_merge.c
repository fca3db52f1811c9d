// 11.3 byte_pair_merge
    size_t length = N;
    for (;;) {
        size_t best = merges->M;
        for (size_t i = 0; i + 1 < length; i++) {
            size_t rank = lab_merge_rank(merges, tokens[i], tokens[i + 1]);
            if (rank < best) {
                best = rank;
            }
        }
        if (best == merges->M) {
            break;
        }
        size_t left = merges->left[best], right = merges->right[best];
        for (size_t i = 0; i + 1 < length; i++) {
            if (tokens[i] == left && tokens[i + 1] == right) {
                tokens[i] = merges->merged[best];
                for (size_t j = i + 1; j + 1 < length; j++) {
                    tokens[j] = tokens[j + 1];
                }
                length--;
            }
        }
    }
    *count = length;
    return LAB_OK;

@ leftmost-everywhere
-            if (rank < best) {
+            if (best == merges->M) {

@ most-frequent-first
-        size_t best = merges->M;
+        size_t best = merges->M, most = 0;

-            if (rank < best) {
-                best = rank;
-            }
+            size_t times = 0;
+            for (size_t j = 0; j + 1 < length; j++) {
+                times += tokens[j] == tokens[i] && tokens[j + 1] == tokens[i + 1];
+            }
+            if (rank < merges->M && times > most) {
+                best = rank;
+                most = times;
+            }

@ leftmost-first
    size_t length = N;
    for (size_t i = 0; i + 1 < length;) {
        size_t rank = lab_merge_rank(merges, tokens[i], tokens[i + 1]);
        if (rank == merges->M) {
            i++;
            continue;
        }
        tokens[i] = merges->merged[rank];
        length--;
        for (size_t j = i + 1; j < length; j++) {
            tokens[j] = tokens[j + 1];
        }
        i = 0;
    }
    *count = length;
    return LAB_OK;

@ highest-rank-first
-            if (rank < best) {
+            if (rank < merges->M && (best == merges->M || rank > best)) {

@ lowest-token-first
-            if (rank < best) {
+            if (rank < merges->M &&
+                (best == merges->M || merges->merged[rank] < merges->merged[best])) {

@ rank-0-missed
-            if (rank < best) {
+            if (rank != 0 && rank < best) {

@ last-rank-missed
-            if (rank < best) {
+            if (rank + 1 < merges->M && rank < best) {

@ first-pair-missed
-        size_t best = merges->M;
-        for (size_t i = 0; i + 1 < length; i++) {
+        size_t best = merges->M;
+        for (size_t i = 1; i + 1 < length; i++) {

@ last-pair-missed
-        size_t best = merges->M;
-        for (size_t i = 0; i + 1 < length; i++) {
+        size_t best = merges->M;
+        for (size_t i = 0; i + 2 < length; i++) {

@ order-swapped
-            size_t rank = lab_merge_rank(merges, tokens[i], tokens[i + 1]);
+            size_t rank = lab_merge_rank(merges, tokens[i + 1], tokens[i]);

-            if (tokens[i] == left && tokens[i + 1] == right) {
+            if (tokens[i] == right && tokens[i + 1] == left) {

@ either-order
             size_t rank = lab_merge_rank(merges, tokens[i], tokens[i + 1]);
+            size_t other = lab_merge_rank(merges, tokens[i + 1], tokens[i]);
+            rank = other < rank ? other : rank;

-        for (size_t i = 0; i + 1 < length; i++) {
-            if (tokens[i] == left && tokens[i + 1] == right) {
+        for (size_t i = 0; i + 1 < length; i++) {
+            bool here = tokens[i] == left && tokens[i + 1] == right;
+            if (here || (tokens[i] == right && tokens[i + 1] == left)) {

@ one-place-at-a-time
                 length--;
+                break;

@ from-the-right
-        for (size_t i = 0; i + 1 < length; i++) {
-            if (tokens[i] == left && tokens[i + 1] == right) {
+        for (size_t i = length; i-- > 0;) {
+            if (i + 1 < length && tokens[i] == left && tokens[i + 1] == right) {

@ one-round
                 length--;
             }
         }
+        break;

@ rank-for-token
-                tokens[i] = merges->merged[best];
+                tokens[i] = best;

@ one-pass
    size_t length = N;
    for (size_t m = 0; m < merges->M; m++) {
        size_t kept = 0;
        for (size_t i = 0; i < length; i++, kept++) {
            tokens[kept] = tokens[i];
            if (i + 1 < length && tokens[i] == merges->left[m] &&
                tokens[i + 1] == merges->right[m]) {
                tokens[kept] = merges->merged[m];
                i++;
            }
        }
        length = kept;
    }
    *count = length;
    return LAB_OK;

@ overlapping
-        for (size_t i = 0; i + 1 < length; i++) {
-            if (tokens[i] == left && tokens[i + 1] == right) {
-                tokens[i] = merges->merged[best];
-                for (size_t j = i + 1; j + 1 < length; j++) {
-                    tokens[j] = tokens[j + 1];
-                }
-                length--;
-            }
-        }
+        size_t kept = 0, after = 0;
+        for (size_t i = 0; i < length; i++) {
+            if (i + 1 < length && tokens[i] == left && tokens[i + 1] == right) {
+                tokens[kept++] = merges->merged[best];
+                after = i + 2;
+            } else if (i >= after) {
+                tokens[kept++] = tokens[i];
+            }
+        }
+        length = kept;

@ last-found-first
-            if (rank < best) {
+            if (rank < merges->M) {

@ last-pair-alone
-            if (rank < best) {
-                best = rank;
-            }
+            best = rank;

@ count-is-N
-    *count = length;
+    *count = N;

@ count-left: none
-    *count = length;

@ tokens-of-32-bits: none
-            if (tokens[i] == left && tokens[i + 1] == right) {
+            if ((uint32_t)tokens[i] == (uint32_t)left && tokens[i + 1] == right) {

@ merges-of-trained-pairs-only: none
-            if (rank < best) {
+            if (rank < best && merges->merged[rank] > tokens[i]) {

@ two-rounds: none
-    for (;;) {
+    for (int round = 0; round < 2; round++) {

@ empty-table-refused: none
-    size_t length = N;
+    size_t length = N;
+    if (merges->M == 0) {
+        return LAB_ESHAPE;
+    }

@ single-token-refused: none
-    size_t length = N;
+    size_t length = N;
+    if (N < 2) {
+        return LAB_ESHAPE;
+    }

@ run-to-one-token: none
                 length--;
+                while (left == right && i + 1 < length && tokens[i + 1] == left) {
+                    for (size_t j = i + 1; j + 1 < length; j++) {
+                        tokens[j] = tokens[j + 1];
+                    }
+                    length--;
+                }

@ sixty-four-rounds: none
-    for (;;) {
+    for (int round = 0; round < 64; round++) {

@ rounds-in-8-bits: none
-    for (;;) {
+    for (int round = 0; round < 256; round++) {

@ ranks-compared-in-8-bits: none
-            if (rank < best) {
+            if (rank < merges->M && (best == merges->M || (uint8_t)rank < (uint8_t)best)) {

@ ranks-up-to-1000: none
-            if (rank < best) {
+            if (rank < best && rank < 1000) {

@ ranks-compared-in-16-bits: none
-            if (rank < best) {
+            if (rank < merges->M && (best == merges->M || (uint16_t)rank < (uint16_t)best)) {
