// 04b_softmax_in_one_pass.c - exercise 1.4: an online softmax, right and with its mistakes.

#include "exercises/exercise.h"
#include "exercises/01/04_softmax_rows.h"

#include <math.h>

// With skips_empty and zeros_if_empty it is right.
struct one_pass_faults {
    bool skips_empty; // scores of -inf: before the first other score, there is no maximum
    bool not_rescaled;   // what was added before a larger score appears stays as it is
    bool zeros_if_empty; // tests the maximum
    bool zeros_if_nan;   // tests the sum
};

static float sum_of_row(const float *scores, size_t S, float *max,
                        const struct one_pass_faults *fault)
{
    float sum = 0.0f;
    *max = -INFINITY;
    for (size_t s = 0; s < S; s++) {
        if (fault->skips_empty && scores[s] == -INFINITY) {
            continue;
        }
        const float larger = fmaxf(*max, scores[s]);
        sum *= fault->not_rescaled ? 1.0f : expf(*max - larger);
        sum += expf(scores[s] - larger);
        *max = larger;
    }
    return sum;
}

static lab_status faulty_pass(float *weights, const float *scores, size_t T, size_t S,
                              struct one_pass_faults fault)
{
    if (T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t t = 0; t < T; t++) {
        float max;
        const float sum = sum_of_row(scores + t * S, S, &max, &fault);
        const bool zeros = (fault.zeros_if_empty && max == -INFINITY) ||
                           (fault.zeros_if_nan && !(sum > 0.0f));
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] = zeros ? 0.0f : expf(scores[t * S + s] - max) / sum;
        }
    }
    return LAB_OK;
}

#define ONE_PASS(name, ...)                                                              \
    lab_status name(float *weights, const float *scores, size_t T, size_t S)             \
    {                                                                                    \
        return faulty_pass(weights, scores, T, S,                                        \
                           (struct one_pass_faults){__VA_ARGS__});                       \
    }

ONE_PASS(one_pass, .skips_empty = true, .zeros_if_empty = true)
ONE_PASS(one_pass_not_rescaled, .skips_empty = true, .not_rescaled = true,
         .zeros_if_empty = true)
ONE_PASS(one_pass_nan, .skips_empty = false)
ONE_PASS(one_pass_nan_guarded, .zeros_if_empty = true)
ONE_PASS(one_pass_zeros, .zeros_if_nan = true)
