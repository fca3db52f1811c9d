// 4.1 view_as not-refused
    if (count_in != count_out) {
        return LAB_ESHAPE;
    }
    return view_of(out, in->data, size, axes);
