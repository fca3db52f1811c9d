// 3.3 masked_softmax_kernel lane-maximum
    const size_t n = (size_t)blockIdx.x * ROWS + threadIdx.y;
    if (n >= N) { // for the whole warp or for none of it: the shuffles below miss nobody
        return;
    }
    const float *scores = scores_dev + n * S;
    const uint8_t *mask = mask_dev + n * S;
    float *weights = weights_dev + n * S;

    float max = -INFINITY; // of no key at all
    for (size_t s = threadIdx.x; s < S; s += WARP) {
        max = fmaxf(max, mask[s] != 0 ? scores[s] : -INFINITY);
    }
    const float shift = max == -INFINITY ? 0.0f : max; // -inf - -inf would be NaN

    float sum = 0.0f;
    for (size_t s = threadIdx.x; s < S; s += WARP) {
        const float weight = mask[s] != 0 ? expf(scores[s] - shift) : 0.0f;
        weights[s] = weight;
        sum += weight;
    }
    sum = warp_sum(sum);

    const float scale = sum == 0.0f ? 0.0f : 1.0f / sum;
    for (size_t s = threadIdx.x; s < S; s += WARP) {
        weights[s] *= scale; // each lane what it wrote itself
    }
