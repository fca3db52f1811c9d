// 2.1 matmul_nt beta-one
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)M, (int)N, (int)K, 1.0f,
                a, (int)K, b, (int)K, 1.0f, out, (int)N);
    return LAB_OK;
