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

@ as-it-lies
    memcpy(out, in->data, count * sizeof *out);
    return LAB_OK;

@ first-index-fastest
-        for (size_t a = in->axes; a-- > 0;) {
+        for (size_t a = 0; a < in->axes; a++) {
