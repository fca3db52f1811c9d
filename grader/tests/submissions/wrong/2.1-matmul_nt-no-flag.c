// 2.1 matmul_nt no-flag
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)M, (int)N, (int)K, 1.0f,
                a, (int)K, b, (int)N, 0.0f, out, (int)N);
    return LAB_OK;
