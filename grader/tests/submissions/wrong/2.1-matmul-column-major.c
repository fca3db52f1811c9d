// 2.1 matmul column-major
    cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)M, (int)N, (int)K, 1.0f,
                a, (int)M, b, (int)K, 0.0f, out, (int)M);
    return LAB_OK;
