// 03b_masked_softmax_mistakes.c - exercise 3.3: the table of known mistakes, and other right solutions.

#include "exercises/03/03_masked_softmax.h"
#include "exercises/common/log_softmax.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- mistakes -------------------------------------------------------------------------------

#define FROM_ZERO_WHY                                                                      \
    "If all allowed scores of a row are far below 0, every exp underflows to 0. Start at " \
    "-INFINITY (not at FLT_MIN, a tiny POSITIVE number: 1.2e-38)."

#define FROM_1E9_WHY                                                                     \
    "If all allowed scores of a row are below that number, every exp underflows to 0. "  \
    "-INFINITY is below every score."
#define MINUS_1E9_WHY                                                                    \
    "If the allowed scores are below that number, the forbidden scores are the largest " \
    "and their keys get all the weight. -INFINITY is below every score."
#define ADDED_WHY                                                                        \
    "A forbidden score that is larger by that amount is then level with the "            \
    "allowed ones. Replace forbidden scores by -INFINITY, or leave them out."

#define MAXIMUM_WHY                                                                      \
    "Use only allowed keys in the maximum. If a forbidden score is 100 or more "         \
    "above the allowed ones, every allowed exponential underflows to 0. Start at "       \
    "-INFINITY and look at a score only if its mask is 1. (A softmax over all keys, "    \
    "masked and renormalized, has the same weakness.)"
#define TIMES_MASK_WHY                                                                   \
    "If a forbidden score is 89 or more above the maximum, expf is infinite, and "       \
    "infinity times 0 is NaN. Don't multiply; choose: mask ? expf(score - max) : 0."

