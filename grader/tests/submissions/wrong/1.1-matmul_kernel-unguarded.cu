// 1.1 matmul_kernel out-of-bounds
    const size_t n = blockIdx.x * blockDim.x + threadIdx.x;
    const size_t m = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (size_t k = 0; k < K; k++) {
        sum += a_dev[m * K + k] * b_dev[k * N + n];
    }
    out_dev[m * N + n] = sum;
