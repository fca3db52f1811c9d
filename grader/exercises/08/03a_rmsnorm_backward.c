// 03a_rmsnorm_backward.c - 8.3, back through rmsnorm: cases and known mistakes.

#include "exercises/exercise.h"
#include "exercises/08/03_rmsnorm.h"
#include "exercises/08/shared.h"
#include "exercises/common/inputs.h"

#include <math.h>

#include "08_language_model/language_model.h"

// rrms is that of x, as rmsnorm returns it.
static void set_rrms(struct test_case *test)
{
    const size_t N = case_dim(test, "N"), C = case_dim(test, "C");
    for (size_t n = 0; n < N; n++) {
        double square = 0.0;
        for (size_t c = 0; c < C; c++) {
            const double value = (double)case_f32(test, "x")[n * C + c];
            square += value * value / (double)C;
        }
        case_f32(test, "rrms")[n] = (float)(1.0 / sqrt(square + (double)RMSNORM_EPS));
    }
    scale_input(test, "dgain", 0.5f);
}

// Rows of a size near 2: rrms is not 1, and no row is so small that it magnifies rounding.
static void fill_rows(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_input(test, "x", 2.0f);
    enlarge_rows(case_f32(test, "x"), case_dim(test, "N"), case_dim(test, "C"), 1.0f);
    set_rrms(test);
}

static void fill_offset_rows(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    shift_input(test, "x", 3.0f);
    enlarge_rows(case_f32(test, "x"), case_dim(test, "N"), case_dim(test, "C"), 1.0f);
    set_rrms(test);
}

static void fill_many_rows(struct test_case *test, struct lab_rng *rng)
{
    scale_input(test, "dy", 0.125f); // dgain stays near 1
    fill_rows(test, rng);
}

// A mean square near eps: rrms is far from 1 / root mean square.
static void fill_small_rows(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_input(test, "x", 0.003f);
    scale_input(test, "dy", 0.01f);
    set_rrms(test);
}

static void fill_tiny(struct test_case *test, struct lab_rng *rng)
{
    scale_input(test, "dy", TINY * TINY);
    scale_input(test, "dgain", TINY * TINY);
    fill_rows(test, rng);
}

static void fill_large(struct test_case *test, struct lab_rng *rng)
{
    fill_rows(test, rng);
    scale_input(test, "dy", LARGE);
}

static void fill_zero_rows(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_input(test, "x", 0.0f);
    scale_input(test, "dy", 0.01f);
    set_rrms(test);
}

// Every third gain is 0, and so are some of dy and x: nothing may be divided by them, or left out.
static void fill_some_zeros(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_input(test, "x", 2.0f);
    clear_every(test, "gain", 3);
    clear_every(test, "dy", 4);
    clear_every(test, "x", 5);
    enlarge_rows(case_f32(test, "x"), case_dim(test, "N"), case_dim(test, "C"), 1.0f);
    set_rrms(test);
}

static void fill_wide(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    case_coarse(test, "x");
    case_coarse(test, "dy");
    case_coarse(test, "gain");
    set_rrms(test);
}

static void fill_repeated_rows(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    const size_t C = case_dim(test, "C");
    repeat_rows(test, "x", C, 1, -2.5f, 1.0f);
    repeat_rows(test, "dy", C, 4, -3.0f, 1.0f / 64.0f);
    set_rrms(test);
}

// dy near 0 on average, so that dgain stays small.
static void fill_5003_rows(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    const size_t C = case_dim(test, "C");
    repeat_rows(test, "x", C, 1, -2.5f, 1.0f);
    repeat_rows(test, "dy", C, 4, -5.0f, 1.0f / 64.0f);
    set_rrms(test);
}

static void fill_nan(struct test_case *test, struct lab_rng *rng)
{
    fill_rows(test, rng);
    case_f32(test, "dy")[case_dim(test, "C") + 2] = NAN;
}

