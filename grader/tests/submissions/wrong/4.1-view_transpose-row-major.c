// 4.1 view_transpose row-major
    size_t size[VIEW_AXES];
    memcpy(size, in->size, sizeof size);
    size[axis_a] = in->size[axis_b];
    size[axis_b] = in->size[axis_a];
    return view_of(out, in->data, size, in->axes);
