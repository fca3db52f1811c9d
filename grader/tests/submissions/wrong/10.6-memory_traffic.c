// 10.6 memory_traffic
    size_t Br, Bc;
    LAB_TRY(flash_tile_sizes(&Br, &Bc, M, hs));
    const size_t query_tiles = (T - 1) / Br + 1;
    *standard = 4 * (2 * T * hs + 2 * S * hs + 4 * T * S);
    *tiled = 4 * (2 * T * hs + query_tiles * 2 * S * hs + T);
    return LAB_OK;

@ numbers-not-bytes
-    *standard = 4 * (2 * T * hs + 2 * S * hs + 4 * T * S);
-    *tiled = 4 * (2 * T * hs + query_tiles * 2 * S * hs + T);
+    *standard = 2 * T * hs + 2 * S * hs + 4 * T * S;
+    *tiled = 2 * T * hs + query_tiles * 2 * S * hs + T;

@ standard-in-numbers
-    *standard = 4 * (2 * T * hs + 2 * S * hs + 4 * T * S);
+    *standard = 2 * T * hs + 2 * S * hs + 4 * T * S;

@ tiled-in-numbers
-    *tiled = 4 * (2 * T * hs + query_tiles * 2 * S * hs + T);
+    *tiled = 2 * T * hs + query_tiles * 2 * S * hs + T;

@ one-matrix
-    *standard = 4 * (2 * T * hs + 2 * S * hs + 4 * T * S);
+    *standard = 4 * (2 * T * hs + 2 * S * hs + T * S);

@ two-matrices
-    *standard = 4 * (2 * T * hs + 2 * S * hs + 4 * T * S);
+    *standard = 4 * (2 * T * hs + 2 * S * hs + 2 * T * S);

@ three-matrices
-    *standard = 4 * (2 * T * hs + 2 * S * hs + 4 * T * S);
+    *standard = 4 * (2 * T * hs + 2 * S * hs + 3 * T * S);

@ five-matrices
-    *standard = 4 * (2 * T * hs + 2 * S * hs + 4 * T * S);
+    *standard = 4 * (2 * T * hs + 2 * S * hs + 5 * T * S);

@ matrices-only
-    *standard = 4 * (2 * T * hs + 2 * S * hs + 4 * T * S);
+    *standard = 4 * 4 * T * S;

@ no-out
-    *standard = 4 * (2 * T * hs + 2 * S * hs + 4 * T * S);
+    *standard = 4 * (T * hs + 2 * S * hs + 4 * T * S);

@ no-out-at-all
-    *standard = 4 * (2 * T * hs + 2 * S * hs + 4 * T * S);
-    *tiled = 4 * (2 * T * hs + query_tiles * 2 * S * hs + T);
+    *standard = 4 * (T * hs + 2 * S * hs + 4 * T * S);
+    *tiled = 4 * (T * hs + query_tiles * 2 * S * hs + T);

@ S-for-T
-    *standard = 4 * (2 * T * hs + 2 * S * hs + 4 * T * S);
+    *standard = 4 * (4 * S * hs + 4 * T * S);

@ keys-once
-    *tiled = 4 * (2 * T * hs + query_tiles * 2 * S * hs + T);
+    *tiled = 4 * (2 * T * hs + 2 * S * hs + T);

@ v-once
-    *tiled = 4 * (2 * T * hs + query_tiles * 2 * S * hs + T);
+    *tiled = 4 * (2 * T * hs + query_tiles * S * hs + S * hs + T);

@ one-of-k-and-v
-    *tiled = 4 * (2 * T * hs + query_tiles * 2 * S * hs + T);
+    *tiled = 4 * (2 * T * hs + query_tiles * S * hs + T);

@ tiles-rounded-down
-    const size_t query_tiles = (T - 1) / Br + 1;
+    const size_t query_tiles = T / Br;

@ one-tile-more
-    const size_t query_tiles = (T - 1) / Br + 1;
+    const size_t query_tiles = T / Br + 1;