const struct case_spec rmsnorm_backward_cases[] = {
    {.dims = "N=1 C=1", .fill = fill_rows, .note = "one channel"},
    {.dims = "N=1 C=3", .fill = fill_rows},
    {.dims = "N=1 C=4", .fill = fill_rows},
    {.dims = "N=2 C=3", .fill = fill_rows},
    {.dims = "N=3 C=5", .draws = 2, .fill = fill_rows},
    {.dims = "N=7 C=4", .fill = fill_offset_rows, .note = "numbers around 3"},
    {.dims = "N=3..6 C=8..13", .draws = 3, .fill = fill_rows},
    {.dims = "N=4 C=4", .fill = fill_rows, .note = "as many rows as channels"},
    {.dims = "N=3 C=5",
     .fill = fill_small_rows,
     .note = "a mean square near that of eps, 1e-5"},
    {.dims = "N=2 C=4", .fill = fill_zero_rows, .note = "rows of zeros"},
    {.dims = "N=21 C=34", .fill = fill_rows},
    {.dims = "N=261 C=3", .fill = fill_many_rows},
    {.dims = "N=2 C=263", .fill = fill_rows},
    {.dims = "N=2 C=1031", .fill = fill_rows},
    {.dims = "N=4 C=1", .fill = fill_rows, .note = "one channel"},
    {.dims = "N=256 C=3", .fill = fill_many_rows, .note = "exactly 256 rows"},
    {.dims = "N=2 C=256", .fill = fill_rows, .note = "exactly 256 channels"},
    {.dims = "N=16 C=64", .fill = fill_rows, .note = "exactly 64 channels"},
    {.dims = "N=3 C=7",
     .fill = fill_some_zeros,
     .note = "some numbers of gain, dy and x are 0"},
    {.dims = "N=2 C=4",
     .fill = fill_tiny,
     .unit = TINY * TINY,
     .note = TINY_RESULTS_NOTE},
    {.dims = "N=2 C=5", .fill = fill_large, .unit = LARGE, .note = LARGE_NOTE},
    {.dims = "N=0 C=3", .note = "a size of 0"},
    {.dims = "N=3 C=0", .note = "a size of 0"},
    // 48 KiB of shared memory hold 12288 floats.
    {.dims = "N=2 C=12301",
     .fill = fill_wide,
     .note = "more than 12288 channels",
     .gpu_only = true},
    {.dims = "N=1031 C=2",
     .fill = fill_repeated_rows,
     .note = "more than 1024 rows",
     .gpu_only = true},
    // A grid ends at 65535 blocks along y and z.
    {.dims = "N=524301 C=1",
     .note = "half a million rows",
     .gpu_only = true,
     .launch_only = true},
    {.dims = "N=5003 C=2",
     .fill = fill_5003_rows,
     .note = "5003 rows",
     .memory_only = true},
    {.dims = "N=1 C=5003",
     .fill = fill_wide,
     .note = "5003 channels",
     .memory_only = true},
    {.dims = "N=3 C=4",
     .fill = fill_nan,
     .note = "a number of row 1 of dy is NaN",
     .nan = true},
    {.dims = "N=1 C=65541",
     .note = "more channels than 16 bits can count",
     .gpu_only = true,
     .launch_only = true},
    {MOST("N=2 C=1", "N")},
    {MOST("N=1 C=2", "C")},
    {0},
};

#define RMS_BACKWARD_ARGUMENTS                                                           \
    float *dx, float *dgain, const float *dy, const float *x, const float *rrms,         \
        const float *gain, size_t N, size_t C

enum { TALL_WARPS = 8 }; // of a block that sums down columns, as in the skeleton

// Means over a row that the right gradient or a wrong one needs. dnorm is dy gain.
struct back_means {
    double dnorm_norm, dnorm, dy_norm, dnorm_x, lanes, last;
};

static struct back_means back_means_of(const float *dy, const float *x, double r,
                                       const float *gain, size_t C)
{
    struct back_means means = {0};
    for (size_t c = 0; c < C; c++) {
        const double norm = (double)x[c] * r, dnorm = (double)dy[c] * (double)gain[c];
        means.dnorm_norm += dnorm * norm / (double)C;
        means.dnorm += dnorm / (double)C;
        means.dy_norm += (double)dy[c] * norm / (double)C;
        means.dnorm_x += dnorm * (double)x[c] / (double)C;
        means.lanes += c < LANES ? dnorm * norm / (double)C : 0.0;
        means.last = dnorm * norm / (double)C;
    }
    return means;
}

