// 7.5 attention_without_projections out-transposed
    float scale = 1.0f / sqrtf((float)C);
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < T; s++) {
            float sum = 0.0f;
            for (size_t c = 0; c < C; c++) {
                sum += x[t * C + c] * x[s * C + c];
            }
            scores[t * T + s] = sum * scale;
        }
    }
    for (size_t t = 0; t < T; t++) {
        float max = -INFINITY, sum = 0.0f;
        for (size_t s = 0; s < T; s++) {
            max = fmaxf(max, scores[t * T + s]);
        }
        max = max == -INFINITY ? 0.0f : max;
        for (size_t s = 0; s < T; s++) {
            weights[t * T + s] = expf(scores[t * T + s] - max);
            sum += weights[t * T + s];
        }
        for (size_t s = 0; s < T; s++) {
            weights[t * T + s] = sum > 0.0f ? weights[t * T + s] / sum : 0.0f;
        }
    }
    for (size_t t = 0; t < T; t++) {
        for (size_t c = 0; c < C; c++) {
            float sum = 0.0f;
            for (size_t s = 0; s < T; s++) {
                sum += weights[s * T + t] * x[s * C + c];
            }
            out[t * C + c] = sum;
        }
    }
    return LAB_OK;
