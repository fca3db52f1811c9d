// 5.7 transformer_stack adds-input
    for (size_t l = 0; l < L; l++) {
        const float *in = l == 0 ? x : streams + (l - 1) * B * T * C;
        float *out = streams + l * B * T * C;
        lab_status status = transformer_block(out, weights + l * B * NH * T * T, buffers,
                                              in, &params[l], causal, B, T, C, NH, H);
        if (status != LAB_OK) {
            return status;
        }
        for (size_t i = 0; i < B * T * C; i++) {
            out[i] += in[i];
        }
    }
    return LAB_OK;
