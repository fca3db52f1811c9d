// 1.1 matmul_nt_kernel
    const size_t n = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t first = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (n >= N) {
        return;
    }
    for (size_t m = first; m < M; m += (size_t)gridDim.y * blockDim.y) {
        float sum = 0.0f;
        for (size_t k = 0; k < K; k++) {
            sum += a_dev[m * K + k] * b_dev[n * K + k]; // K floats apart: see 1.3
        }
        out_dev[m * N + n] = sum;
    }

@ b-not-transposed
    const size_t n = blockIdx.x * blockDim.x + threadIdx.x;
    const size_t m = blockIdx.y * blockDim.y + threadIdx.y;
    if (m < M && n < N) {
        float sum = 0.0f;
        for (size_t k = 0; k < K; k++) {
            sum += a_dev[m * K + k] * b_dev[k * N + n];
        }
        out_dev[m * N + n] = sum;
    }
