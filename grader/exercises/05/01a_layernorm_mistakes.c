// 01a_layernorm_mistakes.c - exercise 5.1: known mistakes and other right solutions.

#include "exercises/exercise.h"
#include "exercises/05/01_layernorm.h"

#include <math.h>

#include "05_transformer_block/block.h"

#define NORM_ARGUMENTS                                                                   \
    float *y, float *mean, float *rstd, const float *x, const float *gain,               \
        const float *bias, size_t N, size_t C
#define NORM_VALUES y, mean, rstd, x, gain, bias, N, C

enum norm_fault {
    UNBIASED,
    EPS_OUTSIDE,
    EPS_IN_SUM,
    EPS_FLOOR,
    NO_EPS,
    RMS_NORM,
    MEAN_KEPT,
    ABOUT_ZERO,
    NO_ROOT,
    NOT_DIVIDED,
    OVER_ALL,
    NO_GAIN,
    NO_BIAS,
    NEITHER,
    GAIN_BIAS_SWAPPED,
    BIAS_INSIDE,
    STORES_STD,
    STORES_VARIANCE,
    MEAN_IN_FLOAT,
    ONE_PASS,
    FROM_1,
    MEAN_FROM_1,
    WHOLE_SUM,
    WHOLE_SQUARES,
    MEAN_UNBIASED,
    BOTH_UNBIASED,
    MEAN_OF_LAST,
    SQUARES_OF_LAST,
    BOTH_OF_LAST,
};

static float row_mean(enum norm_fault fault, const float *row, size_t C)
{
    float sum = 0.0f;
    for (size_t c = fault == FROM_1 || fault == MEAN_FROM_1; c < C; c++) {
        sum = fault == MEAN_OF_LAST || fault == BOTH_OF_LAST ? row[c] : sum + row[c];
        sum = fault == WHOLE_SUM ? truncf(sum) : sum;
    }
    const bool unbiased = fault == MEAN_UNBIASED || fault == BOTH_UNBIASED;
    return sum / ((float)C - (unbiased ? 1.0f : 0.0f));
}

// The variance of a row about mean, with that fault.
static float row_variance(enum norm_fault fault, const float *row, float mean, size_t C)
{
    const bool about_zero = fault == RMS_NORM || fault == ABOUT_ZERO || fault == ONE_PASS;
    const float about = about_zero ? 0.0f : mean;
    float squares = 0.0f;
    for (size_t c = fault == FROM_1; c < C; c++) {
        const float square = (row[c] - about) * (row[c] - about);
        squares =
            fault == SQUARES_OF_LAST || fault == BOTH_OF_LAST ? square : squares + square;
        squares = fault == WHOLE_SQUARES ? truncf(squares) : squares;
    }
    switch (fault) {
    case ONE_PASS:
        return squares / (float)C - mean * mean;
    case UNBIASED:
    case BOTH_UNBIASED:
        return squares / ((float)C - 1.0f);
    case NOT_DIVIDED:
        return squares;
    default:
        return squares / (float)C;
    }
}

static float row_rstd(enum norm_fault fault, float variance, size_t C)
{
    switch (fault) {
    case EPS_OUTSIDE:
        return 1.0f / (sqrtf(variance) + LAYERNORM_EPS);
    case EPS_IN_SUM:
        return 1.0f / sqrtf(variance + LAYERNORM_EPS / (float)C);
    case EPS_FLOOR:
        return 1.0f / sqrtf(fmaxf(variance, LAYERNORM_EPS));
    case NO_EPS:
        return 1.0f / sqrtf(variance);
    case NO_ROOT:
        return 1.0f / (variance + LAYERNORM_EPS);
    default:
        return 1.0f / sqrtf(variance + LAYERNORM_EPS);
    }
}

static float stretched(enum norm_fault fault, float normal, float gain, float bias)
{
    switch (fault) {
    case NO_GAIN:
        return normal + bias;
    case NO_BIAS:
        return normal * gain;
    case NEITHER:
        return normal;
    case GAIN_BIAS_SWAPPED:
        return normal * bias + gain;
    case BIAS_INSIDE:
        return (normal + bias) * gain;
    default:
        return normal * gain + bias;
    }
}

