// shared.c - see shared.h.

#include "exercises/exercise.h"
#include "exercises/05/shared.h"

#include <math.h>

#include "05_transformer_block/block.h"
#include "common/rng.h"

void spread_input(struct test_case *test, struct lab_rng *rng, const char *name,
                  float low, float high)
{
    float *values = case_f32(test, name);
    lab_rng_rand(rng, values, case_count(test, name));
    for (size_t i = 0; i < case_count(test, name); i++) {
        values[i] = low + (high - low) * values[i];
    }
}

double gelu_of(double x)
{
    return 0.5 * x * (1.0 + erf(x / sqrt(2.0)));
}

SHARED_ACTIVATION(gelu_by_tanh,
                  0.5 * x * (1.0 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))))

SHARED_ACTIVATION(relu, x > 0.0 ? x : 0.0)

SHARED_ACTIVATION(identity, x)

SHARED_ACTIVATION(gelu_by_erfc, 0.5 * x * erfc(-x / sqrt(2.0)))

void linear_in_float(float *y, const float *x, const float *w, const float *bias,
                     size_t N, size_t in, size_t out, bool flipped)
{
    for (size_t n = 0; n < N; n++) {
        for (size_t o = 0; o < out; o++) {
            float sum = bias == NULL ? 0.0f : bias[o];
            for (size_t i = 0; i < in; i++) {
                sum += x[n * in + i] * (flipped ? w[i * out + o] : w[o * in + i]);
            }
            y[n * out + o] = sum;
        }
    }
}
