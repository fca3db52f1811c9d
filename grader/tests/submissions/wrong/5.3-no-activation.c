// 5.3 mlp no-activation
    lab_status status = batched_linear(hidden, x, params->w_fc, params->b_fc, 1, N, C, H);
    if (status != LAB_OK) {
        return status;
    }
    (void)activated;
    return batched_linear(y, hidden, params->w_proj, params->b_proj, 1, N, H, C);
