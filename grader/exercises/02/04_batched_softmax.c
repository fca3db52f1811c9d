// 04_batched_softmax.c - exercise 2.4, batched_softmax: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/02/shared.h"
#include "exercises/common/empty_row.h"
#include "exercises/common/in_int.h"
#include "exercises/common/inputs.h"
#include "exercises/common/log_softmax.h"

#include <math.h>
#include <stdio.h>

#include "02_batching/batching.h"

#define SOFTMAX_ARGUMENTS                                                                \
    float *weights, const float *scores, size_t B, size_t T, size_t S

// SHIFTED(name, shift, empty): the number subtracted before exp, and the result for a sum
// of 0.
#define SHIFTED(name, shift, empty)                                                      \
    static lab_status name(SOFTMAX_ARGUMENTS)                                            \
    {                                                                                    \
        return softmax_shifted(weights, scores, B * T, S, shift, empty);                 \
    }

SHIFTED(softmax_max_from_zero, MAX_FROM_ZERO, ZEROS)
SHIFTED(softmax_max_from_zero_no_guard, MAX_FROM_ZERO, DIVIDE_ANYWAY)
SHIFTED(softmax_max_from_10000, MAX_FROM_MINUS_10000, ZEROS)
SHIFTED(softmax_max_from_10000_no_guard, MAX_FROM_MINUS_10000, DIVIDE_ANYWAY)
SHIFTED(softmax_max_from_1e9, MAX_FROM_MINUS_1E9, ZEROS)
SHIFTED(softmax_max_from_1e9_no_guard, MAX_FROM_MINUS_1E9, DIVIDE_ANYWAY)
SHIFTED(softmax_max_in_int, MAX_IN_INT, ZEROS)
SHIFTED(softmax_max_in_int_no_guard, MAX_IN_INT, DIVIDE_ANYWAY)
SHIFTED(softmax_empty_nan, ROW_MAX, DIVIDE_ANYWAY)

static lab_status softmax_empty_uniform(SOFTMAX_ARGUMENTS)
{
    const lab_status status = softmax_shifted(weights, scores, B * T, S, ROW_MAX, ZEROS);
    for (size_t i = 0; status == LAB_OK && i < B * T; i++) {
        float max = -INFINITY;
        for (size_t s = 0; s < S; s++) {
            max = fmaxf(max, scores[i * S + s]);
        }
        for (size_t s = 0; max == -INFINITY && s < S; s++) {
            weights[i * S + s] = 1.0f / (float)S;
        }
    }
    return status;
}

static lab_status softmax_first_only(SOFTMAX_ARGUMENTS)
{
    if (no_size(B, T, S)) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < T; i++) {
        softmax_along(weights + i * S, scores + i * S, S, 1);
    }
    return LAB_OK;
}

// Right except for one slip: an int sum, a loop from key 1, or = for += in the sum. The last
// comes with a test of the maximum, or of the sum.
enum slip { WHOLE_SUM, SUM_FROM_1, DIVIDE_FROM_1, LAST_TERM, LAST_TERM_GUARDED };

static lab_status softmax_with(enum slip slip, SOFTMAX_ARGUMENTS)
{
    if (no_size(B, T, S)) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < B * T; i++) {
        const float *in = scores + i * S;
        float max = -INFINITY, sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            max = fmaxf(max, in[s]);
        }
        for (size_t s = 0; s < S; s++) {
            weights[i * S + s] = max == -INFINITY ? 0.0f : expf(in[s] - max);
            const float term = slip == SUM_FROM_1 && s == 0 ? 0.0f : weights[i * S + s];
            sum = slip == LAST_TERM || slip == LAST_TERM_GUARDED ? term : sum + term;
            sum = slip == WHOLE_SUM ? truncf(sum) : sum;
        }
        for (size_t s = slip == DIVIDE_FROM_1; s < S && max > -INFINITY; s++) {
            const bool zero = slip == LAST_TERM_GUARDED && sum == 0.0f;
            weights[i * S + s] = zero ? 0.0f : weights[i * S + s] / sum;
        }
    }
    return LAB_OK;
}

