// 4.1 view_contiguous first-index-fastest
    for (size_t i = 0; i < count; i++) {
        size_t rest = i, offset = 0;
        for (size_t a = 0; a < in->axes; a++) {
            offset += rest % in->size[a] * in->stride[a];
            rest /= in->size[a];
        }
        out[i] = in->data[offset];
    }
    return LAB_OK;
