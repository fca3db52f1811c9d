// 2.3 batched_linear bias-per-sequence
    lab_status status = matmul_nt(y, x, w, B * T, O, I);
    if (status != LAB_OK || bias == NULL) {
        return status;
    }
    for (size_t b = 0; b < B; b++) {
        for (size_t t = 0; t < T; t++) {
            for (size_t o = 0; o < O; o++) {
                y[(b * T + t) * O + o] += bias[b];
            }
        }
    }
    return LAB_OK;
