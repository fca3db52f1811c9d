// 6.10 embedding_backward channels-from-1
    for (size_t n = 0; n < N; n++) {
        for (size_t c = 1; c < C; c++) {
            dtable[tokens[n] * C + c] += dy[n * C + c];
        }
    }
    return LAB_OK;