static float stored(enum norm_fault fault, float variance, float rstd)
{
    switch (fault) {
    case STORES_STD:
        return sqrtf(variance + LAYERNORM_EPS);
    case STORES_VARIANCE:
        return variance;
    default:
        return rstd;
    }
}

// layernorm in float, with one fault.
static lab_status norm_with(enum norm_fault fault, NORM_ARGUMENTS)
{
    if (N == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    const size_t width = fault == OVER_ALL ? N * C : C; // numbers that share a mean
    for (size_t n = 0; n < N; n++) {
        const float *row = fault == OVER_ALL ? x : x + n * C;
        const float m = row_mean(fault, row, width);
        const float variance = row_variance(fault, row, m, width);
        const float r = row_rstd(fault, variance, width);
        const bool kept = fault == RMS_NORM || fault == MEAN_KEPT;
        for (size_t c = 0; c < C; c++) {
            const float normal = (x[n * C + c] - (kept ? 0.0f : m)) * r;
            y[n * C + c] = stretched(fault, normal, gain[c], bias[c]);
        }
        mean[n] = m;
        rstd[n] = stored(fault, variance, r);
    }
    return LAB_OK;
}

#define NORM(name, fault)                                                                \
    static lab_status name(NORM_ARGUMENTS)                                               \
    {                                                                                    \
        return norm_with(fault, NORM_VALUES);                                            \
    }

NORM(norm_unbiased, UNBIASED)
NORM(norm_eps_outside, EPS_OUTSIDE)
NORM(norm_eps_in_sum, EPS_IN_SUM)
NORM(norm_eps_floor, EPS_FLOOR)
NORM(norm_without_eps, NO_EPS)
NORM(norm_rms, RMS_NORM)
NORM(norm_mean_kept, MEAN_KEPT)
NORM(norm_about_zero, ABOUT_ZERO)
NORM(norm_one_pass_in_float, ONE_PASS)
NORM(norm_from_1, FROM_1)
NORM(norm_mean_from_1, MEAN_FROM_1)
NORM(norm_whole_sum, WHOLE_SUM)
NORM(norm_whole_squares, WHOLE_SQUARES)
NORM(norm_without_root, NO_ROOT)
NORM(norm_not_divided, NOT_DIVIDED)
NORM(norm_over_all, OVER_ALL)
NORM(norm_without_gain, NO_GAIN)
NORM(norm_without_bias, NO_BIAS)
NORM(norm_without_both, NEITHER)
NORM(norm_gain_bias_swapped, GAIN_BIAS_SWAPPED)
NORM(norm_bias_inside, BIAS_INSIDE)
NORM(norm_stores_std, STORES_STD)
NORM(norm_stores_variance, STORES_VARIANCE)
NORM(norm_mean_unbiased, MEAN_UNBIASED)
NORM(norm_both_unbiased, BOTH_UNBIASED)
NORM(norm_mean_of_last, MEAN_OF_LAST)
NORM(norm_squares_of_last, SQUARES_OF_LAST)
NORM(norm_both_of_last, BOTH_OF_LAST)

// What a sum starts with in the next row.
enum carried { RESET, SUM, MEAN };

static float carry(enum carried what, float sum, size_t C)
{
    return what == SUM ? sum : what == MEAN ? sum / (float)C : 0.0f;
}

// The sums continue from row to row.
static lab_status norm_carrying(enum carried first, enum carried second, NORM_ARGUMENTS)
{
    if (N == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    float sum = 0.0f, squares = 0.0f;
    for (size_t n = 0; n < N; n++) {
        for (size_t c = 0; c < C; c++) {
            sum += x[n * C + c];
        }
        mean[n] = sum / (float)C;
        for (size_t c = 0; c < C; c++) {
            squares += (x[n * C + c] - mean[n]) * (x[n * C + c] - mean[n]);
        }
        rstd[n] = 1.0f / sqrtf(squares / (float)C + LAYERNORM_EPS);
        for (size_t c = 0; c < C; c++) {
            y[n * C + c] = (x[n * C + c] - mean[n]) * rstd[n] * gain[c] + bias[c];
        }
        sum = carry(first, sum, C);
        squares = carry(second, squares, C);
    }
    return LAB_OK;
}

#define CARRYING(name, first, second)                                                    \
    static lab_status name(NORM_ARGUMENTS)                                               \
    {                                                                                    \
        return norm_carrying(first, second, NORM_VALUES);                                \
    }

CARRYING(norm_not_reset, SUM, SUM)
CARRYING(norm_means_not_reset, MEAN, MEAN) // as after sum /= C
CARRYING(norm_variance_not_reset, RESET, MEAN)

// The rows of a (C, N) matrix are read from a (N, C) one: every N-th number.
static lab_status norm_wrong_axis(NORM_ARGUMENTS)
{
    if (N == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    for (size_t n = 0; n < N; n++) {
        float sum = 0.0f, squares = 0.0f;
        for (size_t c = 0; c < C; c++) {
            sum += x[c * N + n];
        }
        mean[n] = sum / (float)C;
        for (size_t c = 0; c < C; c++) {
            squares += (x[c * N + n] - mean[n]) * (x[c * N + n] - mean[n]);
        }
        rstd[n] = 1.0f / sqrtf(squares / (float)C + LAYERNORM_EPS);
        for (size_t c = 0; c < C; c++) {
            y[c * N + n] = (x[c * N + n] - mean[n]) * rstd[n] * gain[c] + bias[c];
        }
    }
    return LAB_OK;
}

// The result on a GPU if the four warps of a block do not share their sums: each warp uses its
// own channels as if they were the whole row.
static lab_status norm_own_warp(float *y, float *mean, float *rstd, const float *x,
                                const float *gain, const float *bias, size_t N, size_t C)
{
    enum { WARP = 32, WARPS = 4 };
    if (N == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    for (size_t n = 0; n < N; n++) {
        const float *x_n = x + n * C;
        for (size_t warp = WARPS; warp-- > 0;) { // warp 0 last: it writes mean and rstd
            double sum = 0, squares = 0;
            for (size_t c = 0; c < C; c++) {
                sum += c / WARP % WARPS == warp ? x_n[c] : 0;
            }
            const double m = sum / (double)C;
            for (size_t c = 0; c < C; c++) {
                squares += c / WARP % WARPS == warp ? (x_n[c] - m) * (x_n[c] - m) : 0;
            }
            const double r = 1 / sqrt(squares / (double)C + LAYERNORM_EPS);
            for (size_t c = 0; c < C; c++) {
                if (c / WARP % WARPS == warp) {
                    y[n * C + c] = (float)((x_n[c] - m) * r * gain[c] + bias[c]);
                }
            }
            mean[n] = (float)m;
            rstd[n] = (float)r;
        }
    }
    return LAB_OK;
}

// If only the first 16 lanes of each warp reach the block's sum.
static lab_status norm_half_warp(float *y, float *mean, float *rstd, const float *x,
                                 const float *gain, const float *bias, size_t N, size_t C)
{
    enum { WARP = 32 };
    if (N == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    for (size_t n = 0; n < N; n++) {
        const float *x_n = x + n * C;
        double sum = 0, squares = 0;
        for (size_t c = 0; c < C; c++) {
            sum += c % WARP < WARP / 2 ? x_n[c] : 0;
        }
        const double m = sum / (double)C;
        for (size_t c = 0; c < C; c++) {
            squares += c % WARP < WARP / 2 ? (x_n[c] - m) * (x_n[c] - m) : 0;
        }
        const double r = 1 / sqrt(squares / (double)C + LAYERNORM_EPS);
        for (size_t c = 0; c < C; c++) {
            y[n * C + c] = (float)((x_n[c] - m) * r * gain[c] + bias[c]);
        }
        mean[n] = (float)m;
        rstd[n] = (float)r;
    }
    return LAB_OK;
}

// If each thread of the block adds only one channel to the sum, or one square.
static lab_status norm_of_first(bool mean_of_first, float *y, float *mean, float *rstd,
                                const float *x, const float *gain, const float *bias,
                                size_t N, size_t C)
{
    enum { THREADS = 128 };
    if (N == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    for (size_t n = 0; n < N; n++) {
        const float *x_n = x + n * C;
        double sum = 0, squares = 0;
        for (size_t c = 0; c < C; c++) {
            sum += c < THREADS || !mean_of_first ? x_n[c] : 0;
        }
        const double m = sum / (double)C;
        for (size_t c = 0; c < C; c++) {
            squares += c < THREADS || mean_of_first ? (x_n[c] - m) * (x_n[c] - m) : 0;
        }
        const double r = 1 / sqrt(squares / (double)C + LAYERNORM_EPS);
        for (size_t c = 0; c < C; c++) {
            y[n * C + c] = (float)((x_n[c] - m) * r * gain[c] + bias[c]);
        }
        mean[n] = (float)m;
        rstd[n] = (float)r;
    }
    return LAB_OK;
}

static lab_status norm_mean_of_first(float *y, float *mean, float *rstd, const float *x,
                                     const float *gain, const float *bias, size_t N,
                                     size_t C)
{
    return norm_of_first(true, y, mean, rstd, x, gain, bias, N, C);
}

static lab_status norm_variance_of_first(float *y, float *mean, float *rstd,
                                         const float *x, const float *gain,
                                         const float *bias, size_t N, size_t C)
{
    return norm_of_first(false, y, mean, rstd, x, gain, bias, N, C);
}

#define LOOP_OF_CHANNELS                                                                 \
    "A row may have more channels than the block has threads: each thread handles "      \
    "channels c, c + blockDim.x, ... in a loop."
#define RESET_WHY                                                                        \
    "Each row has its own mean and variance. Set both sums to 0 inside the loop over "   \
    "the rows."

const struct mistake layernorm_mistakes[] = {
    {
        .id = "unbiased",
        .what = "the variance is divided by C - 1 instead of C",
        .why =
            "Layer norm takes the mean of the squared distances, the biased variance. "
            "With C - 1 the result is too small by sqrt((C - 1) / C): 0.866 for C = 4, "
            "0.99935 for C = 768, which is easy to miss.",
        .source = "harvardnlp/annotated-transformer#119, #122",
        .function = LIKE(layernorm, norm_unbiased),
    },
    {
        .id = "eps-outside",
        .what = "eps is added to the standard deviation, not to the variance",
        .why =
            "It belongs inside the root: 1 / sqrt(variance + eps). At unit scale the "
            "difference is in the fifth digit; for numbers near 0.001 it is a factor of "
            "three or more.",
        .source = "callummcdougall/ARENA_3.0#228, codertimo/BERT-pytorch#30",
        .function = LIKE(layernorm, norm_eps_outside),
    },
    {
        .id = "eps-in-the-sum",
        .what = "eps is added to the sum of the squares, before the division by C",
        .why = "rstd = 1 / sqrt(variance + LAYERNORM_EPS): divide by C first, then add "
               "eps.",
        .source = NULL,
        .function = LIKE(layernorm, norm_eps_in_sum),
    },
    {
        .id = "eps-as-a-floor",
        .what = "eps is a lower limit of the variance, not added to it",
        .why =
            "rstd = 1 / sqrt(variance + LAYERNORM_EPS): add eps, whatever the variance is.",
        .source = NULL,
        .function = LIKE(layernorm, norm_eps_floor),
    },
    {
        .id = "no-eps",
        .what = "eps is missing",
        .why =
            "A row of equal numbers has variance 0, and 0 / 0 is NaN. Add LAYERNORM_EPS "
            "to the variance before the root.",
        .source = NULL,
        .function = LIKE(layernorm, norm_without_eps),
    },
    {
        .id = "rms-norm",
        .what = "this is RMSNorm, which ignores the mean",
        .why = "RMSNorm divides by the root of the mean square and does not subtract the "
               "mean. Layer norm subtracts the mean, in the variance and in the result.",
        .source = "stanford-cs336/assignment1-basics#93",
        .function = LIKE(layernorm, norm_rms),
        .convention = true,
    },
    {
        .id = "mean-kept",
        .what = "the mean is not subtracted in the result",
        .why =
            "The variance is right, but y uses x[c] instead of x[c] - mean, so the rows "
            "are not centered on 0.",
        .source = "stanford-cs336/assignment1-basics#93",
        .function = LIKE(layernorm, norm_mean_kept),
    },
    {
        .id = "variance-about-zero",
        .what = "the variance is taken about 0, not about the mean",
        .why = "The mean of x * x is the variance plus the squared mean. Square the "
               "distances x[c] - mean.",
        .source = NULL,
        .function = LIKE(layernorm, norm_about_zero),
    },
    {
        .id = "one-pass",
        .what =
            "the variance is the mean of the squares minus the squared mean, in float",
        .why =
            "For numbers near 1000 both are near 1000000, where floats are 0.06 apart, "
            "so a variance of 1 is lost in rounding. Subtract the mean before you "
            "square, or sum in double.",
        .source = NULL,
        .function = LIKE(layernorm, norm_one_pass_in_float),
    },
    {
        .id = "from-1",
        .what = "both sums start at channel 1",
        .why = "The first channel is number 0: start both loops at c = 0.",
        .source = NULL,
        .function = LIKE(layernorm, norm_from_1),
    },
    {
        .id = "mean-from-1",
        .what = "the sum for the mean starts at channel 1",
        .why = "The first channel is number 0: start the loop at c = 0.",
        .source = NULL,
        .function = LIKE(layernorm, norm_mean_from_1),
    },
    {
        .id = "mean-of-last",
        .what = "the sum for the mean is only the last channel",
        .why = "= replaces the sum with the newest number; += adds it: sum += x[c].",
        .source = NULL,
        .function = LIKE(layernorm, norm_mean_of_last),
    },
    {
        .id = "variance-of-last",
        .what = "the sum of squares is only that of the last channel",
        .why = "= replaces the sum with the newest square; += adds it.",
        .source = NULL,
        .function = LIKE(layernorm, norm_squares_of_last),
    },
    {
        .id = "both-of-last",
        .what = "both sums are only those of the last channel",
        .why = "= replaces a sum with the newest number; += adds it.",
        .source = NULL,
        .function = LIKE(layernorm, norm_both_of_last),
    },
    {
        .id = "whole-sum",
        .what = "the sum for the mean is an integer",
        .why = "An int drops the fraction at every addition. Make the sum a float or "
               "a double.",
        .source = NULL,
        .function = LIKE(layernorm, norm_whole_sum),
    },
    {
        .id = "whole-squares",
        .what = "the sum of squares is an integer",
        .why = "An int drops the fraction at every addition. Make the sum a float or "
               "a double.",
        .source = NULL,
        .function = LIKE(layernorm, norm_whole_squares),
    },
    {
        .id = "no-root",
        .what = "the numbers are divided by the variance instead of its root",
        .why = "rstd is 1 / sqrt(variance + eps), one over the standard deviation. "
               "sqrtf is missing.",
        .source = NULL,
        .function = LIKE(layernorm, norm_without_root),
    },
    {
        .id = "sum-of-squares",
        .what = "the squared distances are summed and not divided by C",
        .why = "The variance is their mean. Without the division every row comes out too "
               "small by sqrt(C).",
        .source = NULL,
        .function = LIKE(layernorm, norm_not_divided),
    },
    {
        .id = "sum-not-reset",
        .what = "the sums are not reset between rows",
        .why = RESET_WHY,
        .source = NULL,
        .function = LIKE(layernorm, norm_not_reset),
    },
    {
        .id = "mean-not-reset",
        .what = "mean and variance of a row are not reset before the next row",
        .why = RESET_WHY,
        .source = NULL,
        .function = LIKE(layernorm, norm_means_not_reset),
    },
    {
        .id = "variance-not-reset",
        .what = "the variance of a row is not reset before the next row",
        .why = RESET_WHY,
        .source = NULL,
        .function = LIKE(layernorm, norm_variance_not_reset),
    },
    {
        .id = "wrong-axis",
        .what = "x is read as (C, N): a row is every N-th number",
        .why = "A row of x (N, C) is one token, C consecutive numbers: x[n * C + c]. "
               "Normalize each row separately.",
        .source = "jadore801120/attention-is-all-you-need-pytorch#17",
        .function = LIKE(layernorm, norm_wrong_axis),
    },
    {
        .id = "over-all",
        .what = "one mean and one variance for all rows together",
        .why = "Each row has its own. With a common mean and variance, a token's result "
               "depends on the rest of the batch.",
        .source = "jadore801120/attention-is-all-you-need-pytorch#17",
        .function = LIKE(layernorm, norm_over_all),
    },
    {
        .id = "no-gain",
        .what = "the gain is missing",
        .why =
            "After normalizing, channel c is multiplied by gain[c]. A new model has gain "
            "1 everywhere, so this shows only after training.",
        .source = NULL,
        .function = LIKE(layernorm, norm_without_gain),
    },
    {
        .id = "no-bias",
        .what = "the bias is missing",
        .why = "Add bias[c] at the end. A new model has bias 0 everywhere, so this shows "
               "only after training.",
        .source = NULL,
        .function = LIKE(layernorm, norm_without_bias),
    },
    {
        .id = "no-gain-no-bias",
        .what = "gain and bias are missing",
        .why =
            "The rows are only normalized. After that, multiply each channel by gain[c] "
            "and add bias[c].",
        .source = NULL,
        .function = LIKE(layernorm, norm_without_both),
    },
    {
        .id = "gain-bias-swapped",
        .what = "gain and bias are swapped",
        .why = "The gain multiplies, the bias is added: normalized * gain[c] + bias[c].",
        .source = NULL,
        .function = LIKE(layernorm, norm_gain_bias_swapped),
    },
    {
        .id = "bias-before-gain",
        .what = "the bias is added before the gain multiplies",
        .why = "That gives normalized * gain + bias * gain. The bias comes last.",
        .source = NULL,
        .function = LIKE(layernorm, norm_bias_inside),
    },
    {
        .id = "stores-std",
        .what = "rstd holds the standard deviation, not its reciprocal",
        .why = "y is right. rstd (r for reciprocal) is 1 / sqrt(variance + eps): the "
               "backward pass of lab 6 multiplies by it.",
        .source = NULL,
        .function = LIKE(layernorm, norm_stores_std),
    },
    {
        .id = "stores-variance",
        .what = "rstd holds the variance",
        .why = "y is right. rstd (r for reciprocal) is 1 / sqrt(variance + eps): the "
               "backward pass of lab 6 multiplies by it.",
        .source = NULL,
        .function = LIKE(layernorm, norm_stores_variance),
    },
    {
        .id = "mean-over-C-minus-1",
        .what = "the mean is divided by C - 1",
        .why = "A mean of C numbers is their sum divided by C.",
        .source = NULL,
        .function = LIKE(layernorm, norm_mean_unbiased),
    },
    {
        .id = "both-over-C-minus-1",
        .what = "mean and variance are divided by C - 1",
        .why = "Both are means of C numbers: divide by C.",
        .source = NULL,
        .function = LIKE(layernorm, norm_both_unbiased),
    },
    {
        .id = "own-warp",
        .what = "every warp of the block divides the sum of its own channels by C",
        .why =
            "The shuffles sum over the 32 lanes of one warp only. One lane of each warp "
            "must write its sum to shared memory; then a barrier; then every thread adds "
            "these sums.",
        .source = NULL,
        .function = LIKE(layernorm, norm_own_warp),
        .gpu = true,
    },
    {
        .id = "half-warp",
        .what = "the sums cover only 16 lanes of each warp",
        .why =
            "The first step of __shfl_xor_sync is 16, then 8, 4, 2 and 1. If you start "
            "at 8, each lane gets the sums of only 16 lanes.",
        .source = NULL,
        .function = LIKE(layernorm, norm_half_warp),
        .gpu = true,
    },
    {
        .id = "mean-of-first-channels",
        .what =
            "the mean covers only the first 128 channels of a row, one for each thread",
        .why = LOOP_OF_CHANNELS,
        .function = LIKE(layernorm, norm_mean_of_first),
        .gpu = true,
    },
    {
        .id = "variance-of-first-channels",
        .what =
            "the variance covers only the first 128 channels of a row, one for each thread",
        .why = LOOP_OF_CHANNELS,
        .function = LIKE(layernorm, norm_variance_of_first),
        .gpu = true,
    },
    {0},
};

NORM(norm_in_float, MEAN_IN_FLOAT)

// Sum and sum of squares together; variance = mean of squares - square of mean.
static lab_status norm_one_pass(NORM_ARGUMENTS)
{
    if (N == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    for (size_t n = 0; n < N; n++) {
        double sum = 0.0, squares = 0.0;
        for (size_t c = 0; c < C; c++) {
            const double value = (double)x[n * C + c];
            sum += value;
            squares += value * value;
        }
        const double m = sum / (double)C;
        mean[n] = (float)m;
        rstd[n] =
            (float)(1.0 / sqrt(squares / (double)C - m * m + (double)LAYERNORM_EPS));
        for (size_t c = 0; c < C; c++) {
            y[n * C + c] = (x[n * C + c] - mean[n]) * rstd[n] * gain[c] + bias[c];
        }
    }
    return LAB_OK;
}

// Nothing is rounded before it is stored.
static lab_status norm_in_double(NORM_ARGUMENTS)
{
    if (N == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    for (size_t n = 0; n < N; n++) {
        double m = 0.0, squares = 0.0;
        for (size_t c = 0; c < C; c++) {
            m += (double)x[n * C + c] / (double)C;
        }
        for (size_t c = 0; c < C; c++) {
            squares += ((double)x[n * C + c] - m) * ((double)x[n * C + c] - m);
        }
        const double r = 1.0 / sqrt(squares / (double)C + (double)LAYERNORM_EPS);
        for (size_t c = 0; c < C; c++) {
            const double normal = ((double)x[n * C + c] - m) * r;
            y[n * C + c] = (float)(normal * (double)gain[c] + (double)bias[c]);
        }
        mean[n] = (float)m;
        rstd[n] = (float)r;
    }
    return LAB_OK;
}

// Welford's way: mean and variance grow number by number.
static lab_status norm_welford(NORM_ARGUMENTS)
{
    if (N == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    for (size_t n = 0; n < N; n++) {
        float m = 0.0f, squares = 0.0f;
        for (size_t c = 0; c < C; c++) {
            const float value = x[n * C + c], step = value - m;
            m += step / (float)(c + 1);
            squares += step * (value - m);
        }
        mean[n] = m;
        rstd[n] = 1.0f / sqrtf(squares / (float)C + LAYERNORM_EPS);
        for (size_t c = 0; c < C; c++) {
            y[n * C + c] = (x[n * C + c] - m) * rstd[n] * gain[c] + bias[c];
        }
    }
    return LAB_OK;
}

// One multiplication and one addition per number, as PyTorch's CPU kernel does it.
static lab_status norm_scale_and_shift(NORM_ARGUMENTS)
{
    lab_status status = norm_with(MEAN_IN_FLOAT, NORM_VALUES);
    for (size_t i = 0; status == LAB_OK && i < N * C; i++) {
        const float scale = rstd[i / C], shift = -mean[i / C] * rstd[i / C];
        y[i] = (x[i] * scale + shift) * gain[i % C] + bias[i % C];
    }
    return status;
}

const struct mistake layernorm_alternatives[] = {
    {.id = "sums-in-float", .function = LIKE(layernorm, norm_in_float)},
    {.id = "in-double", .function = LIKE(layernorm, norm_in_double)},
    {.id = "one-pass-in-double", .function = LIKE(layernorm, norm_one_pass)},
    {.id = "welford", .function = LIKE(layernorm, norm_welford)},
    {.id = "scale-and-shift", .function = LIKE(layernorm, norm_scale_and_shift)},
    {0},
};
