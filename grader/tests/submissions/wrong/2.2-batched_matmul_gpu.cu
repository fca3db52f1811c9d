// 2.2 batched_matmul_gpu
    batched_matmul_kernel<<<batched_grid(B, M, N), dim3(TILE, TILE), 0, stream>>>(
        out_dev, a_dev, b_dev, B, M, N, K);
    return lab_cuda(cudaGetLastError());

@ z-left-out: first-only
    const dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
    batched_matmul_kernel<<<grid, dim3(TILE, TILE), 0, stream>>>(out_dev, a_dev, b_dev, 1, M,
                                                                 N, K);
    return lab_cuda(cudaGetLastError());

@ all-sequences-along-z: launch-invalid
    const dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE, B);
    batched_matmul_kernel<<<grid, dim3(TILE, TILE), 0, stream>>>(out_dev, a_dev, b_dev, B, M,
                                                                 N, K);
    return lab_cuda(cudaGetLastError());
