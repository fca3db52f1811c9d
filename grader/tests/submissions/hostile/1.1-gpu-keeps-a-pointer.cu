// 1.1 matmul_gpu crash
static float *kept_dev;
// BODY
    // The output of the first call, which was freed long ago.
    kept_dev = kept_dev != NULL ? kept_dev : out_dev;
    const dim3 block(32, 8);
    matmul_kernel<<<grid_for(M, N, block), block, 0, stream>>>(kept_dev, a_dev, b_dev, M, N, K);
    return lab_cuda(cudaGetLastError());
