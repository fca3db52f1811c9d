// 2.3 batched_linear first-only
    lab_status status = matmul_nt(y, x, w, T, O, I);
    if (status != LAB_OK || bias == NULL) {
        return status;
    }
    for (size_t i = 0; i < T * O; i++) {
        y[i] += bias[i % O];
    }
    return LAB_OK;
