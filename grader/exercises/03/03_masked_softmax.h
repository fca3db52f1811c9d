// 03_masked_softmax.h - shared by the files of 3.3.

#ifndef GRADER_03_03_MASKED_SOFTMAX_H
#define GRADER_03_03_MASKED_SOFTMAX_H

#include "exercises/03/shared.h"
#include "exercises/exercise.h"

#include "03_causal_mask/causal.h"

// 03b_masked_softmax_mistakes.c
extern const struct mistake masked_softmax_mistakes[];
extern const struct mistake masked_softmax_alternatives[];

// 03a_masked_softmax_rows.c: the functions of the mistakes.
extern __typeof__(masked_softmax) softmax_without_mask, softmax_mask_after,
    softmax_mask_multiplied, softmax_mask_added, softmax_minus_10000,
    softmax_minus_10000_guarded, softmax_minus_1e9, softmax_minus_1e9_guarded,
    softmax_fully_masked_uniform, softmax_lane_maximum, softmax_half_warp,
    softmax_fully_masked_nan, softmax_added_10000, softmax_added_10000_no_guard,
    softmax_added_1e9, softmax_added_1e9_no_guard, softmax_renormalized_in_double,
    softmax_inverted, softmax_none_allowed, softmax_without_max, softmax_without_max_nan,
    softmax_without_max_allowed, softmax_max_of_all, softmax_max_of_all_nan,
    softmax_max_from_zero, softmax_max_from_zero_nan, softmax_max_from_1e4,
    softmax_max_from_1e4_nan, softmax_max_from_1e9, softmax_max_from_1e9_nan,
    softmax_max_from_key_0, softmax_max_from_key_0_nan, softmax_times_mask,
    softmax_times_mask_zeros, softmax_times_mask_nan, softmax_no_max_times_mask,
    softmax_whole_sum, softmax_sum_from_1, softmax_divide_from_1, softmax_sum_is_last,
    softmax_sum_is_last_guarded, softmax_log, softmax_log_rounded, softmax_log_sum_lost,
    softmax_mask_of_row_0, softmax_max_of_rows, softmax_max_of_rows_nan,
    softmax_unnormalized, softmax_down_columns;

// Applies the rule to each row.
lab_status each_masked_row(row_rule *rule, float *weights, const float *scores,
                           const uint8_t *mask, size_t N, size_t S);

// ROWS(name) { body for one row } defines name with masked_softmax's signature, and name_row for
// one row, which 3.4 calls.
#define ROWS(name)                                                                       \
    row_rule name##_row;                                                                 \
    lab_status name(float *weights, const float *scores, const uint8_t *mask, size_t N,  \
                    size_t S)                                                            \
    {                                                                                    \
        return each_masked_row(name##_row, weights, scores, mask, N, S);                 \
    }                                                                                    \
    void name##_row(float *w, const float *scores, const uint8_t *mask, size_t S)

// Forbidden scores become a finite number. If guarded, a row without an allowed key gives zeros.
void fill_forbidden(float *w, const float *scores, const uint8_t *mask, size_t S,
                    float with, bool guarded);

#endif
