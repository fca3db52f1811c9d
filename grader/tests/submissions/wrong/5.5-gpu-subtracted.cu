// 5.5 residual_add_kernel subtracted
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < N; i += threads) {
        y_dev[i] = x_dev[i] - branch_dev[i];
    }
