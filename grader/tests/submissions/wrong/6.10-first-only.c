// 6.10 embedding_backward first-only
    for (size_t n = 0; n < N; n++) {
        size_t seen = 0;
        for (size_t j = 0; j < n; j++) {
            seen += tokens[j] == tokens[n];
        }
        if (seen > 0) {
            continue;
        }
        for (size_t c = 0; c < C; c++) {
            dtable[tokens[n] * C + c] += dy[n * C + c];
        }
    }
    return LAB_OK;
