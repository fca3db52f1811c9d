// 04_softmax_rows.h - shared by the files of 1.4.

#ifndef GRADER_01_04_SOFTMAX_ROWS_H
#define GRADER_01_04_SOFTMAX_ROWS_H

#include "exercises/exercise.h"

extern const struct mistake softmax_mistakes[];
extern const struct mistake softmax_alternatives[];

// softmax_rows in one pass over each row (04b_softmax_in_one_pass.c): right, and with mistakes.
lab_status one_pass(float *weights, const float *scores, size_t T, size_t S);
lab_status one_pass_not_rescaled(float *weights, const float *scores, size_t T, size_t S);
lab_status one_pass_nan(float *weights, const float *scores, size_t T, size_t S);
lab_status one_pass_nan_guarded(float *weights, const float *scores, size_t T, size_t S);
lab_status one_pass_zeros(float *weights, const float *scores, size_t T, size_t S);

#endif
