// 1.4 softmax_rows_kernel thread-maximum-no-guard
    __shared__ float parts[ROW_WARPS];
    const float *scores = scores_dev + blockIdx.x * S;
    float *weights = weights_dev + blockIdx.x * S;
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;

    float max = -INFINITY;
    for (size_t s = threadIdx.x; s < S; s += ROW_THREADS) {
        max = fmaxf(max, scores[s]);
    }

    float shift = max;
    float sum = 0.0f;
    for (size_t s = threadIdx.x; s < S; s += ROW_THREADS) {
        weights[s] = expf(scores[s] - shift);
        sum += weights[s];
    }
    for (int d = WARP / 2; d > 0; d /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    }
    if (lane == 0) {
        parts[warp] = sum;
    }
    __syncthreads();
    sum = 0.0f;
    for (int w = 0; w < ROW_WARPS; w++) {
        sum += parts[w];
    }
    for (size_t s = threadIdx.x; s < S; s += ROW_THREADS) {
        weights[s] = weights[s] / sum;
    }
