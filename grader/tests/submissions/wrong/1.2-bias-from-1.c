// 1.2 linear bias-from-1
    LAB_TRY(matmul_nt(y, x, w, T, O, I));
    for (size_t t = 0; bias != NULL && t < T; t++) {
        for (size_t o = 1; o < O; o++) {
            y[t * O + o] += bias[o];
        }
    }
    return LAB_OK;
