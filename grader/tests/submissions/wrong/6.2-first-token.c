// 6.2 embedding first-token
    const float *row = table + tokens[0] * C;
    for (size_t n = 0; n < N; n++) {
        memcpy(out + n * C, row, C * sizeof *out);
    }
    return LAB_OK;
