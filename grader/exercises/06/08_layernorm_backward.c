// 08_layernorm_backward.c - exercise 6.8, layernorm_backward: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/06/in_double.h"
#include "exercises/06/shared.h"
#include "exercises/common/inputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "06_copy_task/copy_task.h"

// mean and rstd are those of x, as lab 5's layernorm gives them.
static void set_statistics(struct test_case *test)
{
    const size_t N = case_dim(test, "N"), C = case_dim(test, "C");
    const float *x = case_f32(test, "x");
    for (size_t n = 0; n < N; n++) {
        double mean = 0.0, variance = 0.0;
        for (size_t c = 0; c < C; c++) {
            mean += (double)x[n * C + c] / (double)C;
        }
        for (size_t c = 0; c < C; c++) {
            const double away = (double)x[n * C + c] - mean;
            variance += away * away / (double)C;
        }
        case_f32(test, "mean")[n] = (float)mean;
        case_f32(test, "rstd")[n] = (float)(1.0 / sqrt(variance + (double)LAYERNORM_EPS));
    }
    scale_input(test, "dgain", 0.5f);
    scale_input(test, "dbias", 0.5f);
}

// Rows away from 0, of standard deviation near 3: mean and rstd are not those of unit normals,
// and no row is nearly constant, where dx would be all rounding.
static void fill_shifted_rows(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    float *x = case_f32(test, "x");
    const size_t C = case_dim(test, "C");
    for (size_t i = 0; i < case_count(test, "x"); i++) {
        x[i] = x[i] + (i % C % 2 == 0 ? 5.0f : -1.0f);
    }
    set_statistics(test);
}

// rstd is 316.2. With a dy near 1, it would magnify the rounding of dy * gain: a fused multiply-add
// rounds it only in one of the two places that cancel.
static void fill_one_channel(struct test_case *test, struct lab_rng *rng)
{
    scale_input(test, "dy", 0.01f);
    fill_shifted_rows(test, rng);
}

static void fill_many_rows(struct test_case *test, struct lab_rng *rng)
{
    scale_input(test, "dy", 0.125f); // dgain and dbias stay near 1
    fill_shifted_rows(test, rng);
}

// A variance near that of LAYERNORM_EPS: rstd is far from 1 / sqrt(variance).
static void fill_small_rows(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_input(test, "x", 0.003f);
    scale_input(test, "dy", 0.01f);
    set_statistics(test);
}

// Rows of equal numbers: only eps is left, rstd is 316.2.
static void fill_equal_rows(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_all(test, "x", 0.5f);
    scale_input(test, "dy", 0.01f);
    set_statistics(test);
}

// One channel is far from all others: its norm is 32, as large as it can be with 1025 channels.
static void fill_one_far(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    const size_t C = case_dim(test, "C");
    case_coarse(test, "dy");
    case_coarse(test, "gain");
    for (size_t i = 0; i < case_count(test, "x"); i++) {
        case_f32(test, "x")[i] = i % C == C / 2 ? 1025.0f : 0.0f;
    }
    set_statistics(test);
}

// A gain of 0, and gradients of 0. Neither may be divided by.
static void fill_zeros(struct test_case *test, struct lab_rng *rng)
{
    fill_shifted_rows(test, rng);
    const size_t C = case_dim(test, "C");
    case_f32(test, "gain")[1] = 0.0f;
    for (size_t n = 0; n < case_dim(test, "N"); n++) {
        case_f32(test, "dy")[n * C + n % C] = 0.0f;
    }
}

static void fill_tiny(struct test_case *test, struct lab_rng *rng)
{
    static const char *const names[] = {"dy", "dgain", "dbias"};
    fill_shifted_rows(test, rng);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        scale_input(test, names[i], TINY * TINY);
    }
}

static void fill_large(struct test_case *test, struct lab_rng *rng)
{
    fill_shifted_rows(test, rng);
    scale_input(test, "dy", LARGE);
}

static void fill_wide(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    case_coarse(test, "x");
    case_coarse(test, "dy");
    case_coarse(test, "gain");
    set_statistics(test);
}

