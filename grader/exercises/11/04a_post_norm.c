// 04a_post_norm.c - exercise 11.4, post_norm: cases and known mistakes.

#include "exercises/11/04_bert_layer.h"
#include "exercises/common/inputs.h"

#include <math.h>
#include <string.h>

#include "11_reading_attention/reading.h"
#include "common/rng.h"

// ---- cases ----------------------------------------------------------------------------------

// In a row of few channels the sums may happen to be nearly equal, and then rounding errors grow by
// 1 / (their standard deviation). This spaces them at least half apart.
static void fill_spread(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    const size_t C = case_dim(test, "C");
    float *x = case_f32(test, "x"), *branch = case_f32(test, "branch");
    for (size_t n = 0; n < case_dim(test, "N"); n++) {
        float low = INFINITY, high = -INFINITY;
        for (size_t i = n * C; i < (n + 1) * C; i++) {
            low = fminf(low, x[i] + branch[i]);
            high = fmaxf(high, x[i] + branch[i]);
        }
        x[n * C] += high - low < 0.5f ? 1.0f : 0.0f;
    }
}

// An eps of 1e-5 would be ten times the variance.
static void fill_small(struct test_case *test, struct lab_rng *rng)
{
    fill_spread(test, rng);
    scale_input(test, "x", 1e-3f);
    scale_input(test, "branch", 1e-3f);
}

// A variance about that of BERT_EPS, and one far below it, in turn.
static void fill_tiny(struct test_case *test, struct lab_rng *rng)
{
    fill_spread(test, rng);
    const size_t C = case_dim(test, "C");
    for (size_t i = 0; i < case_count(test, "x"); i++) {
        const float by = i / C % 2 == 0 ? 1e-6f : 2e-7f;
        case_f32(test, "x")[i] *= by;
        case_f32(test, "branch")[i] *= by;
    }
}

// The sums of a row are equal, and C is a power of two, so every way of computing their mean is
// exact.
static void fill_equal(struct test_case *test, struct lab_rng *rng)
{
    const size_t C = case_dim(test, "C");
    for (size_t n = 0; n < case_dim(test, "N"); n++) {
        const float sum = (float)lab_rng_int(rng, -4, 5) / 64.0f;
        for (size_t i = n * C; i < (n + 1) * C; i++) {
            const float part = (float)lab_rng_int(rng, -9, 10) / 64.0f;
            case_f32(test, "x")[i] = part;
            case_f32(test, "branch")[i] = sum - part;
        }
    }
}

// Sums near 1000, a multiple of 1/16, with a variance near 1: the mean of the squares minus the square
// of the mean loses it. Both terms vary, so that sums that are all limited look like neither of them.
static void fill_near_1000(struct test_case *test, struct lab_rng *rng)
{
    for (size_t i = 0; i < case_count(test, "x"); i++) {
        const float distance = (float)lab_rng_int(rng, 10, 18) / 16.0f;
        const float part = (float)lab_rng_int(rng, -32, 33) / 16.0f;
        case_f32(test, "x")[i] = 600.0f + (i % 2 == 0 ? distance : -distance) - part;
        case_f32(test, "branch")[i] = 400.0f + part;
    }
}

// Sums near 8000, a multiple of 1/16: in float, the mean of the squares is a multiple of 4 here.
static void fill_near_8000(struct test_case *test, struct lab_rng *rng)
{
    fill_near_1000(test, rng);
    for (size_t i = 0; i < case_count(test, "x"); i++) {
        case_f32(test, "x")[i] += 4400.0f;
        case_f32(test, "branch")[i] += 2600.0f;
    }
}

// The mean of each row's sums is 3, no sum is near it, and only the gain makes y small or large.
static void fill_two_gains(struct test_case *test, struct lab_rng *rng)
{
    static const float x[] = {1, 0, 2, 4}, branch[] = {0, 2, 2, 1};
    (void)rng;
    for (size_t i = 0; i < case_count(test, "x"); i++) {
        case_f32(test, "x")[i] = x[i % 4];
        case_f32(test, "branch")[i] = branch[i % 4];
    }
    columns_of_two_sizes(test, "gain", 4);
    set_all(test, "bias", 0.0f);
}

// The row of the handout's worked example.
static void fill_by_hand(struct test_case *test, struct lab_rng *rng)
{
    static const float x[] = {1, 0, 2, 4}, branch[] = {0, 2, 1, 2};
    (void)rng;
    for (size_t i = 0; i < case_count(test, "x"); i++) {
        case_f32(test, "x")[i] = x[i % 4] * (float)(1 + i / 4);
        case_f32(test, "branch")[i] = branch[i % 4] * (float)(1 + i / 4);
    }
    set_all(test, "gain", 1.0f);
    set_all(test, "bias", 0.0f);
}

