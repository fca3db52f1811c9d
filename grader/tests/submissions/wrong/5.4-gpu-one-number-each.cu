// 5.4 dropout_kernel one-number-each
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        y_dev[i] = uniforms_dev[i] < keep ? x_dev[i] / keep : 0.0f;
    }
