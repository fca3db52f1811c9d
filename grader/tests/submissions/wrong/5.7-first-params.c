// 5.7 transformer_stack first-params
    for (size_t l = 0; l < L; l++) {
        const float *in = l == 0 ? x : streams + (l - 1) * B * T * C;
        float *out = streams + l * B * T * C;
        lab_status status = transformer_block(out, weights + l * B * NH * T * T, buffers,
                                              in, params, causal, B, T, C, NH, H);
        if (status != LAB_OK) {
            return status;
        }
    }
    return LAB_OK;
