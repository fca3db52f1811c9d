// 04a_softmax_mistakes.c - exercise 1.4: known mistakes and other right solutions.

#include "exercises/exercise.h"
#include "exercises/01/04_softmax_rows.h"
#include "exercises/01/shared.h"
#include "exercises/common/empty_row.h"
#include "exercises/common/in_int.h"
#include "exercises/common/log_softmax.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "01_simple_attention/attention.h"

// The possible mistakes of a softmax over rows. With start -INFINITY, zeros_if_empty set
// and all else 0, it is right.
struct softmax_faults {
    enum { OF_THE_ROW, OF_ROWS_SO_FAR, OF_ALL_ROWS, FROM_SCORE_0, NO_MAXIMUM } maximum;
    float start;            // of the search for the maximum
    bool in_int;            // the maximum
    bool sum_goes_on;       // from row to row
    bool zeros_if_empty;    // tests the maximum
    bool zeros_if_sum_is_0; // tests the sum
    bool whole_sum;         // int sum
    bool sum_from_1, divide_from_1;
    bool sum_is_last;   // each exponential replaces the sum
    bool scores_in_sum; // not their exponentials
    bool float_sum;     // scores may cancel, so that a sum in double is another one
    bool sum_so_far;    // divides each exponential by the sum up to it
    bool by_count;      // weights divided by S, not by the sum
    bool also_by_count; // weights divided by S as well
    bool not_divided;
    bool max_in_sum_only; // the weights are made of exponentials without it
    bool negated;         // exp(max - score)
};

