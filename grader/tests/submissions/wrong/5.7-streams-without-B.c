// 5.7 transformer_stack streams-without-B
    const float *input = x;
    for (size_t l = 0; l < L; l++) {
        float *output = streams + l * T * C;
        LAB_TRY(transformer_block(output, weights + l * B * NH * T * T, buffers, input,
                                  &params[l], causal, B, T, C, NH, H));
        input = output;
    }
    return LAB_OK;
