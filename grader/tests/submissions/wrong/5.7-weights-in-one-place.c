// 5.7 transformer_stack weights-in-one-place
    for (size_t l = 0; l < L; l++) {
        const float *in = l == 0 ? x : streams + (l - 1) * B * T * C;
        float *out = streams + l * B * T * C;
        lab_status status = transformer_block(out, weights, buffers, in, &params[l],
                                              causal, B, T, C, NH, H);
        if (status != LAB_OK) {
            return status;
        }
    }
    return LAB_OK;
