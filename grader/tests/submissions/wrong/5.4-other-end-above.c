// 5.4 dropout other-end-above
    if (!training) {
        memcpy(y, x, N * sizeof *y);
        return LAB_OK;
    }
    const float keep = 1.0f - p;
    for (size_t i = 0; i < N; i++) {
        y[i] = uniforms[i] > p ? x[i] / keep : 0.0f;
    }
    return LAB_OK;
