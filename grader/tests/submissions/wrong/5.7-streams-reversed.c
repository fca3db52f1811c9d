// 5.7 transformer_stack streams-reversed
    for (size_t l = 0; l < L; l++) {
        const float *in = l == 0 ? x : streams + (L - l) * B * T * C;
        float *out = streams + (L - 1 - l) * B * T * C;
        lab_status status = transformer_block(out, weights + l * B * NH * T * T, buffers,
                                              in, &params[l], causal, B, T, C, NH, H);
        if (status != LAB_OK) {
            return status;
        }
    }
    return LAB_OK;
