// predict.c - the values that this lab's questions ask for (make ask LAB=1). Reading this before
// you predict spoils the question, but the values are not here: your attention.c computes them.

#include <math.h>

#include "01_simple_attention/attention.h"
#include "common/predict.h"
#include "common/rng.h"

// Standard deviation of the scores of 100 x 100 unit-normal queries and keys of width 64.
static lab_status spread_of_scores(double *value)
{
    enum { T = 100, D = 64 };
    static float q[T * D], k[T * D], scores[T * T];
    struct lab_rng rng;
    double squares = 0;
    lab_rng_seed(&rng, 1);
    lab_rng_randn(&rng, q, T * D);
    lab_rng_randn(&rng, k, T * D);
    LAB_TRY(attention_scores(scores, q, k, T, T, D));
    for (size_t i = 0; i < T * T; i++) {
        squares += (double)scores[i] * (double)scores[i] / (T * T);
    }
    *value = sqrt(squares);
    return LAB_OK;
}

// The last weight of the softmax of n scores.
static lab_status last_weight(double *value, const float *scores, size_t n)
{
    float weights[8];
    LAB_TRY(softmax_rows(weights, scores, 1, n));
    *value = (double)weights[n - 1];
    return LAB_OK;
}

static lab_status weight_of_one_more(double *value)
{
    return last_weight(value, (float[]){0, logf(3)}, 2);
}

static lab_status weight_after_adding_1000(double *value)
{
    return last_weight(value, (float[]){1000, 1000 + logf(3)}, 2);
}

static lab_status weight_of_doubled_scores(double *value)
{
    return last_weight(value, (float[]){0, 2 * logf(3)}, 2);
}

static lab_status weight_beside_minus_infinity(double *value)
{
    return last_weight(value, (float[]){-INFINITY, 2, 2}, 3);
}

// How much the weight 0.98 grows when its score grows by 0.01.
static lab_status growth_of_a_large_weight(double *value)
{
    double before, after;
    LAB_TRY(last_weight(&before, (float[]){0, logf(49)}, 2));
    LAB_TRY(last_weight(&after, (float[]){0, logf(49) + 0.01f}, 2));
    *value = after - before;
    return LAB_OK;
}

// The output of a query that fits all three keys equally well.
static lab_status output_of_no_preference(double *value)
{
    static const float q[2] = {0, 0}, k[6] = {1, 0, 0, 1, 5, -3}, v[3] = {2, 6, 7};
    float scores[3], weights[3], out[1];
    LAB_TRY(attention_scores(scores, q, k, 1, 3, 2));
    LAB_TRY(softmax_rows(weights, scores, 1, 3));
    LAB_TRY(weighted_values(out, weights, v, 1, 3, 1));
    *value = (double)out[0];
    return LAB_OK;
}

const struct prediction predictions[] = {
    PREDICT(spread_of_scores),
    PREDICT(weight_of_one_more),
    PREDICT(weight_after_adding_1000),
    PREDICT(weight_of_doubled_scores),
    PREDICT(weight_beside_minus_infinity),
    PREDICT(growth_of_a_large_weight),
    PREDICT(output_of_no_preference),
    {NULL, NULL},
};
