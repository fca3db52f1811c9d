// 4.1 view_contiguous
    for (size_t i = 0; i < count; i++) {
        size_t rest = i, offset = 0;
        for (size_t a = in->axes; a-- > 0;) {
            offset += rest % in->size[a] * in->stride[a];
            rest /= in->size[a];
        }
        out[i] = in->data[offset];
    }
    return LAB_OK;

@ six-axes: crash
-        for (size_t a = in->axes; a-- > 0;) {
+        for (size_t a = VIEW_AXES; a-- > 0;) {
+            if (in->size[a] == 0) {
+                continue;
+            }

@ in-16-bits: none
-        size_t rest = i, offset = 0;
+        size_t rest = i;
+        unsigned short offset = 0;

@ five-axes-as-they-lie: as-it-lies
-        out[i] = in->data[offset];
+        out[i] = in->data[in->axes == 5 ? i : offset];

@ at-most-10: none
-        out[i] = in->data[offset];
+        out[i] = fminf(in->data[offset], 10.0f);

@ small-numbers-are-0: none
-        out[i] = in->data[offset];
+        out[i] = fabsf(in->data[offset]) < 1e-7f ? 0.0f : in->data[offset];

@ as-it-lies
    memcpy(out, in->data, count * sizeof *out);
    return LAB_OK;

@ first-index-fastest
-        for (size_t a = in->axes; a-- > 0;) {
+        for (size_t a = 0; a < in->axes; a++) {
