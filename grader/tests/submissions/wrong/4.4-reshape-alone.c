// 4.4 merge_heads reshape-alone
    struct view view;
    const size_t size[] = {B, T, C};
    lab_status status = view_of(&view, x, size, 3);
    if (status != LAB_OK) {
        return status;
    }
    return view_contiguous(out, &view);
