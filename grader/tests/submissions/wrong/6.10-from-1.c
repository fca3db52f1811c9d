// 6.10 embedding_backward from-1
    for (size_t n = 1; n < N; n++) {
        for (size_t c = 0; c < C; c++) {
            dtable[tokens[n] * C + c] += dy[n * C + c];
        }
    }
    return LAB_OK;