const struct case_spec post_norm_cases[] = {
    {.dims = "N=1 C=1", .note = "one channel: it is its own mean"},
    {.dims = "N=2 C=4", .fill = fill_by_hand, .note = "sums 1 2 3 6, and twice that"},
    {.dims = "N=2 C=3", .fill = fill_spread},
    {.dims = "N=4 C=4", .fill = fill_spread, .note = "as many rows as channels"},
    {.dims = "N=3 C=4", .fill = fill_equal, .note = "rows of equal sums, variance 0"},
    {.dims = "N=5 C=16", .fill = fill_equal, .note = "rows of equal sums, variance 0"},
    {.dims = "N=4 C=5",
     .fill = fill_small,
     .note = "sums near 0.001, where lab 5's eps would show"},
    {.dims = "N=2..5 C=7..13", .draws = 3, .fill = fill_spread},
    {.dims = "N=9 C=17", .fill = fill_small, .note = "sums near 0.001"},
    {.dims = "N=3 C=6", .fill = fill_tiny, .note = "sums near 1e-6: eps matters"},
    {.dims = "N=1 C=5", .fill = fill_spread, .note = "one row"},
    {.dims = "N=4 C=1", .note = "one channel: it is its own mean"},
    {.dims = "N=64 C=256", .fill = fill_spread, .note = "N is 64, C is 256"},
    {.dims = "N=1 C=1031", .note = "more than 1024 channels"},
    {.dims = "N=17 C=16",
     .fill = fill_near_1000,
     .unit = 200,
     .note = "sums near 1000, with a variance near 1"},
    {.dims = "N=9 C=16",
     .fill = fill_near_8000,
     .unit = 2000,
     .note = "sums near 8000, with a variance near 1"},
    {.dims = "N=1 C=4",
     .fill = fill_two_gains,
     .unit = TWO_SIZES_UNIT,
     .note = "gains near 1e-18 and 1e18"},
    {.dims = "N=256 C=3", .fill = fill_spread, .note = "256 rows"},
    {.dims = "N=67 C=259", .note = "larger, odd sizes"},
    {.dims = "N=0 C=3", .note = "a size of 0"},
    {.dims = "N=3 C=0", .note = "a size of 0"},
    {0},
};

// ---- known mistakes -------------------------------------------------------------------------

void norm_rows(float *y, const float *x, const float *gain, const float *bias, double eps,
               size_t divisor, size_t N, size_t C)
{
    for (size_t n = 0; n < N; n++) {
        double mean = 0.0, squares = 0.0;
        for (size_t c = 0; c < C; c++) {
            mean += (double)x[n * C + c] / (double)C;
        }
        for (size_t c = 0; c < C; c++) {
            const double distance = (double)x[n * C + c] - mean;
            squares += distance * distance;
        }
        const double rstd = 1.0 / sqrt(squares / (double)divisor + eps);
        for (size_t c = 0; c < C; c++) {
            y[n * C + c] =
                (float)(((double)x[n * C + c] - mean) * rstd * (double)gain[c] +
                        (double)bias[c]);
        }
    }
}

void linear_by_rows(float *y, const float *x, const float *w, const float *bias, size_t N,
                    size_t I, size_t O)
{
    for (size_t n = 0; n < N; n++) {
        for (size_t o = 0; o < O; o++) {
            double sum = bias == NULL ? 0.0 : (double)bias[o];
            for (size_t i = 0; i < I; i++) {
                sum += (double)x[n * I + i] * (double)w[o * I + i];
            }
            y[n * O + o] = (float)sum;
        }
    }
}