#define SLIPPED(name, slip)                                                              \
    static lab_status name(SOFTMAX_ARGUMENTS)                                            \
    {                                                                                    \
        return softmax_with(slip, weights, scores, B, T, S);                             \
    }

SLIPPED(softmax_whole_sum, WHOLE_SUM)
SLIPPED(softmax_sum_from_1, SUM_FROM_1)
SLIPPED(softmax_divide_from_1, DIVIDE_FROM_1)
SLIPPED(softmax_last_term, LAST_TERM)
SLIPPED(softmax_last_term_guarded, LAST_TERM_GUARDED)

// Subtracts the maximum of the rows of a sequence, or of all. If guarded, a row whose sum is 0 becomes zeros.
static lab_status softmax_one_maximum(size_t rows, bool guarded, SOFTMAX_ARGUMENTS)
{
    if (no_size(B, T, S)) {
        return LAB_ESHAPE;
    }
    float max = -INFINITY;
    for (size_t i = 0; i < B * T; i++) {
        const float *in = scores + i * S;
        for (size_t j = 0; i % rows == 0 && j < rows * S; j++) {
            max = j == 0 ? in[0] : fmaxf(max, in[j]);
        }
        float sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            weights[i * S + s] = expf(in[s] - max);
            sum += weights[i * S + s];
        }
        for (size_t s = 0; s < S; s++) {
            weights[i * S + s] = sum > 0.0f || !guarded ? weights[i * S + s] / sum : 0.0f;
        }
    }
    return LAB_OK;
}

#define ONE_MAXIMUM(name, rows, guarded)                                                 \
    static lab_status name(SOFTMAX_ARGUMENTS)                                            \
    {                                                                                    \
        return softmax_one_maximum(rows, guarded, weights, scores, B, T, S);             \
    }

ONE_MAXIMUM(softmax_max_of_map, T, true)
ONE_MAXIMUM(softmax_max_of_map_no_guard, T, false)
ONE_MAXIMUM(softmax_max_of_batch, B *T, true)
ONE_MAXIMUM(softmax_max_of_batch_no_guard, B *T, false)

static lab_status softmax_not_divided(SOFTMAX_ARGUMENTS)
{
    if (no_size(B, T, S)) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < B * T; i++) {
        float max = -INFINITY;
        for (size_t s = 0; s < S; s++) {
            max = fmaxf(max, scores[i * S + s]);
        }
        for (size_t s = 0; s < S; s++) {
            const float score = scores[i * S + s];
            weights[i * S + s] = max == -INFINITY ? 0.0f : expf(score - max);
        }
    }
    return LAB_OK;
}

// BY_LOG(name, form, nan): the softmax by way of its logarithm (log_softmax.h).
#define BY_LOG(name, ...)                                                                \
    static lab_status name(SOFTMAX_ARGUMENTS)                                            \
    {                                                                                    \
        for (size_t i = 0; i < B * T; i++) {                                             \
            softmax_by_log(__VA_ARGS__, weights + i * S, scores + i * S, NULL, S);       \
        }                                                                                \
        return no_size(B, T, S) ? LAB_ESHAPE : LAB_OK;                                   \
    }

BY_LOG(softmax_log, LOG_WEIGHT, false)
BY_LOG(softmax_log_nan, LOG_WEIGHT, true)
BY_LOG(softmax_log_rounded, LOG_SUM_ROUNDED, false)
BY_LOG(softmax_log_sum_lost, LOG_SUM_LOST, false)

