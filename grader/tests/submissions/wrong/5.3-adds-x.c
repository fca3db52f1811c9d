// 5.3 mlp adds-x
    lab_status status = batched_linear(hidden, x, params->w_fc, params->b_fc, 1, N, C, H);
    if (status == LAB_OK) {
        status = gelu(activated, hidden, N * H);
    }
    if (status == LAB_OK) {
        status = batched_linear(y, activated, params->w_proj, params->b_proj, 1, N, H, C);
    }
    for (size_t i = 0; i < N * C && status == LAB_OK; i++) {
        y[i] += x[i];
    }
    return status;
