// 6.10 embedding_backward table-transposed
    for (size_t n = 0; n < N; n++) {
        for (size_t c = 0; c < C; c++) {
            dtable[c * V + tokens[n]] += dy[n * C + c];
        }
    }
    return LAB_OK;