// Finds the maximum and tests it for -INFINITY, but does not subtract it: not at all, or only in the sum.
static lab_status softmax_not_shifted(bool in_sum, SOFTMAX_ARGUMENTS)
{
    for (size_t i = 0; i < B * T; i++) {
        const float *in = scores + i * S;
        float max = -INFINITY, sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            max = fmaxf(max, in[s]);
        }
        for (size_t s = 0; s < S; s++) {
            sum += expf(in_sum ? in[s] - max : in[s]);
        }
        for (size_t s = 0; s < S; s++) {
            weights[i * S + s] = max == -INFINITY ? 0.0f : expf(in[s]) / sum;
        }
    }
    return no_size(B, T, S) ? LAB_ESHAPE : LAB_OK;
}

static lab_status softmax_max_not_subtracted(SOFTMAX_ARGUMENTS)
{
    return softmax_not_shifted(false, weights, scores, B, T, S);
}

static lab_status softmax_max_in_sum_only(SOFTMAX_ARGUMENTS)
{
    return softmax_not_shifted(true, weights, scores, B, T, S);
}

// Right: everything in double.
static lab_status softmax_in_double(SOFTMAX_ARGUMENTS)
{
    if (no_size(B, T, S)) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < B * T; i++) {
        const float *in = scores + i * S;
        double max = -INFINITY, sum = 0.0;
        for (size_t s = 0; s < S; s++) {
            max = fmax(max, (double)in[s]);
        }
        for (size_t s = 0; s < S; s++) {
            sum += max == -INFINITY ? 0.0 : exp((double)in[s] - max);
        }
        for (size_t s = 0; s < S; s++) {
            const double weight = sum == 0.0 ? 0.0 : exp((double)in[s] - max) / sum;
            weights[i * S + s] = (float)weight;
        }
    }
    return LAB_OK;
}

// Right: maximum and sum in one pass. When the maximum grows, it scales the sum down.
static lab_status softmax_online(SOFTMAX_ARGUMENTS)
{
    if (no_size(B, T, S)) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < B * T; i++) {
        const float *in = scores + i * S;
        float max = -INFINITY, sum = 0.0f;
        for (size_t s = 0; s < S; s++) {
            if (in[s] > max) {
                sum = sum * expf(max - in[s]) + 1.0f;
                max = in[s];
            } else if (in[s] > -INFINITY) {
                sum += expf(in[s] - max);
            }
        }
        for (size_t s = 0; s < S; s++) {
            weights[i * S + s] = sum == 0.0f ? 0.0f : expf(in[s] - max) / sum;
        }
    }
    return LAB_OK;
}

// At least 1000 away from zero, so exp overflows or underflows, even in double.
static void large_scores(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    float *scores = case_f32(test, "scores");
    for (size_t i = 0; i < case_count(test, "scores"); i++) {
        scores[i] = 4000.0f * scores[i] + (scores[i] < 0.0f ? -1000.0f : 1000.0f);
    }
}

static void low_scores(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    shift_input(test, "scores", -2000.0f);
}

static void very_low_scores(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    shift_input(test, "scores", -30000.0f);
}

static void millions_down(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    whole_steps_from(test, -1e7f);
}

static void millions_up(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    whole_steps_from(test, 1e7f);
}

// One score above many others, by 11 in row 0 and by 1.5 more in each later row. Each of
// the others gets almost no weight, but together they get a visible share.
static void many_small_terms(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    const size_t S = case_dim(test, "S");
    float *scores = case_f32(test, "scores");
    for (size_t i = 0; i < case_count(test, "scores"); i++) {
        scores[i] = 0.25f * scores[i] - 11.0f - 1.5f * (float)(i / S);
        if (i % S == 37 * (i / S) % S) {
            scores[i] = 0.0f;
        }
    }
}

// Every third score is -INFINITY, and so is the whole second row of every sequence.
static void some_forbidden(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    const size_t T = case_dim(test, "T"), S = case_dim(test, "S");
    float *scores = case_f32(test, "scores");
    for (size_t i = 0; i < case_count(test, "scores"); i++) {
        if (i % 3 == 0 || i / S % T == 1) {
            scores[i] = -INFINITY;
        }
    }
}

