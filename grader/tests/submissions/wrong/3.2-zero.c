// 3.2 masked_fill zero
    for (size_t n = 0; n < N; n++) {
        for (size_t s = 0; s < S; s++) {
            size_t i = n * S + s;
            out[i] = 0.0f;
            if (mask[i]) {
                out[i] = scores[i];
            }
        }
    }
    return LAB_OK;
