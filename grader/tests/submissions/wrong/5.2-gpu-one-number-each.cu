// 5.2 gelu_kernel one-number-each
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        const float x = x_dev[i];
        y_dev[i] = 0.5f * x * (1.0f + erff(x * 0.70710678f));
    }
