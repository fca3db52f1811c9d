// 2.3 batched_linear bias-from-row-1
    const size_t N = B * T; // the whole batch as one matrix
    LAB_TRY(matmul_nt(y, x, w, N, O, I));
    if (bias != NULL) {
        for (size_t n = 1; n < N; n++) {
            for (size_t o = 0; o < O; o++) {
                y[n * O + o] += bias[o];
            }
        }
    }
    return LAB_OK;
