// predict.c - the values that this lab's questions ask for (make ask LAB=5). Reading this before
// you predict spoils the question, but the values are not here: your block.c computes them.

#include "05_transformer_block/block.h"
#include "common/predict.h"
#include "common/rng.h"

enum { C = 4 };

// The last number of the layer norm of one row, with this gain and bias for every channel.
static lab_status last_normed(double *value, const float *x, float gain, float bias)
{
    float y[C], mean[1], rstd[1], gains[C], biases[C];
    for (size_t c = 0; c < C; c++) {
        gains[c] = gain;
        biases[c] = bias;
    }
    LAB_TRY(layernorm(y, mean, rstd, x, gains, biases, 1, C));
    *value = (double)y[C - 1];
    return LAB_OK;
}

static lab_status layernorm_of_1_2_3_4(double *value)
{
    return last_normed(value, (float[]){1, 2, 3, 4}, 1, 0);
}

static lab_status layernorm_of_10_20_30_40(double *value)
{
    return last_normed(value, (float[]){10, 20, 30, 40}, 1, 0);
}

static lab_status layernorm_of_equal_numbers(double *value)
{
    return last_normed(value, (float[]){5, 5, 5, 5}, 2, 0.25f);
}

static lab_status gelu_of_minus_one(double *value)
{
    const float x[1] = {-1};
    float y[1];
    LAB_TRY(gelu(y, x, 1));
    *value = (double)y[0];
    return LAB_OK;
}

// The value of a kept 1, or its value in evaluation.
static lab_status dropped(double *value, bool training)
{
    const float x[1] = {1}, uniforms[1] = {0.5f};
    float y[1];
    LAB_TRY(dropout(y, x, uniforms, 0.2f, training, 1));
    *value = (double)y[0];
    return LAB_OK;
}

static lab_status kept_by_dropout(double *value)
{
    return dropped(value, true);
}

static lab_status dropout_in_evaluation(double *value)
{
    return dropped(value, false);
}

static lab_status parameters_of_a_gpt2_block(double *value)
{
    size_t count;
    LAB_TRY(block_parameter_count(&count, 768, 4 * 768));
    *value = (double)count;
    return LAB_OK;
}

// An MLP whose last matrix is zero, and whose last bias is 3, added to x = 2.
static lab_status stream_past_a_silent_mlp(double *value)
{
    enum { H = 8 };
    const float x[C] = {2, 2, 2, 2}, b_fc[H] = {1}, w_proj[C * H] = {0},
                b_proj[C] = {3, 3, 3, 3};
    float w_fc[H * C], hidden[H], activated[H], branch[C], y[C];
    struct lab_rng rng;
    lab_rng_seed(&rng, 5);
    lab_rng_randn(&rng, w_fc, H * C);
    const struct mlp_params params = {w_fc, b_fc, w_proj, b_proj};
    LAB_TRY(mlp(branch, hidden, activated, x, &params, 1, C, H));
    LAB_TRY(residual_add(y, x, branch, C));
    *value = (double)y[0];
    return LAB_OK;
}

const struct prediction predictions[] = {
    PREDICT(layernorm_of_1_2_3_4),
    PREDICT(layernorm_of_10_20_30_40),
    PREDICT(layernorm_of_equal_numbers),
    PREDICT(gelu_of_minus_one),
    PREDICT(kept_by_dropout),
    PREDICT(dropout_in_evaluation),
    PREDICT(parameters_of_a_gpt2_block),
    PREDICT(stream_past_a_silent_mlp),
    {NULL, NULL},
};
