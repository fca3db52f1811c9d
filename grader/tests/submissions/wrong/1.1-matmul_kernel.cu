// 1.1 matmul_kernel
    const size_t n = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t first = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (n >= N) {
        return;
    }
    for (size_t m = first; m < M; m += (size_t)gridDim.y * blockDim.y) {
        float sum = 0.0f;
        for (size_t k = 0; k < K; k++) {
            sum += a_dev[m * K + k] * b_dev[k * N + n];
        }
        out_dev[m * N + n] = sum;
    }

@ b-transposed
    const size_t n = blockIdx.x * blockDim.x + threadIdx.x;
    const size_t m = blockIdx.y * blockDim.y + threadIdx.y;
    if (m < M && n < N) {
        float sum = 0.0f;
        for (size_t k = 0; k < K; k++) {
            sum += a_dev[m * K + k] * b_dev[n * K + k];
        }
        out_dev[m * N + n] = sum;
    }

@ summed-in-memory: uninitialized-global
    const size_t n = blockIdx.x * blockDim.x + threadIdx.x;
    const size_t m = blockIdx.y * blockDim.y + threadIdx.y;
    if (m < M && n < N) {
        for (size_t k = 0; k < K; k++) {
            out_dev[m * N + n] += a_dev[m * K + k] * b_dev[k * N + n];
        }
    }

@ unguarded: out-of-bounds
    const size_t n = blockIdx.x * blockDim.x + threadIdx.x;
    const size_t m = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0.0f;
    for (size_t k = 0; k < K; k++) {
        sum += a_dev[m * K + k] * b_dev[k * N + n];
    }
    out_dev[m * N + n] = sum;
