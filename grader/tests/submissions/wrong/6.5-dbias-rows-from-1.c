// 6.5 linear_backward dbias-rows-from-1
    for (size_t i = 0; i < N * I; i++) {
        dx[i] = 0.0f;
    }
    for (size_t n = 0; n < N; n++) {
        for (size_t o = 0; o < O; o++) {
            const float g = dy[n * O + o];
            for (size_t i = 0; i < I; i++) {
                dx[n * I + i] += g * w[o * I + i];
                dw[o * I + i] += g * x[n * I + i];
            }
        }
    }
    for (size_t n = 1; dbias != NULL && n < N; n++) {
        for (size_t o = 0; o < O; o++) {
            dbias[o] += dy[n * O + o];
        }
    }
    return LAB_OK;
