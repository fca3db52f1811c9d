// 01b_merge_mistakes.c - what goes wrong in 10.1's online_softmax_merge, and other right ways.

#include "exercises/10/01_online_softmax.h"

#include <math.h>

#include "10_flash_attention/flash_attention.h"

#define MERGE_ARGUMENTS                                                                  \
    float *max, float *sum, float *weighted, const float *max_b, const float *sum_b,     \
        const float *weighted_b, size_t N, size_t hs

// How one query's parts are merged: new = factor old + factor_b b, for sum and for weighted.
struct merge {
    double max, max_b;                       // of the two parts
    double stored;                           // the maximum that is stored
    double sum, sum_b, weighted, weighted_b; // factors
    bool stays;                              // the query's old part is not changed
    bool divided;                            // weighted is divided by the new sum
};

// Everything is relative to m. If m is -INFINITY, nothing is done.
static struct merge merge_to(double max, double max_b, double m)
{
    const double a = exp(max - m), b = exp(max_b - m);
    return (struct merge){max, max_b, m, a, b, a, b, m == -INFINITY, false};
}

// MERGE(name, change): right, with a change to x, query n.
#define MERGE(name, change)                                                              \
    static lab_status name(MERGE_ARGUMENTS)                                              \
    {                                                                                    \
        if (N == 0 || hs == 0) {                                                         \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        for (size_t n = 0; n < N; n++) {                                                 \
            struct merge x = merge_to((double)max[n], (double)max_b[n],                  \
                                      (double)fmaxf(max[n], max_b[n]));                  \
            change;                                                                      \
            if (x.stays) {                                                               \
                continue;                                                                \
            }                                                                            \
            const double old = (double)sum[n];                                           \
            const double total = x.sum * old + x.sum_b * (double)sum_b[n];               \
            for (size_t i = n * hs; i < (n + 1) * hs; i++) {                             \
                const double mix = x.weighted * (double)weighted[i] +                    \
                                   x.weighted_b * (double)weighted_b[i];                 \
                weighted[i] = (float)(x.divided ? mix / total : mix);                    \
            }                                                                            \
            sum[n] = (float)total;                                                       \
            max[n] = (float)x.stored;                                                    \
        }                                                                                \
        return LAB_OK;                                                                   \
    }

MERGE(merge_old_left, x.sum = x.weighted = 1)
MERGE(merge_sum_left, x.sum = 1)
MERGE(merge_weighted_left, x.weighted = 1)
MERGE(merge_b_left, x.sum_b = x.weighted_b = 1)
MERGE(merge_sum_b_left, x.sum_b = 1)
MERGE(merge_weighted_b_left, x.weighted_b = 1)
MERGE(merge_added, x.sum = x.weighted = x.sum_b = x.weighted_b = 1)
MERGE(merge_inverse, (x.sum = x.weighted = exp(x.stored - x.max),
                      x.sum_b = x.weighted_b = exp(x.stored - x.max_b)))
MERGE(merge_old_inverse, x.sum = x.weighted = exp(x.stored - x.max))
MERGE(merge_swapped, (x.sum = x.weighted = exp(x.max_b - x.stored),
                      x.sum_b = x.weighted_b = exp(x.max - x.stored)))
MERGE(merge_to_b, x = merge_to(x.max, x.max_b, x.max_b))
MERGE(merge_to_old, x = merge_to(x.max, x.max_b, x.max))
MERGE(merge_max_left, x.stored = x.max)
MERGE(merge_max_is_b, x.stored = x.max_b)
MERGE(merge_from_0, x = merge_to(x.max, x.max_b, fmax(x.stored, 0)))
MERGE(merge_empty_is_0, x = x.stays ? merge_to(x.max, x.max_b, 0) : x)
MERGE(merge_low_empty, x.stays = x.stored < -1e9)
MERGE(merge_old_empty, x.stays = x.stays || x.max == -INFINITY)
MERGE(merge_stops, if (x.stays) break)
MERGE(merge_nan, x.stays = false)
MERGE(merge_base_2, (x.sum = x.weighted = exp2(x.max - x.stored),
                     x.sum_b = x.weighted_b = exp2(x.max_b - x.stored)))
MERGE(merge_divided, x.divided = true)
MERGE(merge_inverse_where_keys,
      (x.sum = x.weighted = exp(x.stored - x.max),
       x.sum_b = x.weighted_b = exp(x.stored - x.max_b), x.stays = x.max_b == -INFINITY))
MERGE(merge_divided_where_keys, (x.divided = true, x.stays = x.max_b == -INFINITY))
MERGE(merge_as_finished,
      (x.weighted *= (double)sum[n], x.weighted_b *= (double)sum_b[n], x.divided = true))
MERGE(merge_smaller, x = merge_to(x.max, x.max_b, fmin(x.max, x.max_b)))

#define FACTOR_WHY                                                                       \
    "A part's exponentials are relative to its own maximum. exp(max of the part - the "  \
    "larger maximum) makes both parts relative to the same one: multiply sum and "       \
    "weighted of each part by its factor."

const struct mistake merge_mistakes[] = {
    {
        .id = "old-not-rescaled",
        .what =
            "the old sum and the old weighted values are not rescaled where the new part "
            "has the larger maximum",
        .why = FACTOR_WHY " Compute the factors before you overwrite max[n]: afterwards, "
                          "max[n] - m is 0.",
        .source = "Dao-AILab/flash-attention#411",
        .function = LIKE(online_softmax_merge, merge_old_left),
    },
    {
        .id = "sum-not-rescaled",
        .what = "the old sum is not rescaled, but weighted is",
        .why = FACTOR_WHY,
        .function = LIKE(online_softmax_merge, merge_sum_left),
    },
    {
        .id = "weighted-not-rescaled",
        .what = "the old weighted values are not rescaled; sum is",
        .why = FACTOR_WHY,
        .source = "Dao-AILab/flash-attention#411",
        .function = LIKE(online_softmax_merge, merge_weighted_left),
    },
    {
        .id = "old-empty-stays",
        .what = "if the old part has no keys, the new part is left out",
        .why =
            "Only a part without keys may be left out. If it is the old one, the result is "
            "part b: its max, sum and weighted.",
        .function = LIKE(online_softmax_merge, merge_old_empty),
    },
    {
        .id = "low-is-empty",
        .what = "parts whose maxima are below a number such as -1e9 count as parts "
                "without keys",
        .why = "A score may be as low as -3e38. Compare with -INFINITY.",
        .function = LIKE(online_softmax_merge, merge_low_empty),
    },
    {
        .id = "stops-at-empty",
        .what = "all queries after a query without keys are left out",
        .why =
            "If both maxima are -INFINITY, only this query is done: continue, not break "
            "or return.",
        .function = LIKE(online_softmax_merge, merge_stops),
    },
    {
        .id = "new-not-rescaled",
        .what = "part b is not rescaled where the old part has the larger maximum",
        .why = FACTOR_WHY
        " One of the two factors is always 1, but not always the same one.",
        .function = LIKE(online_softmax_merge, merge_b_left),
    },
    {
        .id = "sum-b-not-rescaled",
        .what = "sum_b is not rescaled; everything else is",
        .why = FACTOR_WHY,
        .function = LIKE(online_softmax_merge, merge_sum_b_left),
    },
    {
        .id = "weighted-b-not-rescaled",
        .what = "weighted_b is not rescaled; everything else is",
        .why = FACTOR_WHY,
        .function = LIKE(online_softmax_merge, merge_weighted_b_left),
    },
    {
        .id = "added",
        .what = "the two parts are added without any factor",
        .why = FACTOR_WHY,
        .source = "flashinfer-ai/flashinfer#533 (a variant without softmax adds them)",
        .function = LIKE(online_softmax_merge, merge_added),
    },
    {
        .id = "factors-inverted",
        .what = "both factors are inverted: exp(m - max) instead of exp(max - m)",
        .why =
            "The larger maximum makes every exponential smaller, so no factor is above 1.",
        .source = "deepseek-ai/FlashMLA#177",
        .function = LIKE(online_softmax_merge, merge_inverse),
    },
    {
        .id = "factors-inverted-where-keys",
        .what = "both factors are inverted: exp(m - max) instead of exp(max - m)",
        .why =
            "The larger maximum makes every exponential smaller, so no factor is above 1.",
        .source = "deepseek-ai/FlashMLA#177",
        .function = LIKE(online_softmax_merge, merge_inverse_where_keys),
    },
    {
        .id = "old-factor-inverted",
        .what =
            "the factor of the old part is inverted: exp(m - max) instead of exp(max - m)",
        .why =
            "The larger maximum makes every exponential smaller, so no factor is above 1. "
            "(Algorithm 1 of the FlashAttention-2 paper has this misprint in line 10.)",
        .source = "Dao-AILab/flash-attention#991, #333",
        .function = LIKE(online_softmax_merge, merge_old_inverse),
    },
    {
        .id = "factors-swapped",
        .what = "each part is multiplied by the factor of the other",
        .why = FACTOR_WHY,
        .function = LIKE(online_softmax_merge, merge_swapped),
    },
    {
        .id = "maximum-of-b",
        .what = "everything is rescaled to max_b, even where max is larger",
        .why =
            "exp(max - max_b) overflows if max is larger by 89. m is the larger of the "
            "two.",
        .function = LIKE(online_softmax_merge, merge_to_b),
    },
    {
        .id = "maximum-of-old",
        .what = "everything stays relative to the old max, even where max_b is larger",
        .why = "exp(max_b - max) overflows if max_b is larger by 89. m is the larger of "
               "the two.",
        .function = LIKE(online_softmax_merge, merge_to_old),
    },
    {
        .id = "max-not-updated",
        .what = "max keeps its old value",
        .why =
            "sum and weighted are now relative to the larger maximum: store it for the "
            "next merge.",
        .source = "Dao-AILab/flash-attention#2082",
        .function = LIKE(online_softmax_merge, merge_max_left),
    },
    {
        .id = "max-is-b",
        .what = "max becomes max_b, even where the old max is larger",
        .why = "Store m, the larger of the two: sum and weighted are relative to it.",
        .function = LIKE(online_softmax_merge, merge_max_is_b),
    },
    {
        .id = "maximum-from-0",
        .what = "the larger maximum is at least 0",
        .why = "Both may be negative. Far below 0, both factors become 0.",
        .source = "Dao-AILab/flash-attention#2082",
        .function = LIKE(online_softmax_merge, merge_from_0),
    },
    {
        .id = "empty-max-0",
        .what = "two parts without keys get the maximum 0",
        .why =
            "A maximum of 0 hides every later part whose scores are far below 0. Use 0 only "
            "in the exponents, and store -INFINITY.",
        .source = "Dao-AILab/flash-attention#2082",
        .function = LIKE(online_softmax_merge, merge_empty_is_0),
    },
    {
        .id = "two-empty-nan",
        .what = "two parts without keys give NaN",
        .why = "-INFINITY - -INFINITY is NaN. If m is -INFINITY, leave everything "
               "unchanged.",
        .source = "flashinfer-ai/flashinfer#4401, tile-ai/tilelang#328",
        .function = LIKE(online_softmax_merge, merge_nan),
    },
    {
        .id = "base-2",
        .what = "the factors are powers of 2, not of e",
        .why = "exp2f(x) is expf(x) only if x is multiplied by log2(e) = 1.4427 first.",
        .source = "sgl-project/sglang#40903, flashinfer-ai/flashinfer#4547",
        .function = LIKE(online_softmax_merge, merge_base_2),
    },
    {
        .id = "divided",
        .what = "weighted is divided by the new sum",
        .why =
            "weighted stays a sum, so that another part can be merged. Divide once, at the "
            "end.",
        .function = LIKE(online_softmax_merge, merge_divided),
    },
    {
        .id = "divided-where-keys",
        .what = "weighted is divided by the new sum",
        .why =
            "weighted stays a sum, so that another part can be merged. Divide once, at the "
            "end.",
        .function = LIKE(online_softmax_merge, merge_divided_where_keys),
    },
    {
        .id = "parts-taken-for-finished",
        .what = "weighted is multiplied by the old sum and divided by the new one, as if "
                "it were already divided",
        .why = "That is FlashAttention's first form, which keeps finished outputs. Here "
               "weighted has not been divided by anything.",
        .source = "Dao-AILab/flash-attention#897",
        .function = LIKE(online_softmax_merge, merge_as_finished),
        .convention = true,
    },
    {
        .id = "smaller-maximum",
        .what = "everything is rescaled to the smaller maximum",
        .why = "The exponentials of the other part then overflow. m is the larger of the "
               "two.",
        .function = LIKE(online_softmax_merge, merge_smaller),
    },
    {0},
};

// ---- other right ones ---------------------------------------------------------------------

MERGE(merge_in_double, (void)0)

// Only the part with the smaller maximum is rescaled.
static lab_status merge_by_cases(MERGE_ARGUMENTS)
{
    if (N == 0 || hs == 0) {
        return LAB_ESHAPE;
    }
    for (size_t n = 0; n < N; n++) {
        const bool larger = max_b[n] > max[n];
        const float difference = larger ? max[n] - max_b[n] : max_b[n] - max[n];
        const float factor = max_b[n] == max[n] ? 1.0f : exp2f(difference * 1.44269504f);
        const float a = larger ? factor : 1.0f, b = larger ? 1.0f : factor;
        sum[n] = sum[n] * a + sum_b[n] * b;
        for (size_t i = n * hs; i < (n + 1) * hs; i++) {
            weighted[i] = weighted[i] * a + weighted_b[i] * b;
        }
        max[n] = larger ? max_b[n] : max[n];
    }
    return LAB_OK;
}

const struct mistake merge_alternatives[] = {
    {.id = "in-double", .function = LIKE(online_softmax_merge, merge_in_double)},
    {.id = "by-cases", .function = LIKE(online_softmax_merge, merge_by_cases)},
    {0},
};
