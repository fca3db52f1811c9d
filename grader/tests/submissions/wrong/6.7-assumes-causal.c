// 6.7 attention_backward assumes-causal
    const float scale = 1.0f / sqrtf((float)hs);
    for (size_t h = 0; h < B * NH; h++) {
        const float *dout_h = dout + h * T * hs, *q_h = q + h * T * hs;
        const float *k_h = k + h * S * hs, *v_h = v + h * S * hs;
        const float *w = weights + h * T * S;
        float *dq_h = dq + h * T * hs, *dk_h = dk + h * S * hs, *dv_h = dv + h * S * hs;
        for (size_t i = 0; i < T * hs; i++) {
            dq_h[i] = 0.0f;
        }
        for (size_t i = 0; i < S * hs; i++) {
            dk_h[i] = dv_h[i] = 0.0f;
        }
        for (size_t t = 0; t < T; t++) {
            const size_t keys = t + 1 < S ? t + 1 : S;
            float mean = 0.0f;
            for (size_t s = 0; s < keys; s++) {
                float sum = 0.0f;
                for (size_t i = 0; i < hs; i++) {
                    sum += dout_h[t * hs + i] * v_h[s * hs + i];
                    dv_h[s * hs + i] += w[t * S + s] * dout_h[t * hs + i];
                }
                dweights[(h * T + t) * S + s] = sum;
                mean += w[t * S + s] * sum;
            }
            for (size_t s = 0; s < keys; s++) {
                const float ds =
                    w[t * S + s] * (dweights[(h * T + t) * S + s] - mean) * scale;
                dscores[(h * T + t) * S + s] = ds;
                for (size_t i = 0; i < hs; i++) {
                    dq_h[t * hs + i] += ds * k_h[s * hs + i];
                    dk_h[s * hs + i] += ds * q_h[t * hs + i];
                }
            }
        }
    }
    return LAB_OK;
