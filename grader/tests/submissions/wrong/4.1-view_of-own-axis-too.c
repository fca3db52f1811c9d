// 4.1 view_of own-axis-too
    out->data = data;
    out->axes = axes;
    size_t step = 1;
    for (size_t a = axes; a-- > 0;) {
        step *= size[a];
        out->size[a] = size[a];
        out->stride[a] = step;
    }
    return LAB_OK;
