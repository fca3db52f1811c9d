// 2.2 batched_matmul_nt out-transposed
    lab_status status = LAB_OK;
    for (size_t i = 0; i < B && status == LAB_OK; i++) {
        status = matmul_nt(out + i * M * N, b + i * N * K, a + i * M * K, N, M, K);
    }
    return status;