@ no-logsumexp
-    *tiled = 4 * (2 * T * hs + query_tiles * 2 * S * hs + T);
+    *tiled = 4 * (2 * T * hs + query_tiles * 2 * S * hs);

@ max-and-sum
-    *tiled = 4 * (2 * T * hs + query_tiles * 2 * S * hs + T);
+    *tiled = 4 * (2 * T * hs + query_tiles * 2 * S * hs + 2 * T);

@ q-for-each-tile
-    *tiled = 4 * (2 * T * hs + query_tiles * 2 * S * hs + T);
+    const size_t key_tiles = (S - 1) / Bc + 1;
+    *tiled = 4 * (key_tiles * T * hs + query_tiles * 2 * S * hs + T * hs + T);

@ keys-outside
-    const size_t query_tiles = (T - 1) / Br + 1;
     *standard = 4 * (2 * T * hs + 2 * S * hs + 4 * T * S);
-    *tiled = 4 * (2 * T * hs + query_tiles * 2 * S * hs + T);
+    const size_t key_tiles = (S - 1) / Br + 1;
+    *tiled = 4 * (key_tiles * 2 * T * hs + 2 * S * hs + T);

@ tiles-of-Bc
-    const size_t query_tiles = (T - 1) / Br + 1;
+    const size_t query_tiles = (T - 1) / Bc + 1;

@ fraction-of-a-tile
-    const size_t query_tiles = (T - 1) / Br + 1;
+    const double query_tiles = (double)T / (double)Br;
     *standard = 4 * (2 * T * hs + 2 * S * hs + 4 * T * S);
-    *tiled = 4 * (2 * T * hs + query_tiles * 2 * S * hs + T);
+    *tiled = 4 * (2 * T * hs + T + (size_t)(query_tiles * 2 * (double)S * (double)hs));

@ swapped
-    *standard = 4 * (2 * T * hs + 2 * S * hs + 4 * T * S);
-    *tiled = 4 * (2 * T * hs + query_tiles * 2 * S * hs + T);
+    *tiled = 4 * (2 * T * hs + 2 * S * hs + 4 * T * S);
+    *standard = 4 * (2 * T * hs + query_tiles * 2 * S * hs + T);

@ int-overflow
-    *standard = 4 * (2 * T * hs + 2 * S * hs + 4 * T * S);
-    *tiled = 4 * (2 * T * hs + query_tiles * 2 * S * hs + T);
+    const int a = (int)(4 * (2 * T * hs + 2 * S * hs + 4 * T * S));
+    const int b = (int)(4 * (2 * T * hs + query_tiles * 2 * S * hs + T));
+    *standard = (size_t)a;
+    *tiled = (size_t)b;

@ unsigned-overflow
-    *standard = 4 * (2 * T * hs + 2 * S * hs + 4 * T * S);
-    *tiled = 4 * (2 * T * hs + query_tiles * 2 * S * hs + T);
+    const unsigned a = (unsigned)(4 * (2 * T * hs + 2 * S * hs + 4 * T * S));
+    const unsigned b = (unsigned)(4 * (2 * T * hs + query_tiles * 2 * S * hs + T));
+    *standard = a;
+    *tiled = b;

@ a-double: none
-    *standard = 4 * (2 * T * hs + 2 * S * hs + 4 * T * S);
+    *standard = (size_t)(4.0 * (2.0 * (double)T * (double)hs + 2.0 * (double)S * (double)hs +
+                                4.0 * (double)T * (double)S));

@ right-by-steps
    size_t Br, Bc;
    LAB_TRY(flash_tile_sizes(&Br, &Bc, M, hs));
    *standard = 4 * (T * hs + S * hs + T * S) + 4 * (2 * T * S);
    *standard += 4 * (T * S + S * hs + T * hs);
    *tiled = 4 * (2 * T * hs + T);
    for (size_t t0 = 0; t0 < T; t0 += Br) {
        *tiled += 8 * S * hs;
    }
    return LAB_OK;
