// 4.3 split_heads reshape-alone
    memcpy(out, x, B * T * C * sizeof *out);
    return LAB_OK;
