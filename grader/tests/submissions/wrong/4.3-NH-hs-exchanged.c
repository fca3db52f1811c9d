// 4.3 split_heads NH-hs-exchanged
    struct view view;
    const size_t size[] = {B, T, C / NH, NH};
    lab_status status = view_of(&view, x, size, 4);
    if (status == LAB_OK) {
        status = view_transpose(&view, &view, 1, 2);
    }
    if (status == LAB_OK) {
        status = view_contiguous(out, &view);
    }
    return status;