static const struct case_spec softmax_cases[] = {
    {.dims = "B=1 T=1 S=1"},
    {.dims = "B=1 T=1 S=2"},
    {.dims = "B=2 T=1 S=2"},
    {.dims = "B=1 T=2 S=3"},
    {.dims = "B=2 T=3 S=4"},
    {.dims = "B=3 T=2 S=5"},
    {.dims = "B=3 T=3 S=3", .note = "every size is the same"},
    {.dims = "B=2 T=3 S=4", .note = "large scores", .fill = large_scores},
    {.dims = "B=2 T=3 S=4", .note = "all scores near -2000", .fill = low_scores},
    {.dims = "B=2 T=3 S=4", .note = "all scores near -30000", .fill = very_low_scores},
    {.dims = "B=2 T=3 S=4",
     .note = "some scores, and one whole row, are -INFINITY",
     .fill = some_forbidden},
    {.dims = "B=2 T=2 S=3",
     .note = "the last row is -INFINITY, and there are more rows than keys",
     .fill = some_forbidden},
    {.dims = "B=1 T=2 S=7",
     .note = "the last row is -INFINITY, and there are more keys than rows",
     .fill = some_forbidden},
    {.dims = "B=2..5 T=2..7 S=2..9", .draws = 4},
    {.dims = "B=3 T=5 S=129", .note = "long rows"},
    {"B=2 T=2 S=4", 1, "scores near 1e30 and -1e30", huge_scores},
    {"B=2 T=2 S=4", 1, LOWEST_NOTE, lowest_scores},
    {"B=2 T=2 S=6", 1, "all scores of a row are equal", equal_scores},
    {"B=2 T=3 S=5", 1, "one score of each row far above the rest", one_far_above},
    {"B=3 T=2 S=2", 1, "one score of each row far above the rest", one_far_above},
    {"B=3 T=1 S=521", 1, "one score of each row far above the rest", one_far_above},
    {"B=3 T=1 S=5", 1, LIMITS_NOTE, scores_at_limits},
    {"B=2 T=2 S=61", 1, "many small terms", many_small_terms},
    {"B=2 T=2 S=5", 1, "whole numbers near -1e7", millions_down},
    {"B=2 T=2 S=5", 1, "whole numbers near 1e7", millions_up},
    {.dims = "B=3 T=67 S=71", .note = "larger than 64"},
    {.dims = "B=521 T=3 S=2", .note = "more than 512 sequences"},
    {.dims = "B=2 T=521 S=67", .note = "more than 512 rows in a sequence"},
    {.dims = "B=3 T=5 S=521", .note = "more than 512 keys"},
    {"B=1 T=1 S=1031", 1, "more than 1024 keys", spread_scores},
    {.dims = "B=256 T=3 S=2", .note = "exactly 256 sequences"},
    {.dims = "B=2 T=256 S=64", .note = "exactly 256 rows in a sequence"},
    {.dims = "B=1 T=2 S=1024", .fill = spread_scores, .note = "exactly 1024 keys"},
    {"B=1 T=3 S=1024", 1, "one score of each row far above the rest", one_far_above},
    {"B=1 T=2 S=5003", 1, "the last of 5003 scores far above the rest",
     one_far_above_coarse},
    {.dims = "B=0 T=2 S=3", .note = "a size is zero"},
    {.dims = "B=2 T=0 S=3", .note = "a size is zero"},
    {.dims = "B=2 T=3 S=0", .note = "a size is zero"},
    {.dims = "B=2 T=3 S=13", .note = "tiny weights", .fill = small_shares, .unit = 1e-6f},
    {.dims = "B=2 T=1 S=3",
     .fill = scores_20_below,
     .note = BELOW_20_NOTE,
     .unit = BELOW_20_UNIT},
    {.dims = "B=2 T=1 S=3",
     .fill = scores_80_below,
     .note = BELOW_80_NOTE,
     .unit = BELOW_80_UNIT},
    {.dims = "B=65543 T=1 S=1",
     .fill = coarse_scores,
     .note = "65543 sequences",
     .memory_only = true,
     .apart = true},
    {.dims = "B=1 T=65543 S=1",
     .fill = coarse_scores,
     .note = "65543 rows",
     .memory_only = true,
     .apart = true},
    {.dims = "B=1 T=1 S=65543",
     .fill = one_far_above_coarse,
     .note = "65543 keys",
     .memory_only = true,
     .apart = true},
    {0},
};

