// 6.10 embedding_backward by-place
    for (size_t n = 0; n < N; n++) {
        for (size_t c = 0; c < C; c++) {
            dtable[n % V * C + c] += dy[n * C + c];
        }
    }
    return LAB_OK;