const struct mistake masked_softmax_mistakes[] = {
    {
        .id = "mask-ignored",
        .what = "the mask has no effect: this is the softmax over all keys",
        .why = "Every key gets weight, even forbidden keys. Use only keys whose mask is "
               "1 in the maximum, the exponentials and the sum.",
        .source = "paiml/entrenar#310, keras-team/keras#23038",
        .function = LIKE(masked_softmax, softmax_without_mask),
    },
    {
        .id = "mask-after",
        .what = "the mask is applied after the softmax, and the rows sum to less than 1",
        .why = "The sum still includes the forbidden keys. Sum over the allowed "
               "keys only.",
        .source = "lucidrains/memory-compressed-attention#2",
        .function = LIKE(masked_softmax, softmax_mask_after),
    },
    {
        .id = "multiplied",
        .what = "the scores are multiplied by the mask before the softmax: forbidden "
                "keys count as 0",
        .why = "A forbidden score becomes 0, and exp(0) is 1, so the key gets weight. "
               "Replace the score by -INFINITY, or leave its exponential out.",
        .source = "georg-wolflein/good-features#1",
        .function = LIKE(masked_softmax, softmax_mask_multiplied),
    },
    {
        .id = "added",
        .what = "the mask's 0 or 1 is added to the scores, so forbidden keys get weight",
        .why = "This multiplies the weights of allowed keys by e = 2.718 and forbids "
               "nothing. A mask that you add must contain 0 and -INFINITY.",
        .source = "bkitano/llama-from-scratch#6",
        .function = LIKE(masked_softmax, softmax_mask_added),
    },
    {
        .id = "minus-10000",
        .what = "forbidden scores become -10000 instead of -INFINITY",
        .why = "If the allowed scores are near -20000, the forbidden scores are "
               "the largest and their keys get all the weight. -INFINITY is below "
               "every score.",
        .source = "karpathy/minGPT#75, TransformerLensOrg/TransformerLens#366",
        .function = LIKE(masked_softmax, softmax_minus_10000),
    },
    {
        .id = "minus-10000-guarded",
        .what = "forbidden scores become -10000 (and a row without an allowed key gives "
                "zeros)",
        .why = "If the allowed scores are near -20000, the forbidden scores are "
               "the largest and their keys get all the weight. -INFINITY is below "
               "every score.",
        .source = "karpathy/minGPT#75, TransformerLensOrg/TransformerLens#366",
        .function = LIKE(masked_softmax, softmax_minus_10000_guarded),
    },
    {
        .id = "minus-1e9",
        .what = "forbidden scores become a number such as -1e9 instead of -INFINITY",
        .why = MINUS_1E9_WHY,
        .function = LIKE(masked_softmax, softmax_minus_1e9),
    },
    {
        .id = "minus-1e9-guarded",
        .what = "forbidden scores become a number such as -1e9 (and a row without an "
                "allowed key gives zeros)",
        .why = MINUS_1E9_WHY,
        .function = LIKE(masked_softmax, softmax_minus_1e9_guarded),
    },
    {
        .id = "added-minus-10000",
        .what =
            "-10000 is added to forbidden scores (and a row without an allowed key gives "
            "zeros)",
        .why = ADDED_WHY,
        .source = "karpathy/minGPT#75, TransformerLensOrg/TransformerLens#366",
        .function = LIKE(masked_softmax, softmax_added_10000),
    },
    {
        .id = "added-minus-10000-no-guard",
        .what = "-10000 is added to forbidden scores, and in a row without an allowed "
                "key they get weight",
        .why = ADDED_WHY " Write zeros to a row without an allowed key.",
        .source = "karpathy/minGPT#75, TransformerLensOrg/TransformerLens#366",
        .function = LIKE(masked_softmax, softmax_added_10000_no_guard),
    },
    {
        .id = "added-minus-1e9",
        .what = "a number such as -1e9 is added to forbidden scores (and a row without "
                "an allowed key gives zeros)",
        .why = ADDED_WHY,
        .function = LIKE(masked_softmax, softmax_added_1e9),
    },
    {
        .id = "added-minus-1e9-no-guard",
        .what =
            "a number such as -1e9 is added to forbidden scores, and in a row without "
            "an allowed key they get weight",
        .why = ADDED_WHY " Write zeros to a row without an allowed key.",
        .function = LIKE(masked_softmax, softmax_added_1e9_no_guard),
    },
    {
        .id = "renormalized-in-double",
        .what =
            "a softmax over all keys, in double, is masked and divided by its new sum",
        .why =
            "If a forbidden score is 746 or more above the allowed ones, every allowed "
            "exponential is 0 in double as well. Leave forbidden keys out of the maximum.",
        .function = LIKE(masked_softmax, softmax_renormalized_in_double),
    },
    {
        .id = "fully-masked-nan",
        .what = "a row without an allowed key becomes NaN instead of zeros",
        .why = "Its maximum is -INFINITY, and -INFINITY - -INFINITY is NaN, as is 0/0. "
               "Test for such a row first and write zeros.",
        .source = "pytorch/pytorch#131060, pytorch/pytorch#55056",
        .function = LIKE(masked_softmax, softmax_fully_masked_nan),
    },
    {
        .id = "fully-masked-uniform",
        .what = "a row without an allowed key gets the same weight on every key instead "
                "of zeros",
        .why = "With a large finite number instead of -INFINITY, all scores of that row "
               "are equal, and the forbidden keys share the weight. Write zeros.",
        .source = "NVIDIA/apex#1390",
        .function = LIKE(masked_softmax, softmax_fully_masked_uniform),
    },
    {
        .id = "inverted",
        .what = "the weight is on the forbidden keys instead of the allowed ones",
        .why = "1 in the mask means \"may attend\", 0 means \"may not\".",
        .source = "mlwithme/TransformerTranslation#6",
        .function = LIKE(masked_softmax, softmax_inverted),
    },
    {
        .id = "none-allowed",
        .what = "allowed keys get weight 0, too",
        .why =
            "Allowed keys are marked with 1. Compare with 0, not with 255 or another number.",
        .function = LIKE(masked_softmax, softmax_none_allowed),
    },
    {
        .id = "no-max",
        .what = "the largest score is not subtracted before exp",
        .why = NO_MAX_WHY,
        .source = "pytorch/executorch#18407, NVIDIA/FasterTransformer#43",
        .function = LIKE(masked_softmax, softmax_without_max),
    },
    {
        .id = "no-max-nan",
        .what = "the largest score is not subtracted before exp, and some rows are "
                "divided by a sum of 0",
        .why = NO_MAX_WHY,
        .source = "pytorch/executorch#18407, NVIDIA/FasterTransformer#43",
        .function = LIKE(masked_softmax, softmax_without_max_nan),
    },
    {
        .id = "no-max-allowed-nan",
        .what = "the largest score is not subtracted before exp, and the allowed keys of "
                "some rows are divided by a sum of 0",
        .why = NO_MAX_WHY,
        .source = "pytorch/executorch#18407, NVIDIA/FasterTransformer#43",
        .function = LIKE(masked_softmax, softmax_without_max_allowed),
    },
    {
        .id = "max-of-all",
        .what = "forbidden keys take part in the maximum, so a large forbidden score "
                "makes all allowed weights 0",
        .why = MAXIMUM_WHY,
        .function = LIKE(masked_softmax, softmax_max_of_all),
    },
    {
        .id = "max-of-all-nan",
        .what = "forbidden keys take part in the maximum, and some rows are divided by a "
                "sum of 0",
        .why = MAXIMUM_WHY,
        .function = LIKE(masked_softmax, softmax_max_of_all_nan),
    },
    {
        .id = "max-from-zero",
        .what =
            "the search for the maximum starts at 0 and misses rows of negative scores",
        .why = FROM_ZERO_WHY,
        .source = "karpathy/llm.c, train_gpt2.c (there it starts at -10000)",
        .function = LIKE(masked_softmax, softmax_max_from_zero),
    },
    {
        .id = "max-from-zero-nan",
        .what = "the search for the maximum starts at 0, and some rows are divided by a "
                "sum of 0",
        .why =
            FROM_ZERO_WHY " A row without an allowed key then has the maximum 0, too: a "
                          "test for -INFINITY does not find it.",
        .source = "karpathy/llm.c, train_gpt2.c (there it starts at -10000)",
        .function = LIKE(masked_softmax, softmax_max_from_zero_nan),
    },
    {
        .id = "max-from-minus-10000",
        .what = "a number such as -10000 stands for -INFINITY (as the score of forbidden "
                "keys, or where the search for the maximum starts), and rows below it "
                "become zeros",
        .why = FROM_1E9_WHY,
        .source = "karpathy/llm.c, train_gpt2.c",
        .function = LIKE(masked_softmax, softmax_max_from_1e4),
    },
    {
        .id = "max-from-minus-10000-nan",
        .what = "the search for the maximum starts at a number such as -10000, and some "
                "rows are divided by a sum of 0",
        .why = FROM_1E9_WHY " A row without an allowed key then has this number as its "
                            "maximum: a test for -INFINITY does not find it.",
        .source = "karpathy/llm.c, train_gpt2.c",
        .function = LIKE(masked_softmax, softmax_max_from_1e4_nan),
    },
    {
        .id = "max-from-minus-1e9",
        .what = "a number such as -1e9 stands for -INFINITY (as the score of forbidden "
                "keys, or where the search for the maximum starts), and rows below it "
                "become zeros",
        .why = FROM_1E9_WHY,
        .function = LIKE(masked_softmax, softmax_max_from_1e9),
    },
    {
        .id = "max-from-minus-1e9-nan",
        .what = "the search for the maximum starts at a number such as -1e9, and some "
                "rows are divided by a sum of 0",
        .why = FROM_1E9_WHY " A row without an allowed key then has this number as its "
                            "maximum: a test for -INFINITY does not find it.",
        .function = LIKE(masked_softmax, softmax_max_from_1e9_nan),
    },
    {
        .id = "max-from-key-0",
        .what = "the search for the maximum starts at key 0 even if key 0 is forbidden",
        .why = MAXIMUM_WHY,
        .function = LIKE(masked_softmax, softmax_max_from_key_0),
    },
    {
        .id = "max-from-key-0-nan",
        .what = "the search for the maximum starts at key 0 even if key 0 is forbidden, "
                "and some rows are divided by a sum of 0",
        .why = MAXIMUM_WHY,
        .function = LIKE(masked_softmax, softmax_max_from_key_0_nan),
    },
    {
        .id = "times-mask",
        .what = "the exponentials of all keys are computed and multiplied by the mask, "
                "so a large forbidden score gives NaN",
        .why = TIMES_MASK_WHY,
        .function = LIKE(masked_softmax, softmax_times_mask),
    },
    {
        .id = "times-mask-zeros",
        .what = "the exponentials of all keys are computed and multiplied by the mask, "
                "so a large forbidden score makes its row zeros",
        .why = TIMES_MASK_WHY,
        .function = LIKE(masked_softmax, softmax_times_mask_zeros),
    },
    {
        .id = "times-mask-nan",
        .what = "the exponentials of all keys are computed and multiplied by the mask, "
                "and a row without an allowed key is NaN",
        .why = TIMES_MASK_WHY,
        .function = LIKE(masked_softmax, softmax_times_mask_nan),
    },
    {
        .id = "no-max-times-mask",
        .what =
            "the largest score is not subtracted, and the exponentials of all keys are "
            "multiplied by the mask",
        .why = NO_MAX_WHY,
        .function = LIKE(masked_softmax, softmax_no_max_times_mask),
    },
    {
        .id = "mask-of-row-0",
        .what = "every row is masked with row 0 of the mask, not with its own",
        .why = "The mask is (N, S), like the scores: row n has mask[n * S + s].",
        .function = LIKE(masked_softmax, softmax_mask_of_row_0),
    },
    {
        .id = "whole-sum",
        .what = "the sum of the exponentials is kept in an integer",
        .why = "An int drops the fraction at every addition. Declare the sum as a float "
               "or a double.",
        .function = LIKE(masked_softmax, softmax_whole_sum),
    },
    {
        .id = "sum-from-1",
        .what = "the sum of the exponentials leaves key 0 out",
        .why = "Indices in C start at 0: for (size_t s = 0; s < S; s++).",
        .function = LIKE(masked_softmax, softmax_sum_from_1),
    },
    {
        .id = "divide-from-1",
        .what = "the weight of key 0 is not divided by the sum",
        .why = "Indices in C start at 0: for (size_t s = 0; s < S; s++).",
        .function = LIKE(masked_softmax, softmax_divide_from_1),
    },
    {
        .id = "sum-is-last",
        .what = "the sum of the exponentials is only the last of them",
        .why = "= replaces the sum with the newest exponential; += adds it.",
        .function = LIKE(masked_softmax, softmax_sum_is_last),
    },
    {
        .id = "sum-is-last-guarded",
        .what =
            "the sum of the exponentials is only the last of them (and a row whose last "
            "one is 0 gives zeros)",
        .why = "= replaces the sum with the newest exponential; += adds it.",
        .function = LIKE(masked_softmax, softmax_sum_is_last_guarded),
    },
    {
        .id = "unnormalized",
        .what = "the exponentials are not divided by their sum",
        .why = "The largest weight of each row is 1, and the row sums to more than 1. "
               "Divide by the sum over the allowed keys.",
        .source = NULL,
        .function = LIKE(masked_softmax, softmax_unnormalized),
    },
    {
        .id = "logarithm",
        .what = LOGARITHM_WHAT,
        .why = LOGARITHM_WHY,
        .function = LIKE(masked_softmax, softmax_log),
    },
    {
        .id = "logarithm-rounded",
        .what = LOGARITHM_WHAT " (and log sum is added to the maximum first)",
        .why = LOGARITHM_WHY,
        .function = LIKE(masked_softmax, softmax_log_rounded),
    },
    {
        .id = "log-sum-lost",
        .what = LOG_SUM_LOST_WHAT,
        .why = LOG_SUM_LOST_WHY,
        .function = LIKE(masked_softmax, softmax_log_sum_lost),
    },
    {
        .id = "down-columns",
        .what = "the softmax runs down the columns, not along the rows",
        .why = "Here each key's weights (a column) sum to 1. Instead, each query's "
               "weights (a row) must sum to 1.",
        .source = "nerminnuraydogan/vision-transformer#1, PetrochukM/PyTorch-NLP#2",
        .function = LIKE(masked_softmax, softmax_down_columns),
    },
    {
        .id = "max-of-rows",
        .what = "the maximum of all rows is subtracted, not each row's own",
        .why = "If all scores of a row are far below that maximum, every exp underflows "
               "to 0. Search for the maximum of each row.",
        .source = NULL,
        .function = LIKE(masked_softmax, softmax_max_of_rows),
    },
    {
        .id = "max-of-rows-nan",
        .what =
            "the maximum of all rows is subtracted, and some rows are divided by a sum of "
            "0",
        .why = "If all scores of a row are far below that maximum, every exp underflows "
               "to 0, and 0/0 is NaN. Search for the maximum of each row.",
        .source = NULL,
        .function = LIKE(masked_softmax, softmax_max_of_rows_nan),
    },
    {
        .id = "lane-maximum",
        .what =
            "each lane of the warp subtracts the maximum of its own keys, not of the row",
        .why = "Every exponential of a row needs the same maximum. Combine the maxima of "
               "the 32 lanes with __shfl_xor_sync before the first expf.",
        .source = "Infatoshi/cuda-course#10",
        .function = LIKE(masked_softmax, softmax_lane_maximum),
        .gpu = true,
    },
    {
        .id = "half-warp",
        .what = "the maximum and the sum are those of half a warp: 16 lanes of 32",
        .why =
            "The first step of __shfl_xor_sync is 16, then 8, 4, 2 and 1. If you start "
            "at 8, each lane gets the numbers of only 16 lanes.",
        .source = NULL,
        .function = LIKE(masked_softmax, softmax_half_warp),
        .gpu = true,
    },
    {0},
};

