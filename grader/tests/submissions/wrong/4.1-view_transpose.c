// 4.1 view_transpose
    struct view view = *in;
    view.size[axis_a] = in->size[axis_b];
    view.size[axis_b] = in->size[axis_a];
    view.stride[axis_a] = in->stride[axis_b];
    view.stride[axis_b] = in->stride[axis_a];
    *out = view;
    return LAB_OK;

@ stride-at-least-1: none
-    view.stride[axis_a] = in->stride[axis_b];
-    view.stride[axis_b] = in->stride[axis_a];
+    view.stride[axis_a] = in->stride[axis_b] > 0 ? in->stride[axis_b] : 1;
+    view.stride[axis_b] = in->stride[axis_a] > 0 ? in->stride[axis_a] : 1;

@ all-axes
    struct view reversed = {.data = in->data, .axes = in->axes};
    for (size_t a = 0; a < in->axes; a++) {
        reversed.size[a] = in->size[in->axes - 1 - a];
        reversed.stride[a] = in->stride[in->axes - 1 - a];
    }
    *out = reversed;
    return LAB_OK;

@ overwritten
    *out = *in;
    out->size[axis_a] = out->size[axis_b];
    out->size[axis_b] = out->size[axis_a];
    out->stride[axis_a] = out->stride[axis_b];
    out->stride[axis_b] = out->stride[axis_a];
    return LAB_OK;

@ row-major
    size_t size[VIEW_AXES];
    memcpy(size, in->size, sizeof size);
    size[axis_a] = in->size[axis_b];
    size[axis_b] = in->size[axis_a];
    return view_of(out, in->data, size, in->axes);

@ sizes-only
-    view.stride[axis_a] = in->stride[axis_b];
-    view.stride[axis_b] = in->stride[axis_a];

@ strides-only
-    view.size[axis_a] = in->size[axis_b];
-    view.size[axis_b] = in->size[axis_a];
