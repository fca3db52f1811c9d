// 4.1 view_of
    out->data = data;
    out->axes = axes;
    size_t step = 1;
    for (size_t a = axes; a-- > 0;) {
        out->size[a] = size[a];
        out->stride[a] = step;
        step *= size[a];
    }
    return LAB_OK;

@ all-ones
-    size_t step = 1;
-    for (size_t a = axes; a-- > 0;) {
+    for (size_t a = 0; a < axes; a++) {
+        size_t step = 1;

@ bytes
-    size_t step = 1;
+    size_t step = sizeof *data;

@ first-index-fastest
-    for (size_t a = axes; a-- > 0;) {
+    for (size_t a = 0; a < axes; a++) {

@ next-axis-only
    *out = (struct view){.data = data, .axes = axes};
    for (size_t a = 0; a < axes; a++) {
        out->size[a] = size[a];
        out->stride[a] = a == axes - 1 ? 1 : size[a + 1];
    }
    return LAB_OK;

@ own-axis-too
+        step *= size[a];
         out->size[a] = size[a];

-        step *= size[a];
