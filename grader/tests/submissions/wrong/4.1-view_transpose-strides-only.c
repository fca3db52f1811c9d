// 4.1 view_transpose strides-only
    struct view view = *in;
    view.stride[axis_a] = in->stride[axis_b];
    view.stride[axis_b] = in->stride[axis_a];
    *out = view;
    return LAB_OK;
