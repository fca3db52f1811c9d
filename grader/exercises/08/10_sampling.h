// 10_sampling.h - shared by the files of 8.10 and 8.11: sampling in double, right or with a fault.

#ifndef GRADER_08_10_SAMPLING_H
#define GRADER_08_10_SAMPLING_H

#include "exercises/common/sampling.h"
#include "exercises/exercise.h"

#include "08_language_model/language_model.h"

extern const struct mistake sample_token_mistakes[];
extern const struct mistake sample_token_alternatives[];

enum sample_fault {
    SAMPLE_RIGHT,
    SAMPLE_TOKEN_ORDER,
    SAMPLE_SMALLEST_FIRST,
    SAMPLE_ASCENDING_SUM,
    SAMPLE_TIES_HIGHER,
    SAMPLE_TEMPERATURE_MULTIPLIED,
    SAMPLE_TEMPERATURE_IGNORED,
    SAMPLE_TEMPERATURE_LAST,
    SAMPLE_ZERO_DIVIDES,
    SAMPLE_ZERO_IS_ONE,
    SAMPLE_NO_MAX,
    SAMPLE_BASE_2,
    SAMPLE_SOFTMAX_TWICE,
    SAMPLE_NO_TOP_K,
    SAMPLE_K_ONE_MORE,
    SAMPLE_K_ONE_LESS,
    SAMPLE_K_ZERO_IS_ONE,
    SAMPLE_K_BY_VALUE,
    SAMPLE_NO_TOP_P,
    SAMPLE_P_WITHOUT_CROSSING,
    SAMPLE_P_ONE_MORE,
    SAMPLE_P_STRICT,
    SAMPLE_P_OF_ALL,
    SAMPLE_P_IS_A_FLOOR,
    SAMPLE_P_OF_WEIGHTS,
    SAMPLE_P_IS_THE_REST,
    SAMPLE_NOT_RESCALED,
    SAMPLE_OTHERS_LEFT,
    SAMPLE_BY_RANK,
    SAMPLE_RANK_FOR_TOKEN,
    SAMPLE_REACHES_U,
    SAMPLE_U_FROM_1,
    SAMPLE_ALWAYS_FIRST,
};

// sample_token with one fault.
lab_status sample_with(enum sample_fault fault, size_t *token, float *probabilities,
                       size_t *order, const float *logits,
                       const struct sampling *sampling, float u, size_t V);

#endif
