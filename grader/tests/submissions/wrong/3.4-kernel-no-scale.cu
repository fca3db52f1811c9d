// 3.4 causal_softmax_kernel no-scale
    const size_t n = (size_t)blockIdx.x * ROWS + threadIdx.y;
    if (n >= N) {
        return;
    }
    const float *scores = scores_dev + n * T;
    float *weights = weights_dev + n * T;
    const size_t seen = n % T + 1; // at least one: max is finite, and the sum at least 1

    float max = -INFINITY;
    for (size_t s = threadIdx.x; s < seen; s += WARP) {
        max = fmaxf(max, scores[s]);
    }
    max = warp_max(max);

    float sum = 0.0f;
    for (size_t s = threadIdx.x; s < seen; s += WARP) {
        const float weight = expf(scores[s] - max);
        weights[s] = weight;
        sum += weight;
    }
    sum = warp_sum(sum);

    for (size_t s = threadIdx.x; s < T; s += WARP) {
        weights[s] = s < seen ? weights[s] / sum : 0.0f;
    }
