// 5.7 transformer_stack reads-x
    for (size_t l = 0; l < L; l++) {
        const float *in = x;
        float *out = streams + l * B * T * C;
        lab_status status = transformer_block(out, weights + l * B * NH * T * T, buffers,
                                              in, &params[l], causal, B, T, C, NH, H);
        if (status != LAB_OK) {
            return status;
        }
    }
    return LAB_OK;
