// 4.1 view_of first-index-fastest
    out->data = data;
    out->axes = axes;
    size_t step = 1;
    for (size_t a = 0; a < axes; a++) {
        out->size[a] = size[a];
        out->stride[a] = step;
        step *= size[a];
    }
    return LAB_OK;
