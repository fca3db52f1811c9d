// 1.1 matmul_gpu launch-unchecked
    dim3 block(64, 32);
    dim3 grid((N + 63) / 64, (M + 31) / 32);
    matmul_kernel<<<grid, block, 0, stream>>>(out_dev, a_dev, b_dev, M, N, K);
    return LAB_OK;
