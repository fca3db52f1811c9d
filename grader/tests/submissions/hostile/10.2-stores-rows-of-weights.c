// 10.2 flash_attention memory
#include <stdlib.h>
// BODY
    // The same as 10.2-stores-all-weights.c, but no allocation is large by itself.
    float **rows = malloc(T * sizeof *rows);
    for (size_t t = 0; t < T; t++) rows[t] = malloc(S * sizeof **rows);
    (void)z;
    for (size_t n = 0; rows != NULL && n < B * NH * T; n++) {
        const size_t i = n / T, t = n % T;
        float max = -INFINITY, sum = 0.0f, *row = rows[t];
        for (size_t s = 0; s < S; s++) {
            row[s] = 0.0f;
            for (size_t c = 0; c < hs; c++) {
                row[s] += q[n * hs + c] * k[(i * S + s) * hs + c];
            }
            row[s] = causal && s + T > t + S ? -INFINITY : row[s] / sqrtf((float)hs);
            max = fmaxf(max, row[s]);
        }
        memset(out + n * hs, 0, hs * sizeof *out);
        for (size_t s = 0; s < S; s++) {
            row[s] = row[s] == -INFINITY ? 0.0f : expf(row[s] - max);
            sum += row[s];
        }
        for (size_t s = 0; s < S && sum > 0.0f; s++) {
            for (size_t c = 0; c < hs; c++) {
                out[n * hs + c] += row[s] / sum * v[(i * S + s) * hs + c];
            }
        }
        logsumexp[n] = max + logf(sum);
    }
    for (size_t t = 0; t < T; t++) free(rows[t]);
    free(rows);
    return LAB_OK;
