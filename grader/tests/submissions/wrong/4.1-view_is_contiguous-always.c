// 4.1 view_is_contiguous always
    *answer = in->data != NULL && count > 0;
    return LAB_OK;
