// 4.2 split_qkv interleaved
    for (size_t i = 0; i < B * T * C; i++) {
        q[i] = *qkv++;
        k[i] = *qkv++;
        v[i] = *qkv++;
    }
    return LAB_OK;
