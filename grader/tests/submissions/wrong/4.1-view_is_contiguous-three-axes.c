// 4.1 view_is_contiguous none
    // only the last three axes are looked at
    size_t stride = 1;
    *answer = true;
    for (size_t a = in->axes; a-- > 0 && a + 3 >= in->axes;) {
        *answer = *answer && (in->size[a] == 1 || in->stride[a] == stride);
        stride *= in->size[a];
    }
    return LAB_OK;
