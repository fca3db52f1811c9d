// 4.1 view_of bytes
    out->data = data;
    out->axes = axes;
    size_t step = sizeof *data;
    for (size_t a = axes; a-- > 0;) {
        out->size[a] = size[a];
        out->stride[a] = step;
        step *= size[a];
    }
    return LAB_OK;
