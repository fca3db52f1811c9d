// 03a_masked_softmax_rows.c - exercise 3.3: the functions of the known mistakes. Most are rules for one row.

#include "exercises/03/03_masked_softmax.h"
#include "exercises/common/log_softmax.h"

#include <float.h>
#include <math.h>
#include <string.h>

lab_status each_masked_row(row_rule *rule, float *weights, const float *scores,
                           const uint8_t *mask, size_t N, size_t S)
{
    if (N == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t n = 0; n < N; n++) {
        rule(weights + n * S, scores + n * S, mask + n * S, S);
    }
    return LAB_OK;
}

ROWS(softmax_without_mask)
{
    (void)mask;
    memcpy(w, scores, S * sizeof *w);
    softmax_in_place(w, S);
}

ROWS(softmax_mask_after)
{
    memcpy(w, scores, S * sizeof *w);
    softmax_in_place(w, S);
    for (size_t s = 0; s < S; s++) {
        w[s] *= (float)mask[s];
    }
}

ROWS(softmax_mask_multiplied)
{
    for (size_t s = 0; s < S; s++) {
        w[s] = scores[s] * (float)mask[s];
    }
    softmax_in_place(w, S);
}

ROWS(softmax_mask_added)
{
    for (size_t s = 0; s < S; s++) {
        w[s] = scores[s] + (float)mask[s];
    }
    softmax_in_place(w, S);
}

void fill_forbidden(float *w, const float *scores, const uint8_t *mask, size_t S,
                    float with, bool guarded)
{
    bool empty = guarded;
    for (size_t s = 0; s < S; s++) {
        w[s] = mask[s] ? scores[s] : with;
        empty = empty && mask[s] == 0;
    }
    if (empty) {
        memset(w, 0, S * sizeof *w);
        return;
    }
    softmax_in_place(w, S);
}

// FILLED(name, with, guarded) fills forbidden scores with that number.
#define FILLED(name, with, guarded)                                                      \
    ROWS(name)                                                                           \
    {                                                                                    \
        fill_forbidden(w, scores, mask, S, with, guarded);                               \
    }

FILLED(softmax_minus_10000, -1e4f, false)
FILLED(softmax_minus_10000_guarded, -1e4f, true)
FILLED(softmax_minus_1e9, -1e9f, false)
FILLED(softmax_minus_1e9_guarded, -1e9f, true)
FILLED(softmax_fully_masked_uniform, -FLT_MAX, false)

// The result of a warp whose lanes never exchange their maxima. Lane s % 32 handles key
// s.
ROWS(softmax_lane_maximum)
{
    enum { LANES = 32 };
    float max[LANES];
    for (size_t lane = 0; lane < LANES; lane++) {
        max[lane] = -INFINITY;
    }
    for (size_t s = 0; s < S; s++) {
        if (mask[s] != 0) {
            max[s % LANES] = fmaxf(max[s % LANES], scores[s]);
        }
    }
    float sum = 0.0f;
    for (size_t s = 0; s < S; s++) {
        w[s] = mask[s] != 0 ? expf(scores[s] - max[s % LANES]) : 0.0f;
        sum += w[s];
    }
    for (size_t s = 0; s < S && sum > 0.0f; s++) {
        w[s] /= sum;
    }
}

// Of a warp whose lanes exchange their maxima and sums only within each half.
ROWS(softmax_half_warp)
{
    enum { LANES = 32, HALF = LANES / 2 };
    float max[2] = {-INFINITY, -INFINITY}, sum[2] = {0.0f, 0.0f};
    for (size_t s = 0; s < S; s++) {
        float *mine = &max[s % LANES / HALF];
        *mine = mask[s] != 0 ? fmaxf(*mine, scores[s]) : *mine;
    }
    for (size_t s = 0; s < S; s++) {
        w[s] = mask[s] != 0 ? expf(scores[s] - max[s % LANES / HALF]) : 0.0f;
        sum[s % LANES / HALF] += w[s];
    }
    for (size_t s = 0; s < S; s++) {
        w[s] = mask[s] != 0 ? w[s] / sum[s % LANES / HALF] : 0.0f;
    }
}

ROWS(softmax_fully_masked_nan)
{
    for (size_t s = 0; s < S; s++) {
        w[s] = mask[s] ? scores[s] : -INFINITY;
    }
    softmax_in_place(w, S);
}

// A number is added to forbidden scores, as many programs do. If guarded, a row without an allowed key
// gives zeros.
static void add_to_forbidden(float *w, const float *scores, const uint8_t *mask, size_t S,
                             float by, bool guarded)
{
    bool empty = guarded;
    for (size_t s = 0; s < S; s++) {
        w[s] = scores[s] + (mask[s] ? 0.0f : by);
        empty = empty && mask[s] == 0;
    }
    if (empty) {
        memset(w, 0, S * sizeof *w);
        return;
    }
    softmax_in_place(w, S);
}

