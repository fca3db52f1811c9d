// 4.6 multi_head_attention wrong
    // Right only for sequences of at most 255 tokens.
    const struct attention_buffers *z = buffers;
    const size_t hs = C / NH;
    lab_status status =
        batched_linear(z->qkv, x, params->w_qkv, params->b_qkv, B, T, C_in, 3 * C);
    for (size_t i = 0; i < B * NH * T && status == LAB_OK; i++) {
        const size_t b = i / NH / T, h = i / T % NH, t = i % T;
        const float *q = z->qkv + (b * T + t) * 3 * C + h * hs;
        const unsigned char keys = (unsigned char)(causal ? t + 1 : T);
        const size_t used = causal ? t + 1 : keys;
        float *w = weights + i * T, *out_bth = z->merged + (b * T + t) * C + h * hs;
        float max = -INFINITY, sum = 0.0f;
        for (size_t s = 0; s < T; s++) {
            const float *k = z->qkv + (b * T + s) * 3 * C + C + h * hs;
            w[s] = 0.0f;
            for (size_t c = 0; c < hs && s < used; c++) {
                w[s] += q[c] * k[c] / sqrtf((float)hs);
            }
            max = s < used && w[s] > max ? w[s] : max;
        }
        for (size_t s = 0; s < used; s++) {
            w[s] = expf(w[s] - max);
            sum += w[s];
        }
        for (size_t c = 0; c < hs; c++) {
            out_bth[c] = 0.0f;
            for (size_t s = 0; s < used; s++) {
                const float *v = z->qkv + (b * T + s) * 3 * C + 2 * C + h * hs;
                out_bth[c] += w[s] / sum * v[c];
            }
        }
        for (size_t s = 0; s < used; s++) {
            w[s] /= sum;
        }
    }
    if (status == LAB_OK) {
        status = batched_linear(out, z->merged, params->w_o, params->b_o, B, T, C, C);
    }
    return status;
