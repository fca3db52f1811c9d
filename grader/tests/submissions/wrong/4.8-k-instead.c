// 4.8 published_scores k-instead
    const size_t hs = C / NH;
    for (size_t b = 0; b < B; b++) {
        for (size_t h = 0; h < NH; h++) {
            for (size_t t = 0; t < T; t++) {
                for (size_t s = 0; s < T; s++) {
                    float sum = 0.0f;
                    for (size_t c = 0; c < hs; c++) {
                        sum += q[(b * T + t) * C + h * hs + c] *
                               k[(b * T + h) * C + s * hs + c];
                    }
                    scores[((b * NH + h) * T + t) * T + s] = sum;
                }
            }
        }
    }
    return LAB_OK;