// ADDED(name, by, guarded) adds that number to forbidden scores.
#define ADDED(name, by, guarded)                                                         \
    ROWS(name)                                                                           \
    {                                                                                    \
        add_to_forbidden(w, scores, mask, S, by, guarded);                               \
    }

ADDED(softmax_added_10000, -1e4f, true)
ADDED(softmax_added_10000_no_guard, -1e4f, false)
ADDED(softmax_added_1e9, -1e9f, true)
ADDED(softmax_added_1e9_no_guard, -1e9f, false)

ROWS(softmax_renormalized_in_double)
{
    double max = -INFINITY, all = 0.0, allowed = 0.0;
    for (size_t s = 0; s < S; s++) {
        max = fmax(max, (double)scores[s]);
    }
    for (size_t s = 0; s < S; s++) {
        all += exp((double)scores[s] - max);
    }
    for (size_t s = 0; s < S; s++) {
        allowed += mask[s] ? exp((double)scores[s] - max) / all : 0.0;
    }
    for (size_t s = 0; s < S; s++) {
        w[s] = mask[s] ? (float)(exp((double)scores[s] - max) / all / allowed) : 0.0f;
    }
}

ROWS(softmax_inverted)
{
    for (size_t s = 0; s < S; s++) {
        w[s] = mask[s] ? -INFINITY : scores[s];
    }
    float max = -INFINITY;
    for (size_t s = 0; s < S; s++) {
        max = fmaxf(max, w[s]);
    }
    if (max == -INFINITY) {
        memset(w, 0, S * sizeof *w);
        return;
    }
    softmax_in_place(w, S);
}

ROWS(softmax_none_allowed)
{
    (void)scores, (void)mask;
    memset(w, 0, S * sizeof *w);
}

// The possible mistakes of a masked softmax; if all are 0, it is right.
struct masked_faults {
    enum { ALLOWED, ALL_KEYS, FROM_KEY_0, FROM_ZERO, FROM_1E4, FROM_1E9, NONE } maximum;
    bool nan_if_empty; // a row without an allowed key is divided by its sum of 0
    bool zeros_if_nan; // zeros wherever the sum is not above 0, NaN included
    bool times_mask;   // exponentials of all keys, times 0 or 1
    bool whole_sum;    // int sum
    bool sum_from_1, divide_from_1;
    bool sum_is_last;  // each exponential replaces the sum
    bool divides_by_0; // a row with an allowed key is divided by its sum, even by 0
    bool only_allowed; // forbidden keys are not divided
};

static float masked_maximum(const float *scores, const uint8_t *mask, size_t S,
                            struct masked_faults fault)
{
    float max = fault.maximum == FROM_KEY_0  ? scores[0]
                : fault.maximum == FROM_ZERO ? 0.0f
                : fault.maximum == FROM_1E4  ? -1e4f
                : fault.maximum == FROM_1E9  ? -1e9f
                                             : -INFINITY;
    for (size_t s = 0; s < S; s++) {
        if (mask[s] || fault.maximum == ALL_KEYS) {
            max = fmaxf(max, scores[s]);
        }
    }
    return fault.maximum == NONE ? 0.0f : max;
}

static void faulty_row(float *w, const float *scores, const uint8_t *mask, size_t S,
                       struct masked_faults fault)
{
    const float max = masked_maximum(scores, mask, S, fault);
    bool empty = true;
    float sum = 0.0f;
    for (size_t s = 0; s < S; s++) {
        const float e = expf(scores[s] - max);
        w[s] = fault.times_mask ? e * (float)mask[s] : mask[s] ? e : 0.0f;
        const float term = s == 0 && fault.sum_from_1 ? 0.0f : w[s];
        sum = fault.sum_is_last ? term : sum + term;
        sum = fault.whole_sum ? truncf(sum) : sum;
        empty = empty && mask[s] == 0;
    }
    const bool no_sum = fault.divides_by_0   ? false
                        : fault.zeros_if_nan ? !(sum > 0.0f)
                                             : sum == 0.0f;
    if (!fault.nan_if_empty && (empty || no_sum)) {
        memset(w, 0, S * sizeof *w);
        return;
    }
    for (size_t s = fault.divide_from_1; s < S; s++) {
        w[s] = fault.only_allowed && mask[s] == 0 ? 0.0f : w[s] / sum;
    }
}

// FAULTY(name, fault...) is the row with these faults.
#define FAULTY(name, ...)                                                                \
    ROWS(name)                                                                           \
    {                                                                                    \
        faulty_row(w, scores, mask, S, (struct masked_faults){__VA_ARGS__});             \
    }

