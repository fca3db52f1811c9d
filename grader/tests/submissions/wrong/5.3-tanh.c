// 5.3 mlp tanh
    lab_status status = batched_linear(hidden, x, params->w_fc, params->b_fc, 1, N, C, H);
    for (size_t i = 0; i < N * H && status == LAB_OK; i++) {
        float h = hidden[i];
        activated[i] =
            0.5f * h * (1.0f + tanhf(0.79788456f * (h + 0.044715f * h * h * h)));
    }
    if (status == LAB_OK) {
        status = batched_linear(y, activated, params->w_proj, params->b_proj, 1, N, H, C);
    }
    return status;
