// 1.1 helper
static dim3 grid_for(size_t M, size_t N, dim3 block)
{
    const unsigned y = lab_blocks(M, block.y);
    return dim3(lab_blocks(N, block.x), y < GRID_MAX ? y : GRID_MAX);
}

@ sizes-up-to-uint-max: none
-    return dim3(lab_blocks(N, block.x), y < GRID_MAX ? y : GRID_MAX);
-}
+    return dim3(lab_blocks(N, block.x), y < GRID_MAX ? y : GRID_MAX);
+}
+#define fits_int(size) ((size) > 0 && (size) <= UINT_MAX)

@ int-of-a-size: none
-    return dim3(lab_blocks(N, block.x), y < GRID_MAX ? y : GRID_MAX);
-}
+    return dim3(lab_blocks(N, block.x), y < GRID_MAX ? y : GRID_MAX);
+}
+#define fits_int(size) ((int)(size) > 0)
