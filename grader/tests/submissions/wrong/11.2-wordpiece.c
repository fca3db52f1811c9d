// 11.2 wordpiece
    size_t characters = 0;
    for (size_t n = 0; n < N; n++) {
        if ((word[n] & 0xc0) != 0x80) {
            characters++;
        }
    }
    if (characters > WORDPIECE_LONGEST) {
        ids[0] = unknown;
        *count = 1;
        return LAB_OK;
    }
    size_t start = 0, found = 0;
    while (start < N) {
        size_t end = N, token = pieces->V;
        while (end > start) {
            token = lab_piece_find(pieces, found > 0 ? "##" : "", word + start, end - start);
            if (token < pieces->V) {
                break;
            }
            end--;
        }
        if (end == start) {
            ids[0] = unknown;
            *count = 1;
            return LAB_OK;
        }
        ids[found] = token;
        found++;
        start = end;
    }
    *count = found;
    return LAB_OK;

@ shortest-first
-        size_t end = N, token = pieces->V;
-        while (end > start) {
+        size_t end = start + 1, token = pieces->V;
+        while (end <= N) {

-            end--;
+            end++;

-        if (end == start) {
+        if (end > N) {

@ lowest-token-first
         if (end == start) {
             ids[0] = unknown;
             *count = 1;
             return LAB_OK;
         }
+        for (size_t e = end; e > start; e--) {
+            const size_t t = lab_piece_find(pieces, found > 0 ? "##" : "", word + start, e - start);
+            end = t < token ? e : end;
+            token = t < token ? t : token;
+        }

@ one-byte-missed
-        while (end > start) {
+        while (end > start + 1) {

-        if (end == start) {
+        if (end == start + 1) {

-    while (start < N) {
+    if (N == 1) {
+        ids[0] = unknown;
+        *count = 1;
+        return LAB_OK;
+    }
+    while (start < N) {

@ no-hashes
-            token = lab_piece_find(pieces, found > 0 ? "##" : "", word + start, end - start);
+            token = lab_piece_find(pieces, "", word + start, end - start);

@ hashes-optional
             token = lab_piece_find(pieces, found > 0 ? "##" : "", word + start, end - start);
+            if (token == pieces->V) {
+                token = lab_piece_find(pieces, "", word + start, end - start);
+            }

@ hashes-for-the-first
-            token = lab_piece_find(pieces, found > 0 ? "##" : "", word + start, end - start);
+            token = lab_piece_find(pieces, "##", word + start, end - start);

@ first-may-have-hashes
             token = lab_piece_find(pieces, found > 0 ? "##" : "", word + start, end - start);
+            if (token == pieces->V) {
+                token = lab_piece_find(pieces, "##", word + start, end - start);
+            }

@ rest-unknown
-            ids[0] = unknown;
-            *count = 1;
-            return LAB_OK;
-        }
-        ids[found] = token;
+            ids[found] = unknown;
+            *count = found + 1;
+            return LAB_OK;
+        }
+        ids[found] = token;

@ byte-unknown
-        if (end == start) {
-            ids[0] = unknown;
-            *count = 1;
-            return LAB_OK;
-        }
+        if (end == start) {
+            token = unknown;
+            end++;
+        }

@ character-unknown
-        if (end == start) {
-            ids[0] = unknown;
-            *count = 1;
-            return LAB_OK;
-        }
+        if (end == start) {
+            token = unknown;
+            do {
+                end++;
+            } while (end < N && (word[end] & 0xc0) == 0x80);
+        }

@ byte-skipped
-            token = lab_piece_find(pieces, found > 0 ? "##" : "", word + start, end - start);
+            token = lab_piece_find(pieces, start > 0 ? "##" : "", word + start, end - start);

-        if (end == start) {
-            ids[0] = unknown;
-            *count = 1;
-            return LAB_OK;
-        }
+        if (end == start) {
+            start++;
+            continue;
+        }

@ rest-left-out
-        if (end == start) {
-            ids[0] = unknown;
-            *count = 1;
-            return LAB_OK;
-        }
+        if (end == start) {
+            break;
+        }

@ no-token
-        if (end == start) {
-            ids[0] = unknown;
-            *count = 1;
+        if (end == start) {
+            *count = 0;

-        ids[0] = unknown;
-        *count = 1;
-        return LAB_OK;
-    }
-    size_t start = 0, found = 0;
+        *count = 0;
+        return LAB_OK;
+    }
+    size_t start = 0, found = 0;

@ V-for-unknown
-        if (end == start) {
-            ids[0] = unknown;
+        if (end == start) {
+            ids[0] = token;

-    if (characters > WORDPIECE_LONGEST) {
-        ids[0] = unknown;
+    if (characters > WORDPIECE_LONGEST) {
+        ids[0] = pieces->V;

@ 0-for-unknown
-        if (end == start) {
-            ids[0] = unknown;
+        if (end == start) {
+            ids[0] = 0;

-    if (characters > WORDPIECE_LONGEST) {
-        ids[0] = unknown;
+    if (characters > WORDPIECE_LONGEST) {
+        ids[0] = 0;

@ no-limit
-    if (characters > WORDPIECE_LONGEST) {
+    if (characters > N) {

@ limit-in-bytes
-    if (characters > WORDPIECE_LONGEST) {
+    if (N > WORDPIECE_LONGEST) {

@ limit-99
-    if (characters > WORDPIECE_LONGEST) {
+    if (characters >= WORDPIECE_LONGEST) {

@ limit-101
-    if (characters > WORDPIECE_LONGEST) {
+    if (characters > WORDPIECE_LONGEST + 1) {

@ ascii-counted-alone
-        if ((word[n] & 0xc0) != 0x80) {
+        if (word[n] < 0x80) {

@ ascii-not-counted
-        if ((word[n] & 0xc0) != 0x80) {
+        if ((word[n] & 0xc0) == 0xc0) {

@ first-100-kept
-    if (characters > WORDPIECE_LONGEST) {
-        ids[0] = unknown;
-        *count = 1;
-        return LAB_OK;
-    }
+    while (characters > WORDPIECE_LONGEST) {
+        N--;
+        characters -= (word[N] & 0xc0) != 0x80;
+    }

@ pieces-counted
-    if (characters > WORDPIECE_LONGEST) {
-        ids[0] = unknown;
-        *count = 1;
-        return LAB_OK;
-    }
+    characters = 0;

-    *count = found;
+    *count = found;
+    if (found + characters > WORDPIECE_LONGEST) {
+        ids[0] = unknown;
+        *count = 1;
+    }

@ long-word-dropped
-        ids[0] = unknown;
-        *count = 1;
-        return LAB_OK;
-    }
-    size_t start = 0, found = 0;
+        *count = 0;
+        return LAB_OK;
+    }
+    size_t start = 0, found = 0;

@ other-pieces-tried
    // the last end that was tried at each piece; the next one is shorter
    size_t characters = 0, found = 0, starts[WORDPIECE_LONGEST + 1], ends[WORDPIECE_LONGEST + 1];
    for (size_t n = 0; n < N; n++) {
        characters += (word[n] & 0xc0) != 0x80;
    }
    bool whole = false;
    starts[0] = 0;
    ends[0] = N + 1;
    while (characters <= WORDPIECE_LONGEST && !whole) {
        ends[found]--;
        if (ends[found] == starts[found]) {
            if (found == 0) {
                break;
            }
            found--;
            continue;
        }
        const size_t length = ends[found] - starts[found];
        ids[found] = lab_piece_find(pieces, found > 0 ? "##" : "", word + starts[found], length);
        if (ids[found] < pieces->V) {
            whole = ends[found] == N;
            starts[found + 1] = ends[found];
            ends[found + 1] = N + 1;
            found++;
        }
    }
    if (!whole) {
        ids[0] = unknown;
        found = 1;
    }
    *count = found;
    return LAB_OK;

@ from-the-right
-    size_t start = 0, found = 0;
-    while (start < N) {
-        size_t end = N, token = pieces->V;
-        while (end > start) {
-            token = lab_piece_find(pieces, found > 0 ? "##" : "", word + start, end - start);
-            if (token < pieces->V) {
-                break;
-            }
-            end--;
-        }
-        if (end == start) {
-            ids[0] = unknown;
-            *count = 1;
-            return LAB_OK;
-        }
-        ids[found] = token;
-        found++;
-        start = end;
-    }
+    size_t end = N, found = 0;
+    while (end > 0) {
+        size_t start = 0, token = pieces->V;
+        while (start < end) {
+            token = lab_piece_find(pieces, start > 0 ? "##" : "", word + start, end - start);
+            if (token < pieces->V) {
+                break;
+            }
+            start++;
+        }
+        if (end == start) {
+            ids[0] = unknown;
+            *count = 1;
+            return LAB_OK;
+        }
+        for (size_t i = found; i > 0; i--) {
+            ids[i] = ids[i - 1];
+        }
+        ids[0] = token;
+        found++;
+        end = start;
+    }

@ empty-pieces-fit: crash
-        while (end > start) {
-            token = lab_piece_find(pieces, found > 0 ? "##" : "", word + start, end - start);
-            if (token < pieces->V) {
-                break;
-            }
-            end--;
-        }
-        if (end == start) {
+        while (end + 1 > start) {
+            token = lab_piece_find(pieces, found > 0 ? "##" : "", word + start, end - start);
+            if (token < pieces->V) {
+                break;
+            }
+            end--;
+        }
+        if (end + 1 == start || (end == start && token == pieces->V)) {

@ tokens-of-8-bits: none
-        ids[found] = token;
+        ids[found] = (uint8_t)token;

@ longest-of-20-bytes: none
-        size_t end = N, token = pieces->V;
+        size_t end = N - start > 20 ? start + 20 : N, token = pieces->V;

@ empty-vocabulary-refused: none
-    size_t characters = 0;
+    size_t characters = 0;
+    if (pieces->V == 0) {
+        return LAB_ESHAPE;
+    }

@ count-left: none
-        ids[0] = unknown;
-        *count = 1;
-        return LAB_OK;
-    }
-    size_t start = 0, found = 0;
+        ids[0] = unknown;
+        return LAB_OK;
+    }
+    size_t start = 0, found = 0;

@ byte-skipped-before-the-first-piece: none
-        if (end == start) {
-            ids[0] = unknown;
-            *count = 1;
-            return LAB_OK;
-        }
+        if (end == start) {
+            start++;
+            continue;
+        }

@ unknown-is-not-found: none
-            if (token < pieces->V) {
+            if (token < pieces->V && token != unknown) {

@ pieces-of-128-bytes: none
-        size_t end = N, token = pieces->V;
+        size_t end = N - start > 128 ? start + 128 : N, token = pieces->V;

@ stops-at-byte-0: none
-    while (start < N) {
+    while (start < N && word[start] != 0) {

@ count-before-the-unknown-place: none
-        if (end == start) {
-            ids[0] = unknown;
-            *count = 1;
+        if (end == start) {
+            ids[0] = unknown;
+            *count = found > 1 ? found : 1;

@ count-left-if-no-piece-fits: none
-        if (end == start) {
-            ids[0] = unknown;
-            *count = 1;
+        if (end == start) {
+            ids[0] = unknown;
