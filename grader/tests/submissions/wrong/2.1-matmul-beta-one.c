// 2.1 matmul beta-one
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)M, (int)N, (int)K, 1.0f,
                a, (int)K, b, (int)N, 1.0f, out, (int)N);
    return LAB_OK;
