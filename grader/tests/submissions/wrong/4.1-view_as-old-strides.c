// 4.1 view_as old-strides
    bool contiguous;
    if (view_is_contiguous(&contiguous, in) != LAB_OK || !contiguous ||
        count_in != count_out) {
        return LAB_ESHAPE;
    }
    *out = *in;
    out->axes = axes;
    for (size_t a = 0; a < axes; a++) {
        out->size[a] = size[a];
        if (a >= in->axes) {
            out->stride[a] = 1;
        }
    }
    return LAB_OK;
