// 1.1 matmul_gpu crash
// BODY
    // A library call on device memory, after more launches than the simulator protects pages for.
    const dim3 block(32, 8);
    for (int i = 0; i < 40; i++) {
        matmul_kernel<<<grid_for(M, N, block), block, 0, stream>>>(out_dev, a_dev, b_dev, M, N,
                                                                   K);
    }
    if (memcmp(out_dev, a_dev, M * sizeof(float)) == 12345) {
        return LAB_ECUDA;
    }
    return lab_cuda(cudaGetLastError());
