// 2.1 matmul_nt out-transposed
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)N, (int)M, (int)K, 1.0f,
                b, (int)K, a, (int)K, 0.0f, out, (int)M);
    return LAB_OK;
