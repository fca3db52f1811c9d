// 5.3 mlp relu
    lab_status status = batched_linear(hidden, x, params->w_fc, params->b_fc, 1, N, C, H);
    if (status != LAB_OK) {
        return status;
    }
    for (size_t i = 0; i < N * H; i++) {
        activated[i] = hidden[i] > 0 ? hidden[i] : 0;
    }
    return batched_linear(y, activated, params->w_proj, params->b_proj, 1, N, H, C);
