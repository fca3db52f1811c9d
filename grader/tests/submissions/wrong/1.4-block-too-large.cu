// 1.4 softmax_rows_gpu launch-invalid
    softmax_rows_kernel<<<T, 2048, 0, stream>>>(weights_dev, scores_dev, S);
    return lab_cuda(cudaGetLastError());
