// 4.1 view_is_contiguous no-gaps
    size_t last = 0;
    for (size_t a = 0; a < in->axes; a++) {
        last += in->stride[a] * (in->size[a] - 1);
    }
    *answer = last == count - 1; // as many places as elements
    return LAB_OK;
