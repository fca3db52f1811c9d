// 5.4 dropout not-zeroed
    if (!training) {
        memcpy(y, x, N * sizeof *y);
        return LAB_OK;
    }
    const float keep = 1.0f - p;
    for (size_t i = 0; i < N; i++) {
        y[i] = uniforms[i] < keep ? x[i] / keep : x[i];
    }
    return LAB_OK;
