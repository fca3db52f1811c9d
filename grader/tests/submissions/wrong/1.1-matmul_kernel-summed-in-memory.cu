// 1.1 matmul_kernel uninitialised-global
    const size_t n = blockIdx.x * blockDim.x + threadIdx.x;
    const size_t m = blockIdx.y * blockDim.y + threadIdx.y;
    if (m < M && n < N) {
        for (size_t k = 0; k < K; k++) {
            out_dev[m * N + n] += a_dev[m * K + k] * b_dev[k * N + n];
        }
    }
