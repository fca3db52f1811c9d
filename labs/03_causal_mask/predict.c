// predict.c - the values that this lab's questions ask for (make ask LAB=3). Reading this before
// you predict spoils the question, but the values are not here: your causal.c computes them.

#include <math.h>
#include <string.h>

#include "02_batching/batching.h"
#include "03_causal_mask/causal.h"
#include "common/predict.h"
#include "common/rng.h"

static double count(const uint8_t *mask, size_t n)
{
    double ones = 0;
    for (size_t i = 0; i < n; i++) {
        ones += mask[i];
    }
    return ones;
}

static lab_status ones_of_a_square_mask(double *value)
{
    uint8_t mask[16];
    LAB_TRY(causal_mask(mask, 4, 4));
    *value = count(mask, 16);
    return LAB_OK;
}

static lab_status ones_after_100_cached_tokens(double *value)
{
    uint8_t mask[101];
    LAB_TRY(causal_mask(mask, 1, 101));
    *value = count(mask, 101);
    return LAB_OK;
}

static lab_status weight_beside_a_masked_key(double *value)
{
    const float scores[3] = {1, 1, 5};
    const uint8_t mask[3] = {1, 1, 0};
    float weights[3];
    LAB_TRY(masked_softmax(weights, scores, mask, 1, 3));
    *value = (double)weights[0];
    return LAB_OK;
}

static lab_status sum_of_a_row_without_keys(double *value)
{
    const float scores[3] = {1, 2, 3};
    const uint8_t mask[3] = {0, 0, 0};
    float weights[3];
    LAB_TRY(masked_softmax(weights, scores, mask, 1, 3));
    *value = (double)weights[0] + (double)weights[1] + (double)weights[2];
    return LAB_OK;
}

// The forbidden key's score was replaced by -1e4 instead of -INFINITY; the allowed one is lower.
static lab_status weight_past_a_finite_number(double *value)
{
    const float scores[2] = {-20000, -10000};
    float weights[2];
    LAB_TRY(batched_softmax(weights, scores, 1, 1, 2));
    *value = (double)weights[1];
    return LAB_OK;
}

// Softmax first, then weights * mask, without renormalizing: query 1 of 4, all scores equal.
static lab_status row_masked_too_late(double *value)
{
    const float scores[16] = {0};
    float weights[16];
    uint8_t mask[16];
    LAB_TRY(batched_softmax(weights, scores, 1, 4, 4));
    LAB_TRY(causal_mask(mask, 4, 4));
    *value = 0;
    for (size_t s = 0; s < 4; s++) {
        *value += (double)weights[4 + s] * mask[4 + s];
    }
    return LAB_OK;
}

static lab_status ones_with_padding(double *value)
{
    const size_t lengths[1] = {2};
    uint8_t causal[16], padding[4], mask[16];
    LAB_TRY(causal_mask(causal, 4, 4));
    LAB_TRY(padding_mask(padding, lengths, 1, 4));
    LAB_TRY(combine_masks(mask, causal, padding, 1, 4, 4));
    *value = count(mask, 16);
    return LAB_OK;
}

// How many of the 5 output rows change if token 3 does.
static lab_status rows_that_see_token_3(double *value)
{
    enum { T = 5, C = 4 };
    float x[T * C], w[3 * C * C], out[2][T * C], weights[T * T], q[T * C], k[T * C],
        v[T * C], scores[T * T];
    uint8_t mask[T * T];
    struct lab_rng rng;
    lab_rng_seed(&rng, 3);
    lab_rng_randn(&rng, x, T * C);
    lab_rng_randn(&rng, w, 3 * C * C);
    for (size_t i = 0; i < 2; i++) {
        LAB_TRY(causal_attention(out[i], weights, q, k, v, scores, mask, x, w, w + C * C,
                                 w + 2 * C * C, 1, T, C));
        x[3 * C] += 1;
    }
    *value = 0;
    for (size_t t = 0; t < T; t++) {
        *value += memcmp(out[0] + t * C, out[1] + t * C, C * sizeof(float)) != 0;
    }
    return LAB_OK;
}

const struct prediction predictions[] = {
    PREDICT(ones_of_a_square_mask),
    PREDICT(ones_after_100_cached_tokens),
    PREDICT(weight_beside_a_masked_key),
    PREDICT(sum_of_a_row_without_keys),
    PREDICT(weight_past_a_finite_number),
    PREDICT(row_masked_too_late),
    PREDICT(ones_with_padding),
    PREDICT(rows_that_see_token_3),
    {NULL, NULL},
};
