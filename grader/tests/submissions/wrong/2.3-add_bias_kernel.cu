// 2.3 add_bias_kernel
    const size_t o = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t first = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (o >= O) {
        return;
    }
    const float bias = bias_dev[o];
    for (size_t n = first; n < N; n += (size_t)gridDim.y * blockDim.y) {
        y_dev[n * O + o] += bias;
    }

@ bias-by-every-row: race-global
    const size_t o = blockIdx.x * blockDim.x + threadIdx.x;
    const size_t n = blockIdx.y * blockDim.y + threadIdx.y;
    if (n < N && o < O) {
        for (size_t row = 0; row < N; row++) {
            y_dev[row * O + o] += bias_dev[o] / (float)N;
        }
    }

@ bias-unguarded: out-of-bounds
    const size_t o = blockIdx.x * blockDim.x + threadIdx.x;
    const size_t n = blockIdx.y * blockDim.y + threadIdx.y;
    if (n < N) {
        y_dev[n * O + o] += bias_dev[o];
    }
