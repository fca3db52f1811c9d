// 5.1 layernorm from-1
    for (size_t n = 0; n < N; n++) {
        const float *x_n = x + n * C;

        // pass 1: the mean; summed up in double, which costs nothing (lab 1 said why)
        double sum = 0.0;
        for (size_t c = 1; c < C; c++) {
            sum += x_n[c];
        }
        mean[n] = (float)(sum / (double)C);

        // pass 2: the variance, over C and not C - 1
        double squares = 0.0;
        for (size_t c = 1; c < C; c++) {
            const double distance = x_n[c] - mean[n];
            squares += distance * distance;
        }
        rstd[n] = (float)(1.0 / sqrt(squares / (double)C + LAYERNORM_EPS));

        // pass 3: normalise, stretch, shift
        for (size_t c = 0; c < C; c++) {
            y[n * C + c] = (x_n[c] - mean[n]) * rstd[n] * gain[c] + bias[c];
        }
    }
    return LAB_OK;
