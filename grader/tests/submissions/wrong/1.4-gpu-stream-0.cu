// 1.4 softmax_rows_gpu wrong-stream
    softmax_rows_kernel<<<(unsigned)T, ROW_THREADS>>>(weights_dev, scores_dev, S);
    return lab_cuda(cudaGetLastError());
