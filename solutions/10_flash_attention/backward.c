// backward.c - the gradients of attention, tile by tile. The weights come from q, k and logsumexp:
// exp(score - logsumexp) is already divided by the sum.
//
// Start reading at flash_attention_backward.

#include "10_flash_attention/flash_attention.h"

#include <math.h>
#include <string.h>

// BEGIN SOLUTION 10.4 helper
static float dot(const float *a, const float *b, size_t n)
{
    float sum = 0.0f;
    for (size_t i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

// y += factor x
static void add(float *y, float factor, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        y[i] += factor * x[i];
    }
}

// One head's tensors.
struct head {
    float *dq, *dk, *dv;
    const float *dout, *logsumexp, *q, *k, *v;
};

// weights and dscores of queries t0 ... t0 + rows - 1 and keys s0 ... s0 + keys - 1.
static void recompute_tile(const struct flash_backward_buffers *z, const struct head *h,
                           bool causal, size_t T, size_t S, size_t hs, size_t t0,
                           size_t s0, size_t rows, size_t keys)
{
    const float scale = 1.0f / sqrtf((float)hs);
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < keys; c++) {
            const size_t t = t0 + r, s = s0 + c, n = r * keys + c;
            if (causal && s + T > t + S) {
                z->weights[n] = z->dscores[n] = 0.0f;
                continue;
            }
            const float score = dot(h->q + t * hs, h->k + s * hs, hs) * scale;
            z->weights[n] = expf(score - h->logsumexp[t]);
            z->dscores[n] =
                z->weights[n] * (dot(h->dout + t * hs, h->v + s * hs, hs) - z->delta[t]);
        }
    }
}

static void add_gradients(const struct flash_backward_buffers *z, const struct head *h,
                          size_t hs, size_t t0, size_t s0, size_t rows, size_t keys)
{
    const float scale = 1.0f / sqrtf((float)hs);
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < keys; c++) {
            const size_t t = t0 + r, s = s0 + c, n = r * keys + c;
            add(h->dq + t * hs, z->dscores[n] * scale, h->k + s * hs, hs);
            add(h->dk + s * hs, z->dscores[n] * scale, h->q + t * hs, hs);
            add(h->dv + s * hs, z->weights[n], h->dout + t * hs, hs);
        }
    }
}
// END SOLUTION 10.4

lab_status flash_attention_backward(float *dq, float *dk, float *dv,
                                    const struct flash_backward_buffers *z,
                                    const float *dout, const float *out,
                                    const float *logsumexp, const float *q,
                                    const float *k, const float *v, bool causal, size_t B,
                                    size_t NH, size_t T, size_t S, size_t hs, size_t Br,
                                    size_t Bc)
{
    if (B == 0 || NH == 0 || T == 0 || S == 0 || hs == 0 || Br == 0 || Bc == 0) {
        return LAB_ESHAPE;
    }
    // BEGIN SOLUTION 10.4 flash_attention_backward: gradients of 0; for each head delta, then for
    // each tile the weights and dscores, and what they add to dq, dk and dv (about 20 lines, with
    // helpers 75)
    memset(dq, 0, B * NH * T * hs * sizeof *dq);
    memset(dk, 0, B * NH * S * hs * sizeof *dk);
    memset(dv, 0, B * NH * S * hs * sizeof *dv);
    for (size_t i = 0; i < B * NH; i++) { // head h of sequence b: i = b * NH + h
        const size_t query = i * T * hs, key = i * S * hs;
        const struct head h = {dq + query,        dk + key,  dv + key, dout + query,
                               logsumexp + i * T, q + query, k + key,  v + key};
        for (size_t t = 0; t < T; t++) {
            z->delta[t] = dot(h.dout + t * hs, out + query + t * hs, hs);
        }
        for (size_t t0 = 0; t0 < T; t0 += Br) {
            for (size_t s0 = 0; s0 < S; s0 += Bc) {
                const size_t rows = T - t0 < Br ? T - t0 : Br;
                const size_t keys = S - s0 < Bc ? S - s0 : Bc;
                recompute_tile(z, &h, causal, T, S, hs, t0, s0, rows, keys);
                add_gradients(z, &h, hs, t0, s0, rows, keys);
            }
        }
    }
    return LAB_OK;
    // END SOLUTION 10.4
}
