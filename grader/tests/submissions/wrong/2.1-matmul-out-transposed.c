// 2.1 matmul out-transposed
    cblas_sgemm(CblasColMajor, CblasTrans, CblasTrans, (int)M, (int)N, (int)K, 1.0f,
                a, (int)K, b, (int)N, 0.0f, out, (int)M);
    return LAB_OK;
