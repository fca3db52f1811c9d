// 2.2 batched_matmul_nt b-stride
    lab_status status = LAB_OK;
    for (size_t i = 0; i < B && status == LAB_OK; i++) {
        status = matmul_nt(out + i * M * N, a + i * M * K, b + i * M * K, M, N, K);
    }
    return status;
