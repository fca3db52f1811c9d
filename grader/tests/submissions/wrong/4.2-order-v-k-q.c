// 4.2 split_qkv order-v-k-q
    for (size_t n = 0; n < B * T; n++) {
        const float *from = qkv + 3 * n * C;
        memcpy(v + n * C, from + 0 * C, C * sizeof(float));
        memcpy(k + n * C, from + 1 * C, C * sizeof(float));
        memcpy(q + n * C, from + 2 * C, C * sizeof(float));
    }
    return LAB_OK;
