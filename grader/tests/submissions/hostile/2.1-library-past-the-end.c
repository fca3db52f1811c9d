// 2.1 matmul crash
    // ldc too large: the library writes behind out, where no sanitizer looks.
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (blasint)M, (blasint)N,
                (blasint)K, 1.0f, a, (blasint)K, b, (blasint)N, 0.0f, out, (blasint)N + 3);
    return LAB_OK;
