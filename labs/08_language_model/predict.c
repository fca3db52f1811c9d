// predict.c - the values that this lab's questions ask for (make ask LAB=8). Reading this before
// you predict spoils the question, but the values are not here: your own files compute them.

#include <math.h>

#include "08_language_model/language_model.h"
#include "common/predict.h"

static lab_status token_of_b(double *value)
{
    uint8_t bytes[256];
    size_t V, tokens[6];
    LAB_TRY(vocabulary(bytes, &V, (const uint8_t *)"banana", 6));
    LAB_TRY(encode(tokens, (const uint8_t *)"banana", bytes, 6, V));
    *value = (double)tokens[0];
    return LAB_OK;
}

static lab_status last_target(double *value)
{
    const size_t stream[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, offset = 3;
    size_t x[4], y[4];
    LAB_TRY(shifted_batch(x, y, stream, &offset, 10, 1, 4));
    *value = (double)y[3];
    return LAB_OK;
}

static lab_status rmsnorm_of_equal_numbers(double *value)
{
    const float x[4] = {5, 5, 5, 5}, gain[4] = {1, 1, 1, 1};
    float y[4], rrms[1];
    LAB_TRY(rmsnorm(y, rrms, x, gain, 1, 4));
    *value = (double)y[0];
    return LAB_OK;
}

// dx[0] of an RMSNorm whose dy is x itself.
static lab_status rmsnorm_gradient_along_x(double *value)
{
    const float x[4] = {1, 2, 3, 4}, gain[4] = {1, 1, 1, 1};
    float y[4], rrms[1], dx[4], dgain[4] = {0};
    LAB_TRY(rmsnorm(y, rrms, x, gain, 1, 4));
    LAB_TRY(rmsnorm_backward(dx, dgain, x, x, rrms, gain, 1, 4));
    *value = fabs((double)dx[0]) < 1e-4 ? 0 : (double)dx[0];
    return LAB_OK;
}

static lab_status closed_gate(double *value)
{
    const float a[1] = {0}, b[1] = {7};
    float y[1];
    LAB_TRY(swiglu(y, a, b, 1));
    *value = (double)y[0];
    return LAB_OK;
}

static lab_status open_gate(double *value)
{
    const float a[1] = {2}, b[1] = {3};
    float y[1];
    LAB_TRY(swiglu(y, a, b, 1));
    *value = (double)y[0];
    return LAB_OK;
}

static lab_status perplexity_of_ln_8(double *value)
{
    return perplexity(value, log(8));
}

static lab_status bits_of_ln_8(double *value)
{
    return bits_per_character(value, log(8));
}

// The probability of token 0, whose logits are ln 5, ln 3, ln 2: probabilities 0.5, 0.3, 0.2.
static lab_status sampled(double *value, const struct sampling *sampling)
{
    const float logits[3] = {logf(5), logf(3), logf(2)};
    float probabilities[3];
    size_t token, order[3];
    LAB_TRY(sample_token(&token, probabilities, order, logits, sampling, 0.5f, 3));
    *value = (double)probabilities[0];
    return LAB_OK;
}

static lab_status probability_at_half_temperature(double *value)
{
    const struct sampling sampling = {.temperature = 0.5f, .top_k = 0, .top_p = 1};
    return sampled(value, &sampling);
}

static lab_status probability_with_top_p(double *value)
{
    const struct sampling sampling = {.temperature = 1, .top_k = 0, .top_p = 0.7f};
    return sampled(value, &sampling);
}

const struct prediction predictions[] = {
    PREDICT(token_of_b),
    PREDICT(last_target),
    PREDICT(rmsnorm_of_equal_numbers),
    PREDICT(rmsnorm_gradient_along_x),
    PREDICT(closed_gate),
    PREDICT(open_gate),
    PREDICT(perplexity_of_ln_8),
    PREDICT(bits_of_ln_8),
    PREDICT(probability_at_half_temperature),
    PREDICT(probability_with_top_p),
    {NULL, NULL},
};