// ---- other right solutions ------------------------------------------------------------------

ROWS(softmax_fill_first)
{
    bool masked = true;
    for (size_t s = 0; s < S; s++) {
        w[s] = mask[s] ? scores[s] : -INFINITY;
        masked = masked && mask[s] == 0;
    }
    if (masked) {
        memset(w, 0, S * sizeof *w);
        return;
    }
    softmax_in_place(w, S);
}

// Right with -FLT_MAX, which is below every other number: a forbidden key gets 0 at the end.
ROWS(softmax_minus_flt_max)
{
    fill_forbidden(w, scores, mask, S, -FLT_MAX, false);
    for (size_t s = 0; s < S; s++) {
        w[s] *= (float)mask[s]; // only a row without an allowed key changes
    }
}

// Softmax over all keys, masked and renormalized. On paper it is right. In float it is
// right to within rounding if no forbidden score is far above the allowed ones, as in
// 3.4.
void softmax_renormalized_row(float *w, const float *scores, const uint8_t *mask,
                              size_t S)
{
    memcpy(w, scores, S * sizeof *w);
    softmax_in_place(w, S);
    float allowed = 0.0f;
    for (size_t s = 0; s < S; s++) {
        w[s] *= (float)mask[s];
        allowed += w[s];
    }
    for (size_t s = 0; s < S && allowed > 0.0f; s++) {
        w[s] /= allowed;
    }
}

// The logarithm of the sum first, then each weight separately.
ROWS(softmax_by_logarithm)
{
    float max = -INFINITY;
    double sum = 0.0;
    for (size_t s = 0; s < S; s++) {
        max = mask[s] ? fmaxf(max, scores[s]) : max;
    }
    for (size_t s = 0; s < S; s++) {
        sum += mask[s] ? exp((double)(scores[s] - max)) : 0.0;
    }
    for (size_t s = 0; s < S; s++) {
        w[s] = mask[s] ? (float)exp((double)(scores[s] - max) - log(sum)) : 0.0f;
    }
}

const struct mistake masked_softmax_alternatives[] = {
    {.id = "fill-then-softmax", .function = LIKE(masked_softmax, softmax_fill_first)},
    {.id = "minus-flt-max", .function = LIKE(masked_softmax, softmax_minus_flt_max)},
    {.id = "by-logarithm", .function = LIKE(masked_softmax, softmax_by_logarithm)},
    {0},
};
