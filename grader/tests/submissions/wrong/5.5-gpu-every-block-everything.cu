// 5.5 residual_add_kernel race-global
    for (size_t i = threadIdx.x; i < N; i += blockDim.x) { // blockIdx forgotten
        y_dev[i] = x_dev[i] + branch_dev[i];
    }
