// predict.c - the values that this lab's questions ask for (make ask LAB=6). Reading this before
// you predict spoils the question, but the values are not here: your own files compute them.

#include <math.h>

#include "06_copy_task/copy_task.h"
#include "common/predict.h"
#include "common/rng.h"

static lab_status loss_of_guessing(double *value)
{
    const float logits[10] = {0};
    const size_t target = 3;
    float loss, probabilities[10];
    LAB_TRY(cross_entropy(&loss, probabilities, logits, &target, 1, 10));
    *value = (double)loss;
    return LAB_OK;
}

// dlogits of the target in a batch of 8 rows, each with equal logits over 4 tokens.
static lab_status gradient_of_the_target(double *value)
{
    const float logits[32] = {0};
    const size_t targets[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    float loss, probabilities[32], dlogits[32];
    LAB_TRY(cross_entropy(&loss, probabilities, logits, targets, 8, 4));
    LAB_TRY(cross_entropy_backward(dlogits, probabilities, targets, 8, 4));
    *value = (double)dlogits[1];
    return LAB_OK;
}

static lab_status softmax_gradient_of_equal_dweights(double *value)
{
    const float weights[3] = {0.5f, 0.25f, 0.25f}, dweights[3] = {2, 2, 2};
    float dscores[3];
    LAB_TRY(softmax_backward(dscores, dweights, weights, 1, 3));
    *value = (double)dscores[0];
    return LAB_OK;
}

static lab_status softmax_gradient_of_one_dweight(double *value)
{
    const float weights[2] = {0.5f, 0.5f}, dweights[2] = {1, 0};
    float dscores[2];
    LAB_TRY(softmax_backward(dscores, dweights, weights, 1, 2));
    *value = (double)dscores[1];
    return LAB_OK;
}

// The length of Adam's step number `step` if every gradient so far was g.
static lab_status adam(double *value, float g, size_t steps)
{
    const struct adam settings = {1e-3, 0.9, 0.999, 1e-8, 0};
    float w = 0, m = 0, v = 0, before = 0;
    for (size_t step = 1; step <= steps; step++) {
        before = w;
        LAB_TRY(adam_step(&w, &m, &v, &g, &settings, step, 1));
    }
    *value = (double)before - (double)w;
    return LAB_OK;
}

static lab_status first_step_of_adam(double *value)
{
    return adam(value, 0.02f, 1);
}

// What the second step moves if the first gradient was 1 and the second is 0.
static lab_status adam_after_the_gradient_is_gone(double *value)
{
    const struct adam settings = {1e-3, 0.9, 0.999, 1e-8, 0};
    float w = 0, m = 0, v = 0, g = 1, before;
    LAB_TRY(adam_step(&w, &m, &v, &g, &settings, 1, 1));
    before = w;
    g = 0;
    LAB_TRY(adam_step(&w, &m, &v, &g, &settings, 2, 1));
    *value = (double)before - (double)w;
    return LAB_OK;
}

static lab_status gradient_of_a_repeated_token(double *value)
{
    const size_t tokens[3] = {1, 2, 1};
    const float dy[6] = {1, 1, 1, 1, 1, 1};
    float dtable[8] = {0};
    LAB_TRY(embedding_backward(dtable, dy, tokens, 3, 2, 4));
    *value = (double)dtable[2];
    return LAB_OK;
}

static lab_status clipped_gradient(double *value)
{
    float norm, g[2] = {3, 4};
    LAB_TRY(clip_grad_norm(&norm, g, 1, 2));
    *value = (double)g[0];
    return LAB_OK;
}

// dx[0] of a layer norm whose dy is the same for all channels.
static lab_status layernorm_gradient_of_equal_dy(double *value)
{
    const float dy[4] = {3, 3, 3, 3}, x[4] = {1, 2, 3, 4}, gain[4] = {1, 1, 1, 1};
    const float mean = 2.5f, rstd = (float)(1 / sqrt(1.25 + 1e-5));
    float dx[4], dgain[4] = {0}, dbias[4] = {0};
    LAB_TRY(layernorm_backward(dx, dgain, dbias, dy, x, &mean, &rstd, gain, 1, 4));
    *value = (double)dx[0];
    return LAB_OK;
}

// dw of a layer with one input and one output, after two passes without setting it to 0.
static lab_status gradient_without_zeroing(double *value)
{
    const float dy[2] = {1, 2}, x[2] = {3, 4}, w = 5;
    float dx[2], dw = 0;
    LAB_TRY(linear_backward(dx, &dw, NULL, dy, x, &w, 2, 1, 1));
    LAB_TRY(linear_backward(dx, &dw, NULL, dy, x, &w, 2, 1, 1));
    *value = (double)dw;
    return LAB_OK;
}

const struct prediction predictions[] = {
    PREDICT(loss_of_guessing),
    PREDICT(gradient_of_the_target),
    PREDICT(softmax_gradient_of_equal_dweights),
    PREDICT(softmax_gradient_of_one_dweight),
    PREDICT(first_step_of_adam),
    PREDICT(adam_after_the_gradient_is_gone),
    PREDICT(gradient_of_a_repeated_token),
    PREDICT(clipped_gradient),
    PREDICT(layernorm_gradient_of_equal_dy),
    PREDICT(gradient_without_zeroing),
    {NULL, NULL},
};
