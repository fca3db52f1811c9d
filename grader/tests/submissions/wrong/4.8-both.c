// 4.8 published_scores both
    // both keep their shape (B,T,NH,hs) and are read as (B,NH,T,hs)
    const size_t hs = C / NH;
    for (size_t i = 0; i < B * NH; i++) {
        for (size_t t = 0; t < T; t++) {
            for (size_t s = 0; s < T; s++) {
                float sum = 0.0f;
                for (size_t c = 0; c < hs; c++) {
                    sum += q[(i * T + t) * hs + c] * k[(i * T + s) * hs + c];
                }
                scores[(i * T + t) * T + s] = sum;
            }
        }
    }
    return LAB_OK;
