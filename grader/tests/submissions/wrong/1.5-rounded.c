// 1.5 weighted_values rounded
    lab_status status = matmul(out, weights, v, T, dv, S);
    for (size_t i = 0; status == LAB_OK && i < T * dv; i++) {
        out[i] = truncf(out[i] * 1e6f) / 1e6f;
    }
    return status;
