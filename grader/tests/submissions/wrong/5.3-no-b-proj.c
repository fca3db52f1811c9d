// 5.3 mlp no-b-proj
    lab_status status = batched_linear(hidden, x, params->w_fc, params->b_fc, 1, N, C, H);
    if (status == LAB_OK) {
        status = gelu(activated, hidden, N * H);
    }
    if (status == LAB_OK) {
        status = batched_linear(y, activated, params->w_proj, NULL, 1, N, H, C);
    }
    return status;
