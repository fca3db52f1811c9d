// 6.10 embedding_backward mean-of-repeats
    for (size_t n = 0; n < N; n++) {
        size_t uses = 0;
        for (size_t j = 0; j < N; j++) {
            uses += tokens[j] == tokens[n];
        }
        for (size_t c = 0; c < C; c++) {
            dtable[tokens[n] * C + c] += dy[n * C + c] / (float)uses;
        }
    }
    return LAB_OK;
