// shared.c - see shared.h.

#include "exercises/exercise.h"
#include "exercises/02/shared.h"
#include "exercises/common/in_int.h"

#include <math.h>
#include <stdio.h>

#include "02_batching/batching.h"

void multiply(float *out, struct layout lo, const float *a, struct layout la,
              const float *b, struct layout lb, size_t B, size_t M, size_t N, size_t K)
{
    for (size_t i = 0; i < B; i++) {
        for (size_t m = 0; m < M; m++) {
            for (size_t n = 0; n < N; n++) {
                float sum = 0.0f;
                for (size_t k = 0; k < K; k++) {
                    sum += a[i * la.matrix + m * la.row + k * la.column] *
                           b[i * lb.matrix + k * lb.row + n * lb.column];
                }
                out[i * lo.matrix + m * lo.row + n * lo.column] = sum;
            }
        }
    }
}

// Property, here and below: changes the middle sequence; the other outputs must stay the
// same.

// ---- changing one sequence does not change the others ------------------------------------

void change_middle(struct test_case *second, const char *input)
{
    const size_t B = case_dim(second, "B");
    const size_t count = case_count(second, input) / B;
    float *x = case_f32(second, input) + B / 2 * count;
    for (size_t i = 0; i < count; i++) {
        x[i] = 0.5f - x[i];
    }
}

// BEGIN HANDED OUT
bool others_unchanged(const struct test_case *first, const struct test_case *second,
                      const char *output, char *why, size_t why_size)
{
    const size_t B = case_dim(first, "B");
    const size_t count = case_count(first, output) / B;
    const float *before = case_got(first, output);
    const float *after = case_got(second, output);
    for (size_t i = 0; i < B * count; i++) {
        const size_t sequence = i / count;
        if (sequence != B / 2 && !(before[i] == after[i])) {
            snprintf(
                why, why_size,
                "only sequence %zu of the input changed, but %s of sequence %zu went "
                "from %.9g to %.9g",
                B / 2, output, sequence, (double)before[i], (double)after[i]);
            return false;
        }
    }
    return true;
}
// END HANDED OUT

// ---- softmax, for 2.4 and 2.5 ------------------------------------------------------------

void softmax_along(float *out, const float *in, size_t count, size_t stride)
{
    float max = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        max = fmaxf(max, in[i * stride]);
    }
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        out[i * stride] = max == -INFINITY ? 0.0f : expf(in[i * stride] - max);
        sum += (double)out[i * stride];
    }
    for (size_t i = 0; i < count && sum > 0.0; i++) {
        out[i * stride] = (float)((double)out[i * stride] / sum);
    }
}

bool no_size(size_t B, size_t T, size_t S)
{
    return B == 0 || T == 0 || S == 0;
}

lab_status softmax_over_batch(float *weights, const float *scores, size_t B, size_t T,
                              size_t S)
{
    if (no_size(B, T, S)) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < T * S; i++) {
        softmax_along(weights + i, scores + i, B, T * S);
    }
    return LAB_OK;
}

lab_status softmax_over_queries(float *weights, const float *scores, size_t B, size_t T,
                                size_t S)
{
    if (no_size(B, T, S)) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < B * S; i++) {
        const size_t first = i / S * T * S + i % S;
        softmax_along(weights + first, scores + first, T, S);
    }
    return LAB_OK;
}

lab_status softmax_over_map(float *weights, const float *scores, size_t B, size_t T,
                            size_t S)
{
    if (no_size(B, T, S)) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < B; i++) {
        softmax_along(weights + i * T * S, scores + i * T * S, T * S, 1);
    }
    return LAB_OK;
}

lab_status softmax_over_all(float *weights, const float *scores, size_t B, size_t T,
                            size_t S)
{
    if (no_size(B, T, S)) {
        return LAB_ESHAPE;
    }
    softmax_along(weights, scores, B * T * S, 1);
    return LAB_OK;
}

lab_status softmax_shifted(float *weights, const float *scores, size_t rows, size_t S,
                           enum shift shift, enum empty empty)
{
    if (rows == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < rows; i++) {
        const float *in = scores + i * S;
        float *out = weights + i * S;
        float max = shift == ROW_MAX || shift == MAX_IN_INT ? -INFINITY
                    : shift == MAX_FROM_MINUS_10000         ? -10000.0f
                    : shift == MAX_FROM_MINUS_1E9           ? -1e9f
                                                            : 0.0f;
        for (size_t s = 0; s < S && shift != NOTHING; s++) {
            max = fmaxf(max, in[s]);
        }
        max = shift == MAX_IN_INT ? as_int(max) : max;
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            out[s] = expf(in[s] - max);
            sum += out[s];
        }
        for (size_t s = 0; s < S; s++) {
            out[s] = sum == 0.0f && empty == ZEROS ? 0.0f : out[s] / sum;
        }
    }
    return LAB_OK;
}

lab_status softmax_no_max(float *weights, const float *scores, size_t B, size_t T,
                          size_t S)
{
    return softmax_shifted(weights, scores, B * T, S, NOTHING, ZEROS);
}

lab_status softmax_no_max_no_guard(float *weights, const float *scores, size_t B,
                                   size_t T, size_t S)
{
    return softmax_shifted(weights, scores, B * T, S, NOTHING, DIVIDE_ANYWAY);
}

// BEGIN HANDED OUT
bool single_keys_take_all(const struct test_case *first, const struct test_case *second,
                          char *why, size_t why_size)
{
    (void)first;
    const float *weights = case_got(second, "weights");
    for (size_t i = 0; i < case_count(second, "weights"); i++) {
        if (!(fabsf(weights[i] - 1.0f) <= 3e-7f)) { // a few roundings
            snprintf(why, why_size,
                     "the weight of row %zu is %.9g: is something added to the sum, such "
                     "as 1e-6?",
                     i, (double)weights[i]);
            return false;
        }
    }
    return true;
}
// END HANDED OUT
