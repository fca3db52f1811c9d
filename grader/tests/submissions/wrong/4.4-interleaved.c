// 4.4 merge_heads interleaved
    const size_t hs = C / NH;
    for (size_t b = 0; b < B; b++) {
        for (size_t t = 0; t < T; t++) {
            for (size_t h = 0; h < NH; h++) {
                for (size_t c = 0; c < hs; c++) {
                    out[(b * T + t) * C + c * NH + h] =
                        x[((b * NH + h) * T + t) * hs + c];
                }
            }
        }
    }
    return LAB_OK;
