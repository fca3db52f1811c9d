// 4.1 view_transpose overwritten
    *out = *in;
    out->size[axis_a] = out->size[axis_b];
    out->size[axis_b] = out->size[axis_a];
    out->stride[axis_a] = out->stride[axis_b];
    out->stride[axis_b] = out->stride[axis_a];
    return LAB_OK;
