// predict.c - the values that this lab's questions ask for (make ask LAB=2). Reading this before
// you predict spoils the question, but the values are not here: your batching.c computes them.

#include <string.h>

#include "02_batching/batching.h"
#include "common/predict.h"
#include "common/rng.h"

static void count_up(float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        x[i] = (float)i;
    }
}

// Element [1][2][3] of a (2,3,4) tensor whose numbers are 0 1 2 ... in memory.
static lab_status number_at_1_2_3(double *value)
{
    enum { B = 2, T = 3, C = 4 };
    float x[B * T * C], w[C * C] = {0}, y[B][T][C];
    count_up(x, B * T * C);
    for (size_t c = 0; c < C; c++) {
        w[c * C + c] = 1;
    }
    LAB_TRY(batched_linear(&y[0][0][0], x, w, NULL, B, T, C, C));
    *value = (double)y[1][2][3];
    return LAB_OK;
}

static lab_status linear_of_ones(double *value)
{
    enum { B = 2, T = 3, In = 4, Out = 2 };
    float x[B * T * In], w[Out * In], bias[Out] = {10, 20}, y[B * T * Out];
    for (size_t i = 0; i < B * T * In; i++) {
        x[i] = 1;
    }
    for (size_t i = 0; i < Out * In; i++) {
        w[i] = 0.5f;
    }
    LAB_TRY(batched_linear(y, x, w, bias, B, T, In, Out));
    *value = (double)y[B * T * Out - 1];
    return LAB_OK;
}

// Score [1][0][1] of a (2,2,2) tensor 0 1 2 ... with itself.
static lab_status score_in_the_second_sequence(double *value)
{
    float x[8], scores[2][2][2];
    count_up(x, 8);
    LAB_TRY(batched_matmul_nt(&scores[0][0][0], x, x, 2, 2, 2, 2));
    *value = (double)scores[1][0][1];
    return LAB_OK;
}

static lab_status product_in_the_second_sequence(double *value)
{
    static const float a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8};
    float out[2];
    LAB_TRY(batched_matmul(out, a, b, 2, 1, 1, 2));
    *value = (double)out[1];
    return LAB_OK;
}

static lab_status sum_of_all_weights(double *value)
{
    enum { B = 2, T = 3, S = 5 };
    float scores[B * T * S], weights[B * T * S];
    count_up(scores, B * T * S);
    LAB_TRY(batched_softmax(weights, scores, B, T, S));
    *value = 0;
    for (size_t i = 0; i < B * T * S; i++) {
        *value += (double)weights[i];
    }
    return LAB_OK;
}

enum { B = 2, T = 3, C = 4 };

static lab_status run(float *out, float *weights, const float *x, const float *w)
{
    float q[B * T * C], k[B * T * C], v[B * T * C], scores[B * T * T];
    return batched_attention(out, weights, q, k, v, scores, x, w, w + C * C,
                             w + 2 * C * C, B, T, C);
}

// How many outputs change if one number of sequence 1 does.
static lab_status outputs_that_change(double *value)
{
    float x[B * T * C], w[3 * C * C], before[B * T * C], after[B * T * C],
        weights[B * T * T];
    struct lab_rng rng;
    lab_rng_seed(&rng, 2);
    lab_rng_randn(&rng, x, B * T * C);
    lab_rng_randn(&rng, w, 3 * C * C);
    LAB_TRY(run(before, weights, x, w));
    x[(1 * T + 2) * C + 1] += 1;
    LAB_TRY(run(after, weights, x, w));
    *value = 0;
    for (size_t i = 0; i < B * T * C; i++) {
        *value += memcmp(&before[i], &after[i], sizeof *after) != 0;
    }
    return LAB_OK;
}

// A weight if all tokens are equal.
static lab_status weight_of_equal_tokens(double *value)
{
    float x[B * T * C], w[3 * C * C], out[B * T * C], weights[B * T * T];
    struct lab_rng rng;
    lab_rng_seed(&rng, 3);
    lab_rng_randn(&rng, w, 3 * C * C);
    for (size_t i = 0; i < B * T * C; i++) {
        x[i] = (float)(i % C);
    }
    LAB_TRY(run(out, weights, x, w));
    *value = (double)weights[0];
    return LAB_OK;
}

const struct prediction predictions[] = {
    PREDICT(number_at_1_2_3),
    PREDICT(linear_of_ones),
    PREDICT(score_in_the_second_sequence),
    PREDICT(product_in_the_second_sequence),
    PREDICT(sum_of_all_weights),
    PREDICT(outputs_that_change),
    PREDICT(weight_of_equal_tokens),
    {NULL, NULL},
};
