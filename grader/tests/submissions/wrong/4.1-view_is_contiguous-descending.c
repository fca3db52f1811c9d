// 4.1 view_is_contiguous descending
    *answer = true;
    for (size_t a = 1; a < in->axes; a++) {
        if (in->stride[a] > in->stride[a - 1]) {
            *answer = false;
        }
    }
    return LAB_OK;