static void fill_repeated_rows(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    const size_t C = case_dim(test, "C");
    repeat_rows(test, "x", C, 1, -2.0f, 1.0f);
    repeat_rows(test, "dy", C, 4, -3.0f, 1.0f / 64.0f);
    set_statistics(test);
}

static const struct case_spec layernorm_backward_cases[] = {
    {.dims = "N=1 C=3", .fill = fill_shifted_rows},
    {.dims = "N=1 C=4", .fill = fill_shifted_rows},
    {.dims = "N=2 C=3", .fill = fill_shifted_rows},
    {.dims = "N=3 C=5", .draws = 2, .fill = fill_shifted_rows},
    {.dims = "N=4 C=4", .fill = fill_shifted_rows, .note = "N = C"},
    {.dims = "N=4 C=1", .fill = fill_one_channel, .note = "one channel: dx is 0"},
    {.dims = "N=7 C=4", .fill = fill_shifted_rows},
    {.dims = "N=3..6 C=8..13", .draws = 3, .fill = fill_shifted_rows},
    {.dims = "N=21 C=32", .fill = fill_shifted_rows},
    {.dims = "N=261 C=3", .fill = fill_many_rows},
    {.dims = "N=3 C=5",
     .fill = fill_small_rows,
     .note = "a variance near that of eps, 1e-5"},
    {.dims = "N=2 C=4", .fill = fill_equal_rows, .note = "rows of equal numbers"},
    {.dims = "N=3 C=5", .fill = fill_zeros, .note = "a gain of 0, gradients of 0"},
    {.dims = "N=2 C=1031", .fill = fill_shifted_rows},
    {.dims = "N=256 C=3", .fill = fill_many_rows, .note = "exactly 256 rows"},
    {.dims = "N=2 C=256", .fill = fill_shifted_rows, .note = "exactly 256 channels"},
    {.dims = "N=16 C=64", .fill = fill_shifted_rows, .note = "exactly 64 channels"},
    {.dims = "N=2 C=2",
     .fill = fill_small_rows,
     .unit = 1.0f,
     .note = "two channels, a variance near that of eps"},
    {.dims = "N=2 C=4",
     .fill = fill_tiny,
     .unit = TINY * TINY,
     .note = TINY_RESULTS_NOTE},
    {.dims = "N=2 C=5", .fill = fill_large, .unit = LARGE, .note = LARGE_NOTE},
    {.dims = "N=2 C=1025",
     .fill = fill_one_far,
     .note = "one channel far from the others: its norm is 32"},
    {.dims = "N=0 C=3", .note = "a size of 0"},
    {.dims = "N=3 C=0", .note = "a size of 0"},
    {.dims = "N=1031 C=2",
     .fill = fill_repeated_rows,
     .note = "more than 1024 rows",
     .gpu_only = true},
    // 48 KiB of shared memory hold 12288 floats.
    {.dims = "N=2 C=12301",
     .fill = fill_wide,
     .note = "more than 12288 channels",
     .gpu_only = true},
    // A grid ends at 65535 blocks along y and z.
    {.dims = "N=65537 C=1", .note = "65537 rows", .gpu_only = true, .launch_only = true},
    {MOST("N=2 C=1", "N")},
    {MOST("N=1 C=2", "C")},
    {0},
};

enum norm_fault {
    NORM_RIGHT,
    NORM_NO_MEAN_TERM,
    NORM_NO_VARIANCE_TERM,
    NORM_CONSTANT,
    NORM_NO_GAIN,
    NORM_GAIN_OUTSIDE,
    NORM_NO_RSTD,
    NORM_RSTD_OF_VARIANCE,
    NORM_SUMS,
    NORM_C_MINUS_1,
    NORM_VARIANCE_OF_X,
    NORM_PLUS,
    NORM_DGAIN_OF_X,
    NORM_DGAIN_NO_RSTD,
    NORM_DGAIN_IS_DBIAS,
    NORM_DGAIN_WITH_GAIN,
    NORM_DBIAS_OF_DNORM,
    NORM_OVERWRITTEN,
    NORM_MEANS,
    NORM_DGAIN_OVERWRITTEN,
    NORM_DBIAS_OVERWRITTEN,
    NORM_ASSIGNED,
    NORM_DGAIN_ASSIGNED,
    NORM_DBIAS_ASSIGNED,
    NORM_NO_EPS,
    NORM_ROWS_FROM_1,
    NORM_MEAN_ASSIGNED,
    NORM_NORM_MEAN_ASSIGNED,
    NORM_BOTH_MEANS_ASSIGNED,
    NORM_MEANS_OF_DY,
    NORM_MEAN_IS_SUM,
    NORM_NORM_MEAN_IS_SUM,
    NORM_MEAN_PLUS,
    NORM_NORM_MEAN_PLUS,
    NORM_DX_DIVIDED,
    NORM_DIVIDED,
};

