// 4.3 split_heads head-major
    const size_t hs = C / NH;
    for (size_t b = 0; b < B; b++) {
        for (size_t t = 0; t < T; t++) {
            for (size_t h = 0; h < NH; h++) {
                for (size_t c = 0; c < hs; c++) {
                    out[((h * B + b) * T + t) * hs + c] =
                        x[((b * T + t) * NH + h) * hs + c];
                }
            }
        }
    }
    return LAB_OK;
