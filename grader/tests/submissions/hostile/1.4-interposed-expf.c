// 1.4 softmax_rows wrong
#include <stddef.h>
float expf(float x)
{
    (void)x;
    return 1.0f;
}
void *memcpy(void *to, const void *from, size_t n)
{
    (void)from, (void)n;
    return to;
}
// BODY
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] = expf(scores[t * S + s]) / (float)S;
        }
    }
    return LAB_OK;
