// 5.1 layernorm_kernel eps-outside
    __shared__ float parts[ROW_WARPS];
    const size_t n = blockIdx.x;
    const float *x_n = x_dev + n * C;
    float *y_n = y_dev + n * C;

    // pass 1: the mean
    float sum = 0.0f;
    for (size_t c = threadIdx.x; c < C; c += ROW_BLOCK) {
        sum += x_n[c];
    }
    const float mean = block_sum(sum, parts) / (float)C;

    // pass 2: the variance, from the distances; x_n is in the cache now
    float squares = 0.0f;
    for (size_t c = threadIdx.x; c < C; c += ROW_BLOCK) {
        squares += (x_n[c] - mean) * (x_n[c] - mean);
    }
    const float variance = block_sum(squares, parts) / (float)C;
    const float rstd = 1.0f / (sqrtf(variance) + LAYERNORM_EPS);

    // pass 3: normalise, stretch, shift
    for (size_t c = threadIdx.x; c < C; c += ROW_BLOCK) {
        y_n[c] = (x_n[c] - mean) * rstd * gain_dev[c] + bias_dev[c];
    }
    if (threadIdx.x == 0) {
        mean_dev[n] = mean;
        rstd_dev[n] = rstd;
    }
