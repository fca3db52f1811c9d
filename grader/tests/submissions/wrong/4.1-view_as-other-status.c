// 4.1 view_as other-status
    bool contiguous;
    lab_status status = view_is_contiguous(&contiguous, in);
    if (status != LAB_OK) {
        return status;
    }
    if (count_in != count_out || !contiguous) {
        return LAB_EVALUE;
    }
    return view_of(out, in->data, size, axes);