static void change_scores(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    change_middle(second, "scores");
}

// BEGIN HANDED OUT
static bool other_weights_unchanged(const struct test_case *first,
                                    const struct test_case *second, char *why,
                                    size_t why_size)
{
    return others_unchanged(first, second, "weights", why, why_size);
}
// END HANDED OUT

static void lift_scores(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    shift_input(second, "scores", 5.0f);
}

// BEGIN HANDED OUT
static bool hidden_weigh_nothing(const struct test_case *first,
                                 const struct test_case *second, char *why,
                                 size_t why_size)
{
    (void)first;
    const float *scores = case_input(second, "scores");
    const float *weights = case_got(second, "weights");
    for (size_t i = 0; i < case_count(second, "weights"); i++) {
        if (scores[i] == -INFINITY && weights[i] != 0.0f) {
            snprintf(why, why_size, "a score of -INFINITY has the weight %.9g",
                     (double)weights[i]);
            return false;
        }
    }
    return true;
}
// END HANDED OUT

static const struct property softmax_properties[] = {
    {
        .id = "single-key",
        .claim = "the only key of a row gets weight 1, whatever its score",
        .dims = "B=2 T=3 S=1",
        .change = lift_scores,
        HOLDS(single_keys_take_all),
    },
    {
        .id = "hidden-keys",
        .claim = "a score of -INFINITY gets weight exactly 0",
        .dims = "B=2 T=3 S=4",
        .change = lift_scores,
        HOLDS(hidden_weigh_nothing),
        .fill = some_forbidden,
    },
    {
        .id = "sequences-apart",
        .claim = "changing one sequence does not change the weights of the others",
        .dims = "B=3 T=2 S=4",
        .change = change_scores,
        HOLDS(other_weights_unchanged),
    },
    {0},
};

