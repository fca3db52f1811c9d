// 1.1 matmul_gpu launch-invalid
    dim3 block(32, 8);
    dim3 grid(N / 32, M / 8);
    matmul_kernel<<<grid, block, 0, stream>>>(out_dev, a_dev, b_dev, M, N, K);
    return lab_cuda(cudaGetLastError());
