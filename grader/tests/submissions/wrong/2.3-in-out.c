// 2.3 batched_linear in-out
    lab_status status = matmul(y, x, w, B * T, O, I);
    if (status != LAB_OK || bias == NULL) {
        return status;
    }
    for (size_t i = 0; i < B * T * O; i++) {
        y[i] += bias[i % O];
    }
    return LAB_OK;
