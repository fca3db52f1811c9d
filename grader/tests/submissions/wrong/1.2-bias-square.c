// 1.2 linear bias-square
    lab_status status = matmul_nt(y, x, w, T, O, I);
    for (size_t t = 0; status == LAB_OK && bias != NULL && t < T && t < O; t++) {
        for (size_t o = 0; o < O; o++) {
            y[t * O + o] += bias[o];
        }
    }
    return status;