static const struct mistake softmax_mistakes[] = {
    {
        .id = "over-batch",
        .what = "the softmax runs over the batch, not over the keys",
        .why = "Sequences do not compete with each other. A row (b, t) has S adjacent "
               "scores, and its S weights sum to 1.",
        .function = LIKE(batched_softmax, softmax_over_batch),
    },
    {
        .id = "over-queries",
        .what = "the softmax runs down the columns, not along the rows: the weights of "
                "each key sum to 1",
        .why = "A query distributes its weight over the keys. Along S, the last axis, "
               "the weights of one row sum to 1.",
        .source = "nerminnuraydogan/vision-transformer#1, PetrochukM/PyTorch-NLP#2",
        .function = LIKE(batched_softmax, softmax_over_queries),
    },
    {
        .id = "over-map",
        .what = "the softmax runs over the whole (T, S) map of a sequence, not over "
                "each row",
        .why = "Each of the T rows has its own maximum and its own sum, and its weights "
               "sum to 1.",
        .function = LIKE(batched_softmax, softmax_over_map),
    },
    {
        .id = "over-all",
        .what = "the softmax runs over the whole batch, not over each row: all B*T*S "
                "weights together sum to 1",
        .why = "Each of the B * T rows has its own maximum and its own sum, and its "
               "weights sum to 1.",
        .function = LIKE(batched_softmax, softmax_over_all),
    },
    {
        .id = "first-only",
        .what =
            "only the rows of the first sequence are computed; the rest is never written",
        .why = "The loop ran over T rows, but there are B * T.",
        .function = LIKE(batched_softmax, softmax_first_only),
    },
    {
        .id = "no-max",
        .what = "the maximum of the row is not subtracted before exp",
        .why = "expf overflows above 88.7, and inf/inf is NaN. Subtract the row's "
               "maximum first; the weights stay the same.",
        .source = "pytorch/executorch#18407, NVIDIA/FasterTransformer#43",
        .function = LIKE(batched_softmax, softmax_no_max),
    },
    {
        .id = "no-max-no-guard",
        .what = "the maximum is not subtracted, and a row of -INFINITY gives NaN",
        .why = "expf overflows above 88.7, and inf/inf is NaN. Subtract the row's "
               "maximum first. If every score is -INFINITY, write zeros.",
        .source = "pytorch/executorch#18407, NVIDIA/FasterTransformer#43",
        .function = LIKE(batched_softmax, softmax_no_max_no_guard),
    },
    {
        .id = "max-not-subtracted",
        .what = "the row's maximum is found but not subtracted before exp",
        .why = "expf overflows above 88.7, and inf/inf is NaN. Subtract the row's "
               "maximum first; the weights stay the same.",
        .source = "pytorch/executorch#18407, NVIDIA/FasterTransformer#43",
        .function = LIKE(batched_softmax, softmax_max_not_subtracted),
    },
    {
        .id = "max-in-sum-only",
        .what = "the maximum is subtracted in the sum, but not in the numerator",
        .why = "The maximum cancels only if it is in both: exp(score - max) / sum, as in "
               "the sum.",
        .function = LIKE(batched_softmax, softmax_max_in_sum_only),
    },
    {
        .id = "logarithm",
        .what = LOGARITHM_WHAT,
        .why = LOGARITHM_WHY,
        .function = LIKE(batched_softmax, softmax_log),
    },
    {
        .id = "logarithm-nan",
        .what = LOGARITHM_WHAT ", and a row of -INFINITY gives NaN",
        .why = LOGARITHM_WHY,
        .function = LIKE(batched_softmax, softmax_log_nan),
    },
    {
        .id = "logarithm-rounded",
        .what = LOGARITHM_WHAT " (and log sum is added to the maximum first)",
        .why = LOGARITHM_WHY,
        .function = LIKE(batched_softmax, softmax_log_rounded),
    },
    {
        .id = "log-sum-lost",
        .what = LOG_SUM_LOST_WHAT,
        .why = LOG_SUM_LOST_WHY,
        .function = LIKE(batched_softmax, softmax_log_sum_lost),
    },
    {
        .id = "max-in-int",
        .what = "the " MAX_IN_INT_WHAT,
        .why = MAX_IN_INT_WHY EMPTY_ROW_WHY,
        .function = LIKE(batched_softmax, softmax_max_in_int),
    },
    {
        .id = "max-in-int-no-guard",
        .what = "the " MAX_IN_INT_WHAT ", and some rows are divided by a sum of 0",
        .why = MAX_IN_INT_WHY,
        .function = LIKE(batched_softmax, softmax_max_in_int_no_guard),
    },
    {
        .id = "max-from-zero",
        .what =
            "the search for the maximum starts at 0 and misses rows of negative scores",
        .why = "If all scores of a row are far below 0, every exp underflows to 0. Start "
               "at -INFINITY or at the row's first score." EMPTY_ROW_WHY,
        .source = "karpathy/llm.c, train_gpt2.c (there it starts at -10000)",
        .function = LIKE(batched_softmax, softmax_max_from_zero),
    },
    {
        .id = "max-from-zero-no-guard",
        .what = "the search for the maximum starts at 0, and some rows are divided by a "
                "sum of 0",
        .why = "If all scores of a row are far below 0, every exp underflows to 0, "
               "and 0/0 is NaN. Start at -INFINITY, and write zeros if every score "
               "is -INFINITY.",
        .source = "karpathy/llm.c, train_gpt2.c (there it starts at -10000)",
        .function = LIKE(batched_softmax, softmax_max_from_zero_no_guard),
    },
    {
        .id = "max-from-10000",
        .what = "the search for the maximum starts at -10000 and misses rows below that",
        .why = "If all scores of a row are below that, every exp underflows to 0. Start "
               "at -INFINITY or at the row's first score." EMPTY_ROW_WHY,
        .source = "karpathy/llm.c, train_gpt2.c",
        .function = LIKE(batched_softmax, softmax_max_from_10000),
    },
    {
        .id = "max-from-10000-no-guard",
        .what =
            "the search for the maximum starts at -10000, and some rows are divided by a "
            "sum of 0",
        .why =
            "If all scores of a row are below that, every exp underflows to 0, and 0/0 "
            "is NaN. Start at -INFINITY, and write zeros if every score is -INFINITY.",
        .source = "karpathy/llm.c, train_gpt2.c",
        .function = LIKE(batched_softmax, softmax_max_from_10000_no_guard),
    },
    {
        .id = "max-from-1e9",
        .what = "the search for the maximum starts at a number such as -1e9 and misses "
                "rows below that",
        .why = "If all scores of a row are below that, every exp underflows to 0. Start "
               "at -INFINITY or at the row's first score." EMPTY_ROW_WHY,
        .function = LIKE(batched_softmax, softmax_max_from_1e9),
    },
    {
        .id = "max-from-1e9-no-guard",
        .what = "the search for the maximum starts at a number such as -1e9, and some "
                "rows are divided by a sum of 0",
        .why =
            "If all scores of a row are below that, every exp underflows to 0, and 0/0 "
            "is NaN. Start at -INFINITY, and write zeros if every score is -INFINITY.",
        .function = LIKE(batched_softmax, softmax_max_from_1e9_no_guard),
    },
    {
        .id = "max-of-map",
        .what =
            "the maximum of the whole (T, S) map of a sequence is subtracted, not each "
            "row's own",
        .why = "If all scores of a row are far below that maximum, every exp underflows "
               "to 0. Search for the maximum of each row." EMPTY_ROW_WHY,
        .source = NULL,
        .function = LIKE(batched_softmax, softmax_max_of_map),
    },
    {
        .id = "max-of-map-no-guard",
        .what =
            "the maximum of the whole (T, S) map of a sequence is subtracted, and some "
            "rows are divided by a sum of 0",
        .why = "If all scores of a row are far below that maximum, every exp underflows "
               "to 0, and 0/0 is NaN. Search for the maximum of each row." EMPTY_ROW_WHY,
        .source = NULL,
        .function = LIKE(batched_softmax, softmax_max_of_map_no_guard),
    },
    {
        .id = "max-of-batch",
        .what = "the maximum of the whole batch is subtracted, not each row's own",
        .why = "If all scores of a row are far below that maximum, every exp underflows "
               "to 0. Search for the maximum of each row." EMPTY_ROW_WHY,
        .source = NULL,
        .function = LIKE(batched_softmax, softmax_max_of_batch),
    },
    {
        .id = "max-of-batch-no-guard",
        .what =
            "the maximum of the whole batch is subtracted, and some rows are divided by "
            "a sum of 0",
        .why = "If all scores of a row are far below that maximum, every exp underflows "
               "to 0, and 0/0 is NaN. Search for the maximum of each row." EMPTY_ROW_WHY,
        .source = NULL,
        .function = LIKE(batched_softmax, softmax_max_of_batch_no_guard),
    },
    {
        .id = "empty-row-nan",
        .what = "a row of -INFINITY becomes NaN instead of zeros",
        .why = "-INFINITY minus -INFINITY is NaN. In this workbook, a row without a key "
               "to look at gets zeros (PyTorch gives NaN).",
        .source = "pytorch/pytorch#131060, NVIDIA/apex#1390",
        .function = LIKE(batched_softmax, softmax_empty_nan),
        .convention = true,
    },
    {
        .id = "empty-row-uniform",
        .what = "a row of -INFINITY gets the same weight everywhere instead of zeros",
        .why = "In this workbook, a row without a key to look at gets zeros: a forbidden "
               "key never gets weight.",
        .source = "tracel-ai/burn#4694, pytorch/pytorch#131060",
        .function = LIKE(batched_softmax, softmax_empty_uniform),
        .convention = true,
    },
    {
        .id = "whole-sum",
        .what = "the sum of the exponentials is kept in an integer",
        .why = "An int drops the fraction at every addition. Declare the sum as a float "
               "or a double.",
        .function = LIKE(batched_softmax, softmax_whole_sum),
    },
    {
        .id = "sum-from-1",
        .what = "the sum of the exponentials leaves key 0 out",
        .why = "Indices in C start at 0: for (size_t s = 0; s < S; s++).",
        .function = LIKE(batched_softmax, softmax_sum_from_1),
    },
    {
        .id = "divide-from-1",
        .what = "the weight of key 0 is not divided by the sum",
        .why = "Indices in C start at 0: for (size_t s = 0; s < S; s++).",
        .function = LIKE(batched_softmax, softmax_divide_from_1),
    },
    {
        .id = "sum-is-last",
        .what = "the sum of the exponentials is only the last of them",
        .why = "= replaces the sum with the newest exponential; += adds it.",
        .source = NULL,
        .function = LIKE(batched_softmax, softmax_last_term),
    },
    {
        .id = "sum-is-last-guarded",
        .what =
            "the sum of the exponentials is only the last of them (and a row whose last "
            "one is 0 gives zeros)",
        .why = "= replaces the sum with the newest exponential; += adds it.",
        .source = NULL,
        .function = LIKE(batched_softmax, softmax_last_term_guarded),
    },
    {
        .id = "not-divided",
        .what = "the rows are not divided by their sum",
        .why = "exp(score - max) is not yet a weight. Divide each by the sum of its row, "
               "so that the row sums to 1.",
        .function = LIKE(batched_softmax, softmax_not_divided),
    },
    {0},
};

