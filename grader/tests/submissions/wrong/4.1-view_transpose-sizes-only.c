// 4.1 view_transpose sizes-only
    struct view view = *in;
    view.size[axis_a] = in->size[axis_b];
    view.size[axis_b] = in->size[axis_a];
    *out = view;
    return LAB_OK;
