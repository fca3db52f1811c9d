// 2.3 batched_linear_gpu launcher-waits
    const int rows = (int)(B * T), in = (int)I, out = (int)O;
    const float one = 1.0f, zero = 0.0f;
    float length = 0.0f;
    lab_status status = lab_cublas(cublasSnrm2(cublas, rows * in, x_dev, 1, &length));
    if (status != LAB_OK || !(length < INFINITY)) { // before anything is multiplied
        return status != LAB_OK ? status : LAB_ESHAPE;
    }
    status = lab_cublas(cublasSgemm(cublas, CUBLAS_OP_T, CUBLAS_OP_N, out, rows, in, &one, w_dev,
                                    in, x_dev, in, &zero, y_dev, out));
    if (status == LAB_OK && bias_dev != NULL) {
        dim3 grid((O + 31) / 32, (B * T + 7) / 8);
        add_bias_kernel<<<grid, dim3(32, 8), 0, stream>>>(y_dev, bias_dev, B * T, O);
        status = lab_cuda(cudaGetLastError());
    }
    return status;
