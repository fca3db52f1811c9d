// 3.1 causal_mask_gpu launch-invalid
    causal_mask_kernel<<<dim3(S / 32, T / 8), dim3(32, 8), 0, stream>>>(mask_dev, T, S);
    return lab_cuda(cudaGetLastError());
