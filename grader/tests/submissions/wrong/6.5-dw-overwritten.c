// 6.5 linear_backward dw-overwritten
    const int n = (int)N, i = (int)I, o = (int)O;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, i, o, 1.0f, dy, o, w, i, 0.0f,
                dx, i);
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, o, i, n, 1.0f, dy, o, x, i, 0.0f,
                dw, i);
    for (size_t r = 0; dbias != NULL && r < N; r++) {
        for (size_t c = 0; c < O; c++) {
            dbias[c] += dy[r * O + c];
        }
    }
    return LAB_OK;