static lab_status faulty_softmax(float *weights, const float *scores, size_t T, size_t S,
                                 struct softmax_faults fault)
{
    if (T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    float max =
        fault.maximum == OF_ALL_ROWS ? maximum(scores, T * S, fault.start) : fault.start;
    double sum = 0.0;
    for (size_t t = 0; t < T; t++) {
        const float *scores_t = scores + t * S;
        float *weights_t = weights + t * S;
        if (fault.maximum == OF_THE_ROW) {
            max = maximum(scores_t, S, fault.start);
        } else if (fault.maximum == OF_ROWS_SO_FAR) {
            max = maximum(scores_t, S, max);
        } else if (fault.maximum == FROM_SCORE_0) {
            max = maximum(scores_t, S, scores[0]);
        }
        if (fault.zeros_if_empty && max == -INFINITY) {
            zero_row(weights_t, S);
            continue;
        }
        max = fault.in_int ? as_int(max) : max;
        sum = fault.sum_goes_on ? sum : 0.0;
        for (size_t s = 0; s < S; s++) {
            const float exponent = scores_t[s] - max;
            weights_t[s] = expf(fault.negated ? -exponent : exponent);
            const float added = fault.scores_in_sum ? scores_t[s] : weights_t[s];
            const double term = s == 0 && fault.sum_from_1 ? 0.0 : (double)added;
            sum = fault.sum_is_last ? term : sum + term;
            sum = fault.whole_sum ? trunc(sum) : sum;
            sum = fault.float_sum ? (float)sum : sum;
            const bool no_sum =
                !fault.sum_so_far || (fault.zeros_if_sum_is_0 && sum == 0);
            weights_t[s] /= no_sum ? 1.0f : (float)sum;
        }
        sum = fault.by_count ? (double)S : fault.sum_so_far ? 1.0 : sum;
        for (size_t s = fault.divide_from_1; s < S; s++) {
            bool empty = fault.zeros_if_sum_is_0 && sum == 0.0;
            const float term = fault.max_in_sum_only ? expf(scores_t[s]) : weights_t[s];
            weights_t[s] = empty ? 0.0f : fault.not_divided ? term : (float)(term / sum);
            weights_t[s] /= fault.also_by_count ? (float)S : 1.0f;
        }
    }
    return LAB_OK;
}

// FAULTY(name, fault...) is the softmax with these faults.
#define FAULTY(name, ...)                                                                \
    static lab_status name(float *weights, const float *scores, size_t T, size_t S)      \
    {                                                                                    \
        return faulty_softmax(weights, scores, T, S,                                     \
                              (struct softmax_faults){__VA_ARGS__});                     \
    }
#define RIGHT_MAXIMUM .start = -INFINITY, .zeros_if_empty = true

FAULTY(softmax_no_max, .maximum = NO_MAXIMUM)
FAULTY(softmax_negated, RIGHT_MAXIMUM, .negated = true)
FAULTY(softmax_no_max_guarded, .maximum = NO_MAXIMUM, .zeros_if_sum_is_0 = true)
FAULTY(softmax_max_in_int, RIGHT_MAXIMUM, .in_int = true)
FAULTY(softmax_max_in_int_guarded, .start = -INFINITY, .in_int = true,
       .zeros_if_sum_is_0 = true)
FAULTY(softmax_max_from_zero, .start = 0.0f)
FAULTY(softmax_max_from_zero_guarded, .start = 0.0f, .zeros_if_sum_is_0 = true)
FAULTY(softmax_max_from_minus_10000, .start = -1e4f)
FAULTY(softmax_max_from_minus_10000_guarded, .start = -1e4f, .zeros_if_sum_is_0 = true)
FAULTY(softmax_max_from_minus_1e9, .start = -1e9f)
FAULTY(softmax_max_from_minus_1e9_guarded, .start = -1e9f, .zeros_if_sum_is_0 = true)
FAULTY(softmax_max_of_all, .maximum = OF_ALL_ROWS, .start = -INFINITY)
FAULTY(softmax_max_of_all_guarded, .maximum = OF_ALL_ROWS, .start = -INFINITY,
       .zeros_if_sum_is_0 = true)
FAULTY(softmax_max_so_far, .maximum = OF_ROWS_SO_FAR, .start = -INFINITY)
FAULTY(softmax_max_from_score_0, .maximum = FROM_SCORE_0)
FAULTY(softmax_max_from_score_0_guarded, .maximum = FROM_SCORE_0,
       .zeros_if_sum_is_0 = true)
FAULTY(softmax_not_normalized, RIGHT_MAXIMUM, .not_divided = true)
FAULTY(softmax_not_normalized_nan, .start = -INFINITY, .not_divided = true)
FAULTY(softmax_max_in_sum_only, RIGHT_MAXIMUM, .max_in_sum_only = true)
FAULTY(softmax_max_in_sum_only_nan, .start = -INFINITY, .max_in_sum_only = true)
FAULTY(softmax_empty_is_nan, .start = -INFINITY)
FAULTY(softmax_sum_goes_on, RIGHT_MAXIMUM, .sum_goes_on = true)
FAULTY(softmax_whole_sum, RIGHT_MAXIMUM, .whole_sum = true)
FAULTY(softmax_sum_from_1, RIGHT_MAXIMUM, .sum_from_1 = true)
FAULTY(softmax_divide_from_1, RIGHT_MAXIMUM, .divide_from_1 = true)
FAULTY(softmax_sum_is_last, RIGHT_MAXIMUM, .sum_is_last = true)
FAULTY(softmax_sum_is_last_guarded, RIGHT_MAXIMUM, .sum_is_last = true,
       .zeros_if_sum_is_0 = true)
FAULTY(softmax_also_by_count, RIGHT_MAXIMUM, .also_by_count = true)
FAULTY(softmax_by_count, RIGHT_MAXIMUM, .by_count = true)
FAULTY(softmax_scores_in_sum, RIGHT_MAXIMUM, .scores_in_sum = true, .float_sum = true)
FAULTY(softmax_sum_so_far, RIGHT_MAXIMUM, .sum_so_far = true)
FAULTY(softmax_sum_so_far_guarded, RIGHT_MAXIMUM, .sum_so_far = true,
       .zeros_if_sum_is_0 = true)

// Finds the maximum and tests it for -infinity, but does not subtract it.
static lab_status softmax_max_not_subtracted(float *weights, const float *scores,
                                             size_t T, size_t S)
{
    lab_status status = T == 0 || S == 0 ? LAB_ESHAPE : LAB_OK;
    for (size_t t = 0; t < T && status == LAB_OK; t++) {
        float max = -INFINITY;
        for (size_t s = 0; s < S; s++) {
            max = fmaxf(max, scores[t * S + s]);
        }
        if (max == -INFINITY) {
            memset(weights + t * S, 0, S * sizeof *weights);
        } else {
            status = softmax_no_max(weights + t * S, scores + t * S, 1, S);
        }
    }
    return status;
}

static lab_status softmax_empty_is_uniform(float *weights, const float *scores, size_t T,
                                           size_t S)
{
    lab_status status = softmax_rows(weights, scores, T, S);
    for (size_t i = 0; status == LAB_OK && i < T * S; i++) {
        if (is_empty(scores + i / S * S, S)) {
            weights[i] = 1.0f / (float)S;
        }
    }
    return status;
}

// BY_LOGARITHM(name, form, nan): the softmax in that form.
#define BY_LOGARITHM(name, ...)                                                          \
    static lab_status name(float *weights, const float *scores, size_t T, size_t S)      \
    {                                                                                    \
        for (size_t t = 0; t < T; t++) {                                                 \
            softmax_by_log(__VA_ARGS__, weights + t * S, scores + t * S, NULL, S);       \
        }                                                                                \
        return T == 0 || S == 0 ? LAB_ESHAPE : LAB_OK;                                   \
    }

BY_LOGARITHM(softmax_logarithm, LOG_WEIGHT, false)
BY_LOGARITHM(softmax_logarithm_nan, LOG_WEIGHT, true)
BY_LOGARITHM(softmax_logarithm_rounded, LOG_SUM_ROUNDED, false)
BY_LOGARITHM(softmax_logarithm_rounded_nan, LOG_SUM_ROUNDED, true)
BY_LOGARITHM(softmax_log_sum_lost, LOG_SUM_LOST, false)
BY_LOGARITHM(softmax_log_sum_lost_nan, LOG_SUM_LOST, true)

#define NO_MAX_WHY                                                                       \
    "expf is infinite above 88.72 and 0 below -103.97, and inf/inf and 0/0 are NaN. "    \
    "Subtract the row's maximum from its scores first; it cancels in the fraction."

// The result of a block of 128 threads that never exchange their parts. Thread s % 128
// handles key s, and `width` adjacent threads share a maximum, and, if own_sum, a sum. If
// guarded, a part of only -inf uses the maximum 0; otherwise it gives NaN.
enum { BLOCK = 128, ONE_THREAD = 1, ONE_WARP = 32 };

static lab_status softmax_in_parts(float *weights, const float *scores, size_t T,
                                   size_t S, size_t width, bool own_sum, bool guarded)
{
    if (T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t t = 0; t < T; t++) {
        float max[BLOCK];
        double sum[BLOCK] = {0.0};
        for (size_t i = 0; i < BLOCK; i++) {
            max[i] = -INFINITY;
        }
        for (size_t s = 0; s < S; s++) {
            float *mine = &max[s % BLOCK / width];
            *mine = fmaxf(*mine, scores[t * S + s]);
        }
        for (size_t s = 0; s < S; s++) {
            const size_t part = s % BLOCK / width;
            const float shift = guarded && max[part] == -INFINITY ? 0.0f : max[part];
            weights[t * S + s] = expf(scores[t * S + s] - shift);
            sum[own_sum ? part : 0] += weights[t * S + s];
        }
        for (size_t s = 0; s < S; s++) {
            const double total = sum[own_sum ? s % BLOCK / width : 0];
            const bool empty = guarded && total == 0.0;
            weights[t * S + s] = empty ? 0.0f : (float)(weights[t * S + s] / total);
        }
    }
    return LAB_OK;
}

// IN_PARTS(name, width, own_sum, guarded): the softmax in parts of that width.
#define IN_PARTS(name, ...)                                                              \
    static lab_status name(float *weights, const float *scores, size_t T, size_t S)      \
    {                                                                                    \
        return softmax_in_parts(weights, scores, T, S, __VA_ARGS__);                     \
    }

IN_PARTS(softmax_thread_maximum, ONE_THREAD, false, true)
IN_PARTS(softmax_thread_maximum_no_guard, ONE_THREAD, false, false)
IN_PARTS(softmax_warp_maximum, ONE_WARP, false, true)
IN_PARTS(softmax_warp_only, ONE_WARP, true, true)

// In each warp, only halves exchange what they have, and only the first half's results reach the block.
static lab_status softmax_half_warp(float *weights, const float *scores, size_t T,
                                    size_t S)
{
    enum { HALF = ONE_WARP / 2, HALVES = BLOCK / HALF };
    if (T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t t = 0; t < T; t++) {
        const float *scores_t = scores + t * S;
        float max[HALVES], first = -INFINITY;
        for (size_t h = 0; h < HALVES; h++) {
            max[h] = -INFINITY;
        }
        double sum = 0.0;
        for (size_t s = 0; s < S; s++) {
            float *mine = &max[s % BLOCK / HALF];
            *mine = fmaxf(*mine, scores_t[s]);
            first = s % ONE_WARP < HALF ? fmaxf(first, scores_t[s]) : first;
        }
        for (size_t s = 0; s < S; s++) {
            const float largest = fmaxf(first, max[s % BLOCK / HALF]);
            const float shift = largest == -INFINITY ? 0.0f : largest;
            weights[t * S + s] = expf(scores_t[s] - shift);
            sum += s % ONE_WARP < HALF ? (double)weights[t * S + s] : 0.0;
        }
        for (size_t s = 0; s < S; s++) {
            const double weight = (double)weights[t * S + s];
            weights[t * S + s] = sum == 0.0 ? 0.0f : (float)(weight / sum);
        }
    }
    return LAB_OK;
}

// Every thread subtracts the maximum of the keys of the block's first warp.
static lab_status softmax_first_warp_maximum(float *weights, const float *scores,
                                             size_t T, size_t S)
{
    if (T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t t = 0; t < T; t++) {
        float max = -INFINITY;
        double sum = 0.0;
        for (size_t s = 0; s < S; s++) {
            max = s % BLOCK < ONE_WARP ? fmaxf(max, scores[t * S + s]) : max;
        }
        for (size_t s = 0; s < S; s++) {
            const float shift = max == -INFINITY ? 0.0f : max;
            weights[t * S + s] = expf(scores[t * S + s] - shift);
            sum += weights[t * S + s];
        }
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] = sum == 0.0 ? 0.0f : (float)(weights[t * S + s] / sum);
        }
    }
    return LAB_OK;
}

