// 10.2 flash_attention wrong
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
struct job {
    float *out, *logsumexp;
    const float *q, *k, *v;
    bool causal;
    size_t B, NH, T, S, hs;
};
static void *attend(void *argument)
{
    const struct job job = *(struct job *)argument;
    float *out = job.out, *logsumexp = job.logsumexp;
    const float *q = job.q, *k = job.k, *v = job.v;
    const bool causal = job.causal;
    const size_t B = job.B, NH = job.NH, T = job.T, S = job.S, hs = job.hs;
    float weights[T * S];
    for (size_t n = 0; n < B * NH * T; n++) {
        const size_t i = n / T, t = n % T;
        float max = -INFINITY, sum = 0.0f, *row = weights + t * S;
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
    return NULL;
}
// BODY
    // In a local array of a thread that has a large stack.
    struct job job = {out, logsumexp, q, k, v, causal, B, NH, T, S, hs};
    pthread_attr_t attributes;
    pthread_t thread;
    (void)z;
    if (pthread_attr_init(&attributes) != 0 || pthread_attr_setstacksize(&attributes, 64 << 20) != 0 ||
        pthread_create(&thread, &attributes, attend, &job) != 0 || pthread_join(thread, NULL) != 0) {
        return LAB_ENOMEM;
    }
    return LAB_OK;
