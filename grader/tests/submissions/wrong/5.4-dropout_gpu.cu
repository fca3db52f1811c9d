// 5.4 dropout_gpu
    if (!training) {
        return lab_cuda(cudaMemcpyAsync(y_dev, x_dev, N * sizeof *y_dev,
                                        cudaMemcpyDeviceToDevice, stream));
    }
    dropout_kernel<<<blocks_for(N), BLOCK, 0, stream>>>(y_dev, x_dev, uniforms_dev,
                                                        1.0f - p, N);
    return lab_cuda(cudaGetLastError());

@ on-in-evaluation
    (void)training;
    dropout_kernel<<<blocks_for(N), BLOCK, 0, stream>>>(y_dev, x_dev, uniforms_dev,
                                                        1.0f - p, N);
    return lab_cuda(cudaGetLastError());

@ right-as-one-row
    if (!training) {
        const size_t bytes = N * sizeof *y_dev;
        return lab_cuda(cudaMemcpy2DAsync(y_dev, bytes, x_dev, bytes, bytes, 1,
                                          cudaMemcpyDefault, stream));
    }
    dropout_kernel<<<blocks_for(N), BLOCK, 0, stream>>>(y_dev, x_dev, uniforms_dev,
                                                        1.0f - p, N);
    return lab_cuda(cudaGetLastError());
