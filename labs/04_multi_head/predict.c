// predict.c - the values that this lab's questions ask for (make ask LAB=4). Reading this before
// you predict spoils the question, but the values are not here: your heads.c computes them.

#include <string.h>

#include "04_multi_head/heads.h"
#include "common/predict.h"
#include "common/rng.h"

static void count_up(float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        x[i] = (float)i;
    }
}

// Axis 1 of a (B,T,NH,hs) = (2,3,2,4) tensor after axes 1 and 2 have changed places.
static lab_status stride_of_the_heads(double *value)
{
    static const float x[48];
    struct view view;
    LAB_TRY(view_of(&view, x, (size_t[]){2, 3, 2, 4}, 4));
    LAB_TRY(view_transpose(&view, &view, 1, 2));
    *value = (double)view.stride[1];
    return LAB_OK;
}

static lab_status third_number_after_splitting(double *value)
{
    float x[12], out[12];
    count_up(x, 12);
    LAB_TRY(split_heads(out, x, 1, 3, 4, 2));
    *value = (double)out[2];
    return LAB_OK;
}

static lab_status third_number_after_merging(double *value)
{
    float x[12], out[12];
    count_up(x, 12);
    LAB_TRY(merge_heads(out, x, 1, 3, 4, 2));
    *value = (double)out[2];
    return LAB_OK;
}

// The score of two vectors of ones, four heads of width 16.
static lab_status score_of_ones(double *value)
{
    enum { NH = 4, HS = 16 };
    float q[NH * HS], out[NH * HS], weights[NH], scores[NH];
    for (size_t i = 0; i < NH * HS; i++) {
        q[i] = 1;
    }
    LAB_TRY(scaled_dot_product_attention(out, weights, scores, q, q, q, NULL, 1, NH, 1, 1,
                                         HS));
    *value = (double)scores[0];
    return LAB_OK;
}

enum { NH = 4, T = 3, S = 5, HS = 2 };

static lab_status attend(float *weights, const float *q, const float *k)
{
    float out[NH * T * HS], scores[NH * T * S];
    return scaled_dot_product_attention(out, weights, scores, q, k, k, NULL, 1, NH, T, S,
                                        HS);
}

// How many of the 60 weights change if one number of one head's query does.
static lab_status weights_that_change(double *value)
{
    float q[NH * T * HS], k[NH * S * HS], before[NH * T * S], after[NH * T * S];
    struct lab_rng rng;
    lab_rng_seed(&rng, 4);
    lab_rng_randn(&rng, q, NH * T * HS);
    lab_rng_randn(&rng, k, NH * S * HS);
    LAB_TRY(attend(before, q, k));
    q[(2 * T + 1) * HS] += 1;
    LAB_TRY(attend(after, q, k));
    *value = 0;
    for (size_t i = 0; i < NH * T * S; i++) {
        *value += memcmp(&before[i], &after[i], sizeof *after) != 0;
    }
    return LAB_OK;
}

// A weight of three queries over five equal keys.
static lab_status weight_over_equal_keys(double *value)
{
    float q[NH * T * HS], k[NH * S * HS], weights[NH * T * S];
    count_up(q, NH * T * HS);
    for (size_t i = 0; i < NH * S * HS; i++) {
        k[i] = 1;
    }
    LAB_TRY(attend(weights, q, k));
    *value = (double)weights[0];
    return LAB_OK;
}

// The second channel of v of token 1, if qkv counts up.
static lab_status value_channel(double *value)
{
    enum { TOKENS = 2, C = 4 };
    float qkv[TOKENS * 3 * C], q[TOKENS * C], k[TOKENS * C], v[TOKENS * C];
    count_up(qkv, TOKENS * 3 * C);
    LAB_TRY(split_qkv(q, k, v, qkv, 1, TOKENS, C));
    *value = (double)v[C + 1];
    return LAB_OK;
}

const struct prediction predictions[] = {
    PREDICT(stride_of_the_heads),
    PREDICT(third_number_after_splitting),
    PREDICT(third_number_after_merging),
    PREDICT(score_of_ones),
    PREDICT(weights_that_change),
    PREDICT(weight_over_equal_keys),
    PREDICT(value_channel),
    {NULL, NULL},
};
