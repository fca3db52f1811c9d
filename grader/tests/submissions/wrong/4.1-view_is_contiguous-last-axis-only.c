// 4.1 view_is_contiguous last-axis-only
    *answer = in->stride[in->axes - 1] == 1;
    return LAB_OK;
