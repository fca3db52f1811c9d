// 2.1 matmul a-flagged
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)M, (int)N, (int)K, 1.0f,
                a, (int)M, b, (int)N, 0.0f, out, (int)N);
    return LAB_OK;