FAULTY(softmax_without_max, .maximum = NONE)
FAULTY(softmax_without_max_nan, .maximum = NONE, .nan_if_empty = true)
FAULTY(softmax_without_max_allowed, .maximum = NONE, .divides_by_0 = true,
       .only_allowed = true)
FAULTY(softmax_max_of_all, .maximum = ALL_KEYS)
FAULTY(softmax_max_of_all_nan, .maximum = ALL_KEYS, .nan_if_empty = true)
FAULTY(softmax_max_from_zero, .maximum = FROM_ZERO)
FAULTY(softmax_max_from_zero_nan, .maximum = FROM_ZERO, .nan_if_empty = true)
FAULTY(softmax_max_from_1e4, .maximum = FROM_1E4)
FAULTY(softmax_max_from_1e4_nan, .maximum = FROM_1E4, .nan_if_empty = true)
FAULTY(softmax_max_from_1e9, .maximum = FROM_1E9)
FAULTY(softmax_max_from_1e9_nan, .maximum = FROM_1E9, .nan_if_empty = true)
FAULTY(softmax_max_from_key_0, .maximum = FROM_KEY_0)
FAULTY(softmax_max_from_key_0_nan, .maximum = FROM_KEY_0, .nan_if_empty = true)
FAULTY(softmax_times_mask, .times_mask = true)
FAULTY(softmax_times_mask_zeros, .times_mask = true, .zeros_if_nan = true)
FAULTY(softmax_times_mask_nan, .times_mask = true, .nan_if_empty = true)
FAULTY(softmax_no_max_times_mask, .maximum = NONE, .times_mask = true,
       .zeros_if_nan = true)
FAULTY(softmax_whole_sum, .whole_sum = true)
FAULTY(softmax_sum_from_1, .sum_from_1 = true)
FAULTY(softmax_divide_from_1, .divide_from_1 = true)
FAULTY(softmax_sum_is_last, .sum_is_last = true, .divides_by_0 = true)
FAULTY(softmax_sum_is_last_guarded, .sum_is_last = true)

// BY_LOG(name, form, nan): by way of its logarithm (log_softmax.h).
#define BY_LOG(name, ...)                                                                \
    ROWS(name)                                                                           \
    {                                                                                    \
        softmax_by_log(__VA_ARGS__, w, scores, mask, S);                                 \
    }

BY_LOG(softmax_log, LOG_WEIGHT, false)
BY_LOG(softmax_log_rounded, LOG_SUM_ROUNDED, false)
BY_LOG(softmax_log_sum_lost, LOG_SUM_LOST, false)

lab_status softmax_mask_of_row_0(float *weights, const float *scores, const uint8_t *mask,
                                 size_t N, size_t S)
{
    if (N == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t n = 0; n < N; n++) {
        faulty_row(weights + n * S, scores + n * S, mask, S, (struct masked_faults){0});
    }
    return LAB_OK;
}

// Subtracts the largest allowed score of all rows.
static lab_status softmax_one_maximum(bool guarded, float *weights, const float *scores,
                                      const uint8_t *mask, size_t N, size_t S)
{
    if (N == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    float max = -INFINITY;
    for (size_t i = 0; i < N * S; i++) {
        max = mask[i] ? fmaxf(max, scores[i]) : max;
    }
    for (size_t n = 0; n < N; n++) {
        float *w = weights + n * S, sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            w[s] = mask[n * S + s] ? expf(scores[n * S + s] - max) : 0.0f;
            sum += w[s];
        }
        for (size_t s = 0; s < S; s++) {
            w[s] = sum > 0.0f || !guarded ? w[s] / sum : 0.0f;
        }
    }
    return LAB_OK;
}

lab_status softmax_max_of_rows(float *weights, const float *scores, const uint8_t *mask,
                               size_t N, size_t S)
{
    return softmax_one_maximum(true, weights, scores, mask, N, S);
}

lab_status softmax_max_of_rows_nan(float *weights, const float *scores,
                                   const uint8_t *mask, size_t N, size_t S)
{
    return softmax_one_maximum(false, weights, scores, mask, N, S);
}

ROWS(softmax_unnormalized)
{
    float max = -INFINITY;
    for (size_t s = 0; s < S; s++) {
        if (mask[s]) {
            max = fmaxf(max, scores[s]);
        }
    }
    for (size_t s = 0; s < S; s++) {
        w[s] = mask[s] ? expf(scores[s] - max) : 0.0f;
    }
}

lab_status softmax_down_columns(float *weights, const float *scores, const uint8_t *mask,
                                size_t N, size_t S)
{
    if (N == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t s = 0; s < S; s++) {
        softmax_where(weights + s, scores + s, mask + s, N, S);
    }
    return LAB_OK;
}