// What is computed of a row: the sum s that is normalized, and the result from normal, which is s with
// mean 0 and variance 1.
#define NORM(name, sum, eps, divisor, result)                                            \
    static lab_status name(float *y, const float *x, const float *branch,                \
                           const float *gain, const float *bias, size_t N, size_t C)     \
    {                                                                                    \
        if (N == 0 || C == 0) {                                                          \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        for (size_t n = 0; n < N; n++) {                                                 \
            double mean = 0.0, squares = 0.0;                                            \
            for (size_t c = 0; c < C; c++) {                                             \
                const double a = (double)x[n * C + c], b = (double)branch[n * C + c];    \
                (void)a, (void)b;                                                        \
                mean += (sum) / (double)C;                                               \
            }                                                                            \
            for (size_t c = 0; c < C; c++) {                                             \
                const double a = (double)x[n * C + c], b = (double)branch[n * C + c];    \
                (void)a, (void)b;                                                        \
                squares += ((sum)-mean) * ((sum)-mean);                                  \
            }                                                                            \
            const double variance = squares / (double)(divisor);                         \
            for (size_t c = 0; c < C; c++) {                                             \
                const double a = (double)x[n * C + c], b = (double)branch[n * C + c];    \
                const double rstd = 1.0 / sqrt(variance + (eps));                        \
                const double normal = ((sum)-mean) * rstd, g = (double)gain[c],          \
                             shift = (double)bias[c];                                    \
                (void)a, (void)b, (void)normal, (void)g, (void)shift;                    \
                y[n * C + c] = (float)(result);                                          \
            }                                                                            \
        }                                                                                \
        return LAB_OK;                                                                   \
    }
#define EPS ((double)BERT_EPS)
#define USUAL (normal * g + shift)
#define BESIDE (C > 1 ? C - 1 : 1)

NORM(norm_lab5_eps, a + b, 1e-5, C, USUAL)
NORM(norm_without_eps, a + b, 0.0, C, USUAL)
// 1 / (sqrt(variance) + EPS)
NORM(norm_eps_outside, a + b, 2 * sqrt(variance) * EPS + EPS * EPS, C, USUAL)
NORM(norm_eps_in_sum, a + b, EPS / (double)C, C, USUAL)
NORM(norm_eps_floor, a + b, fmax(EPS - variance, 0), C, USUAL)
NORM(norm_unbiased, a + b, EPS, BESIDE, USUAL)
NORM(norm_x_alone, a, EPS, C, USUAL)
NORM(norm_branch_alone, b, EPS, C, USUAL)
NORM(norm_then_add, a, EPS, C, USUAL + b)
NORM(norm_branch_then_add, b, EPS, C, USUAL + a)
NORM(norm_and_stream, a + b, EPS, C, USUAL + a)
NORM(norm_difference, a - b, EPS, C, USUAL)
NORM(norm_without_gain, a + b, EPS, C, normal + shift)
NORM(norm_without_bias, a + b, EPS, C, normal *g)
NORM(norm_without_both, a + b, EPS, C, normal)
NORM(norm_swapped, a + b, EPS, C, normal *shift + g)
NORM(norm_not_centred, a + b, EPS, C, (a + b) * rstd * g + shift)
NORM(norm_without_root, a + b, EPS, C, (a + b - mean) / (variance + EPS) * g + shift)
NORM(norm_not_scaled, a + b, EPS, C, (a + b - mean) * g + shift)
NORM(norm_in_double, a + b, EPS, C, USUAL)

// The variance as the mean of the squares minus the square of the mean, all in float.
static lab_status norm_one_pass(float *y, const float *x, const float *branch,
                                const float *gain, const float *bias, size_t N, size_t C)
{
    if (N == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    for (size_t n = 0; n < N; n++) {
        float *y_n = y + n * C, sum = 0.0f, squares = 0.0f;
        for (size_t c = 0; c < C; c++) {
            y_n[c] = x[n * C + c] + branch[n * C + c];
            sum += y_n[c];
            squares += y_n[c] * y_n[c];
        }
        const float mean = sum / (float)C, variance = squares / (float)C - mean * mean;
        const float rstd = 1.0f / sqrtf(variance + BERT_EPS);
        for (size_t c = 0; c < C; c++) {
            y_n[c] = (y_n[c] - mean) * rstd * gain[c] + bias[c];
        }
    }
    return LAB_OK;
}

const struct mistake post_norm_mistakes[] = {
    {
        .id = "lab-5s-eps",
        .what = "eps is lab 5's, 1e-5",
        .why = "BERT's eps is 1e-12: BERT_EPS.",
        .source = NULL,
        .function = LIKE(post_norm, norm_lab5_eps),
    },
    {
        .id = "no-eps",
        .what = "eps is missing: a row of equal numbers divides 0 by 0",
        .why = "Add BERT_EPS to the variance, under the root.",
        .source = NULL,
        .function = LIKE(post_norm, norm_without_eps),
    },
    {
        .id = "eps-outside",
        .what = "eps is added outside the root",
        .why = "rstd = 1 / sqrt(variance + BERT_EPS): eps belongs under the root.",
        .source = "callummcdougall/ARENA_3.0#228, codertimo/BERT-pytorch#30",
        .function = LIKE(post_norm, norm_eps_outside),
    },
    {
        .id = "eps-in-the-sum",
        .what = "eps is added to the sum of the squares, before the division by C",
        .why = "rstd = 1 / sqrt(variance + BERT_EPS): divide by C first, then add eps.",
        .source = NULL,
        .function = LIKE(post_norm, norm_eps_in_sum),
    },
    {
        .id = "eps-as-a-floor",
        .what = "eps is a lower limit of the variance, not added to it",
        .why = "rstd = 1 / sqrt(variance + BERT_EPS): add eps, whatever the variance is.",
        .source = NULL,
        .function = LIKE(post_norm, norm_eps_floor),
    },
    {
        .id = "over-C-1",
        .what = "the variance is divided by C - 1",
        .why = "Layer norm uses the biased variance: divide by C.",
        .source = NULL,
        .function = LIKE(post_norm, norm_unbiased),
    },
    {
        .id = "x-alone",
        .what = "the branch is not added",
        .why = "The sum x + branch is normalized.",
        .source = NULL,
        .function = LIKE(post_norm, norm_x_alone),
    },
    {
        .id = "branch-alone",
        .what = "x is not added",
        .why = "The sum x + branch is normalized.",
        .source = NULL,
        .function = LIKE(post_norm, norm_branch_alone),
    },
    {
        .id = "branch-added-later",
        .what = "x is normalized, then the branch is added",
        .why = "Add first, then normalize the sum.",
        .source = NULL,
        .function = LIKE(post_norm, norm_then_add),
    },
    {
        .id = "x-added-later",
        .what = "the branch is normalized, then x is added",
        .why = "Add first, then normalize the sum.",
        .source = NULL,
        .function = LIKE(post_norm, norm_branch_then_add),
    },
    {
        .id = "x-added-again",
        .what = "x is added once more after the norm",
        .why = "The normalized sum is the result.",
        .source = NULL,
        .function = LIKE(post_norm, norm_and_stream),
    },
    {
        .id = "difference",
        .what = "the branch is subtracted",
        .why = "The sum x + branch is normalized.",
        .source = NULL,
        .function = LIKE(post_norm, norm_difference),
    },
    {
        .id = "no-gain",
        .what = "the gain is missing",
        .why = "y = (s - mean) * rstd * gain[c] + bias[c].",
        .source = NULL,
        .function = LIKE(post_norm, norm_without_gain),
    },
    {
        .id = "no-bias",
        .what = "the bias is missing",
        .why = "y = (s - mean) * rstd * gain[c] + bias[c].",
        .source = NULL,
        .function = LIKE(post_norm, norm_without_bias),
    },
    {
        .id = "no-gain-no-bias",
        .what = "gain and bias are missing",
        .why = "y = (s - mean) * rstd * gain[c] + bias[c].",
        .source = NULL,
        .function = LIKE(post_norm, norm_without_both),
    },
    {
        .id = "gain-and-bias-swapped",
        .what = "gain and bias are swapped",
        .why = "y = (s - mean) * rstd * gain[c] + bias[c].",
        .source = NULL,
        .function = LIKE(post_norm, norm_swapped),
    },
    {
        .id = "mean-not-subtracted",
        .what = "the mean is not subtracted",
        .why = "y = (s - mean) * rstd * gain[c] + bias[c].",
        .source = NULL,
        .function = LIKE(post_norm, norm_not_centred),
    },
    {
        .id = "no-root",
        .what = "the numbers are divided by the variance, not by its root",
        .why = "rstd = 1 / sqrt(variance + BERT_EPS).",
        .source = NULL,
        .function = LIKE(post_norm, norm_without_root),
    },
    {
        .id = "not-divided",
        .what = "the numbers are not divided by the standard deviation",
        .why = "rstd = 1 / sqrt(variance + BERT_EPS).",
        .source = NULL,
        .function = LIKE(post_norm, norm_not_scaled),
    },
    {
        .id = "one-pass",
        .what =
            "the variance is the mean of the squares minus the square of the mean, in float",
        .why =
            "Both are near 1,000,000 for sums near 1000, where a float is 0.06 from the "
            "next: their difference is rounding. Compute the mean first, then average "
            "(s - mean)^2.",
        .source = NULL,
        .function = LIKE(post_norm, norm_one_pass),
    },
    {0},
};

const struct mistake post_norm_alternatives[] = {
    {.id = "in-double", .function = LIKE(post_norm, norm_in_double)},
    {0},
};
