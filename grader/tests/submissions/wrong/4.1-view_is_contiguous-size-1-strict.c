// 4.1 view_is_contiguous size-1-strict
    size_t step = 1;
    *answer = true;
    for (size_t a = in->axes; a-- > 0;) {
        *answer = *answer && in->stride[a] == step;
        step *= in->size[a];
    }
    return LAB_OK;
