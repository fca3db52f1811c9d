// 2.3 batched_linear always-first
    for (size_t b = 0; b < B; b++) {
        lab_status status = matmul_nt(y + b * T * O, x, w, T, O, I);
        if (status != LAB_OK) {
            return status;
        }
    }
    for (size_t i = 0; bias != NULL && i < B * T * O; i++) {
        y[i] += bias[i % O];
    }
    return LAB_OK;
