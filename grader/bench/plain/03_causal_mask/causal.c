// causal.c - lab 3 as it is first written: plain loops. See ../02_batching/batching.c.

#include "03_causal_mask/causal.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "02_batching/batching.h"
#include "common/vector_math.h"

lab_status causal_mask(uint8_t *mask, size_t T, size_t S)
{
    if (T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < S; s++) {
            mask[t * S + s] = s + T <= t + S;
        }
    }
    return LAB_OK;
}

lab_status masked_fill(float *out, const float *scores, const uint8_t *mask, size_t N,
                       size_t S)
{
    if (N == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < N * S; i++) {
        out[i] = mask[i] ? scores[i] : -INFINITY;
    }
    return LAB_OK;
}

lab_status masked_softmax(float *weights, const float *scores, const uint8_t *mask,
                          size_t N, size_t S)
{
    if (N == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t n = 0; n < N; n++) {
        float max = -INFINITY;
        for (size_t s = 0; s < S; s++) {
            if (mask[n * S + s]) {
                max = fmaxf(max, scores[n * S + s]);
            }
        }
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            const bool counts = mask[n * S + s] && max > -INFINITY;
            weights[n * S + s] = counts ? expf(scores[n * S + s] - max) : 0.0f;
            sum += weights[n * S + s];
        }
        for (size_t s = 0; s < S && sum > 0.0f; s++) {
            weights[n * S + s] /= sum;
        }
    }
    return LAB_OK;
}

lab_status causal_attention(float *out, float *weights, float *q, float *k, float *v,
                            float *scores, uint8_t *mask, const float *x,
                            const float *w_q, const float *w_k, const float *w_v,
                            size_t B, size_t T, size_t C)
{
    if (B == 0 || T == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    lab_status status = causal_mask(mask, T, T);
    if (status == LAB_OK) {
        status = batched_linear(q, x, w_q, NULL, B, T, C, C);
    }
    if (status == LAB_OK) {
        status = batched_linear(k, x, w_k, NULL, B, T, C, C);
    }
    if (status == LAB_OK) {
        status = batched_linear(v, x, w_v, NULL, B, T, C, C);
    }
    if (status == LAB_OK) {
        status = batched_matmul_nt(scores, q, k, B, T, T, C);
    }
    if (status != LAB_OK) {
        return status;
    }
    for (size_t i = 0; i < B * T * T; i++) {
        scores[i] /= sqrtf((float)C);
    }
    for (size_t b = 0; b < B && status == LAB_OK; b++) {
        status = masked_softmax(weights + b * T * T, scores + b * T * T, mask, T, T);
    }
    if (status == LAB_OK) {
        status = batched_matmul(out, weights, v, B, T, C, T);
    }
    return status;
}

lab_status padding_mask(uint8_t *mask, const size_t *lengths, size_t B, size_t S)
{
    if (B == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t b = 0; b < B; b++) {
        if (lengths[b] > S) {
            return LAB_ESHAPE;
        }
    }
    for (size_t b = 0; b < B; b++) {
        for (size_t s = 0; s < S; s++) {
            mask[b * S + s] = s < lengths[b];
        }
    }
    return LAB_OK;
}

lab_status combine_masks(uint8_t *mask, const uint8_t *attention, const uint8_t *padding,
                         size_t B, size_t T, size_t S)
{
    if (B == 0 || T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t b = 0; b < B; b++) {
        for (size_t t = 0; t < T; t++) {
            for (size_t s = 0; s < S; s++) {
                mask[(b * T + t) * S + s] = attention[t * S + s] && padding[b * S + s];
            }
        }
    }
    return LAB_OK;
}