// One key for each thread of a block: keys after the 128th are never processed.
static lab_status softmax_first_keys_only(float *weights, const float *scores, size_t T,
                                          size_t S)
{
    if (T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    lab_status status = LAB_OK;
    const size_t keys = S < BLOCK ? S : BLOCK;
    for (size_t t = 0; t < T && status == LAB_OK; t++) {
        status =
            softmax_in_parts(weights + t * S, scores + t * S, 1, keys, BLOCK, true, true);
    }
    return status;
}

static lab_status softmax_rounded(float *weights, const float *scores, size_t T, size_t S)
{
    return round_to_places(weights, softmax_rows(weights, scores, T, S), T, S);
}

#define THREAD_MAXIMUM_WHY                                                               \
    "Every exponential of a row needs the same maximum. Each thread finds the "          \
    "largest of its own keys. Combine these (with shuffles in the warp and shared "      \
    "memory between the warps) before the first expf."

#define MAX_FROM_ZERO_WHY                                                                \
    "If all scores of a row are far below 0, the maximum stays 0, and every "            \
    "exponential and their sum are 0. Start from the row's first score or from "         \
    "-INFINITY (not from FLT_MIN, a tiny POSITIVE number: 1.2e-38)." EMPTY_ROW_WHY
#define MAX_FROM_MINUS_1E9_WHY                                                           \
    "If all scores of a row are below that number, every exponential underflows. A "     \
    "finite score may be as low as -3.4e38. Start from the row's first score or from "   \
    "-INFINITY." EMPTY_ROW_WHY
#define MAX_OF_ALL_WHY                                                                   \
    "A row far below the largest score of the matrix underflows to 0 everywhere, "       \
    "and its weights are 0/0. Each row needs its own maximum." EMPTY_ROW_WHY

#define MAX_FROM_SCORE_0_WHY                                                             \
    "A row whose scores are all far below scores[0] underflows to 0. Row t begins at "   \
    "scores[t * S]: start there, or at -INFINITY." EMPTY_ROW_WHY
#define NOT_NORMALIZED_WHY                                                               \
    "The largest weight of each row is 1, and the row sums to more than 1. Divide "      \
    "every exponential by the sum of its row, in a third pass."
#define SCORES_IN_SUM_WHAT "the sum adds the scores, not their exponentials"
#define SCORES_IN_SUM_WHY                                                                \
    "Each exponential is divided by the sum of the exponentials of its row."
#define SUM_SO_FAR_WHAT "each exponential is divided by the sum up to its own key"
#define SUM_SO_FAR_WHY                                                                   \
    "Only after the last key is the sum complete. Divide in a loop of its own, behind "  \
    "the one that adds."
#define MAX_IN_SUM_ONLY_WHY                                                              \
    "The maximum cancels only if it is in both: exp(score - max) / sum, as in the sum."

#define ONE_PASS_WHY                                                                     \
    "Until the first score that is not -inf, the maximum so far is -inf, and -inf - "    \
    "-inf is NaN. Skip scores of -inf: they add nothing to the sum."

const struct mistake softmax_mistakes[] = {
    {
        .id = "rounded",
        .what = ROUNDED_WHAT,
        .why = ROUNDED_WHY,
        .function = LIKE(softmax_rows, softmax_rounded),
    },
    {
        .id = "columns",
        .what = "the softmax runs down the columns, not along the rows",
        .why = "Here the columns sum to 1, but the rows should. A row belongs to "
               "a query, which distributes its weight over the keys. Sum over s, "
               "for each t.",
        .source = "nerminnuraydogan/vision-transformer#1, PetrochukM/PyTorch-NLP#2",
        .function = LIKE(softmax_rows, softmax_columns),
    },
    {
        .id = "exponent-negated",
        .what = "the exponent is the maximum minus the score: the smallest score wins",
        .why = "exp(score - max): the largest score gets exp(0) = 1, the others less.",
        .function = LIKE(softmax_rows, softmax_negated),
    },
    {
        .id = "no-max",
        .what = "the row's maximum is not subtracted before expf",
        .why = NO_MAX_WHY,
        .source = "pytorch/executorch#18407, NVIDIA/FasterTransformer#43",
        .function = LIKE(softmax_rows, softmax_no_max),
    },
    {
        .id = "no-max-guarded",
        .what = "the row's maximum is not subtracted before expf (and a sum of 0 "
                "gives zeros)",
        .why = NO_MAX_WHY
        " Weights of 0 for a row of scores near -10000 are wrong as well." EMPTY_ROW_WHY,
        .source = "pytorch/executorch#18407, NVIDIA/FasterTransformer#43",
        .function = LIKE(softmax_rows, softmax_no_max_guarded),
    },
    {
        .id = "max-not-subtracted",
        .what = "the row's maximum is found but not subtracted before expf",
        .why = NO_MAX_WHY,
        .source = "pytorch/executorch#18407, NVIDIA/FasterTransformer#43",
        .function = LIKE(softmax_rows, softmax_max_not_subtracted),
    },
    {
        .id = "max-in-int",
        .what = "the row's " MAX_IN_INT_WHAT,
        .why = MAX_IN_INT_WHY,
        .function = LIKE(softmax_rows, softmax_max_in_int),
    },
    {
        .id = "max-in-int-guarded",
        .what = "the row's " MAX_IN_INT_WHAT " (and a sum of 0 gives zeros)",
        .why = MAX_IN_INT_WHY EMPTY_ROW_WHY,
        .function = LIKE(softmax_rows, softmax_max_in_int_guarded),
    },
    {
        .id = "max-from-zero",
        .what =
            "the search for the maximum starts at 0 and misses rows of negative scores",
        .why = MAX_FROM_ZERO_WHY,
        .source = "karpathy/llm.c, train_gpt2.c (there it starts at -10000)",
        .function = LIKE(softmax_rows, softmax_max_from_zero),
    },
    {
        .id = "max-from-zero-guarded",
        .what = "the search for the maximum starts at 0 and misses rows of negative "
                "scores (and a sum of 0 gives zeros)",
        .why = MAX_FROM_ZERO_WHY,
        .source = "karpathy/llm.c, train_gpt2.c (there it starts at -10000)",
        .function = LIKE(softmax_rows, softmax_max_from_zero_guarded),
    },
    {
        .id = "max-from-minus-10000",
        .what = "the search for the maximum starts at -10000 and misses rows below that",
        .why = "-10000 is not minus infinity. If all scores of a row are below it, "
               "they underflow and give 0/0. Start from the row's first score or "
               "from -INFINITY." EMPTY_ROW_WHY,
        .source = "karpathy/llm.c, train_gpt2.c",
        .function = LIKE(softmax_rows, softmax_max_from_minus_10000),
    },
    {
        .id = "max-from-minus-10000-guarded",
        .what = "the search for the maximum starts at a number such as -10000 and misses "
                "rows below that (and a sum of 0 gives zeros)",
        .why = MAX_FROM_MINUS_1E9_WHY,
        .source = "karpathy/llm.c, train_gpt2.c",
        .function = LIKE(softmax_rows, softmax_max_from_minus_10000_guarded),
    },
    {
        .id = "max-from-minus-1e9",
        .what = "the search for the maximum starts at a number such as -1e9 and misses "
                "rows below that",
        .why = MAX_FROM_MINUS_1E9_WHY,
        .function = LIKE(softmax_rows, softmax_max_from_minus_1e9),
    },
    {
        .id = "max-from-minus-1e9-guarded",
        .what = "the search for the maximum starts at a number such as -1e9 and misses "
                "rows below that (and a sum of 0 gives zeros)",
        .why = MAX_FROM_MINUS_1E9_WHY,
        .function = LIKE(softmax_rows, softmax_max_from_minus_1e9_guarded),
    },
    {
        .id = "max-of-all",
        .what = "the maximum of the whole matrix is subtracted, not each row's own",
        .why = MAX_OF_ALL_WHY,
        .function = LIKE(softmax_rows, softmax_max_of_all),
    },
    {
        .id = "max-of-all-guarded",
        .what = "the maximum of the whole matrix is subtracted (and a sum of 0 "
                "gives zeros)",
        .why = MAX_OF_ALL_WHY,
        .function = LIKE(softmax_rows, softmax_max_of_all_guarded),
    },
    {
        .id = "max-not-reset",
        .what = "the maximum is not reset: it is kept from earlier rows",
        .why = "A row after one with larger scores underflows. Restart the search in "
               "every row: declare the maximum inside the loop over t." EMPTY_ROW_WHY,
        .function = LIKE(softmax_rows, softmax_max_so_far),
    },
    {
        .id = "sum-not-reset",
        .what = "the sum of the exponentials is not reset: it includes earlier rows",
        .why = "The first row sums to 1, and each later row sums to less. Set the sum to "
               "0 inside the loop over t.",
        .function = LIKE(softmax_rows, softmax_sum_goes_on),
    },
    {
        .id = "whole-sum",
        .what = "the sum of the exponentials is kept in an integer",
        .why = WHOLE_SUM_WHY,
        .function = LIKE(softmax_rows, softmax_whole_sum),
    },
    {
        .id = "sum-from-1",
        .what = "the sum of the exponentials leaves key 0 out",
        .why = "Indices in C start at 0: for (size_t s = 0; s < S; s++).",
        .function = LIKE(softmax_rows, softmax_sum_from_1),
    },
    {
        .id = "divide-from-1",
        .what = "the weight of key 0 is not divided by the sum",
        .why = "Indices in C start at 0: for (size_t s = 0; s < S; s++).",
        .function = LIKE(softmax_rows, softmax_divide_from_1),
    },
    {
        .id = "sum-is-last",
        .what = "the sum of the exponentials is only the last of them",
        .why = "= replaces the sum with the newest exponential; += adds it.",
        .function = LIKE(softmax_rows, softmax_sum_is_last),
    },
    {
        .id = "sum-is-last-guarded",
        .what =
            "the sum of the exponentials is only the last of them (and a row whose last "
            "one is 0 gives zeros)",
        .why = "= replaces the sum with the newest exponential; += adds it.",
        .function = LIKE(softmax_rows, softmax_sum_is_last_guarded),
    },
    {
        .id = "divided-by-S",
        .what = "the weights are also divided by S, so each row sums to 1/S",
        .why =
            "Dividing by the sum of the exponentials is enough: then each row sums to 1. "
            "It is not a mean over the keys.",
        .function = LIKE(softmax_rows, softmax_also_by_count),
    },
    {
        .id = "by-S-alone",
        .what = "the exponentials are divided by S, the number of keys, not by their sum",
        .why = "Divided by their sum, they sum to 1. Divided by S, they are a mean.",
        .function = LIKE(softmax_rows, softmax_by_count),
    },
    {
        .id = "scores-in-sum",
        .what = SCORES_IN_SUM_WHAT,
        .why = SCORES_IN_SUM_WHY,
        .function = LIKE(softmax_rows, softmax_scores_in_sum),
    },
    {
        .id = "sum-so-far",
        .what = SUM_SO_FAR_WHAT,
        .why = SUM_SO_FAR_WHY,
        .function = LIKE(softmax_rows, softmax_sum_so_far),
    },
    {
        .id = "sum-so-far-guarded",
        .what = SUM_SO_FAR_WHAT,
        .why = SUM_SO_FAR_WHY,
        .function = LIKE(softmax_rows, softmax_sum_so_far_guarded),
    },
    {
        .id = "not-normalized",
        .what = "the exponentials are not divided by their sum",
        .why = NOT_NORMALIZED_WHY,
        .function = LIKE(softmax_rows, softmax_not_normalized),
    },
    {
        .id = "not-normalized-nan",
        .what = "the exponentials are not divided by their sum, and a row of only -inf "
                "gives NaN",
        .why = NOT_NORMALIZED_WHY,
        .function = LIKE(softmax_rows, softmax_not_normalized_nan),
    },
    {
        .id = "max-in-sum-only",
        .what = "the maximum is subtracted in the sum, but not in the numerator",
        .why = MAX_IN_SUM_ONLY_WHY,
        .function = LIKE(softmax_rows, softmax_max_in_sum_only),
    },
    {
        .id = "max-in-sum-only-nan",
        .what = "the maximum is subtracted in the sum, but not in the numerator, and a "
                "row of only -inf gives NaN",
        .why = MAX_IN_SUM_ONLY_WHY,
        .function = LIKE(softmax_rows, softmax_max_in_sum_only_nan),
    },
    {
        .id = "max-from-score-0",
        .what = "the search for each row's maximum starts at the first score of the "
                "matrix, and some rows are divided by a sum of 0",
        .why = MAX_FROM_SCORE_0_WHY,
        .function = LIKE(softmax_rows, softmax_max_from_score_0),
    },
    {
        .id = "max-from-score-0-guarded",
        .what = "the search for each row's maximum starts at the first score of the "
                "matrix (and a sum of 0 gives zeros)",
        .why = MAX_FROM_SCORE_0_WHY,
        .function = LIKE(softmax_rows, softmax_max_from_score_0_guarded),
    },
    {
        .id = "logarithm",
        .what = LOGARITHM_WHAT,
        .why = LOGARITHM_WHY,
        .function = LIKE(softmax_rows, softmax_logarithm),
    },
    {
        .id = "logarithm-nan",
        .what = LOGARITHM_WHAT ", and a row of only -inf gives NaN",
        .why = LOGARITHM_WHY,
        .function = LIKE(softmax_rows, softmax_logarithm_nan),
    },
    {
        .id = "logarithm-rounded",
        .what = LOGARITHM_WHAT " (and log sum is added to the maximum first)",
        .why = LOGARITHM_WHY,
        .function = LIKE(softmax_rows, softmax_logarithm_rounded),
    },
    {
        .id = "logarithm-rounded-nan",
        .what = LOGARITHM_WHAT " (and log sum is added to the maximum first), and a row "
                               "of only -inf gives NaN",
        .why = LOGARITHM_WHY,
        .function = LIKE(softmax_rows, softmax_logarithm_rounded_nan),
    },
    {
        .id = "log-sum-lost",
        .what = LOG_SUM_LOST_WHAT,
        .why = LOG_SUM_LOST_WHY,
        .function = LIKE(softmax_rows, softmax_log_sum_lost),
    },
    {
        .id = "log-sum-lost-nan",
        .what = LOG_SUM_LOST_WHAT "; and a row of only -inf gives NaN",
        .why = LOG_SUM_LOST_WHY,
        .function = LIKE(softmax_rows, softmax_log_sum_lost_nan),
    },
    {
        .id = "empty-row-nan",
        .what = "a row of only -inf gives NaN instead of zeros",
        .why =
            "Its maximum is -inf, and -inf - -inf is NaN; a sum of 0 gives 0/0, also NaN. In "
            "this workbook, a query with nothing to look at gets zeros (PyTorch gives "
            "NaN). Start the search for the maximum at -INFINITY, and test for "
            "max == -INFINITY before the exponentials.",
        .source = "pytorch/pytorch#131060, NVIDIA/apex#1390",
        .function = LIKE(softmax_rows, softmax_empty_is_nan),
    },
    {
        .id = "empty-row-uniform",
        .what = "a row of only -inf gives equal weights instead of zeros",
        .why = "In this workbook, a query with nothing to look at gets zeros. You get "
               "equal weights if you replace -inf by a finite number such as -1e9.",
        .source = "tracel-ai/burn#4694, pytorch/pytorch#131060",
        .function = LIKE(softmax_rows, softmax_empty_is_uniform),
    },
    {
        .id = "thread-maximum",
        .what =
            "each of 128 threads subtracts the maximum of its own keys, not of the row",
        .why = THREAD_MAXIMUM_WHY,
        .source = "Infatoshi/cuda-course#10",
        .function = LIKE(softmax_rows, softmax_thread_maximum),
        .gpu = true,
    },
    {
        .id = "thread-maximum-no-guard",
        .what = "each of 128 threads subtracts the maximum of its own keys, not of the "
                "row, even if it is -inf",
        .why = THREAD_MAXIMUM_WHY,
        .source = "Infatoshi/cuda-course#10",
        .function = LIKE(softmax_rows, softmax_thread_maximum_no_guard),
        .gpu = true,
    },
    {
        .id = "warp-maximum",
        .what = "each warp subtracts the maximum of its own keys, not of the row",
        .why = THREAD_MAXIMUM_WHY,
        .source = "Infatoshi/cuda-course#10",
        .function = LIKE(softmax_rows, softmax_warp_maximum),
        .gpu = true,
    },
    {
        .id = "first-warp-maximum",
        .what = "the maximum of the block's first warp is subtracted, not that of "
                "the row",
        .why = THREAD_MAXIMUM_WHY,
        .function = LIKE(softmax_rows, softmax_first_warp_maximum),
        .gpu = true,
    },
    {
        .id = "half-warp",
        .what = "the maximum and the sum cover only 16 lanes of each warp",
        .why =
            "The first step of __shfl_xor_sync is 16, then 8, 4, 2 and 1. If you start "
            "at 8, each lane gets the numbers of only 16 lanes.",
        .source = NULL,
        .function = LIKE(softmax_rows, softmax_half_warp),
        .gpu = true,
    },
    {
        .id = "warp-only",
        .what =
            "each warp computes a softmax of its own keys: rows of more than 32 keys sum "
            "to more than 1",
        .why = "__shfl_xor_sync reaches only the 32 lanes of a warp. Use shared memory "
               "between the warps of a block: each warp writes one number, then "
               "__syncthreads(), then every thread reads all of them.",
        .source = "karpathy/llm.c#847",
        .function = LIKE(softmax_rows, softmax_warp_only),
        .gpu = true,
    },
    {
        .id = "first-keys-only",
        .what =
            "only the first 128 keys of a row are processed; the rest is never written",
        .why = "A row may be longer than a block. Let each thread continue in steps of "
               "the block: for (s = threadIdx.x; s < S; s += blockDim.x).",
        .function = LIKE(softmax_rows, softmax_first_keys_only),
    },
    {
        .id = "not-rescaled",
        .what = "terms that were added before a larger score appears are not rescaled",
        .why =
            "They were exponentials of score - (the maximum so far). When the maximum grows from m to m', "
            "multiply the sum by exp(m - m').",
        .function = LIKE(softmax_rows, one_pass_not_rescaled),
    },
    {
        .id = "one-pass-nan",
        .what = "a row that begins with -inf gives NaN, and so does an empty row",
        .why = ONE_PASS_WHY,
        .function = LIKE(softmax_rows, one_pass_nan),
    },
    {
        .id = "one-pass-nan-guarded",
        .what = "a row that begins with -inf gives NaN",
        .why = ONE_PASS_WHY,
        .function = LIKE(softmax_rows, one_pass_nan_guarded),
    },
    {
        .id = "one-pass-zeros",
        .what = "a row that begins with -inf gives zeros",
        .why = ONE_PASS_WHY,
        .function = LIKE(softmax_rows, one_pass_zeros),
    },
    {0},
};

static lab_status softmax_in_double(float *weights, const float *scores, size_t T,
                                    size_t S)
{
    lab_status status = softmax_logarithm(weights, scores, T, S);
    for (size_t i = 0; status == LAB_OK && i < T * S; i++) {
        weights[i] = is_empty(scores + i / S * S, S) ? 0.0f : expf(weights[i]);
    }
    return status;
}

// Right: an empty row has the sum 0.
static lab_status softmax_from_flt_max(float *weights, const float *scores, size_t T,
                                       size_t S)
{
    if (T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t t = 0; t < T; t++) {
        float max = maximum(scores + t * S, S, -FLT_MAX), sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            weights[t * S + s] = expf(scores[t * S + s] - max);
            sum += weights[t * S + s];
        }
        scale(weights + t * S, S, sum > 0.0f ? 1.0f / sum : 0.0f);
    }
    return LAB_OK;
}

const struct mistake softmax_alternatives[] = {
    {.id = "max-from-flt-max", .function = LIKE(softmax_rows, softmax_from_flt_max)},
    {.id = "online", .function = LIKE(softmax_rows, one_pass)},
    {.id = "exp2-and-reciprocal", .function = LIKE(softmax_rows, softmax_by_exp2)},
    {.id = "exp-of-log-softmax", .function = LIKE(softmax_rows, softmax_in_double)},
    {0},
};
