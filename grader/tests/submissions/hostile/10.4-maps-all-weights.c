// 10.4 flash_attention_backward wrong
#include <sys/mman.h>
// BODY
    // The same as 10.4-stores-all-weights.c, but malloc does not see it; dscores takes the place of weights.
    const float scale = 1.0f / sqrtf((float)hs);
    const size_t bytes = T * S * sizeof(float);
    float *weights = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (weights == MAP_FAILED) return LAB_ENOMEM;
    memset(dq, 0, B * NH * T * hs * sizeof *dq);
    memset(dk, 0, B * NH * S * hs * sizeof *dk);
    memset(dv, 0, B * NH * S * hs * sizeof *dv);
    (void)z;
    for (size_t i = 0; i < B * NH; i++) {
        const size_t query = i * T * hs, key = i * S * hs;
        for (size_t n = 0; n < T * S; n++) {
            const size_t t = n / S, s = n % S;
            float score = 0.0f;
            for (size_t c = 0; c < hs; c++) {
                score += q[query + t * hs + c] * k[key + s * hs + c];
            }
            const bool seen = !causal || s + T <= t + S;
            weights[n] = seen ? expf(score * scale - logsumexp[i * T + t]) : 0.0f;
        }
        for (size_t n = 0; n < T * S; n++) {
            const size_t t = n / S, s = n % S;
            float dweight = 0.0f, delta = 0.0f;
            for (size_t c = 0; c < hs; c++) {
                dv[key + s * hs + c] += weights[n] * dout[query + t * hs + c];
                dweight += dout[query + t * hs + c] * v[key + s * hs + c];
                delta += dout[query + t * hs + c] * out[query + t * hs + c];
            }
            const float dscore = weights[n] * (dweight - delta) * scale;
            for (size_t c = 0; c < hs; c++) {
                dq[query + t * hs + c] += dscore * k[key + s * hs + c];
                dk[key + s * hs + c] += dscore * q[query + t * hs + c];
            }
        }
    }
    munmap(weights, bytes);
    return LAB_OK;
