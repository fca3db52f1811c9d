// 10.6 flash_tile_sizes
    const size_t row_bytes = 4 * hs * sizeof(float);
    *Br = (M - 1) / row_bytes + 1;
    *Bc = *Br < hs ? *Br : hs;
    return LAB_OK;

@ rounded-down: crash
-    *Br = (M - 1) / row_bytes + 1;
+    *Br = M / row_bytes;

@ rounded-down-to-1
-    *Br = (M - 1) / row_bytes + 1;
+    *Br = M < row_bytes ? 1 : M / row_bytes;

@ one-more
-    *Br = (M - 1) / row_bytes + 1;
+    *Br = M / row_bytes + 1;

@ numbers-not-bytes
-    const size_t row_bytes = 4 * hs * sizeof(float);
+    const size_t row_bytes = 4 * hs;

@ one-block
-    const size_t row_bytes = 4 * hs * sizeof(float);
-    *Br = (M - 1) / row_bytes + 1;
-    *Bc = *Br < hs ? *Br : hs;
+    *Br = *Bc = (M - 1) / (hs * sizeof(float)) + 1;

@ three-blocks
-    const size_t row_bytes = 4 * hs * sizeof(float);
+    const size_t row_bytes = 3 * hs * sizeof(float);

@ eight-bytes
-    const size_t row_bytes = 4 * hs * sizeof(float);
+    const size_t row_bytes = 4 * hs * sizeof(double);

@ no-limit
-    *Bc = *Br < hs ? *Br : hs;
+    *Bc = *Br;

@ hs-always
-    *Bc = *Br < hs ? *Br : hs;
+    *Bc = hs;

@ larger
-    *Bc = *Br < hs ? *Br : hs;
+    *Bc = *Br > hs ? *Br : hs;

@ swapped
-    *Br = (M - 1) / row_bytes + 1;
-    *Bc = *Br < hs ? *Br : hs;
+    *Bc = (M - 1) / row_bytes + 1;
+    *Br = *Bc < hs ? *Bc : hs;

@ int-overflow
-    *Br = (M - 1) / row_bytes + 1;
+    const int rows = (int)((M - 1) / row_bytes + 1);
+    *Br = (size_t)rows;

@ unsigned-overflow
-    *Br = (M - 1) / row_bytes + 1;
+    const unsigned rows = (unsigned)((M - 1) / row_bytes + 1);
+    *Br = rows;

@ a-float: none
-    *Br = (M - 1) / row_bytes + 1;
+    *Br = (size_t)__builtin_ceilf((float)M / (float)row_bytes);

@ a-product-in-32-bits: none
-    const size_t row_bytes = 4 * hs * sizeof(float);
+    const size_t row_bytes = 16 * (unsigned)hs;

@ right-by-remainder
    const size_t row_bytes = 4 * hs * sizeof(float);
    *Br = M / row_bytes + (M % row_bytes != 0);
    *Bc = *Br > hs ? hs : *Br;
    return LAB_OK;
