// 6.2 embedding wrong
    for (size_t n = 0; n < N; n++) {
        const unsigned char token = (unsigned char)tokens[n];
        memcpy(out + n * C, table + token * C, C * sizeof *out);
    }
    return LAB_OK;
