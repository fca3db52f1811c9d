// 4.1 view_as count-not-checked
    bool contiguous;
    if (view_is_contiguous(&contiguous, in) != LAB_OK || !contiguous) {
        return LAB_ESHAPE;
    }
    return view_of(out, in->data, size, axes);