// BACK(name, start, dx_value, add): `start`, an expression of old (the value so far) and n, is
// the value from which dgain continues in a row. dx_value and add (which is added to dgain) are
// expressions of d (dy), v (x), r (rrms of the row), g (gain), norm, m (the means of the row),
// n and c.
#define BACK(name, start, dx_value, add)                                                 \
    static lab_status name(RMS_BACKWARD_ARGUMENTS)                                       \
    {                                                                                    \
        if (N == 0 || C == 0) {                                                          \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        struct back_means m = {0};                                                       \
        for (size_t i = 0; i < N * C; i++) {                                             \
            const size_t n = i / C, c = i % C;                                           \
            const double r = (double)rrms[n], g = (double)gain[c];                       \
            const double d = (double)dy[i], v = (double)x[i], norm = v * r;              \
            const double old = (double)dgain[c];                                         \
            if (c == 0) {                                                                \
                m = back_means_of(dy + n * C, x + n * C, r, gain, C);                    \
            }                                                                            \
            (void)g, (void)d, (void)norm, (void)m, (void)old;                            \
            dx[i] = (float)(dx_value);                                                   \
            dgain[c] = (float)((start) + (add));                                         \
        }                                                                                \
        return LAB_OK;                                                                   \
    }

// Only dx is wrong, or only dgain.
#define BACK_DX(name, dx_value) BACK(name, old, dx_value, d *norm)
#define RIGHT_DX (r * (d * g - norm * m.dnorm_norm))
#define BACK_DGAIN(name, start, add) BACK(name, start, RIGHT_DX, add)

BACK_DX(back_no_projection, r *d *g)
BACK_DX(back_projection_only, -r *norm *m.dnorm_norm)
BACK_DX(back_no_rrms, d *g - norm * m.dnorm_norm)
BACK_DX(back_rrms_squared, r *r *(d *g - norm * m.dnorm_norm))
BACK_DX(back_x_for_norm, r *(d *g - v * m.dnorm_norm))
BACK_DX(back_x_for_both, r *(d *g - v * m.dnorm_x))
BACK_DX(back_sum, r *(d *g - norm * m.dnorm_norm * (double)C))
BACK_DX(back_C_minus_1,
        r *(d *g - norm * m.dnorm_norm * (double)C / ((double)C - 1 + (C == 1 ? 1 : 0))))
BACK_DX(back_plus, r *(d *g + norm * m.dnorm_norm))
BACK_DX(back_gain_outside, r *(d - norm * m.dy_norm) * g)
BACK_DX(back_no_gain, r *(d - norm * m.dy_norm))
BACK_DX(back_no_gain_in_mean, r *(d *g - norm * m.dy_norm))
BACK_DX(back_layernorm, r *(d *g - m.dnorm - norm * m.dnorm_norm))
BACK_DX(back_first_lanes, r *(d *g - norm * m.lanes))
BACK_DX(back_assigned_mean, r *(d *g - norm * m.last))
BACK_DGAIN(back_dgain_of_x, old, d *v)
BACK_DGAIN(back_dgain_of_dy, old, d)
BACK_DGAIN(back_dgain_with_gain, old, d *norm *g)
BACK_DGAIN(back_dgain_rrms_twice, old, d *norm *r)
BACK_DGAIN(back_dgain_zeroed, n == 0 ? 0 : old, d *norm)
BACK_DGAIN(back_dgain_assigned, 0, d *norm)
BACK_DGAIN(back_dgain_over_gain, old, d *g *norm / g) // NaN for a gain of 0
BACK_DGAIN(back_dgain_mean, old, d *norm / (double)N)
BACK_DGAIN(back_dgain_minus, old, -d *norm)
BACK_DGAIN(back_dgain_left, old, 0)
BACK_DGAIN(back_dgain_first_rows, old, n < TALL_WARPS ? d * norm : 0)
BACK_DGAIN(back_dgain_from_row_1, old, n == 0 ? 0 : d * norm)
BACK(back_both_gainless, old, r *(d - norm * m.dy_norm), d *v)

// On a GPU: only so many neighboring lanes of a warp share their sums along a row.
static lab_status back_sharing(size_t lanes, RMS_BACKWARD_ARGUMENTS)
{
    lab_status status = rmsnorm_backward(dx, dgain, dy, x, rrms, gain, N, C);
    for (size_t i = 0; status == LAB_OK && i < N * C; i++) {
        const size_t row = i / C * C, c = i % C;
        float sum = 0.0f;
        const float r = rrms[i / C];
        for (size_t j = 0; j < C; j++) {
            const bool shared = j % LANES / lanes == c % LANES / lanes;
            sum += shared ? dy[row + j] * gain[j] * x[row + j] * r : 0.0f;
        }
        dx[i] = r * (dy[i] * gain[c] - x[i] * r * sum / (float)C);
    }
    return status;
}

static lab_status back_own_lane(RMS_BACKWARD_ARGUMENTS)
{
    return back_sharing(1, dx, dgain, dy, x, rrms, gain, N, C);
}

static lab_status back_half_warp(RMS_BACKWARD_ARGUMENTS)
{
    return back_sharing(LANES / 2, dx, dgain, dy, x, rrms, gain, N, C);
}

// On a GPU: of the warps that share a column, only the first adds its sum.
BACK_DGAIN(back_first_warp, old, n % TALL_WARPS == 0 ? d * norm : 0)

#define PROJECTION_WHY                                                                   \
    "dx = rrms (dnorm - norm mean(dnorm norm)), with norm = x rrms and dnorm = dy gain."

#define ACCUMULATES                                                                      \
    "Gradients of parameters accumulate. Keep the old values; the caller sets them to "  \
    "0 once in each step."

const struct mistake rmsnorm_backward_mistakes[] = {
    {
        .id = "no-projection",
        .what = "rrms is treated as a constant: dx is dy gain rrms",
        .why = "Every x[c] changes rrms, and with it the whole row. " PROJECTION_WHY,
        .source = "ooples/AiDotNet#695",
        .function = LIKE(rmsnorm_backward, back_no_projection),
    },
    {
        .id = "projection-alone",
        .what = "dx has only the term that comes from rrms",
        .why = "x also reaches y directly. " PROJECTION_WHY,
        .source = NULL,
        .function = LIKE(rmsnorm_backward, back_projection_only),
    },
    {
        .id = "layernorm",
        .what = "the mean of dnorm is subtracted, as in layer norm",
        .why =
            "RMSNorm subtracts no mean in the forward pass, so it has no such term. " PROJECTION_WHY,
        .source = NULL,
        .function = LIKE(rmsnorm_backward, back_layernorm),
    },
    {
        .id = "no-rrms",
        .what = "dx is not multiplied by rrms",
        .why =
            "The forward pass multiplies x by rrms; so does the backward pass. " PROJECTION_WHY,
        .source = NULL,
        .function = LIKE(rmsnorm_backward, back_no_rrms),
    },
    {
        .id = "rrms-squared",
        .what = "dx is multiplied by rrms twice",
        .why =
            "norm already contains rrms; multiply the bracket by rrms only once. " PROJECTION_WHY,
        .source = NULL,
        .function = LIKE(rmsnorm_backward, back_rrms_squared),
    },
    {
        .id = "x-for-norm",
        .what = "the projection uses x instead of norm once, inside its mean or outside",
        .why = PROJECTION_WHY " Written with x, it is rrms^3 x mean(dnorm x).",
        .source = NULL,
        .function = LIKE(rmsnorm_backward, back_x_for_norm),
    },
    {
        .id = "x-for-both",
        .what =
            "the projection uses x instead of norm twice, inside its mean and outside",
        .why = PROJECTION_WHY " Written with x, it is rrms^3 x mean(dnorm x).",
        .source = NULL,
        .function = LIKE(rmsnorm_backward, back_x_for_both),
    },
    {
        .id = "sum-for-mean",
        .what = "the projection has the sum over the row, not the mean",
        .why = "The mean square contains 1/C, and so does its gradient.",
        .source = NULL,
        .function = LIKE(rmsnorm_backward, back_sum),
    },
    {
        .id = "C-minus-1",
        .what = "the mean is divided by C - 1",
        .why = "The forward pass divides by C; so does the backward pass.",
        .source = "harvardnlp/annotated-transformer#119, #122",
        .function = LIKE(rmsnorm_backward, back_C_minus_1),
    },
    {
        .id = "plus",
        .what = "the projection is added instead of subtracted",
        .why = "A larger x makes rrms smaller: the sign is minus. " PROJECTION_WHY,
        .source = NULL,
        .function = LIKE(rmsnorm_backward, back_plus),
    },
    {
        .id = "gain-outside",
        .what = "the gain is applied at the end instead of at the start",
        .why = "The mean is of dnorm norm with dnorm = dy gain. If the gain differs "
               "between channels, the order matters.",
        .source = NULL,
        .function = LIKE(rmsnorm_backward, back_gain_outside),
    },
    {
        .id = "no-gain",
        .what = "dx uses dy without the gain",
        .why = "y = norm gain: first dnorm = dy gain, then use it everywhere.",
        .source = "karpathy/llm.c#763",
        .function = LIKE(rmsnorm_backward, back_no_gain),
    },
    {
        .id = "no-gain-in-mean",
        .what = "the mean uses dy without the gain",
        .why = "The mean is of dnorm norm with dnorm = dy gain.",
        .source = "karpathy/llm.c#763",
        .function = LIKE(rmsnorm_backward, back_no_gain_in_mean),
    },
    {
        .id = "mean-assigned",
        .what = "the mean is assigned in its loop: only the last channel counts",
        .why = "The mean of dnorm norm needs all C channels: +=.",
        .source = NULL,
        .function = LIKE(rmsnorm_backward, back_assigned_mean),
    },
    {
        .id = "dgain-of-x",
        .what = "dgain uses x instead of norm",
        .why = "The gain multiplies norm = x rrms: dgain += dy norm.",
        .source = NULL,
        .function = LIKE(rmsnorm_backward, back_dgain_of_x),
    },
    {
        .id = "dgain-of-dy",
        .what = "dgain is the sum of dy, as the gradient of a bias would be",
        .why = "The gain multiplies norm, so norm is a factor of its gradient.",
        .source = NULL,
        .function = LIKE(rmsnorm_backward, back_dgain_of_dy),
    },
    {
        .id = "dgain-over-gain",
        .what =
            "dgain is multiplied by the gain and then divided by it: NaN where the gain "
            "is 0",
        .why = "A gain may be 0. dgain uses dy, not dnorm: add dy norm, which needs no "
               "division.",
        .source = NULL,
        .function = LIKE(rmsnorm_backward, back_dgain_over_gain),
    },
    {
        .id = "dgain-with-gain",
        .what = "dgain contains the gain itself as a factor",
        .why =
            "dgain uses dy, not dnorm: the derivative of y = norm gain with respect to "
            "gain is norm.",
        .source = NULL,
        .function = LIKE(rmsnorm_backward, back_dgain_with_gain),
    },
    {
        .id = "dgain-rrms-twice",
        .what = "dgain contains rrms twice",
        .why = "norm = x rrms already contains it: dgain += dy norm.",
        .source = NULL,
        .function = LIKE(rmsnorm_backward, back_dgain_rrms_twice),
    },
    {
        .id = "dgain-overwritten",
        .what = "the old values of dgain are lost",
        .why = ACCUMULATES,
        .source = "karpathy/micrograd#102, karpathy/llm.c#548",
        .function = LIKE(rmsnorm_backward, back_dgain_zeroed),
    },
    {
        .id = "dgain-assigned",
        .what = "dgain is assigned in the loop over the rows: only the last row counts",
        .why = "All N rows use the same gain, and the old value must stay: +=.",
        .source = "karpathy/micrograd#102, karpathy/llm.c#548",
        .function = LIKE(rmsnorm_backward, back_dgain_assigned),
    },
    {
        .id = "dgain-mean",
        .what = "dgain is divided by N",
        .why = "Only sum the rows. The loss already contains the mean's factor 1/N.",
        .source = NULL,
        .function = LIKE(rmsnorm_backward, back_dgain_mean),
    },
    {
        .id = "dgain-subtracted",
        .what = "dgain is subtracted from the old value",
        .why = "Add the gradient; the optimizer subtracts.",
        .source = NULL,
        .function = LIKE(rmsnorm_backward, back_dgain_minus),
    },
    {
        .id = "no-dgain",
        .what = "dgain is not changed",
        .why = "The gain is a parameter: dgain[c] += sum over n of dy[n][c] norm[n][c].",
        .source = NULL,
        .function = LIKE(rmsnorm_backward, back_dgain_left),
    },
    {
        .id = "rows-from-1",
        .what = "row 0 is missing from dgain",
        .why = "The loop over the rows begins at 0.",
        .source = NULL,
        .function = LIKE(rmsnorm_backward, back_dgain_from_row_1),
    },
    {
        .id = "no-gain-no-rrms",
        .what = "dx lacks the gain, and dgain lacks rrms",
        .why = "y = x rrms gain: dnorm = dy gain for dx, and dgain += dy x rrms.",
        .source = NULL,
        .function = LIKE(rmsnorm_backward, back_both_gainless),
    },
    {
        .id = "own-lane",
        .what = "every thread uses its own channels as if they were the whole row",
        .why = "A lane has added up only every 32nd channel. __shfl_xor_sync with 16, 8, "
               "4, 2 and 1 gives every lane the sum of all lanes.",
        .source = NULL,
        .function = LIKE(rmsnorm_backward, back_own_lane),
        .gpu = true,
    },
    {
        .id = "first-channels",
        .what = "only the first 32 channels are in the mean of dnorm norm",
        .why =
            "A lane has more than one channel: for (c = threadIdx.x; c < C; c += WARP), "
            "not if (threadIdx.x < C).",
        .source = NULL,
        .function = LIKE(rmsnorm_backward, back_first_lanes),
        .gpu = true,
    },
    {
        .id = "first-rows",
        .what = "dgain has only the first eight rows: one for each warp of a block",
        .why = "A warp has more than one row: for (n = threadIdx.y; n < N; n += "
               "TALL_WARPS), not if (threadIdx.y < N).",
        .source = NULL,
        .function = LIKE(rmsnorm_backward, back_dgain_first_rows),
        .gpu = true,
    },
    {
        .id = "half-warp",
        .what = "the sum along a row is that of half a warp: 16 lanes of 32",
        .why =
            "The first step of __shfl_xor_sync is 16, then 8, 4, 2 and 1. If you start "
            "at 8, each lane gets the sums of only 16 lanes.",
        .source = NULL,
        .function = LIKE(rmsnorm_backward, back_half_warp),
        .gpu = true,
    },
    {
        .id = "first-warp",
        .what = "dgain has only every eighth row: those of the block's first warp",
        .why =
            "Each warp of a block sums its own rows. All warps must write their sums to "
            "shared memory; then a barrier; then one warp adds the eight sums.",
        .source = NULL,
        .function = LIKE(rmsnorm_backward, back_first_warp),
        .gpu = true,
    },
    {0},
};

lab_status rmsnorm_backward_in_double(RMS_BACKWARD_ARGUMENTS)
{
    (void)rrms;
    if (N == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    for (size_t n = 0; n < N; n++) {
        const float *x_n = x + n * C, *dy_n = dy + n * C;
        double square = 0.0;
        for (size_t c = 0; c < C; c++) {
            square += (double)x_n[c] * (double)x_n[c] / (double)C;
        }
        const double r = 1.0 / sqrt(square + (double)RMSNORM_EPS);
        const double mean = back_means_of(dy_n, x_n, r, gain, C).dnorm_norm;
        for (size_t c = 0; c < C; c++) {
            const double norm = (double)x_n[c] * r;
            dx[n * C + c] =
                (float)(r * ((double)dy_n[c] * (double)gain[c] - norm * mean));
            dgain[c] = (float)((double)dgain[c] + (double)dy_n[c] * norm);
        }
    }
    return LAB_OK;
}

// With the cube of rrms, in float, dgain first.
static lab_status back_with_cube(RMS_BACKWARD_ARGUMENTS)
{
    if (N == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    for (size_t n = N; n-- > 0;) {
        const float *x_n = x + n * C, *dy_n = dy + n * C, r = rrms[n];
        float sum = 0.0f;
        for (size_t c = 0; c < C; c++) {
            dgain[c] += dy_n[c] * (x_n[c] * r);
            sum += dy_n[c] * gain[c] * x_n[c];
        }
        for (size_t c = 0; c < C; c++) {
            dx[n * C + c] = r * dy_n[c] * gain[c] - r * r * r * x_n[c] * sum / (float)C;
        }
    }
    return LAB_OK;
}

const struct mistake rmsnorm_backward_alternatives[] = {
    {.id = "root-mean-square-anew",
     .function = LIKE(rmsnorm_backward, rmsnorm_backward_in_double)},
    {.id = "with-the-cube", .function = LIKE(rmsnorm_backward, back_with_cube)},
    {0},
};
