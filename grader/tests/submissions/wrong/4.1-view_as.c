// 4.1 view_as
    bool contiguous;
    LAB_TRY(view_is_contiguous(&contiguous, in));
    if (!contiguous || count_in != count_out) {
        return LAB_ESHAPE;
    }
    return view_of(out, in->data, size, axes);

@ one-number-refused: none
-    if (!contiguous || count_in != count_out) {
+    if (!contiguous || count_in != count_out || in->stride[in->axes - 1] != 1) {

@ repeated-rows-pass: none
-    if (!contiguous || count_in != count_out) {
+    if ((!contiguous && in->stride[0] != 0) || count_in != count_out) {

@ vectors-unchecked: not-refused
-    if (!contiguous || count_in != count_out) {
+    if ((!contiguous && in->axes > 1) || count_in != count_out) {

@ count-not-checked
    bool contiguous;
    if (view_is_contiguous(&contiguous, in) != LAB_OK || !contiguous) {
        return LAB_ESHAPE;
    }
    return view_of(out, in->data, size, axes);

@ like-pytorch
    // Axes that can be merged form a run. A run may be split in any way, but not two together.
    if (count_in != count_out) {
        return LAB_ESHAPE;
    }
    struct view view = {.data = in->data, .axes = axes};
    size_t to = axes;
    for (size_t end = in->axes; end > 0;) {
        size_t begin = end - 1, run = in->size[begin], step = in->stride[begin];
        while (begin > 0 &&
               (in->size[begin - 1] == 1 || in->stride[begin - 1] == run * step)) {
            run *= in->size[--begin];
        }
        size_t made = 1;
        while (to > 0 && (made < run || size[to - 1] == 1)) {
            to--;
            view.size[to] = size[to];
            view.stride[to] = made * step;
            made *= size[to];
        }
        if (made != run) {
            return LAB_ESHAPE;
        }
        end = begin;
    }
    *out = view;
    return LAB_OK;

@ not-refused
    if (count_in != count_out) {
        return LAB_ESHAPE;
    }
    return view_of(out, in->data, size, axes);

@ old-strides
    bool contiguous;
    if (view_is_contiguous(&contiguous, in) != LAB_OK || !contiguous ||
        count_in != count_out) {
        return LAB_ESHAPE;
    }
    *out = *in;
    out->axes = axes;
    for (size_t a = 0; a < axes; a++) {
        out->size[a] = size[a];
        if (a >= in->axes) {
            out->stride[a] = 1;
        }
    }
    return LAB_OK;

@ other-status
    bool contiguous;
    lab_status status = view_is_contiguous(&contiguous, in);
    if (status != LAB_OK) {
        return status;
    }
    if (count_in != count_out || !contiguous) {
        return LAB_EVALUE;
    }
    return view_of(out, in->data, size, axes);

@ leading-1-refused: none
-    if (!contiguous || count_in != count_out) {
+    if (!contiguous || count_in != count_out || size[0] == 1) {

@ two-more-axes-at-most: none
-    if (!contiguous || count_in != count_out) {
+    if (!contiguous || count_in != count_out || axes > in->axes + 2) {