// One row: its dx, and what it adds to dgain and dbias.
static void norm_row(enum norm_fault fault, float *dx, float *dgain, float *dbias,
                     const float *dy, const float *x, float mean, float rstd,
                     const float *gain, size_t C, float share)
{
    float *norm = borrow(2 * C), *dnorm = norm + C;
    float sum = 0.0f, sum_norm = 0.0f;
    for (size_t c = 0; c < C; c++) {
        norm[c] = (x[c] - mean) * (fault == NORM_DIVIDED ? 1.0f / rstd : rstd);
        dnorm[c] =
            fault == NORM_NO_GAIN || fault == NORM_GAIN_OUTSIDE ? dy[c] : dy[c] * gain[c];
        if (fault == NORM_MEAN_ASSIGNED || fault == NORM_BOTH_MEANS_ASSIGNED) {
            sum = 0.0f;
        }
        if (fault == NORM_NORM_MEAN_ASSIGNED || fault == NORM_BOTH_MEANS_ASSIGNED) {
            sum_norm = 0.0f;
        }
        const float term = fault == NORM_MEANS_OF_DY ? dy[c] : dnorm[c];
        sum += term;
        sum_norm += term * (fault == NORM_VARIANCE_OF_X ? x[c] : norm[c]);
    }
    const float count = fault == NORM_SUMS        ? 1.0f
                        : fault == NORM_C_MINUS_1 ? (float)C - 1.0f
                                                  : (float)C;
    float mean_term = fault == NORM_MEAN_IS_SUM ? sum : sum / count;
    float variance_term = fault == NORM_NORM_MEAN_IS_SUM ? sum_norm : sum_norm / count;
    mean_term *= fault == NORM_NO_MEAN_TERM || fault == NORM_CONSTANT ? 0.0f
                 : fault == NORM_PLUS || fault == NORM_MEAN_PLUS      ? -1.0f
                                                                      : 1.0f;
    variance_term *= fault == NORM_NO_VARIANCE_TERM || fault == NORM_CONSTANT ? 0.0f
                     : fault == NORM_PLUS || fault == NORM_NORM_MEAN_PLUS     ? -1.0f
                                                                              : 1.0f;
    for (size_t c = 0; c < C; c++) {
        float d = dnorm[c] - (mean_term + norm[c] * variance_term);
        d *= fault == NORM_NO_RSTD                               ? 1.0f
             : fault == NORM_DX_DIVIDED || fault == NORM_DIVIDED ? 1.0f / rstd
             : fault == NORM_RSTD_OF_VARIANCE                    ? rstd * rstd
                                                                 : rstd;
        dx[c] = fault == NORM_GAIN_OUTSIDE ? d * gain[c] : d;
        const float own = fault == NORM_DGAIN_OF_X        ? x[c]
                          : fault == NORM_DGAIN_NO_RSTD   ? x[c] - mean
                          : fault == NORM_DGAIN_IS_DBIAS  ? 1.0f
                          : fault == NORM_DGAIN_WITH_GAIN ? norm[c] * gain[c]
                                                          : norm[c];
        if (fault == NORM_ASSIGNED || fault == NORM_DGAIN_ASSIGNED) {
            dgain[c] = 0.0f;
        }
        if (fault == NORM_ASSIGNED || fault == NORM_DBIAS_ASSIGNED) {
            dbias[c] = 0.0f;
        }
        dgain[c] += share * dy[c] * own;
        dbias[c] += share * (fault == NORM_DBIAS_OF_DNORM ? dnorm[c] : dy[c]);
    }
    free(norm);
}

