// 5.5 residual_add_kernel one-number-each
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        y_dev[i] = x_dev[i] + branch_dev[i];
    }
