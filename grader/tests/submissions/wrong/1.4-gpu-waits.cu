// 1.4 softmax_rows_gpu launcher-waits
    softmax_rows_kernel<<<(unsigned)T, ROW_THREADS, 0, stream>>>(weights_dev, scores_dev,
                                                                 S);
    return lab_cuda(cudaStreamSynchronize(stream));
