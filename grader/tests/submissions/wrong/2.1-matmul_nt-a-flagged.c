// 2.1 matmul_nt a-flagged
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasTrans, (int)M, (int)N, (int)K, 1.0f,
                a, (int)M, b, (int)K, 0.0f, out, (int)N);
    return LAB_OK;