static const struct mistake softmax_alternatives[] = {
    {.id = "in-double",
     .what = "everything in double",
     .function = LIKE(batched_softmax, softmax_in_double)},
    {.id = "online",
     .what = "maximum and sum in one pass",
     .function = LIKE(batched_softmax, softmax_online)},
    {0},
};

static const struct part softmax_parts[] = {
    {
        .function = "batched_softmax",
        .dims = "B T S",
        .tensors = {{"weights", "B T S", OUTPUT, F32, 1e-6f, 5e-6f},
                    {.name = "scores", .shape = "B T S"}},
        .cases = softmax_cases,
        .properties = softmax_properties,
        .mistakes = softmax_mistakes,
        .alternatives = softmax_alternatives,
    },
    {0},
};

const struct exercise exercise_2_4 = {
    .id = "2.4",
    .name = "batched_softmax",
    .section = "2.4 Softmax of every row",
    .hints = {"For the softmax, it doesn't matter to which sequence a row belongs. How "
              "many rows are there, and where does row n start?",
              "Row n < B*T starts at scores + n*S. Its weights are exp(score - max) / "
              "sum, with the max and sum of that row. If max is -INFINITY, write zeros.",
              "for n below B * T, row = scores + n * S, w = weights + n * S:\n"
              "    max = -INFINITY\n"
              "    for s below S: max = fmaxf(max, row[s])\n"
              "    if max == -INFINITY: write S zeros to w; continue\n"
              "    sum = 0\n"
              "    for s below S: w[s] = expf(row[s] - max); sum += w[s]\n"
              "    for s below S: w[s] /= sum\n"
              "return LAB_OK"},
    .parts = softmax_parts,
};
