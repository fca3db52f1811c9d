// 1.2 linear bias-first-row
    lab_status status = matmul_nt(y, x, w, T, O, I);
    if (status != LAB_OK) {
        return status;
    }
    if (bias != NULL) {
        for (size_t o = 0; o < O; o++) {
            y[o] += bias[o];
        }
    }
    return LAB_OK;
