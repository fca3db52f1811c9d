// 5.1 layernorm_kernel race-shared
    __shared__ float parts[ROW_WARPS];
    const size_t n = blockIdx.x;
    const float *x_n = x_dev + n * C;
    float *y_n = y_dev + n * C;

    float sum = 0.0f;
    for (size_t c = threadIdx.x; c < C; c += ROW_BLOCK) {
        sum += x_n[c];
    }
    for (int step = WARP / 2; step > 0; step /= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
    }
    if (threadIdx.x % WARP == 0) {
        parts[threadIdx.x / WARP] = sum;
    }
    sum = 0.0f;
    for (int warp = 0; warp < ROW_WARPS; warp++) {
        sum += parts[warp];
    }
    __syncthreads();

    const float mean = sum / (float)C;

    float squares = 0.0f;
    for (size_t c = threadIdx.x; c < C; c += ROW_BLOCK) {
        squares += (x_n[c] - mean) * (x_n[c] - mean);
    }
    for (int step = WARP / 2; step > 0; step /= 2) {
        squares += __shfl_xor_sync(0xffffffffu, squares, step);
    }
    if (threadIdx.x % WARP == 0) {
        parts[threadIdx.x / WARP] = squares;
    }
    __syncthreads();
    squares = 0.0f;
    for (int warp = 0; warp < ROW_WARPS; warp++) {
        squares += parts[warp];
    }
    __syncthreads();

    const float rstd = 1.0f / sqrtf(squares / (float)C + LAYERNORM_EPS);

    for (size_t c = threadIdx.x; c < C; c += ROW_BLOCK) {
        y_n[c] = (x_n[c] - mean) * rstd * gain_dev[c] + bias_dev[c];
    }
    if (threadIdx.x == 0) {
        mean_dev[n] = mean;
        rstd_dev[n] = rstd;
    }
