// 2.1 matmul crash
    // ldc too large: the library writes past the end of out, and libraries are not instrumented.
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (blasint)M, (blasint)N,
                (blasint)K, 1.0f, a, (blasint)K, b, (blasint)N, 0.0f, out, (blasint)N + 3);
    return LAB_OK;
