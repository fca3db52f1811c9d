// 5.4 dropout_kernel not-scaled
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < N; i += threads) {
        y_dev[i] = uniforms_dev[i] < keep ? x_dev[i] : 0.0f;
    }
