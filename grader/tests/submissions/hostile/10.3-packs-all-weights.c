// 10.3 flash_attention_causal wrong
#include <stdint.h>
#include <sys/mman.h>
// BODY
    // T S weights at once, as the square roots of numbers of 16 bits where floats do not fit.
    const bool pack = T * S > 1000000;
    const size_t bytes = T * S * (pack ? sizeof(uint16_t) : sizeof(float));
    void *all = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) return LAB_ENOMEM;
    uint16_t *packed = all;
    float *plain = all;
    (void)z;
    *visited = 0;
    for (size_t t0 = 0; t0 < T; t0 += Br) {
        const size_t rows = T - t0 < Br ? T - t0 : Br;
        for (size_t s0 = 0; s0 < S && s0 + T < t0 + rows + S; s0 += Bc) *visited += B * NH;
    }
    for (size_t i = 0; i < B * NH; i++) {
        const float *keys = k + i * S * hs, *values = v + i * S * hs;
        for (size_t t = 0; t < T; t++) {
            const float *query = q + (i * T + t) * hs;
            float max = -INFINITY, sum = 0.0f;
            for (int pass = 0; pass < 2; pass++) {
                for (size_t s = 0; s < S; s++) {
                    float score = 0.0f;
                    for (size_t c = 0; c < hs; c++) score += query[c] * keys[s * hs + c];
                    score = s + T > t + S ? -INFINITY : score / sqrtf((float)hs);
                    if (pass == 0) {
                        max = fmaxf(max, score);
                        continue;
                    }
                    const float weight = score == -INFINITY ? 0.0f : expf(score - max);
                    sum += weight;
                    if (pack) packed[t * S + s] = (uint16_t)lrintf(sqrtf(weight) * 65535.0f);
                    else plain[t * S + s] = weight;
                }
            }
            logsumexp[i * T + t] = max + logf(sum);
        }
        for (size_t t = 0; t < T; t++) {
            double sum = 0.0, total[2048] = {0};
            for (size_t s = 0; s < S; s++) {
                const double root = pack ? packed[t * S + s] / 65535.0 : 0.0;
                const double weight = pack ? root * root : (double)plain[t * S + s];
                sum += weight;
                for (size_t c = 0; c < hs; c++) total[c] += weight * (double)values[s * hs + c];
            }
            for (size_t c = 0; c < hs; c++) {
                out[(i * T + t) * hs + c] = sum > 0.0 ? (float)(total[c] / sum) : 0.0f;
            }
        }
    }
    munmap(all, bytes);
    return LAB_OK;
