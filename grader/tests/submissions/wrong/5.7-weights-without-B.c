// 5.7 transformer_stack weights-without-B
    const float *input = x;
    for (size_t l = 0; l < L; l++) {
        float *output = streams + l * B * T * C;
        LAB_TRY(transformer_block(output, weights + l * NH * T * T, buffers, input,
                                  &params[l], causal, B, T, C, NH, H));
        input = output;
    }
    return LAB_OK;
