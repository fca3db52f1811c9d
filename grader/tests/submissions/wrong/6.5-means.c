// 6.5 linear_backward means
    for (size_t i = 0; i < N * I; i++) {
        dx[i] = 0.0f;
    }
    for (size_t n = 0; n < N; n++) {
        for (size_t o = 0; o < O; o++) {
            float d = dy[n * O + o];
            for (size_t i = 0; i < I; i++) {
                dx[n * I + i] += d * w[o * I + i];
                dw[o * I + i] += d * x[n * I + i] / (float)N;
            }
            if (dbias != NULL) {
                dbias[o] += d / (float)N;
            }
        }
    }
    return LAB_OK;
