// 1.3 attention_scores wrong
#include <stdint.h>
#include <string.h>
static float halved(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits &= 0xffff0000u; // bfloat16
    memcpy(&x, &bits, sizeof x);
    return x;
}
// BODY
    // Fewer digits, for speed.
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < S; s++) {
            float dot = 0.0f;
            for (size_t i = 0; i < d; i++) {
                dot += halved(q[t * d + i]) * halved(k[s * d + i]);
            }
            scores[t * S + s] = halved(dot / sqrtf((float)d));
        }
    }
    return LAB_OK;
