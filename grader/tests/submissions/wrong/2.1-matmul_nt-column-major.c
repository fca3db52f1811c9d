// 2.1 matmul_nt column-major
    cblas_sgemm(CblasColMajor, CblasNoTrans, CblasTrans, (int)M, (int)N, (int)K, 1.0f,
                a, (int)M, b, (int)N, 0.0f, out, (int)M);
    return LAB_OK;
