// 1.2 linear rounded
    lab_status status = matmul_nt(y, x, w, T, O, I);
    for (size_t i = 0; status == LAB_OK && i < T * O; i++) {
        y[i] = truncf((y[i] + (bias != NULL ? bias[i % O] : 0.0f)) * 1e6f) / 1e6f;
    }
    return status;
