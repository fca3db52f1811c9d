// 2.3 add_bias_kernel race-global
    const size_t o = blockIdx.x * blockDim.x + threadIdx.x;
    const size_t n = blockIdx.y * blockDim.y + threadIdx.y;
    if (n < N && o < O) {
        for (size_t row = 0; row < N; row++) {
            y_dev[row * O + o] += bias_dev[o] / (float)N;
        }
    }
