// 4.1 view_contiguous as-it-lies
    memcpy(out, in->data, count * sizeof *out);
    return LAB_OK;
