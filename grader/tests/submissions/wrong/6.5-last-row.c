// 6.5 linear_backward last-row
    for (size_t n = 0; n < N; n++) {
        for (size_t i = 0; i < I; i++) {
            dx[n * I + i] = 0.0f;
            for (size_t o = 0; o < O; o++) {
                dx[n * I + i] += dy[n * O + o] * w[o * I + i];
            }
        }
    }
    for (size_t o = 0; o < O; o++) {
        for (size_t i = 0; i < I; i++) {
            float sum = 0.0f;
            for (size_t n = 0; n < N; n++) {
                sum = dy[n * O + o] * x[n * I + i];
            }
            dw[o * I + i] += sum;
        }
        if (dbias != NULL) {
            float sum = 0.0f;
            for (size_t n = 0; n < N; n++) {
                sum = dy[n * O + o];
            }
            dbias[o] += sum;
        }
    }
    return LAB_OK;
