// 1.4 softmax_rows_kernel warp-maximum
    __shared__ float sums[ROW_WARPS];
    const float *scores = scores_dev + blockIdx.x * S;
    float *weights = weights_dev + blockIdx.x * S;
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;

    float max = -INFINITY;
    for (size_t s = threadIdx.x; s < S; s += ROW_THREADS) {
        max = fmaxf(max, scores[s]);
    }
    for (int d = WARP / 2; d > 0; d /= 2) {
        max = fmaxf(max, __shfl_xor_sync(0xffffffff, max, d));
    }

    float shift = max == -INFINITY ? 0.0f : max;
    float sum = 0.0f;
    for (size_t s = threadIdx.x; s < S; s += ROW_THREADS) {
        weights[s] = expf(scores[s] - shift);
        sum += weights[s];
    }
    for (int d = WARP / 2; d > 0; d /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    }
    if (lane == 0) {
        sums[warp] = sum;
    }
    __syncthreads();
    sum = 0.0f;
    for (int w = 0; w < ROW_WARPS; w++) {
        sum += sums[w];
    }
    for (size_t s = threadIdx.x; s < S; s += ROW_THREADS) {
        weights[s] = sum > 0.0f ? weights[s] / sum : 0.0f;
    }