static float rstd_without_eps(const float *row, float mean, size_t C)
{
    double variance = 0.0;
    for (size_t c = 0; c < C; c++) {
        const double away = (double)row[c] - (double)mean;
        variance += away * away / (double)C;
    }
    return (float)(1.0 / sqrt(variance));
}

// The arguments of layernorm_backward, for declarations and for calls.
#define NORM_ARGUMENTS                                                                   \
    float *dx, float *dgain, float *dbias, const float *dy, const float *x,              \
        const float *mean, const float *rstd, const float *gain, size_t N, size_t C
#define NORM_VALUES dx, dgain, dbias, dy, x, mean, rstd, gain, N, C

static lab_status norm_with(enum norm_fault fault, NORM_ARGUMENTS)
{
    if (N == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    if (fault == NORM_OVERWRITTEN || fault == NORM_DGAIN_OVERWRITTEN) {
        memset(dgain, 0, C * sizeof *dgain);
    }
    if (fault == NORM_OVERWRITTEN || fault == NORM_DBIAS_OVERWRITTEN) {
        memset(dbias, 0, C * sizeof *dbias);
    }
    for (size_t n = 0; n < N; n++) {
        const float r =
            fault == NORM_NO_EPS ? rstd_without_eps(x + n * C, mean[n], C) : rstd[n];
        const float share = fault == NORM_MEANS                   ? 1.0f / (float)N
                            : fault == NORM_ROWS_FROM_1 && n == 0 ? 0.0f
                                                                  : 1.0f;
        norm_row(fault, dx + n * C, dgain, dbias, dy + n * C, x + n * C, mean[n], r, gain,
                 C, share);
    }
    return LAB_OK;
}

#define NORM(name, fault)                                                                \
    static lab_status name(NORM_ARGUMENTS)                                               \
    {                                                                                    \
        return norm_with(fault, NORM_VALUES);                                            \
    }

NORM(norm_no_mean_term, NORM_NO_MEAN_TERM)
NORM(norm_no_variance_term, NORM_NO_VARIANCE_TERM)
NORM(norm_constant, NORM_CONSTANT)
NORM(norm_no_gain, NORM_NO_GAIN)
NORM(norm_gain_outside, NORM_GAIN_OUTSIDE)
NORM(norm_no_rstd, NORM_NO_RSTD)
NORM(norm_rstd_of_variance, NORM_RSTD_OF_VARIANCE)
NORM(norm_sums, NORM_SUMS)
NORM(norm_c_minus_1, NORM_C_MINUS_1)
NORM(norm_variance_of_x, NORM_VARIANCE_OF_X)
NORM(norm_plus, NORM_PLUS)
NORM(norm_dgain_of_x, NORM_DGAIN_OF_X)
NORM(norm_dgain_no_rstd, NORM_DGAIN_NO_RSTD)
NORM(norm_dgain_is_dbias, NORM_DGAIN_IS_DBIAS)
NORM(norm_dgain_with_gain, NORM_DGAIN_WITH_GAIN)
NORM(norm_dbias_of_dnorm, NORM_DBIAS_OF_DNORM)
NORM(norm_overwritten, NORM_OVERWRITTEN)
NORM(norm_means, NORM_MEANS)
NORM(norm_dgain_overwritten, NORM_DGAIN_OVERWRITTEN)
NORM(norm_dbias_overwritten, NORM_DBIAS_OVERWRITTEN)
NORM(norm_assigned, NORM_ASSIGNED)
NORM(norm_dgain_assigned, NORM_DGAIN_ASSIGNED)
NORM(norm_dbias_assigned, NORM_DBIAS_ASSIGNED)
NORM(norm_no_eps, NORM_NO_EPS)
NORM(norm_rows_from_1, NORM_ROWS_FROM_1)
NORM(norm_mean_assigned, NORM_MEAN_ASSIGNED)
NORM(norm_norm_mean_assigned, NORM_NORM_MEAN_ASSIGNED)
NORM(norm_both_means_assigned, NORM_BOTH_MEANS_ASSIGNED)
NORM(norm_means_of_dy, NORM_MEANS_OF_DY)
NORM(norm_mean_is_sum, NORM_MEAN_IS_SUM)
NORM(norm_norm_mean_is_sum, NORM_NORM_MEAN_IS_SUM)
NORM(norm_mean_plus, NORM_MEAN_PLUS)
NORM(norm_norm_mean_plus, NORM_NORM_MEAN_PLUS)
NORM(norm_dx_divided, NORM_DX_DIVIDED)
NORM(norm_divided, NORM_DIVIDED)
NORM(norm_in_float, NORM_RIGHT)

// On a GPU: only so many neighboring lanes of a warp share their sums along a row; and warps that do
// not share theirs down a column.
static lab_status layernorm_sharing(size_t lanes, NORM_ARGUMENTS)
{
    lab_status status = layernorm_backward(NORM_VALUES);
    for (size_t i = 0; status == LAB_OK && i < N * C; i++) {
        const size_t n = i / C, c = i % C;
        float sum = 0, norm_sum = 0;
        for (size_t j = 0; j < C; j++) {
            const bool shared = j % LANES / lanes == c % LANES / lanes;
            const float dnorm = shared ? dy[n * C + j] * gain[j] : 0.0f;
            sum += dnorm;
            norm_sum += dnorm * (x[n * C + j] - mean[n]) * rstd[n];
        }
        const float norm = (x[i] - mean[n]) * rstd[n];
        dx[i] = rstd[n] * (dy[i] * gain[c] - sum / (float)C - norm * norm_sum / (float)C);
    }
    return status;
}

static lab_status layernorm_own_lane(NORM_ARGUMENTS)
{
    return layernorm_sharing(1, NORM_VALUES);
}

static lab_status layernorm_half_warp(NORM_ARGUMENTS)
{
    return layernorm_sharing(LANES / 2, NORM_VALUES);
}

static lab_status layernorm_first_warp(float *dx, float *dgain, float *dbias,
                                       const float *dy, const float *x, const float *mean,
                                       const float *rstd, const float *gain, size_t N,
                                       size_t C)
{
    enum { WARPS = 8 };
    // dx is right; dgain and dbias lose the rows of the other warps again
    lab_status status =
        layernorm_backward(dx, dgain, dbias, dy, x, mean, rstd, gain, N, C);
    for (size_t i = 0; status == LAB_OK && i < N * C; i++) {
        if (i / C % WARPS != 0) {
            dgain[i % C] -= dy[i] * (x[i] - mean[i / C]) * rstd[i / C];
            dbias[i % C] -= dy[i];
        }
    }
    return status;
}

#define RSTD_WHY                                                                         \
    "rstd is 1 / the standard deviation, so multiply by it: norm = (x - mean) rstd."

static const struct mistake layernorm_backward_mistakes[] = {
    {
        .id = "no-mean-term",
        .what = "the mean's term is missing from dx",
        .why =
            "Every x[c] changes the mean, and the mean is subtracted from the whole row: "
            "subtract the mean over c of dnorm.",
        .function = LIKE(layernorm_backward, norm_no_mean_term),
    },
    {
        .id = "no-variance-term",
        .what = "the variance's term is missing from dx",
        .why = "Every x[c] changes the variance, and with it the scale of the whole row: "
               "subtract norm times the mean over c of dnorm norm.",
        .function = LIKE(layernorm_backward, norm_no_variance_term),
    },
    {
        .id = "statistics-constant",
        .what = "mean and rstd are treated as constants: dx is dy gain rstd",
        .why = "They depend on x, so part of the gradient flows through them. Both "
               "terms are missing; each row of a correct dx sums to 0.",
        .function = LIKE(layernorm_backward, norm_constant),
    },
    {
        .id = "no-gain",
        .what = "dx uses dy without the gain",
        .why =
            "y = norm gain + bias: first compute dnorm = dy gain, then use it everywhere.",
        .function = LIKE(layernorm_backward, norm_no_gain),
    },
    {
        .id = "means-of-dy",
        .what = "the two means are those of dy and dy norm, without the gain",
        .why = "dx flows back through norm, whose gradient is dnorm = dy gain. Take both "
               "means of dnorm.",
        .function = LIKE(layernorm_backward, norm_means_of_dy),
    },
    {
        .id = "gain-outside",
        .what = "the gain is applied at the end instead of at the start",
        .why = "The means are means of dnorm = dy gain. If the gain differs between "
               "channels, the order matters.",
        .function = LIKE(layernorm_backward, norm_gain_outside),
    },
    {
        .id = "no-rstd",
        .what = "dx is not multiplied by rstd",
        .why = "The forward pass multiplies x - mean by rstd; so does the backward pass.",
        .function = LIKE(layernorm_backward, norm_no_rstd),
    },
    {
        .id = "rstd-squared",
        .what = "dx is multiplied by rstd twice",
        .why = "norm already contains rstd; multiply the bracket by rstd only once.",
        .function = LIKE(layernorm_backward, norm_rstd_of_variance),
    },
    {
        .id = "sums-for-means",
        .what = "the two terms are sums over the row, not means",
        .why = "Mean and variance contain 1/C, and so do their gradients.",
        .function = LIKE(layernorm_backward, norm_sums),
    },
    {
        .id = "mean-not-divided",
        .what = "the first term is the sum of dnorm, not its mean",
        .why = "The mean contains 1/C, and so does its gradient. Divide both sums by C.",
        .function = LIKE(layernorm_backward, norm_mean_is_sum),
    },
    {
        .id = "norm-mean-not-divided",
        .what = "the second term is norm times the sum of dnorm norm, not its mean",
        .why = "The variance contains 1/C, and so does its gradient. Divide both sums by "
               "C.",
        .function = LIKE(layernorm_backward, norm_norm_mean_is_sum),
    },
    {
        .id = "C-minus-1",
        .what = "the two means are divided by C - 1",
        .why = "Layer norm uses the biased variance, so divide by C here too.",
        .source = "harvardnlp/annotated-transformer#119, #122",
        .function = LIKE(layernorm_backward, norm_c_minus_1),
    },
    {
        .id = "x-for-norm",
        .what = "the second mean is of dnorm x, not of dnorm norm",
        .why = "The variance depends on the distance from the mean, in units of the "
               "standard deviation: norm = (x - mean) rstd.",
        .function = LIKE(layernorm_backward, norm_variance_of_x),
    },
    {
        .id = "plus",
        .what = "the two terms are added instead of subtracted",
        .why =
            "The mean is subtracted, and a larger variance makes the row smaller: both "
            "terms are subtracted.",
        .function = LIKE(layernorm_backward, norm_plus),
    },
    {
        .id = "mean-plus",
        .what = "the mean's term is added instead of subtracted",
        .why = "The forward pass subtracts the mean, so its term is subtracted, too.",
        .function = LIKE(layernorm_backward, norm_mean_plus),
    },
    {
        .id = "norm-mean-plus",
        .what = "the variance's term is added instead of subtracted",
        .why =
            "A larger variance makes the whole row smaller, so its term is subtracted, "
            "like the mean's. Is a bracket missing?",
        .function = LIKE(layernorm_backward, norm_norm_mean_plus),
    },
    {
        .id = "dgain-of-x",
        .what = "dgain uses x instead of norm",
        .why = "The gain multiplies norm = (x - mean) rstd: dgain += dy norm.",
        .function = LIKE(layernorm_backward, norm_dgain_of_x),
    },
    {
        .id = "dgain-without-rstd",
        .what = "dgain uses x - mean, without rstd",
        .why = "The gain multiplies norm = (x - mean) rstd: dgain += dy norm.",
        .function = LIKE(layernorm_backward, norm_dgain_no_rstd),
    },
    {
        .id = "dgain-is-dbias",
        .what = "dgain is the sum of dy, like dbias",
        .why = "The gain multiplies norm, so norm is a factor of its gradient.",
        .function = LIKE(layernorm_backward, norm_dgain_is_dbias),
    },
    {
        .id = "dgain-with-gain",
        .what = "dgain contains the gain itself as a factor",
        .why = "dgain uses dy, not dnorm: y = norm gain + bias, and the derivative with "
               "respect to gain is norm.",
        .function = LIKE(layernorm_backward, norm_dgain_with_gain),
    },
    {
        .id = "dbias-with-gain",
        .what = "dbias is the sum of dy gain instead of dy",
        .why =
            "The bias is added after the gain, so the gain does not affect its gradient.",
        .function = LIKE(layernorm_backward, norm_dbias_of_dnorm),
    },
    {
        .id = "overwritten",
        .what = "the old values of dgain and dbias are lost",
        .why = "Gradients of parameters accumulate. Keep the old values; the caller sets "
               "them to 0 once in each step.",
        .source = "karpathy/micrograd#102, karpathy/llm.c#548",
        .function = LIKE(layernorm_backward, norm_overwritten),
    },
    {
        .id = "means",
        .what = "dgain, dbias or both are divided by N",
        .why = "Only sum the rows. The loss already contains the mean's factor 1/N.",
        .function = LIKE(layernorm_backward, norm_means),
    },
    {
        .id = "own-lane",
        .what = "every thread uses its own channels as if they were the whole row",
        .why = "A lane has added up only every 32nd channel. __shfl_xor_sync with 16, 8, "
               "4, 2 and 1 gives every lane both sums of all lanes.",
        .source = NULL,
        .function = LIKE(layernorm_backward, layernorm_own_lane),
        .gpu = true,
    },
    {
        .id = "half-warp",
        .what = "the sums along a row are those of half a warp: 16 lanes of 32",
        .why =
            "The first step of __shfl_xor_sync is 16, then 8, 4, 2 and 1. If you start "
            "at 8, each lane gets the sums of only 16 lanes.",
        .source = NULL,
        .function = LIKE(layernorm_backward, layernorm_half_warp),
        .gpu = true,
    },
    {
        .id = "first-warp",
        .what =
            "dgain and dbias have only every eighth row: those of the block's first warp",
        .why =
            "Each warp of a block sums its own rows. All warps must write their sums to "
            "shared memory; then a barrier; then one warp adds the eight sums.",
        .source = NULL,
        .function = LIKE(layernorm_backward, layernorm_first_warp),
        .gpu = true,
    },
    {
        .id = "dgain-overwritten",
        .what = "dgain is set to 0 first",
        .why = "Keep the old values: the caller sets gradients to 0, once in each step.",
        .source = "karpathy/micrograd#102, karpathy/llm.c#548",
        .function = LIKE(layernorm_backward, norm_dgain_overwritten),
    },
    {
        .id = "dbias-overwritten",
        .what = "dbias is set to 0 first",
        .why = "Keep the old values: the caller sets gradients to 0, once in each step.",
        .source = "karpathy/micrograd#102, karpathy/llm.c#548",
        .function = LIKE(layernorm_backward, norm_dbias_overwritten),
    },
    {
        .id = "assigned",
        .what = "dgain and dbias are assigned in the loop over the rows: only the last "
                "row counts",
        .why = "All N rows use the same gain and bias, and the old values must stay: +=.",
        .source = "karpathy/micrograd#102, karpathy/llm.c#548",
        .function = LIKE(layernorm_backward, norm_assigned),
    },
    {
        .id = "dgain-assigned",
        .what = "dgain is assigned in the loop over the rows: only the last row counts",
        .why =
            "All N rows use the same gain, and the old value must stay: +=, as for dbias.",
        .source = "karpathy/micrograd#102, karpathy/llm.c#548",
        .function = LIKE(layernorm_backward, norm_dgain_assigned),
    },
    {
        .id = "dbias-assigned",
        .what = "dbias is assigned in the loop over the rows: only the last row counts",
        .why =
            "All N rows use the same bias, and the old value must stay: +=, as for dgain.",
        .source = "karpathy/micrograd#102, karpathy/llm.c#548",
        .function = LIKE(layernorm_backward, norm_dbias_assigned),
    },
    {
        .id = "no-eps",
        .what = "rstd is computed again, without LAYERNORM_EPS",
        .why =
            "The forward pass divides by sqrt(variance + eps), which matters for a row "
            "of nearly equal numbers. Use the stored rstd.",
        .function = LIKE(layernorm_backward, norm_no_eps),
    },
    {
        .id = "rows-from-1",
        .what = "row 0 is missing from dgain, dbias or both",
        .why = "The loop over the rows begins at 0.",
        .function = LIKE(layernorm_backward, norm_rows_from_1),
    },
    {
        .id = "mean-assigned",
        .what = "the sum of dnorm is assigned in its loop: only the last channel counts",
        .why = "The mean of dnorm needs all C channels: +=.",
        .function = LIKE(layernorm_backward, norm_mean_assigned),
    },
    {
        .id = "norm-mean-assigned",
        .what =
            "the sum of dnorm norm is assigned in its loop: only the last channel counts",
        .why = "The mean of dnorm norm needs all C channels: +=.",
        .function = LIKE(layernorm_backward, norm_norm_mean_assigned),
    },
    {
        .id = "both-means-assigned",
        .what =
            "the sums of dnorm and of dnorm norm are assigned in their loop: only the "
            "last channel counts",
        .why = "Both means need all C channels: += for each.",
        .function = LIKE(layernorm_backward, norm_both_means_assigned),
    },
    {
        .id = "dx-over-rstd",
        .what = "dx is divided by rstd",
        .why = RSTD_WHY,
        .function = LIKE(layernorm_backward, norm_dx_divided),
    },
    {
        .id = "over-rstd",
        .what = "norm and dx are divided by rstd",
        .why = RSTD_WHY,
        .function = LIKE(layernorm_backward, norm_divided),
    },
    {0},
};

static const struct mistake layernorm_backward_alternatives[] = {
    {.id = "in-float", .function = LIKE(layernorm_backward, norm_in_float)},
    {.id = "statistics-anew",
     .function = LIKE(layernorm_backward, layernorm_backward_in_double)},
    {0},
};

static const struct part layernorm_backward_part[] = {
    {
        .function = "layernorm_backward",
        .dims = "N C",
        .tensors =
            {
                {"dx", "N C", OUTPUT, F32, 1e-5f, 2e-5f},
                {"dgain", "C", UPDATED, F32, 1e-5f, 2e-5f},
                {"dbias", "C", UPDATED, F32, 1e-5f, 2e-5f},
                {"dy", "N C", INPUT, F32, 0, 0},
                {"x", "N C", INPUT, F32, 0, 0},
                {"mean", "N", INPUT, F32, 0, 0},
                {"rstd", "N", INPUT, F32, 0, 0},
                {"gain", "C", INPUT, F32, 0, 0},
            },
        .cases = layernorm_backward_cases,
        .mistakes = layernorm_backward_mistakes,
        .alternatives = layernorm_backward_alternatives,
    },
    {0},
};

const struct exercise exercise_6_8 = {
    .id = "6.8",
    .name = "layernorm_backward",
    .section = "6.8 Layer norm, backward",
    .gpu_section = "Down a column",
    .uses = {"5.1"},
    .hints =
        {
            "x reaches y in three ways: directly, through the mean, and through the "
            "variance. Each adds a term to dx.",
            "norm = (x - mean) rstd, dnorm = dy gain. dx = rstd (dnorm - mean of "
            "dnorm - norm * mean of (dnorm norm)); dgain += dy norm; dbias += dy.",
            "for each row:\n"
            "    a = b = 0; for each c: norm = (x - mean) * rstd, d = dy * gain\n"
            "        a += d, b += d * norm, dgain += dy * norm, dbias += dy\n"
            "    a /= C, b /= C\n"
            "    for each c: dx = rstd * (d - a - norm * b)",
        },
    .gpu_hints =
        {
            "Write two kernels, because they sum along different axes: dx along its row, "
            "dgain and dbias down their column.",
            "dx: a warp for each row, with two sums by shuffles. dgain and dbias: "
            "like the bias of 6.5, with the sums of dy norm and of dy, added to the "
            "old values.",
            "kernel 1, row n: dnorm = dy gain; norm = (x - mean) rstd\n"
            "    a = (sum of dnorm) / C, b = (sum of dnorm norm) / C over the lanes\n"
            "    dx = rstd * (dnorm - a - norm * b)\n"
            "kernel 2, column c: for (n = threadIdx.y; n < N; n += TALL_WARPS)\n"
            "        dgain += dy * (x - mean[n]) * rstd[n]; dbias += dy\n"
            "    both into shared memory, barrier, warp 0 adds eight parts of each "
            "to dgain_dev, dbias_dev",
        },
    .parts = layernorm_backward_part,
};
