// 4.2 split_qkv blocks
    const size_t third = B * T * C;
    memcpy(q, qkv, third * sizeof *q);
    memcpy(k, qkv + third, third * sizeof *k);
    memcpy(v, qkv + 2 * third, third * sizeof *v);
    return LAB_OK;
