// 2.3 add_bias_kernel out-of-bounds
    const size_t o = blockIdx.x * blockDim.x + threadIdx.x;
    const size_t n = blockIdx.y * blockDim.y + threadIdx.y;
    if (n < N) {
        y_dev[n * O + o] += bias_dev[o];
    }
