// 4.1 view_transpose all-axes
    struct view reversed = {.data = in->data, .axes = in->axes};
    for (size_t a = 0; a < in->axes; a++) {
        reversed.size[a] = in->size[in->axes - 1 - a];
        reversed.stride[a] = in->stride[in->axes - 1 - a];
    }
    *out = reversed;
    return LAB_OK;
