// 4.1 view_is_contiguous
    bool contiguous = true;
    size_t stride = 1;
    for (size_t a = in->axes; a-- > 0;) {
        if (in->size[a] != 1 && in->stride[a] != stride) {
            contiguous = false;
        }
        stride *= in->size[a];
    }
    *answer = contiguous;
    return LAB_OK;

@ six-axes: none
-    for (size_t a = in->axes; a-- > 0;) {
+    for (size_t a = VIEW_AXES; a-- > 0;) {
+        if (in->size[a] == 0) {
+            continue;
+        }

@ last-stride-0: none
-        if (in->size[a] != 1 && in->stride[a] != stride) {
+        if (in->size[a] != 1 && in->stride[a] != stride &&
+            !(in->stride[a] == 0 && a + 1 == in->axes)) {

@ five-axes-unchecked: none
-    *answer = contiguous;
+    *answer = contiguous || in->axes == 5;

@ always
    *answer = in->data != NULL && count > 0;
    return LAB_OK;

@ memo-by-pointer: kept-between-calls
-    bool contiguous = true;
+    static const struct view *seen; // another view may lie at the same address
+    static bool known;
+    if (seen == in) {
+        *answer = known;
+        return LAB_OK;
+    }
+    bool contiguous = true;

-    *answer = contiguous;
+    *answer = known = contiguous;
+    seen = in;

@ descending
    *answer = true;
    for (size_t a = 1; a < in->axes; a++) {
        if (in->stride[a] > in->stride[a - 1]) {
            *answer = false;
        }
    }
    return LAB_OK;

@ first-axis-unchecked: none
-    for (size_t a = in->axes; a-- > 0;) {
+    for (size_t a = in->axes - 1; a > 0; a--) {

@ last-axis-only
    *answer = in->stride[in->axes - 1] == 1;
    return LAB_OK;

@ no-gaps
    size_t last = 0;
    for (size_t a = 0; a < in->axes; a++) {
        last += in->stride[a] * (in->size[a] - 1);
    }
    *answer = last == count - 1; // as many places as elements
    return LAB_OK;

@ size-1-strict
    size_t step = 1;
    *answer = true;
    for (size_t a = in->axes; a-- > 0;) {
        *answer = *answer && in->stride[a] == step;
        step *= in->size[a];
    }
    return LAB_OK;

@ three-axes: none
    // only the last three axes are checked
    size_t stride = 1;
    *answer = true;
    for (size_t a = in->axes; a-- > 0 && a + 3 >= in->axes;) {
        *answer = *answer && (in->size[a] == 1 || in->stride[a] == stride);
        stride *= in->size[a];
    }
    return LAB_OK;

@ four-axes-checked: none
-        if (in->size[a] != 1 && in->stride[a] != stride) {
+        if (a < 4 && in->size[a] != 1 && in->stride[a] != stride) {
