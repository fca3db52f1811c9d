// lab05.c - what the grader knows of lab 5, the transformer block.
//
// Start reading at layernorm_part; the order is: adaptors, then for each exercise its cases,
// mistakes, other right ways, and the part that gathers them.

#include "exercises/exercise.h"

#include "05_transformer_block/block.h"
#ifdef GPU
#include "05_transformer_block/block_gpu.h"
#endif

GPU_ADAPTOR(layernorm, t[0], t[1], t[2], t[3], t[4], t[5], n[0], n[1])
GPU_ADAPTOR(gelu, t[0], t[1], n[0])
GPU_ADAPTOR(residual_add, t[0], t[1], t[2], n[0])
GPU_ADAPTOR(dropout, t[0], t[1], t[2], *(const float *)HOST(3), n[0] != 0, n[1])
ADAPTOR(block_parameter_count, t[0], n[0], n[1])
ADAPTOR(stack_parameter_count, t[0], n[0], n[1], n[2])
ADAPTOR(gpt2_parameter_count, t[0], n[0], n[1], n[2], n[3])

#ifndef GPU // what is put together has no GPU variant

static lab_status call_mlp(any_function f, void *const *t, const size_t *n)
{
    const struct mlp_params params = {t[2], t[3], t[4], t[5]};
    return ((__typeof__(mlp) *)f)(t[0], t[6], t[7], t[1], &params, n[0], n[1], n[2]);
}

// The tensors of transformer_block and transformer_stack, in the order of their parts. There
// are too many to count on one's fingers, so each place has a name.
enum {
    OUT, // or streams
    WEIGHTS,
    X,
    LN1_GAIN,
    LN1_BIAS,
    W_QKV,
    B_QKV,
    W_O,
    B_O,
    LN2_GAIN,
    LN2_BIAS,
    W_FC,
    B_FC,
    W_PROJ,
    B_PROJ,
    LN1,
    LN1_MEAN,
    LN1_RSTD,
    QKV,
    Q,
    K,
    V,
    Q_HEADS,
    K_HEADS,
    V_HEADS,
    SCORES,
    OUT_HEADS,
    MERGED,
    MASK,
    ATTENDED,
    MIDDLE,
    LN2,
    LN2_MEAN,
    LN2_RSTD,
    HIDDEN,
    ACTIVATED,
    PROJECTED,
    BLOCK_TENSORS,
};

_Static_assert((int)BLOCK_TENSORS <= (int)MAX_TENSORS, "a block has more tensors");

static struct block_buffers buffers_of(void *const *t)
{
    return (struct block_buffers){
        .ln1 = t[LN1],
        .ln1_mean = t[LN1_MEAN],
        .ln1_rstd = t[LN1_RSTD],
        .attention = {.qkv = t[QKV],
                      .q = t[Q],
                      .k = t[K],
                      .v = t[V],
                      .q_heads = t[Q_HEADS],
                      .k_heads = t[K_HEADS],
                      .v_heads = t[V_HEADS],
                      .scores = t[SCORES],
                      .out_heads = t[OUT_HEADS],
                      .merged = t[MERGED],
                      .mask = t[MASK]},
        .attended = t[ATTENDED],
        .middle = t[MIDDLE],
        .ln2 = t[LN2],
        .ln2_mean = t[LN2_MEAN],
        .ln2_rstd = t[LN2_RSTD],
        .hidden = t[HIDDEN],
        .activated = t[ACTIVATED],
        .projected = t[PROJECTED],
    };
}

// The piece of layer l in a tensor that holds count numbers for each; NULL stays NULL.
static const float *layer_of(const void *tensor, size_t l, size_t count)
{
    return tensor == NULL ? NULL : (const float *)tensor + l * count;
}

static struct block_params params_of(void *const *t, size_t l, size_t C, size_t H)
{
    return (struct block_params){
        .ln1_gain = layer_of(t[LN1_GAIN], l, C),
        .ln1_bias = layer_of(t[LN1_BIAS], l, C),
        .attention = {.w_qkv = layer_of(t[W_QKV], l, 3 * C * C),
                      .b_qkv = layer_of(t[B_QKV], l, 3 * C),
                      .w_o = layer_of(t[W_O], l, C * C),
                      .b_o = layer_of(t[B_O], l, C)},
        .ln2_gain = layer_of(t[LN2_GAIN], l, C),
        .ln2_bias = layer_of(t[LN2_BIAS], l, C),
        .mlp = {.w_fc = layer_of(t[W_FC], l, H * C),
                .b_fc = layer_of(t[B_FC], l, H),
                .w_proj = layer_of(t[W_PROJ], l, C * H),
                .b_proj = layer_of(t[B_PROJ], l, C)},
    };
}

static lab_status call_transformer_block(any_function f, void *const *t, const size_t *n)
{
    const struct block_buffers buffers = buffers_of(t);
    const struct block_params params = params_of(t, 0, n[3], n[5]);
    return ((__typeof__(transformer_block) *)f)(t[OUT], t[WEIGHTS], &buffers, t[X],
                                                &params, n[0] != 0, n[1], n[2], n[3],
                                                n[4], n[5]);
}

enum { MOST_LAYERS = 20 }; // no case has more

static lab_status call_transformer_stack(any_function f, void *const *t, const size_t *n)
{
    const struct block_buffers buffers = buffers_of(t);
    struct block_params params[MOST_LAYERS];
    for (size_t l = 0; l < MOST_LAYERS && l < n[6]; l++) {
        params[l] = params_of(t, l, n[3], n[5]);
    }
    return ((__typeof__(transformer_stack) *)f)(t[OUT], t[WEIGHTS], &buffers, t[X],
                                                params, n[0] != 0, n[1], n[2], n[3], n[4],
                                                n[5], n[6]);
}

#endif

const struct entry lab_entries[] = {
    GPU_ENTRY(layernorm),
    GPU_ENTRY(gelu),
    ENTRY(mlp),
    GPU_ENTRY(dropout),
    GPU_ENTRY(residual_add),
    ENTRY(transformer_block),
    ENTRY(transformer_stack),
    ENTRY(block_parameter_count),
    ENTRY(stack_parameter_count),
    ENTRY(gpt2_parameter_count),
    {0},
};

#ifndef WORKER

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/rng.h"

static void scale_input(struct test_case *test, const char *name, float by)
{
    float *values = case_f32(test, name);
    for (size_t i = 0; i < case_count(test, name); i++) {
        values[i] *= by;
    }
}

static void shift_input(struct test_case *test, const char *name, float by)
{
    float *values = case_f32(test, name);
    for (size_t i = 0; i < case_count(test, name); i++) {
        values[i] += by;
    }
}

// Uniform numbers from low to high in place of the unit normals.
static void spread_input(struct test_case *test, struct lab_rng *rng, const char *name,
                         float low, float high)
{
    float *values = case_f32(test, name);
    lab_rng_rand(rng, values, case_count(test, name));
    for (size_t i = 0; i < case_count(test, name); i++) {
        values[i] = low + (high - low) * values[i];
    }
}

// ---- 5.1 layernorm ------------------------------------------------------------------------

// Where eps counts: at unit scale it changes the fifth digit, here it is ten times the variance.
static void fill_small(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_input(test, "x", 1e-3f);
}

// Whole numbers, so that every way of adding them up is exact.
static void fill_large(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    float *x = case_f32(test, "x");
    for (size_t i = 0; i < case_count(test, "x"); i++) {
        x[i] = rintf(10.0f * x[i]);
    }
}

static void fill_offset(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    shift_input(test, "x", 3.0f);
}

// The numbers are sixty-fourths and C a power of two: every way of taking their mean is exact.
// Without that, a mean that is off in its last digit would come out 316 times as large.
static void fill_equal(struct test_case *test, struct lab_rng *rng)
{
    float *x = case_f32(test, "x");
    size_t C = case_dim(test, "C");
    for (size_t n = 0; n < case_dim(test, "N"); n++) {
        const float value = (float)lab_rng_int(rng, -4, 5) / 64.0f;
        for (size_t c = 0; c < C; c++) {
            x[n * C + c] = value;
        }
    }
}

static const struct case_spec layernorm_cases[] = {
    {.dims = "N=1 C=1", .note = "one channel: it is its own mean"},
    {.dims = "N=1 C=3"},
    {.dims = "N=2 C=3"},
    {.dims = "N=3 C=4", .fill = fill_equal, .note = "rows of equal numbers, variance 0"},
    {.dims = "N=5 C=3", .fill = fill_offset, .note = "numbers around 3"},
    {.dims = "N=4 C=5",
     .fill = fill_small,
     .note = "numbers near 0.001, where eps counts"},
    {.dims = "N=3 C=7", .fill = fill_large, .note = "whole numbers near 10"},
    {.dims = "N=2..5 C=7..13", .draws = 3},
    {.dims = "N=11..13 C=5..9", .draws = 2},
    {.dims = "N=3 C=67"},
    {.dims = "N=6 C=1", .note = "one channel: it is its own mean"},
    {.dims = "N=3 C=2"},
    {.dims = "N=5 C=16", .fill = fill_equal, .note = "rows of equal numbers, variance 0"},
    {.dims = "N=9 C=17", .fill = fill_small, .note = "numbers near 0.001, eps counts"},
    {.dims = "N=2 C=261"},
    {.dims = "N=259 C=3"},
    {.dims = "N=1 C=1025"},
    {.dims = "N=66 C=65", .fill = fill_large, .note = "whole numbers near 10"},
    {.dims = "N=67 C=259", .note = "larger and odd"},
    {.dims = "N=0 C=3", .note = "a size of 0"},
    {.dims = "N=3 C=0", .note = "a size of 0"},
    {.dims = "N=4 C=6",
     .draws = 2}, // a size again: nothing may be kept from call to call
    {0},
};

// Another row must not notice.
static void change_last_row(struct test_case *second, struct lab_rng *rng)
{
    size_t C = case_dim(second, "C");
    lab_rng_randn(rng, case_f32(second, "x") + (case_dim(second, "N") - 1) * C, C);
}

// BEGIN HANDED OUT
static bool other_rows_stay(const struct test_case *first, const struct test_case *second,
                            char *why, size_t why_size)
{
    const float *before = case_got(first, "y"), *after = case_got(second, "y");
    size_t N = case_dim(first, "N"), C = case_dim(first, "C");
    for (size_t i = 0; i < (N - 1) * C; i++) {
        if (before[i] != after[i]) {
            snprintf(why, why_size,
                     "row %zu of x changed, and y[%zu][%zu] went from %.9g to %.9g",
                     N - 1, i / C, i % C, (double)before[i], (double)after[i]);
            return false;
        }
    }
    return true;
}
// END HANDED OUT

static const struct property layernorm_properties[] = {
    {
        .id = "rows-are-alone",
        .claim = "changing one row leaves the others as they were, bit for bit",
        .dims = "N=4 C=6",
        .change = change_last_row,
        HOLDS(other_rows_stay),
    },
    {0},
};

#define NORM_ARGUMENTS                                                                   \
    float *y, float *mean, float *rstd, const float *x, const float *gain,               \
        const float *bias, size_t N, size_t C
#define NORM_VALUES y, mean, rstd, x, gain, bias, N, C

enum norm_fault {
    UNBIASED,
    EPS_OUTSIDE,
    NO_EPS,
    RMS_NORM,
    MEAN_KEPT,
    ABOUT_ZERO,
    NO_ROOT,
    NOT_DIVIDED,
    NOT_RESET,
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
};

// The variance of a row about mean, as the fault would have it.
static float row_variance(enum norm_fault fault, const float *row, float mean, size_t C)
{
    const float about = fault == RMS_NORM || fault == ABOUT_ZERO ? 0.0f : mean;
    float squares = 0.0f;
    for (size_t c = 0; c < C; c++) {
        squares += (row[c] - about) * (row[c] - about);
    }
    switch (fault) {
    case UNBIASED:
        return squares / ((float)C - 1.0f);
    case NOT_DIVIDED:
        return squares;
    default:
        return squares / (float)C;
    }
}

static float row_rstd(enum norm_fault fault, float variance)
{
    switch (fault) {
    case EPS_OUTSIDE:
        return 1.0f / (sqrtf(variance) + LAYERNORM_EPS);
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

// layernorm in float, with one fault built in.
static lab_status norm_with(enum norm_fault fault, NORM_ARGUMENTS)
{
    if (N == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    const size_t width = fault == OVER_ALL ? N * C : C; // numbers that share a mean
    for (size_t n = 0; n < N; n++) {
        const float *row = fault == OVER_ALL ? x : x + n * C;
        float sum = 0.0f;
        for (size_t c = 0; c < width; c++) {
            sum += row[c];
        }
        const float m = sum / (float)width;
        const float variance = row_variance(fault, row, m, width);
        const float r = row_rstd(fault, variance);
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
NORM(norm_without_eps, NO_EPS)
NORM(norm_rms, RMS_NORM)
NORM(norm_mean_kept, MEAN_KEPT)
NORM(norm_about_zero, ABOUT_ZERO)
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

// The sums go on from row to row.
static lab_status norm_not_reset(NORM_ARGUMENTS)
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
    }
    return LAB_OK;
}

// The rows of a (C, N) matrix are looked for in a (N, C) one: every N-th number.
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

// What happens on a GPU when the four warps of a block do not share their sums: each takes the
// channels that it has seen for the whole row.
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

static const struct mistake layernorm_mistakes[] = {
    {
        .id = "unbiased",
        .what = "the variance is divided by C - 1 instead of C",
        .why =
            "Layer norm takes the mean of the squared distances, the biased variance. "
            "With C - 1 the result is too small by sqrt((C - 1) / C): 0.866 for C = 4, "
            "0.99935 for C = 768, where nobody notices.",
        .source = "harvardnlp/annotated-transformer#119, #122",
        .function = LIKE(layernorm, norm_unbiased),
    },
    {
        .id = "eps-outside",
        .what = "eps is added to the standard deviation, not to the variance",
        .why =
            "It belongs inside the root: 1 / sqrt(variance + eps). At unit scale that is "
            "the fifth digit; for numbers near 0.001 it is a factor of three and more.",
        .source = "callummcdougall/ARENA_3.0#228, codertimo/BERT-pytorch#30",
        .function = LIKE(layernorm, norm_eps_outside),
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
        .what = "this is RMSNorm: the mean takes no part",
        .why = "RMSNorm divides by the root of the mean square and leaves the mean in. "
               "Layer norm subtracts the mean first, in the variance and in the result.",
        .source = "stanford-cs336/assignment1-basics#93",
        .function = LIKE(layernorm, norm_rms),
        .convention = true,
    },
    {
        .id = "mean-kept",
        .what = "the mean is not subtracted in the result",
        .why =
            "The variance is right, but y takes x[c] where it should take x[c] - mean: "
            "the rows do not come out around 0.",
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
        .id = "no-root",
        .what = "divided by the variance instead of its root",
        .why =
            "rstd is 1 / sqrt(variance + eps), one over the standard deviation. sqrtf is "
            "missing.",
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
        .what = "the sums go on from one row to the next",
        .why = "Each row has a mean and a variance of its own. Set both sums to 0 inside "
               "the "
               "loop over the rows.",
        .source = NULL,
        .function = LIKE(layernorm, norm_not_reset),
    },
    {
        .id = "wrong-axis",
        .what = "x is read as (C, N): every N-th number is taken for a row",
        .why =
            "A row of x (N, C) is C numbers that lie together: x[n * C + c]. Only such a "
            "row is normalised, one token by itself.",
        .source = "jadore801120/attention-is-all-you-need-pytorch#17",
        .function = LIKE(layernorm, norm_wrong_axis),
    },
    {
        .id = "over-all",
        .what = "one mean and one variance for all rows together",
        .why = "Each row has its own. With one for all, a token's result depends on its "
               "neighbours and on the rest of the batch.",
        .source = "jadore801120/attention-is-all-you-need-pytorch#17",
        .function = LIKE(layernorm, norm_over_all),
    },
    {
        .id = "no-gain",
        .what = "the gain is missing",
        .why = "After normalising, channel c is multiplied by gain[c]. A fresh model has "
               "gain 1 throughout, so this shows only after training.",
        .source = NULL,
        .function = LIKE(layernorm, norm_without_gain),
    },
    {
        .id = "no-bias",
        .what = "the bias is missing",
        .why =
            "At the end bias[c] is added. A fresh model has bias 0 throughout, so this "
            "shows only after training.",
        .source = NULL,
        .function = LIKE(layernorm, norm_without_bias),
    },
    {
        .id = "no-gain-no-bias",
        .what = "gain and bias are missing",
        .why =
            "The rows are normalised and nothing more. Each channel is then multiplied "
            "by gain[c], and bias[c] is added.",
        .source = NULL,
        .function = LIKE(layernorm, norm_without_both),
    },
    {
        .id = "gain-bias-swapped",
        .what = "gain and bias are exchanged",
        .why = "The gain multiplies, the bias is added: normalised * gain[c] + bias[c].",
        .source = NULL,
        .function = LIKE(layernorm, norm_gain_bias_swapped),
    },
    {
        .id = "bias-before-gain",
        .what = "the bias is added before the gain multiplies",
        .why = "That gives normalised * gain + bias * gain. The bias comes last.",
        .source = NULL,
        .function = LIKE(layernorm, norm_bias_inside),
    },
    {
        .id = "stores-std",
        .what = "rstd holds the standard deviation, not one over it",
        .why = "y is right. rstd (r for reciprocal) is 1 / sqrt(variance + eps): lab 6 "
               "multiplies by it on the way back.",
        .source = NULL,
        .function = LIKE(layernorm, norm_stores_std),
    },
    {
        .id = "stores-variance",
        .what = "rstd holds the variance",
        .why = "y is right. rstd (r for reciprocal) is 1 / sqrt(variance + eps): lab 6 "
               "multiplies by it on the way back.",
        .source = NULL,
        .function = LIKE(layernorm, norm_stores_variance),
    },
    {
        .id = "own-warp",
        .what = "every warp of the block divides the sum of its own channels by C",
        .why =
            "The shuffles bring together the 32 lanes of one warp. The sums of the warps "
            "meet in shared memory: one lane of each writes its sum, a barrier, and then "
            "every thread adds them all up.",
        .source = NULL,
        .function = LIKE(layernorm, norm_own_warp),
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

static const struct mistake layernorm_alternatives[] = {
    {.id = "sums-in-float", .function = LIKE(layernorm, norm_in_float)},
    {.id = "one-pass-in-double", .function = LIKE(layernorm, norm_one_pass)},
    {.id = "welford", .function = LIKE(layernorm, norm_welford)},
    {.id = "scale-and-shift", .function = LIKE(layernorm, norm_scale_and_shift)},
    {0},
};

static const struct part layernorm_part[] = {
    {
        .function = "layernorm",
        .dims = "N C",
        .tensors =
            {
                {"y", "N C", OUTPUT, F32, 2e-5f, 1e-4f},
                {"mean", "N", OUTPUT, F32, 2e-6f, 4e-6f},
                {"rstd", "N", OUTPUT, F32, 1e-6f, 2e-5f},
                {"x", "N C", INPUT, F32, 0, 0},
                {"gain", "C", INPUT, F32, 0, 0},
                {"bias", "C", INPUT, F32, 0, 0},
            },
        .cases = layernorm_cases,
        .properties = layernorm_properties,
        .mistakes = layernorm_mistakes,
        .alternatives = layernorm_alternatives,
    },
    {0},
};

// ---- 5.2 gelu -----------------------------------------------------------------------------

// Where the tanh form is farthest away.
static void fill_near_minus_2_7(struct test_case *test, struct lab_rng *rng)
{
    spread_input(test, rng, "x", -3.2f, -2.2f);
}

static void fill_wide(struct test_case *test, struct lab_rng *rng)
{
    spread_input(test, rng, "x", -7.0f, 7.0f);
}

static void fill_near_zero(struct test_case *test, struct lab_rng *rng)
{
    spread_input(test, rng, "x", -0.01f, 0.01f);
}

// x itself above 0, 0 below, and neither inf nor NaN on the way.
static void fill_huge(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_input(test, "x", 1e4f);
}

static void fill_zero(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_input(test, "x", 0.0f);
}

static const struct case_spec gelu_cases[] = {
    {.dims = "N=1", .fill = fill_zero, .note = "x is 0"},
    {.dims = "N=1"},
    {.dims = "N=3", .draws = 2},
    {.dims = "N=5", .fill = fill_near_minus_2_7, .note = "x from -3.2 to -2.2"},
    {.dims = "N=7", .fill = fill_wide, .note = "x from -7 to 7"},
    {.dims = "N=9", .fill = fill_huge, .note = "x near 10000"},
    {.dims = "N=11..19", .draws = 3},
    {.dims = "N=67", .fill = fill_near_minus_2_7, .note = "x from -3.2 to -2.2"},
    {.dims = "N=301", .fill = fill_wide, .note = "x from -7 to 7"},
    {.dims = "N=8", .fill = fill_wide, .note = "x from -7 to 7"},
    {.dims = "N=65", .fill = fill_near_zero, .note = "x from -0.01 to 0.01"},
    {.dims = "N=70001", .fill = fill_wide, .note = "more numbers than 16 bits can count"},
    {.dims = "N=600001", .note = "more numbers than a grid of the GPU has threads"},
    {.dims = "N=0", .note = "a size of 0"},
    {0},
};

// ACTIVATION(name, value): a gelu that computes value from the double x.
#define ACTIVATION(name, value)                                                          \
    static double name##_of(double x)                                                    \
    {                                                                                    \
        return value;                                                                    \
    }                                                                                    \
    static lab_status name(float *y, const float *inputs, size_t N)                      \
    {                                                                                    \
        if (N == 0) {                                                                    \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        for (size_t i = 0; i < N; i++) {                                                 \
            y[i] = (float)name##_of((double)inputs[i]);                                  \
        }                                                                                \
        return LAB_OK;                                                                   \
    }

ACTIVATION(gelu_tanh,
           0.5 * x * (1.0 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))))
ACTIVATION(gelu_sigmoid, x / (1.0 + exp(-1.702 * x)))
ACTIVATION(silu, x / (1.0 + exp(-x)))
ACTIVATION(relu, x > 0.0 ? x : 0.0)
ACTIVATION(gelu_without_sqrt2, 0.5 * x * (1.0 + erf(x)))
ACTIVATION(gelu_without_half, x *(1.0 + erf(x / sqrt(2.0))))
ACTIVATION(gelu_only_share, 0.5 * (1.0 + erf(x / sqrt(2.0))))
ACTIVATION(gelu_minus, 0.5 * x * (1.0 - erf(x / sqrt(2.0))))
ACTIVATION(gelu_erf_alone, 0.5 * x * erf(x / sqrt(2.0)))
ACTIVATION(identity, x)

static const struct mistake gelu_mistakes[] = {
    {
        .id = "tanh",
        .what = "this is the tanh form of GELU, not the exact one",
        .why =
            "GPT-2 was trained with it and llm.c uses it; this lab asks for erf, as "
            "torch.nn.GELU() computes. The two differ by up to 0.00047, near -2.70. Use "
            "erff from math.h.",
        .source = "karpathy/nanoGPT#2, kyutai-labs/pocket-tts#278, chelsea0x3b/dfdx#804",
        .function = LIKE(gelu, gelu_tanh),
        .convention = true,
    },
    {
        .id = "sigmoid",
        .what = "this is the sigmoid form of GELU, x * sigmoid(1.702 x)",
        .why =
            "It is a rough fit, up to 0.02 away. This lab asks for the exact form, with "
            "erff from math.h.",
        .source = "harvard-edge/cs249r_book#1156, ml-explore/mlx#744",
        .function = LIKE(gelu, gelu_sigmoid),
        .convention = true,
    },
    {
        .id = "silu",
        .what = "this is SiLU, x * sigmoid(x)",
        .why = "SiLU (or swish) has the same shape with another curve in place of the "
               "normal distribution. GELU needs erff(x / sqrt(2)).",
        .source = NULL,
        .function = LIKE(gelu, silu),
        .convention = true,
    },
    {
        .id = "relu",
        .what = "this is ReLU",
        .why =
            "ReLU cuts below 0 sharply; GELU lets a little through: gelu(-1) is -0.1587.",
        .source = NULL,
        .function = LIKE(gelu, relu),
        .convention = true,
    },
    {
        .id = "no-sqrt-2",
        .what = "x goes into erf undivided",
        .why =
            "erf belongs to a normal distribution of variance 1/2. The unit normal lies "
            "below x with probability (1 + erf(x / sqrt(2))) / 2.",
        .source = NULL,
        .function = LIKE(gelu, gelu_without_sqrt2),
    },
    {
        .id = "no-half",
        .what = "the factor 1/2 is missing",
        .why = "1 + erf runs from 0 to 2, a share from 0 to 1. For large x gelu(x) is x, "
               "not 2x.",
        .source = NULL,
        .function = LIKE(gelu, gelu_without_half),
    },
    {
        .id = "share-alone",
        .what = "the share is not multiplied by x",
        .why =
            "(1 + erf(x / sqrt(2))) / 2 says how much of x comes through. Multiply x by "
            "it.",
        .source = NULL,
        .function = LIKE(gelu, gelu_only_share),
    },
    {
        .id = "minus-erf",
        .what = "1 - erf where 1 + erf belongs",
        .why = "This lets the negative numbers through and stops the positive ones.",
        .source = NULL,
        .function = LIKE(gelu, gelu_minus),
    },
    {
        .id = "no-one",
        .what = "the 1 in 1 + erf is missing",
        .why =
            "erf runs from -1 to 1; with 1 added and halved it becomes a share from 0 to "
            "1. Without the 1, large negative numbers come out positive.",
        .source = NULL,
        .function = LIKE(gelu, gelu_erf_alone),
    },
    {
        .id = "identity",
        .what = "the numbers come out as they went in",
        .why = "Without an activation two linear layers in a row are one linear layer.",
        .source = NULL,
        .function = LIKE(gelu, identity),
    },
    {0},
};

ACTIVATION(gelu_in_double, 0.5 * x * (1.0 + erf(x / sqrt(2.0))))
ACTIVATION(gelu_by_erfc, 0.5 * x * erfc(-x / sqrt(2.0)))

// Everything in float, and the division in place of the product.
static lab_status gelu_in_float(float *y, const float *x, size_t N)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < N; i++) {
        y[i] = x[i] * (1.0f + erff(x[i] / sqrtf(2.0f))) / 2.0f;
    }
    return LAB_OK;
}

static const struct mistake gelu_alternatives[] = {
    {.id = "in-double", .function = LIKE(gelu, gelu_in_double)},
    {.id = "by-erfc", .function = LIKE(gelu, gelu_by_erfc)},
    {.id = "in-float", .function = LIKE(gelu, gelu_in_float)},
    {0},
};

static const struct part gelu_part[] = {
    {
        .function = "gelu",
        .dims = "N",
        .tensors =
            {
                {"y", "N", OUTPUT, F32, 2e-6f, 2e-6f},
                {"x", "N", INPUT, F32, 0, 0},
            },
        .cases = gelu_cases,
        .mistakes = gelu_mistakes,
        .alternatives = gelu_alternatives,
    },
    {0},
};

// ---- 5.3 mlp ------------------------------------------------------------------------------

// Weights of the size that keeps what comes out near unit scale.
static void fill_mlp(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_input(test, "w_fc", 1.0f / sqrtf((float)case_dim(test, "C")));
    scale_input(test, "w_proj", 1.0f / sqrtf((float)case_dim(test, "H")));
}

// Where sums are long their rounding adds up: an exact quarter keeps what comes out, and with it
// the rounding, well below what the tolerance has in view.
static void fill_mlp_long_sums(struct test_case *test, struct lab_rng *rng)
{
    fill_mlp(test, rng);
    scale_input(test, "w_proj", 0.25f);
    scale_input(test, "b_proj", 0.25f);
}

// Every GELU near -2.70, where the tanh form is farthest away, and nothing cancels.
static void fill_mlp_near_minus_2_7(struct test_case *test, struct lab_rng *rng)
{
    fill_mlp(test, rng);
    scale_input(test, "w_fc", 0.1f);
    spread_input(test, rng, "b_fc", -2.9f, -2.5f);
    spread_input(test, rng, "w_proj", 0.2f, 0.4f);
    scale_input(test, "b_proj", 0.01f);
}

static const struct case_spec mlp_cases[] = {
    {.dims = "N=1 C=1 H=1", .fill = fill_mlp},
    {.dims = "N=1 C=2 H=3", .fill = fill_mlp},
    {.dims = "N=2 C=2 H=4", .fill = fill_mlp},
    {.dims = "N=3 C=4 H=2", .fill = fill_mlp, .note = "H below C"},
    {.dims = "N=5 C=3 H=7", .draws = 2, .fill = fill_mlp},
    {.dims = "N=2..5 C=6..9 H=17..31", .draws = 3, .fill = fill_mlp},
    {.dims = "N=3 C=4 H=16",
     .fill = fill_mlp_near_minus_2_7,
     .note = "hidden near -2.7, where the forms of GELU differ"},
    {.dims = "N=11 C=12 H=48", .fill = fill_mlp},
    {.dims = "N=1 C=5 H=3", .fill = fill_mlp, .note = "one row"},
    {.dims = "N=4 C=9 H=1", .fill = fill_mlp},
    {.dims = "N=9 C=2 H=5", .fill = fill_mlp},
    {.dims = "N=7 C=8 H=6", .fill = fill_mlp, .note = "H below C"},
    {.dims = "N=259 C=3 H=5", .fill = fill_mlp},
    {.dims = "N=2 C=261 H=7", .fill = fill_mlp_long_sums, .note = "H below C"},
    {.dims = "N=19 C=131 H=65", .fill = fill_mlp_long_sums, .note = "H below C"},
    {.dims = "N=67 C=65 H=259", .fill = fill_mlp_long_sums, .note = "larger and odd"},
    {.dims = "N=0 C=2 H=3", .note = "a size of 0"},
    {.dims = "N=2 C=0 H=3", .note = "a size of 0"},
    {.dims = "N=2 C=2 H=0", .note = "a size of 0"},
    {0},
};

#define MLP_ARGUMENTS                                                                    \
    float *y, float *hidden, float *activated, const float *x,                           \
        const struct mlp_params *params, size_t N, size_t C, size_t H
#define MLP_VALUES y, hidden, activated, x, params, N, C, H

// y (N, out) = x (N, in) w^T + bias, sums in float; w read as (in, out) when flipped.
static void linear_in_float(float *y, const float *x, const float *w, const float *bias,
                            size_t N, size_t in, size_t out, bool flipped)
{
    for (size_t n = 0; n < N; n++) {
        for (size_t o = 0; o < out; o++) {
            float sum = bias == NULL ? 0.0f : bias[o];
            for (size_t i = 0; i < in; i++) {
                sum += x[n * in + i] * (flipped ? w[i * out + o] : w[o * in + i]);
            }
            y[n * out + o] = sum;
        }
    }
}

// How an MLP may be put together.
struct mlp_recipe {
    lab_status (*activation)(float *y, const float *x, size_t N);
    bool fc_flipped, proj_flipped;
    bool no_b_fc, no_b_proj;
    bool activation_last, activation_both, adds_x;
};

static lab_status mlp_with(struct mlp_recipe recipe, MLP_ARGUMENTS)
{
    if (N == 0 || C == 0 || H == 0) {
        return LAB_ESHAPE;
    }
    lab_status (*activate)(float *, const float *, size_t) =
        recipe.activation == NULL ? gelu : recipe.activation;
    linear_in_float(hidden, x, params->w_fc, recipe.no_b_fc ? NULL : params->b_fc, N, C,
                    H, recipe.fc_flipped);
    lab_status status = recipe.activation_last ? identity(activated, hidden, N * H)
                                               : activate(activated, hidden, N * H);
    linear_in_float(y, activated, params->w_proj,
                    recipe.no_b_proj ? NULL : params->b_proj, N, H, C,
                    recipe.proj_flipped);
    if (status == LAB_OK && (recipe.activation_last || recipe.activation_both)) {
        status = activate(y, y, N * C); // number by number: in place is fine
    }
    for (size_t i = 0; recipe.adds_x && i < N * C; i++) {
        y[i] += x[i];
    }
    return status;
}

// MLP(name, .no_b_fc = true): an mlp made by that recipe.
#define MLP(name, ...)                                                                   \
    static lab_status name(MLP_ARGUMENTS)                                                \
    {                                                                                    \
        return mlp_with((struct mlp_recipe){__VA_ARGS__}, MLP_VALUES);                   \
    }

MLP(mlp_without_activation, .activation = identity)
MLP(mlp_activation_last, .activation_last = true)
MLP(mlp_activation_both, .activation_both = true)
MLP(mlp_tanh, .activation = gelu_tanh)
MLP(mlp_relu, .activation = relu)
MLP(mlp_fc_flipped, .fc_flipped = true)
MLP(mlp_proj_flipped, .proj_flipped = true)
MLP(mlp_both_flipped, .fc_flipped = true, .proj_flipped = true)
MLP(mlp_without_b_fc, .no_b_fc = true)
MLP(mlp_without_b_proj, .no_b_proj = true)
MLP(mlp_without_biases, .no_b_fc = true, .no_b_proj = true)
MLP(mlp_adds_x, .adds_x = true)

static const struct mistake mlp_mistakes[] = {
    {
        .id = "no-activation",
        .what = "there is no activation between the two linear layers",
        .why = "Two linear layers in a row are one linear layer, whatever H is. Call "
               "gelu on "
               "hidden and give activated to the second layer.",
        .source = "YujiaBao/ls#1, Nota-NetsPresso/netspresso-trainer#320",
        .function = LIKE(mlp, mlp_without_activation),
    },
    {
        .id = "activation-last",
        .what = "the activation comes after the second layer instead of between the two",
        .why =
            "What comes out goes back to the stream and must be able to take any value, "
            "and the two layers have nothing between them. Activate hidden.",
        .source = "goruck/nilm#1, spring-media/TransformerTTS#102",
        .function = LIKE(mlp, mlp_activation_last),
    },
    {
        .id = "activation-both",
        .what = "the activation is applied after the second layer as well",
        .why = "It belongs between the two layers only: what comes out goes back to the "
               "stream and must be able to take any value.",
        .source = "lucidrains/tab-transformer-pytorch#9",
        .function = LIKE(mlp, mlp_activation_both),
    },
    {
        .id = "tanh",
        .what = "the activation is the tanh form of GELU",
        .why = "This lab asks for the exact GELU: call your gelu of exercise 5.2.",
        .source = "karpathy/nanoGPT#2",
        .function = LIKE(mlp, mlp_tanh),
        .convention = true,
    },
    {
        .id = "relu",
        .what = "the activation is ReLU",
        .why = "The first transformer had it; this lab, like GPT-2, has GELU.",
        .source = NULL,
        .function = LIKE(mlp, mlp_relu),
        .convention = true,
    },
    {
        .id = "fc-in-out",
        .what = "w_fc is read as (C, H)",
        .why =
            "Weights are (out, in), here (H, C): hidden is x w_fc^T, as batched_linear "
            "computes it. GPT-2's own files hold them the other way round.",
        .source = "nntile/nntile#370",
        .function = LIKE(mlp, mlp_fc_flipped),
    },
    {
        .id = "proj-in-out",
        .what = "w_proj is read as (H, C)",
        .why = "Weights are (out, in), here (C, H): y is activated w_proj^T, as "
               "batched_linear computes it.",
        .source = "nntile/nntile#370",
        .function = LIKE(mlp, mlp_proj_flipped),
    },
    {
        .id = "both-in-out",
        .what = "both weights are read as (in, out)",
        .why = "Weights are (out, in): w_fc is (H, C) and w_proj (C, H). batched_linear "
               "multiplies by the transposed weight.",
        .source = "nntile/nntile#370",
        .function = LIKE(mlp, mlp_both_flipped),
    },
    {
        .id = "no-b-fc",
        .what = "b_fc is missing",
        .why = "The bias of the first layer shifts where each GELU bends. Give it to "
               "batched_linear in place of NULL.",
        .source = NULL,
        .function = LIKE(mlp, mlp_without_b_fc),
    },
    {
        .id = "no-b-proj",
        .what = "b_proj is missing",
        .why = "Give it to the second batched_linear in place of NULL.",
        .source = NULL,
        .function = LIKE(mlp, mlp_without_b_proj),
    },
    {
        .id = "no-biases",
        .what = "both biases are missing",
        .why =
            "Give b_fc and b_proj to the two calls of batched_linear in place of NULL.",
        .source = NULL,
        .function = LIKE(mlp, mlp_without_biases),
    },
    {
        .id = "adds-x",
        .what = "x is added to the result",
        .why =
            "The residual is the block's work: it adds the stream, and x here is only a "
            "normalised copy of it.",
        .source = "Howuhh/faster-trajectory-transformer#3",
        .function = LIKE(mlp, mlp_adds_x),
    },
    {0},
};

MLP(mlp_in_float, .activation = gelu)
MLP(mlp_with_erfc, .activation = gelu_by_erfc)

// One token after the other, all in double.
static lab_status mlp_token_by_token(MLP_ARGUMENTS)
{
    if (N == 0 || C == 0 || H == 0) {
        return LAB_ESHAPE;
    }
    (void)hidden;
    for (size_t n = 0; n < N; n++) {
        for (size_t h = 0; h < H; h++) {
            double sum = (double)params->b_fc[h];
            for (size_t c = 0; c < C; c++) {
                sum += (double)x[n * C + c] * (double)params->w_fc[h * C + c];
            }
            activated[h] = (float)gelu_in_double_of(sum);
        }
        for (size_t c = 0; c < C; c++) {
            double sum = (double)params->b_proj[c];
            for (size_t h = 0; h < H; h++) {
                sum += (double)activated[h] * (double)params->w_proj[c * H + h];
            }
            y[n * C + c] = (float)sum;
        }
    }
    return LAB_OK;
}

static const struct mistake mlp_alternatives[] = {
    {.id = "in-float", .function = LIKE(mlp, mlp_in_float)},
    {.id = "with-erfc", .function = LIKE(mlp, mlp_with_erfc)},
    {.id = "token-by-token", .function = LIKE(mlp, mlp_token_by_token)},
    {0},
};

static const struct part mlp_part[] = {
    {
        .function = "mlp",
        .dims = "N C H",
        .tensors =
            {
                {"y", "N C", OUTPUT, F32, 1e-5f, 1e-5f},
                {"x", "N C", INPUT, F32, 0, 0},
                {"w_fc", "H C", INPUT, F32, 0, 0},
                {"b_fc", "H", INPUT, F32, 0, 0},
                {"w_proj", "C H", INPUT, F32, 0, 0},
                {"b_proj", "C", INPUT, F32, 0, 0},
                {"hidden", "N H", WORKSPACE, F32, 0, 0},
                {"activated", "N H", WORKSPACE, F32, 0, 0},
            },
        .cases = mlp_cases,
        .mistakes = mlp_mistakes,
        .alternatives = mlp_alternatives,
    },
    {0},
};

// ---- 5.4 dropout --------------------------------------------------------------------------

// Draws the uniforms and sets p. No uniform is p or 1 - p to within rounding: at the border <
// and <=, float and double may decide differently, and nobody's model depends on it.
static void fill_dropout(struct test_case *test, struct lab_rng *rng, float p)
{
    float *uniforms = case_f32(test, "uniforms");
    case_f32(test, "p")[0] = p;
    lab_rng_rand(rng, uniforms, case_count(test, "uniforms"));
    for (size_t i = 0; i < case_count(test, "uniforms"); i++) {
        if (fabsf(uniforms[i] - p) < 1e-5f || fabsf(uniforms[i] - (1.0f - p)) < 1e-5f) {
            uniforms[i] = 0.5f * p + 0.01f;
        }
    }
    // A uniform can be 0 itself, and the largest one is below 1.
    if (case_count(test, "uniforms") > 8) {
        uniforms[3] = 0.0f;
        uniforms[7] = 0x1.fffffep-1f;
    }
}

#define FILL_DROPOUT(name, p)                                                            \
    static void name(struct test_case *test, struct lab_rng *rng)                        \
    {                                                                                    \
        fill_dropout(test, rng, p);                                                      \
    }

FILL_DROPOUT(fill_p_0, 0.0f)
FILL_DROPOUT(fill_p_1_of_1000, 0.001f)
FILL_DROPOUT(fill_p_barely_negative, -1e-30f)
FILL_DROPOUT(fill_p_10, 0.1f)
FILL_DROPOUT(fill_p_25, 0.25f)
FILL_DROPOUT(fill_p_50, 0.5f)
FILL_DROPOUT(fill_p_90, 0.9f)
FILL_DROPOUT(fill_p_1, 1.0f)
FILL_DROPOUT(fill_p_negative, -0.1f)
FILL_DROPOUT(fill_p_above, 1.5f)
FILL_DROPOUT(fill_p_nan, NAN)

static const struct case_spec dropout_cases[] = {
    {.dims = "training=1 N=1", .fill = fill_p_0, .note = "p = 0: everything is kept"},
    {.dims = "training=0 N=2", .fill = fill_p_25, .note = "p = 0.25, not training"},
    {.dims = "training=1 N=9", .fill = fill_p_0, .note = "p = 0: everything is kept"},
    {.dims = "training=1 N=12",
     .draws = 2,
     .fill = fill_p_25,
     .note = "p = 0.25, training"},
    {.dims = "training=1 N=13", .fill = fill_p_50, .note = "p = 0.5, training"},
    {.dims = "training=0 N=14", .fill = fill_p_90, .note = "p = 0.9, not training"},
    {.dims = "training=1 N=31", .fill = fill_p_90, .note = "p = 0.9, training"},
    {.dims = "training=0..1 N=51..99", .draws = 4, .fill = fill_p_10, .note = "p = 0.1"},
    {.dims = "training=1 N=257", .fill = fill_p_25, .note = "p = 0.25, training"},
    {.dims = "training=0 N=1", .fill = fill_p_50, .note = "p = 0.5, not training"},
    {.dims = "training=0 N=7", .fill = fill_p_0, .note = "p = 0, not training"},
    {.dims = "training=1 N=301", .fill = fill_p_10, .note = "p = 0.1, training"},
    {.dims = "training=0 N=303", .fill = fill_p_10, .note = "p = 0.1, not training"},
    {.dims = "training=1 N=70001",
     .fill = fill_p_1_of_1000,
     .note = "p = 0.001, training; more numbers than 16 bits can count"},
    {.dims = "training=0 N=70003",
     .fill = fill_p_90,
     .note = "p = 0.9, not training; more numbers than 16 bits can count"},
    {.dims = "training=0 N=3", .fill = fill_p_negative, .note = "p = -0.1 is refused"},
    {.dims = "training=0 N=3", .fill = fill_p_nan, .note = "p = NaN is refused"},
    {.dims = "training=1 N=3", .fill = fill_p_barely_negative, .note = "p below 0"},
    {.dims = "training=1 N=3", .fill = fill_p_1, .note = "p = 1 is refused"},
    {.dims = "training=0 N=3", .fill = fill_p_1, .note = "p = 1 is refused"},
    {.dims = "training=1 N=3", .fill = fill_p_negative, .note = "p = -0.1 is refused"},
    {.dims = "training=1 N=3", .fill = fill_p_above, .note = "p = 1.5 is refused"},
    {.dims = "training=1 N=3", .fill = fill_p_nan, .note = "p = NaN is refused"},
    {.dims = "training=1 N=0", .fill = fill_p_50, .note = "a size of 0"},
    {0},
};

// DROPOUT(name, kept, scale, otherwise): y is x * scale while training where kept holds, 0
// where not, and x * otherwise while not training. u is the uniform of each number.
#define DROPOUT(name, kept, scale, otherwise)                                            \
    static lab_status name(float *y, const float *x, const float *uniforms, float p,     \
                           bool training, size_t N)                                      \
    {                                                                                    \
        if (N == 0) {                                                                    \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        if (!(p >= 0.0f && p < 1.0f)) {                                                  \
            return LAB_EVALUE;                                                           \
        }                                                                                \
        for (size_t i = 0; i < N; i++) {                                                 \
            const float u = uniforms[i];                                                 \
            (void)u;                                                                     \
            y[i] = training ? ((kept) ? x[i] * (scale) : 0.0f) : x[i] * (otherwise);     \
        }                                                                                \
        return LAB_OK;                                                                   \
    }

DROPOUT(dropout_over_p, u < 1.0f - p, 1.0f / p, 1.0f)
DROPOUT(dropout_unscaled, u < 1.0f - p, 1.0f, 1.0f)
DROPOUT(dropout_times_keep, u < 1.0f - p, 1.0f - p, 1.0f)
DROPOUT(dropout_original, u < 1.0f - p, 1.0f, 1.0f - p)
DROPOUT(dropout_scaled_twice, u < 1.0f - p, 1.0f / (1.0f - p), 1.0f - p)
DROPOUT(dropout_keeps_p, u < p, 1.0f / (1.0f - p), 1.0f)
DROPOUT(dropout_keeps_p_over_p, u < p, 1.0f / p, 1.0f)
DROPOUT(dropout_exchanged, u >= 1.0f - p, 1.0f / (1.0f - p), 1.0f)
DROPOUT(dropout_other_end, u >= p, 1.0f / (1.0f - p), 1.0f)
DROPOUT(dropout_never, true, 1.0f, 1.0f)

static lab_status dropout_always(float *y, const float *x, const float *uniforms, float p,
                                 bool training, size_t N)
{
    (void)training;
    return dropout(y, x, uniforms, p, true, N);
}

static lab_status dropout_inverted(float *y, const float *x, const float *uniforms,
                                   float p, bool training, size_t N)
{
    return dropout(y, x, uniforms, p, !training, N);
}

static const struct mistake dropout_mistakes[] = {
    {
        .id = "over-p",
        .what = "what is kept is divided by p instead of 1 - p",
        .why =
            "A share of 1 - p is kept, so what is kept must grow by 1 / (1 - p). At p = "
            "0.5 the two are the same.",
        .source = "rasbt/LLMs-from-scratch#431, NVIDIA/apex#816, "
                  "lmjohns3/theanets#123, kaldi-asr/kaldi#2814",
        .function = LIKE(dropout, dropout_over_p),
    },
    {
        .id = "not-scaled",
        .what = "what is kept is not scaled",
        .why = "The sum of many numbers shrinks by 1 - p while training and jumps back "
               "afterwards. Divide what is kept by 1 - p.",
        .source = NULL,
        .function = LIKE(dropout, dropout_unscaled),
    },
    {
        .id = "times-keep",
        .what = "what is kept is multiplied by 1 - p instead of divided by it",
        .why = "It must grow to make up for what is lost.",
        .source = NULL,
        .function = LIKE(dropout, dropout_times_keep),
    },
    {
        .id = "scaled-in-evaluation",
        .what = "nothing is scaled while training, and everything by 1 - p otherwise",
        .why = "That is the way of the first dropout paper. Here, as in PyTorch, what is "
               "kept grows while training, and nothing is left to do afterwards.",
        .source = "clab/dynet#186",
        .function = LIKE(dropout, dropout_original),
        .convention = true,
    },
    {
        .id = "scaled-twice",
        .what = "scaled by 1 / (1 - p) while training, and by 1 - p otherwise",
        .why =
            "One of the two is enough: what is kept has already grown while training, so "
            "y is x otherwise.",
        .source = "clab/dynet#186",
        .function = LIKE(dropout, dropout_scaled_twice),
    },
    {
        .id = "on-in-evaluation",
        .what = "numbers are dropped although training is false",
        .why =
            "Dropout belongs to training. A model that is used, or measured, must give "
            "the same answer twice: y is x.",
        .source = "pytorch/pytorch#124464",
        .function = LIKE(dropout, dropout_always),
    },
    {
        .id = "training-inverted",
        .what = "dropout works when training is false, and not when it is true",
        .why = "The condition is upside down: drop while training.",
        .source = NULL,
        .function = LIKE(dropout, dropout_inverted),
    },
    {
        .id = "keeps-p",
        .what = "a number is kept with probability p instead of 1 - p",
        .why =
            "p is the probability of being dropped: keep where the uniform is below 1 - "
            "p. At p = 0.1 this drops nine of ten.",
        .source = "kok202/Dluid#125",
        .function = LIKE(dropout, dropout_keeps_p),
    },
    {
        .id = "keeps-p-over-p",
        .what = "p is taken for the probability of being kept",
        .why = "Kept with probability p and divided by p fits together, but p is the "
               "probability of being dropped, as in PyTorch.",
        .source = "scut-mingqinchen/Self2Self#7",
        .function = LIKE(dropout, dropout_keeps_p_over_p),
        .convention = true,
    },
    {
        .id = "exchanged",
        .what = "what should be kept is dropped, and the other way round",
        .why = "Where the uniform is below 1 - p the number is kept.",
        .source = "kok202/Dluid#125",
        .function = LIKE(dropout, dropout_exchanged),
    },
    {
        .id = "other-end",
        .what =
            "numbers are kept where the uniform is at least p, not where it is below 1 "
            "- p",
        .why = "Both keep a share of 1 - p, but not the same numbers, and then no two "
               "programs can be compared. This lab keeps below 1 - p, as PyTorch does.",
        .source = NULL,
        .function = LIKE(dropout, dropout_other_end),
        .convention = true,
    },
    {
        .id = "never",
        .what = "nothing is ever dropped",
        .why = "While training, a number whose uniform is not below 1 - p becomes 0, and "
               "the others are divided by 1 - p.",
        .source = NULL,
        .function = LIKE(dropout, dropout_never),
    },
    {0},
};

DROPOUT(dropout_by_product, u < 1.0f - p, 1.0f / (1.0f - p), 1.0f)
DROPOUT(dropout_at_most, u <= 1.0f - p, 1.0f / (1.0f - p), 1.0f)
DROPOUT(dropout_by_a_mask, true, (u < 1.0f - p ? 1.0f : 0.0f) / (1.0f - p), 1.0f)
DROPOUT(dropout_in_double, (double)u < 1.0 - (double)p, (float)(1.0 / (1.0 - (double)p)),
        1.0f)

static const struct mistake dropout_alternatives[] = {
    {.id = "by-product", .function = LIKE(dropout, dropout_by_product)},
    {.id = "at-most", .function = LIKE(dropout, dropout_at_most)},
    {.id = "by-a-mask", .function = LIKE(dropout, dropout_by_a_mask)},
    {.id = "in-double", .function = LIKE(dropout, dropout_in_double)},
    {0},
};

static const struct part dropout_part[] = {
    {
        .function = "dropout",
        .dims = "training N",
        .tensors =
            {
                {"y", "N", OUTPUT, F32, 1e-6f, 2e-6f},
                {"x", "N", INPUT, F32, 0, 0},
                {"uniforms", "N", INPUT, F32, 0, 0},
                {"p", "1", INPUT, F32, 0, 0},
            },
        .cases = dropout_cases,
        .mistakes = dropout_mistakes,
        .alternatives = dropout_alternatives,
    },
    {0},
};

// ---- 5.5 residual_add ---------------------------------------------------------------------

static const struct case_spec residual_cases[] = {
    {.dims = "N=1"},
    {.dims = "N=3", .draws = 2},
    {.dims = "N=17..40", .draws = 2},
    {.dims = "N=257"},
    {.dims = "N=70001", .note = "more numbers than 16 bits can count"},
    {.dims = "N=0", .note = "a size of 0"},
    {0},
};

// RESIDUAL(name, value): a residual_add that computes value from a (x[i]) and b (branch[i]).
#define RESIDUAL(name, value)                                                            \
    static lab_status name(float *y, const float *x, const float *branch, size_t N)      \
    {                                                                                    \
        if (N == 0) {                                                                    \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        for (size_t i = 0; i < N; i++) {                                                 \
            const float a = x[i], b = branch[i];                                         \
            (void)a, (void)b;                                                            \
            y[i] = value;                                                                \
        }                                                                                \
        return LAB_OK;                                                                   \
    }

RESIDUAL(residual_branch_only, b)
RESIDUAL(residual_x_only, a)
RESIDUAL(residual_x_twice, a + a)
RESIDUAL(residual_branch_twice, b + b)
RESIDUAL(residual_subtracted, a - b)
RESIDUAL(residual_mean, (a + b) / 2.0f)
RESIDUAL(residual_product, a *b)
RESIDUAL(residual_onto_old, y[i] + a + b)

static const struct mistake residual_mistakes[] = {
    {
        .id = "branch-only",
        .what = "x is missing from the sum",
        .why = "Without x nothing runs through the blocks but what the last branch says.",
        .source = "tensorflow/models#7533",
        .function = LIKE(residual_add, residual_branch_only),
    },
    {
        .id = "x-only",
        .what = "the branch is missing from the sum",
        .why = "Whatever the branch computes is thrown away.",
        .source = NULL,
        .function = LIKE(residual_add, residual_x_only),
    },
    {
        .id = "x-twice",
        .what = "x is added to itself",
        .why = "One of the two is the branch: x[i] + branch[i].",
        .source = "kyegomez/BitNet#32",
        .function = LIKE(residual_add, residual_x_twice),
    },
    {
        .id = "branch-twice",
        .what = "the branch is added to itself",
        .why = "One of the two is the stream: x[i] + branch[i].",
        .source = "facebookresearch/multimodal#305",
        .function = LIKE(residual_add, residual_branch_twice),
    },
    {
        .id = "subtracted",
        .what = "the branch is subtracted",
        .why = "It is added: x[i] + branch[i].",
        .source = NULL,
        .function = LIKE(residual_add, residual_subtracted),
    },
    {
        .id = "mean",
        .what = "the sum is halved",
        .why = "With every block the stream would lose half of what it carries. It is a "
               "plain sum.",
        .source = NULL,
        .function = LIKE(residual_add, residual_mean),
    },
    {
        .id = "product",
        .what = "x and the branch are multiplied",
        .why = "They are added: a branch that says nothing (0) must leave x as it is.",
        .source = NULL,
        .function = LIKE(residual_add, residual_product),
    },
    {
        .id = "onto-old",
        .what = "the sum is added to what y held before",
        .why = "y is an output and holds nothing yet: write = and not +=.",
        .source = NULL,
        .function = LIKE(residual_add, residual_onto_old),
    },
    {0},
};

RESIDUAL(residual_other_order, b + a)

static const struct mistake residual_alternatives[] = {
    {.id = "other-order", .function = LIKE(residual_add, residual_other_order)},
    {0},
};

static const struct part residual_part[] = {
    {
        .function = "residual_add",
        .dims = "N",
        .tensors =
            {
                {"y", "N", OUTPUT, F32, 1e-6f, 1e-6f},
                {"x", "N", INPUT, F32, 0, 0},
                {"branch", "N", INPUT, F32, 0, 0},
            },
        .cases = residual_cases,
        .mistakes = residual_mistakes,
        .alternatives = residual_alternatives,
    },
    {0},
};

// ---- 5.6 transformer_block ----------------------------------------------------------------

// Weights of the size that keeps every step near unit scale, as a trained model has them.
static void fill_block(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    const float by_C = 1.0f / sqrtf((float)case_dim(test, "C"));
    scale_input(test, "w_qkv", by_C);
    scale_input(test, "w_o", by_C);
    scale_input(test, "w_fc", by_C);
    scale_input(test, "w_proj", 1.0f / sqrtf((float)case_dim(test, "H")));
}

static void fill_without_biases(struct test_case *test, struct lab_rng *rng)
{
    fill_block(test, rng);
    case_absent(test, "b_qkv");
    case_absent(test, "b_o");
}

static void fill_without_b_qkv(struct test_case *test, struct lab_rng *rng)
{
    fill_block(test, rng);
    case_absent(test, "b_qkv");
}

static void fill_without_b_o(struct test_case *test, struct lab_rng *rng)
{
    fill_block(test, rng);
    case_absent(test, "b_o");
}

// A stream that has grown, as it does behind many blocks.
static void fill_grown(struct test_case *test, struct lab_rng *rng)
{
    fill_block(test, rng);
    scale_input(test, "x", 10.0f);
}

static const struct case_spec block_cases[] = {
    {.dims = "causal=1 B=1 T=1 C=1 NH=1 H=1", .fill = fill_block},
    {.dims = "causal=1 B=1 T=2 C=4 NH=1 H=3", .fill = fill_block},
    {.dims = "causal=0 B=1 T=3 C=4 NH=2 H=5", .fill = fill_block, .note = "not causal"},
    {.dims = "causal=1 B=2 T=3 C=4 NH=2 H=16", .draws = 2, .fill = fill_block},
    {.dims = "causal=1 B=2 T=3 C=6 NH=2 H=5",
     .fill = fill_without_biases,
     .note = "attention without biases"},
    {.dims = "causal=1 B=1 T=5 C=8 NH=4 H=7",
     .fill = fill_grown,
     .note = "a stream of size 10"},
    {.dims = "causal=0..1 B=2..3 T=5..7 C=12 NH=4 H=14..31",
     .draws = 3,
     .fill = fill_block},
    {.dims = "causal=1 B=3 T=7 C=15 NH=5 H=60", .fill = fill_block},
    {.dims = "causal=0 B=2 T=4 C=9 NH=1 H=2",
     .fill = fill_without_b_o,
     .note = "attention with b_qkv alone"},
    {.dims = "causal=0 B=2 T=2 C=14 NH=7 H=9",
     .fill = fill_without_b_qkv,
     .note = "attention with b_o alone"},
    {.dims = "causal=0 B=2 T=9 C=6 NH=6 H=5",
     .fill = fill_grown,
     .note = "a stream of size 10"},
    {.dims = "causal=0 B=5 T=3 C=10 NH=2 H=40", .fill = fill_without_biases},
    {.dims = "causal=1 B=1 T=259 C=6 NH=2 H=5", .fill = fill_block},
    {.dims = "causal=0 B=1 T=261 C=3 NH=1 H=5", .fill = fill_block, .note = "not causal"},
    {.dims = "causal=1 B=257 T=2 C=4 NH=2 H=3", .fill = fill_block},
    {.dims = "causal=1 B=1 T=3 C=6 NH=3 H=261", .fill = fill_block},
    {.dims = "causal=0 B=3 T=5 C=134 NH=2 H=9", .fill = fill_block},
    {.dims = "causal=1 B=17 T=21 C=57 NH=19 H=23",
     .fill = fill_block,
     .note = "larger and odd"},
    {.dims = "causal=0 B=2 T=67 C=65 NH=5 H=131",
     .fill = fill_block,
     .note = "larger and odd, not causal"},
    {.dims = "causal=1 B=2 T=3 C=7 NH=3 H=5", .note = "NH does not divide C"},
    {.dims = "causal=1 B=0 T=3 C=4 NH=2 H=5", .note = "a size of 0"},
    {.dims = "causal=1 B=2 T=0 C=4 NH=2 H=5", .note = "a size of 0"},
    {.dims = "causal=1 B=2 T=3 C=0 NH=2 H=5", .note = "a size of 0"},
    {.dims = "causal=1 B=2 T=3 C=4 NH=0 H=5", .note = "a size of 0"},
    {.dims = "causal=1 B=2 T=3 C=4 NH=2 H=0", .note = "a size of 0"},
    {0},
};

// BEGIN HANDED OUT
// Absolute and relative tolerance of what a block and a stack put out.
#define BLOCK_WEIGHTS_TOLERANCE 4e-6f, 4e-5f
#define BLOCK_OUT_TOLERANCE 4e-5f, 4e-5f
#define STACK_WEIGHTS_TOLERANCE 2e-5f, 2e-4f
#define STACK_OUT_TOLERANCE 2e-4f, 2e-4f

// The token of every sequence that changes; the ones before it must not notice.
static size_t changed_token(const struct test_case *test)
{
    return (case_dim(test, "T") + 1) / 2;
}
// END HANDED OUT

static void change_one_token(struct test_case *second, struct lab_rng *rng)
{
    size_t T = case_dim(second, "T"), C = case_dim(second, "C");
    for (size_t b = 0; b < case_dim(second, "B"); b++) {
        lab_rng_randn(rng, case_f32(second, "x") + (b * T + changed_token(second)) * C,
                      C);
    }
}

// BEGIN HANDED OUT
// To within rounding: a softmax that was masked afterwards and divided again is right, and its
// forbidden keys take part in the rounding.
static bool earlier_outputs_stay(const struct test_case *first,
                                 const struct test_case *second, char *why,
                                 size_t why_size)
{
    static const float tolerance[2] = {BLOCK_OUT_TOLERANCE};
    const float *before = case_got(first, "out"), *after = case_got(second, "out");
    size_t T = case_dim(first, "T"), C = case_dim(first, "C");
    for (size_t i = 0; i < case_count(first, "out"); i++) {
        size_t b = i / (T * C), t = i / C % T;
        float allowed = 0.25f * (tolerance[0] + tolerance[1] * fabsf(before[i]));
        if (t < changed_token(first) && !(fabsf(after[i] - before[i]) <= allowed)) {
            snprintf(why, why_size,
                     "token %zu changed, and out[%zu][%zu][%zu] went from %.9g to %.9g",
                     changed_token(first), b, t, i % C, (double)before[i],
                     (double)after[i]);
            return false;
        }
    }
    return true;
}
// END HANDED OUT

static const struct property block_properties[] = {
    {
        .id = "future-is-hidden",
        .claim =
            "in a causal block, changing token t+1 leaves outputs up to t as they were",
        .dims = "causal=1 B=2 T=5 C=4 NH=2 H=3",
        .change = change_one_token,
        HOLDS(earlier_outputs_stay),
    },
    {0},
};

#define BLOCK_ARGUMENTS                                                                  \
    float *out, float *weights, const struct block_buffers *buffers, const float *x,     \
        const struct block_params *params, bool causal, size_t B, size_t T, size_t C,    \
        size_t NH, size_t H
#define BLOCK_VALUES out, weights, buffers, x, params, causal, B, T, C, NH, H

// What an addition may start from, or the MLP's norm may read.
enum stream { AS_ASKED, FROM_X, FROM_NORMED, FROM_ATTENDED, FROM_NOTHING };

// How a block may be put together; all zero is the right way.
struct block_recipe {
    bool no_ln1, no_ln2;           // the branch reads the stream itself
    bool ln1_for_both, ln_swapped; // whose gain and bias
    enum stream first, second;     // what the two branches are added to
    enum stream mlp_reads;         // what goes through layer norm 2
    bool post_norm, mlp_first, always_causal, never_causal;
};

static lab_status normalise(bool skip, float *y, float *mean, float *rstd, const float *x,
                            const float *gain, const float *bias, size_t N, size_t C)
{
    if (skip) {
        memcpy(y, x, N * C * sizeof *y);
        return LAB_OK;
    }
    return layernorm(y, mean, rstd, x, gain, bias, N, C);
}

// LN(x + attention(x)), then the same with the MLP: the first transformer.
static lab_status post_norm_block(BLOCK_ARGUMENTS)
{
    const struct block_buffers *b = buffers;
    const struct block_params *p = params;
    const size_t N = B * T;
    lab_status status = multi_head_attention(b->attended, weights, &b->attention, x,
                                             &p->attention, causal, B, T, C, C, NH);
    for (size_t i = 0; i < N * C && status == LAB_OK; i++) {
        b->middle[i] = x[i] + b->attended[i];
    }
    if (status == LAB_OK) {
        status = layernorm(b->ln1, b->ln1_mean, b->ln1_rstd, b->middle, p->ln1_gain,
                           p->ln1_bias, N, C);
    }
    if (status == LAB_OK) {
        status = mlp(b->projected, b->hidden, b->activated, b->ln1, &p->mlp, N, C, H);
    }
    for (size_t i = 0; i < N * C && status == LAB_OK; i++) {
        b->ln2[i] = b->ln1[i] + b->projected[i];
    }
    if (status == LAB_OK) {
        status = layernorm(out, b->ln2_mean, b->ln2_rstd, b->ln2, p->ln2_gain,
                           p->ln2_bias, N, C);
    }
    return status;
}

static lab_status mlp_first_block(BLOCK_ARGUMENTS)
{
    const struct block_buffers *b = buffers;
    const struct block_params *p = params;
    const size_t N = B * T;
    lab_status status =
        layernorm(b->ln1, b->ln1_mean, b->ln1_rstd, x, p->ln1_gain, p->ln1_bias, N, C);
    if (status == LAB_OK) {
        status = mlp(b->projected, b->hidden, b->activated, b->ln1, &p->mlp, N, C, H);
    }
    if (status == LAB_OK) {
        status = residual_add(b->middle, x, b->projected, N * C);
    }
    if (status == LAB_OK) {
        status = layernorm(b->ln2, b->ln2_mean, b->ln2_rstd, b->middle, p->ln2_gain,
                           p->ln2_bias, N, C);
    }
    if (status == LAB_OK) {
        status = multi_head_attention(b->attended, weights, &b->attention, b->ln2,
                                      &p->attention, causal, B, T, C, C, NH);
    }
    if (status == LAB_OK) {
        status = residual_add(out, b->middle, b->attended, N * C);
    }
    return status;
}

// What the branch of recipe is added to: x or middle as asked, or another.
static float base_of(enum stream stream, float asked, float x, float normed)
{
    switch (stream) {
    case FROM_X:
        return x;
    case FROM_NORMED:
        return normed;
    case FROM_NOTHING:
        return 0.0f;
    default:
        return asked;
    }
}

static lab_status block_with(struct block_recipe recipe, BLOCK_ARGUMENTS)
{
    if (B == 0 || T == 0 || C == 0 || NH == 0 || H == 0 || C % NH != 0) {
        return LAB_ESHAPE;
    }
    causal = (causal || recipe.always_causal) && !recipe.never_causal;
    if (recipe.post_norm) {
        return post_norm_block(BLOCK_VALUES);
    }
    if (recipe.mlp_first) {
        return mlp_first_block(BLOCK_VALUES);
    }
    const struct block_buffers *b = buffers;
    const struct block_params *p = params;
    const size_t N = B * T;
    const bool two_first = recipe.ln_swapped;
    const bool one_second = recipe.ln_swapped || recipe.ln1_for_both;

    lab_status status = normalise(recipe.no_ln1, b->ln1, b->ln1_mean, b->ln1_rstd, x,
                                  two_first ? p->ln2_gain : p->ln1_gain,
                                  two_first ? p->ln2_bias : p->ln1_bias, N, C);
    if (status == LAB_OK) {
        status = multi_head_attention(b->attended, weights, &b->attention, b->ln1,
                                      &p->attention, causal, B, T, C, C, NH);
    }
    for (size_t i = 0; i < N * C && status == LAB_OK; i++) {
        b->middle[i] = base_of(recipe.first, x[i], x[i], b->ln1[i]) + b->attended[i];
    }
    const float *read = recipe.mlp_reads == FROM_X          ? x
                        : recipe.mlp_reads == FROM_ATTENDED ? b->attended
                                                            : b->middle;
    if (status == LAB_OK) {
        status = normalise(recipe.no_ln2, b->ln2, b->ln2_mean, b->ln2_rstd, read,
                           one_second ? p->ln1_gain : p->ln2_gain,
                           one_second ? p->ln1_bias : p->ln2_bias, N, C);
    }
    if (status == LAB_OK) {
        status = mlp(b->projected, b->hidden, b->activated, b->ln2, &p->mlp, N, C, H);
    }
    for (size_t i = 0; i < N * C && status == LAB_OK; i++) {
        out[i] = base_of(recipe.second, b->middle[i], x[i], b->ln2[i]) + b->projected[i];
    }
    return status;
}

// BLOCK(name, .no_ln1 = true): a transformer_block made by that recipe.
#define BLOCK(name, ...)                                                                 \
    static lab_status name(BLOCK_ARGUMENTS)                                              \
    {                                                                                    \
        return block_with((struct block_recipe){__VA_ARGS__}, BLOCK_VALUES);             \
    }

BLOCK(block_post_norm, .post_norm = true)
BLOCK(block_mlp_first, .mlp_first = true)
BLOCK(block_first_from_normed, .first = FROM_NORMED)
BLOCK(block_second_from_normed, .second = FROM_NORMED)
BLOCK(block_both_from_normed, .first = FROM_NORMED, .second = FROM_NORMED)
BLOCK(block_without_residuals, .first = FROM_NOTHING, .second = FROM_NOTHING)
BLOCK(block_without_first, .first = FROM_NOTHING)
BLOCK(block_without_second, .second = FROM_NOTHING)
BLOCK(block_second_from_x, .second = FROM_X)
BLOCK(block_parallel, .mlp_reads = FROM_X)
BLOCK(block_mlp_reads_attended, .mlp_reads = FROM_ATTENDED)
BLOCK(block_ln1_for_both, .ln1_for_both = true)
BLOCK(block_ln_swapped, .ln_swapped = true)
BLOCK(block_without_ln1, .no_ln1 = true)
BLOCK(block_without_ln2, .no_ln2 = true)
BLOCK(block_without_norms, .no_ln1 = true, .no_ln2 = true)
BLOCK(block_always_causal, .always_causal = true)
BLOCK(block_never_causal, .never_causal = true)

static const struct mistake block_mistakes[] = {
    {
        .id = "post-norm",
        .what = "this is a post-norm block: the layer norm comes after the addition",
        .why =
            "The first transformer was built so. Here, as in GPT-2, each branch reads a "
            "normalised copy, and the stream itself is never normalised: x + "
            "attention(ln1(x)).",
        .source =
            "harvardnlp/annotated-transformer#1, #13, hkproj/pytorch-transformer#14",
        .function = LIKE(transformer_block, block_post_norm),
        .convention = true,
    },
    {
        .id = "residuals-from-normed",
        .what = "both branches are added to what was normalised, not to the stream",
        .why = "Each branch goes back to what was there BEFORE its layer norm: x, then "
               "middle. Otherwise every block normalises the stream and no sum survives.",
        .source = "pytorch/pytorch#61165, tracel-ai/burn#1056, "
                  "Howuhh/faster-trajectory-transformer#3",
        .function = LIKE(transformer_block, block_both_from_normed),
    },
    {
        .id = "first-from-normed",
        .what = "the attention is added to ln1, not to x",
        .why = "The stream must run past the layer norm: middle = x + attended.",
        .source = "lbcb-sci/RiNALMo#9",
        .function = LIKE(transformer_block, block_first_from_normed),
    },
    {
        .id = "second-from-normed",
        .what = "the MLP is added to ln2, not to middle",
        .why = "The stream must run past the layer norm: out = middle + projected.",
        .source = "Project-MONAI/MONAI#9011",
        .function = LIKE(transformer_block, block_second_from_normed),
    },
    {
        .id = "no-residual",
        .what = "there is no residual: the branches replace the stream",
        .why = "What a branch computes is added to what is there: x + attended, middle + "
               "projected.",
        .source = "tensorflow/models#7533",
        .function = LIKE(transformer_block, block_without_residuals),
    },
    {
        .id = "no-first-residual",
        .what = "the attention replaces x instead of being added to it",
        .why = "middle = x + attended: call residual_add.",
        .source = "facebookresearch/multimodal#305",
        .function = LIKE(transformer_block, block_without_first),
    },
    {
        .id = "no-second-residual",
        .what = "the MLP replaces the stream instead of being added to it",
        .why = "out = middle + projected: call residual_add.",
        .source = "tensorflow/models#7533",
        .function = LIKE(transformer_block, block_without_second),
    },
    {
        .id = "second-from-x",
        .what = "the MLP is added to x, and what the attention did is lost",
        .why = "After the first addition the stream is middle: out = middle + projected.",
        .source = "strutive07/transformer-tensorflow2.0#14",
        .function = LIKE(transformer_block, block_second_from_x),
    },
    {
        .id = "parallel",
        .what = "both branches read x: the MLP does not see what the attention did",
        .why = "GPT-J and PaLM are built so. Here the branches come one after the other: "
               "layer norm 2 reads middle.",
        .source = NULL,
        .function = LIKE(transformer_block, block_parallel),
        .convention = true,
    },
    {
        .id = "mlp-reads-attended",
        .what = "layer norm 2 reads what comes out of the attention, without x",
        .why =
            "The MLP reads the stream after the first addition: layer norm 2 of middle.",
        .source = NULL,
        .function = LIKE(transformer_block, block_mlp_reads_attended),
    },
    {
        .id = "ln-shared",
        .what = "layer norm 2 uses the gain and bias of layer norm 1",
        .why =
            "Each has learned its own: ln2_gain and ln2_bias. In a fresh model all gains "
            "are 1 and all biases 0, and this does not show.",
        .source = "allenai/OLMo#222, ml-explore/mlx#1636",
        .function = LIKE(transformer_block, block_ln1_for_both),
    },
    {
        .id = "ln-swapped",
        .what = "the two layer norms have exchanged their gains and biases",
        .why = "Layer norm 1 stands before the attention, layer norm 2 before the MLP.",
        .source = "ml-explore/mlx#1636",
        .function = LIKE(transformer_block, block_ln_swapped),
    },
    {
        .id = "no-ln1",
        .what = "the attention reads x itself, not its normalised copy",
        .why =
            "Give ln1 to multi_head_attention. Without the norm its scores grow with the "
            "stream, block after block.",
        .source = NULL,
        .function = LIKE(transformer_block, block_without_ln1),
    },
    {
        .id = "no-ln2",
        .what = "the MLP reads middle itself, not its normalised copy",
        .why = "Give ln2 to mlp.",
        .source = NULL,
        .function = LIKE(transformer_block, block_without_ln2),
    },
    {
        .id = "no-norms",
        .what = "there is no layer norm at all",
        .why = "Each branch reads a normalised copy: ln1 of x, ln2 of middle.",
        .source = NULL,
        .function = LIKE(transformer_block, block_without_norms),
    },
    {
        .id = "mlp-first",
        .what = "the MLP comes before the attention",
        .why =
            "First the tokens exchange what they know, then each works on it: attention, "
            "then MLP.",
        .source = NULL,
        .function = LIKE(transformer_block, block_mlp_first),
    },
    {
        .id = "always-causal",
        .what = "the attention is causal even when causal is false",
        .why = "Hand causal on to multi_head_attention.",
        .source = NULL,
        .function = LIKE(transformer_block, block_always_causal),
    },
    {
        .id = "never-causal",
        .what = "the attention is not causal even when causal is true",
        .why = "Hand causal on to multi_head_attention. As it is, every token reads the "
               "ones it is to predict.",
        .source = NULL,
        .function = LIKE(transformer_block, block_never_causal),
    },
    {0},
};

// ---- 5.6 and 5.7: a block in plain loops --------------------------------------------------

// Reads nothing of the labs: one token and one head at a time, sums in double.
static void norm_row(float *y, const float *x, const float *gain, const float *bias,
                     size_t C)
{
    double mean = 0.0, variance = 0.0;
    for (size_t c = 0; c < C; c++) {
        mean += (double)x[c] / (double)C;
    }
    for (size_t c = 0; c < C; c++) {
        variance += ((double)x[c] - mean) * ((double)x[c] - mean) / (double)C;
    }
    for (size_t c = 0; c < C; c++) {
        y[c] = (float)(((double)x[c] - mean) / sqrt(variance + (double)LAYERNORM_EPS) *
                           (double)gain[c] +
                       (double)bias[c]);
    }
}

// Head h of query t: weights_t (T), and its hs channels of merged.
static void attend_head(float *weights_t, float *merged, const float *qkv, size_t t,
                        size_t h, bool causal, size_t T, size_t C, size_t hs)
{
    const size_t keys = causal ? t + 1 : T;
    const float *q = qkv + t * 3 * C + h * hs;
    double sum = 0.0;
    memset(weights_t, 0, T * sizeof *weights_t);
    for (size_t s = 0; s < keys; s++) {
        const float *k = qkv + s * 3 * C + C + h * hs;
        double score = 0.0;
        for (size_t i = 0; i < hs; i++) {
            score += (double)q[i] * (double)k[i];
        }
        weights_t[s] = (float)(score / sqrt((double)hs));
    }
    float max = weights_t[0];
    for (size_t s = 1; s < keys; s++) {
        max = fmaxf(max, weights_t[s]);
    }
    for (size_t s = 0; s < keys; s++) {
        weights_t[s] = expf(weights_t[s] - max);
        sum += (double)weights_t[s];
    }
    for (size_t i = 0; i < hs; i++) {
        double value = 0.0;
        for (size_t s = 0; s < keys; s++) {
            value += (double)weights_t[s] * (double)qkv[s * 3 * C + 2 * C + h * hs + i];
        }
        merged[h * hs + i] = (float)(value / sum);
    }
    for (size_t s = 0; s < keys; s++) {
        weights_t[s] = (float)((double)weights_t[s] / sum);
    }
}

static lab_status block_in_plain_loops(BLOCK_ARGUMENTS)
{
    if (B == 0 || T == 0 || C == 0 || NH == 0 || H == 0 || C % NH != 0) {
        return LAB_ESHAPE;
    }
    const struct block_buffers *b = buffers;
    const struct block_params *p = params;
    const struct attention_params *a = &params->attention;
    const size_t hs = C / NH;
    for (size_t n = 0; n < B * T; n++) {
        norm_row(b->ln1 + n * C, x + n * C, p->ln1_gain, p->ln1_bias, C);
        linear_in_float(b->attention.qkv + n * 3 * C, b->ln1 + n * C, a->w_qkv, a->b_qkv,
                        1, C, 3 * C, false);
    }
    for (size_t n = 0; n < B * T; n++) {
        const size_t i = n / T, t = n % T; // sequence and token
        float *merged = b->attention.merged + n * C, *out_n = out + n * C;
        for (size_t h = 0; h < NH; h++) {
            attend_head(weights + ((i * NH + h) * T + t) * T, merged,
                        b->attention.qkv + i * T * 3 * C, t, h, causal, T, C, hs);
        }
        linear_in_float(out_n, merged, a->w_o, a->b_o, 1, C, C, false);
        for (size_t c = 0; c < C; c++) {
            out_n[c] += x[n * C + c];
        }
        norm_row(b->ln2, out_n, p->ln2_gain, p->ln2_bias, C);
        linear_in_float(b->hidden, b->ln2, p->mlp.w_fc, p->mlp.b_fc, 1, C, H, false);
        for (size_t j = 0; j < H; j++) {
            b->hidden[j] = (float)gelu_in_double_of((double)b->hidden[j]);
        }
        linear_in_float(b->projected, b->hidden, p->mlp.w_proj, p->mlp.b_proj, 1, H, C,
                        false);
        for (size_t c = 0; c < C; c++) {
            out_n[c] += b->projected[c];
        }
    }
    return LAB_OK;
}

static const struct mistake block_alternatives[] = {
    {.id = "plain-loops", .function = LIKE(transformer_block, block_in_plain_loops)},
    {0},
};

// The tensors of a block, with what stands in front of the shape of everything that each layer
// has of its own: nothing, or "L ".
#define BLOCK_TENSOR_SPECS(out_name, L, out_tolerance, weights_tolerance)                \
    {                                                                                    \
        [OUT] = {out_name, L "B T C", OUTPUT, F32, out_tolerance},                       \
        [WEIGHTS] = {"weights", L "B NH T T", OUTPUT, F32, weights_tolerance},           \
        [X] = {"x", "B T C", INPUT, F32, 0, 0}, [LN1_GAIN] = {"ln1_gain", L "C", INPUT,  \
                                                              F32,        0,     0},     \
        [LN1_BIAS] = {"ln1_bias", L "C", INPUT, F32, 0, 0},                              \
        [W_QKV] = {"w_qkv", L "3C C", INPUT, F32, 0, 0}, [B_QKV] = {"b_qkv", L "3C",     \
                                                                    INPUT,   F32,        \
                                                                    0,       0},         \
        [W_O] = {"w_o", L "C C", INPUT, F32, 0, 0}, [B_O] = {"b_o", L "C", INPUT,        \
                                                             F32,   0,     0},           \
        [LN2_GAIN] = {"ln2_gain", L "C", INPUT, F32, 0, 0}, [LN2_BIAS] = {"ln2_bias",    \
                                                                          L "C",         \
                                                                          INPUT,         \
                                                                          F32,           \
                                                                          0,             \
                                                                          0},            \
        [W_FC] = {"w_fc", L "H C", INPUT, F32, 0, 0}, [B_FC] = {"b_fc", L "H", INPUT,    \
                                                                F32,    0,     0},       \
        [W_PROJ] = {"w_proj", L "C H", INPUT, F32, 0, 0}, [B_PROJ] = {"b_proj", L "C",   \
                                                                      INPUT,    F32,     \
                                                                      0,        0},      \
        [LN1] = {"ln1", "B T C", WORKSPACE, F32, 0, 0}, [LN1_MEAN] = {"ln1_mean", "B T", \
                                                                      WORKSPACE,  F32,   \
                                                                      0,          0},    \
        [LN1_RSTD] = {"ln1_rstd", "B T", WORKSPACE, F32, 0, 0},                          \
        [QKV] = {"qkv", "B T 3C", WORKSPACE, F32, 0, 0}, [Q] = {"q", "B T C", WORKSPACE, \
                                                                F32, 0,       0},        \
        [K] = {"k", "B T C", WORKSPACE, F32, 0, 0}, [V] = {"v", "B T C", WORKSPACE,      \
                                                           F32, 0,       0},             \
        [Q_HEADS] = {"q_heads", "B T C", WORKSPACE, F32, 0, 0}, /* B NH T hs numbers */  \
            [K_HEADS] = {"k_heads", "B T C", WORKSPACE, F32, 0, 0},                      \
        [V_HEADS] = {"v_heads", "B T C", WORKSPACE, F32, 0, 0}, [SCORES] = {"scores",    \
                                                                            "B NH T T",  \
                                                                            WORKSPACE,   \
                                                                            F32,         \
                                                                            0,           \
                                                                            0},          \
        [OUT_HEADS] = {"out_heads", "B T C", WORKSPACE, F32, 0, 0},                      \
        [MERGED] = {"merged", "B T C", WORKSPACE, F32, 0, 0}, [MASK] = {"mask",          \
                                                                        "B T T",         \
                                                                        WORKSPACE,       \
                                                                        U8,              \
                                                                        0,               \
                                                                        0},              \
        [ATTENDED] = {"attended", "B T C", WORKSPACE, F32, 0, 0}, [MIDDLE] = {"middle",  \
                                                                              "B T C",   \
                                                                              WORKSPACE, \
                                                                              F32,       \
                                                                              0,         \
                                                                              0},        \
        [LN2] = {"ln2", "B T C", WORKSPACE, F32, 0, 0}, [LN2_MEAN] = {"ln2_mean", "B T", \
                                                                      WORKSPACE,  F32,   \
                                                                      0,          0},    \
        [LN2_RSTD] = {"ln2_rstd", "B T", WORKSPACE, F32, 0, 0}, [HIDDEN] = {"hidden",    \
                                                                            "B T H",     \
                                                                            WORKSPACE,   \
                                                                            F32,         \
                                                                            0,           \
                                                                            0},          \
        [ACTIVATED] = {"activated", "B T H", WORKSPACE, F32, 0, 0},                      \
        [PROJECTED] = {"projected", "B T C", WORKSPACE, F32, 0, 0},                      \
    }

static const struct part block_part[] = {
    {
        .function = "transformer_block",
        .dims = "causal B T C NH H",
        .tensors =
            BLOCK_TENSOR_SPECS("out", "", BLOCK_OUT_TOLERANCE, BLOCK_WEIGHTS_TOLERANCE),
        .cases = block_cases,
        .properties = block_properties,
        .mistakes = block_mistakes,
        .alternatives = block_alternatives,
    },
    {0},
};

// ---- 5.7 transformer_stack ----------------------------------------------------------------

static const struct case_spec stack_cases[] = {
    {.dims = "causal=1 B=1 T=2 C=4 NH=1 H=3 L=1",
     .fill = fill_block,
     .note = "one block"},
    {.dims = "causal=1 B=1 T=2 C=4 NH=2 H=5 L=2", .fill = fill_block},
    {.dims = "causal=0 B=2 T=3 C=6 NH=3 H=5 L=2",
     .fill = fill_block,
     .note = "not causal"},
    {.dims = "causal=1 B=1 T=4 C=6 NH=2 H=7 L=3", .draws = 2, .fill = fill_block},
    {.dims = "causal=0..1 B=2..3 T=3..5 C=8 NH=4 H=9..17 L=3",
     .draws = 2,
     .fill = fill_block},
    {.dims = "causal=1 B=2 T=5 C=12 NH=3 H=48 L=4", .fill = fill_block},
    {.dims = "causal=1 B=1 T=1 C=1 NH=1 H=1 L=2", .fill = fill_block},
    {.dims = "causal=0 B=2 T=7 C=5 NH=1 H=3 L=1",
     .fill = fill_without_biases,
     .note = "one block, attention without biases"},
    {.dims = "causal=1 B=3 T=2 C=6 NH=3 H=4 L=5",
     .fill = fill_without_biases,
     .note = "attention without biases"},
    {.dims = "causal=0 B=1 T=3 C=10 NH=5 H=7 L=6",
     .fill = fill_without_b_o,
     .note = "attention with b_qkv alone"},
    {.dims = "causal=1 B=2 T=3 C=4 NH=2 H=5 L=19",
     .fill = fill_without_b_qkv,
     .note = "many blocks, attention with b_o alone"},
    {.dims = "causal=0 B=17 T=5 C=19 NH=19 H=23 L=3", .fill = fill_block},
    {.dims = "causal=1 B=2 T=67 C=65 NH=5 H=69 L=3",
     .fill = fill_block,
     .note = "larger and odd"},
    {.dims = "causal=1 B=2 T=3 C=7 NH=3 H=5 L=2", .note = "NH does not divide C"},
    {.dims = "causal=1 B=0 T=3 C=4 NH=2 H=5 L=2", .note = "a size of 0"},
    {.dims = "causal=1 B=2 T=0 C=4 NH=2 H=5 L=2", .note = "a size of 0"},
    {.dims = "causal=1 B=2 T=3 C=0 NH=2 H=5 L=2", .note = "a size of 0"},
    {.dims = "causal=1 B=2 T=3 C=4 NH=0 H=5 L=2", .note = "a size of 0"},
    {.dims = "causal=1 B=2 T=3 C=4 NH=2 H=0 L=2", .note = "a size of 0"},
    {.dims = "causal=1 B=2 T=3 C=4 NH=2 H=5 L=0", .note = "a size of 0"},
    {0},
};

#define STACK_ARGUMENTS                                                                  \
    float *streams, float *weights, const struct block_buffers *buffers, const float *x, \
        const struct block_params *params, bool causal, size_t B, size_t T, size_t C,    \
        size_t NH, size_t H, size_t L
#define STACK_VALUES streams, weights, buffers, x, params, causal, B, T, C, NH, H, L

// Which numbers layer l uses; all zero is the right way.
struct stack_recipe {
    bool first_params, last_params, reversed_params; // whose parameters
    bool reads_x;                                    // every layer reads x
    bool reversed_streams;                           // the result comes first
    bool one_place;  // the weights of all layers go to the place of layer 0
    bool adds_input; // a residual around each block
    lab_status (*block)(BLOCK_ARGUMENTS);
};

static lab_status stack_with(struct stack_recipe recipe, STACK_ARGUMENTS)
{
    if (B == 0 || T == 0 || C == 0 || NH == 0 || H == 0 || L == 0 || C % NH != 0) {
        return LAB_ESHAPE;
    }
    lab_status (*block)(BLOCK_ARGUMENTS) =
        recipe.block == NULL ? transformer_block : recipe.block;
    const size_t stream = B * T * C, map = B * NH * T * T;
    const float *input = x;
    lab_status status = LAB_OK;
    for (size_t l = 0; l < L && status == LAB_OK; l++) {
        const size_t whose = recipe.first_params      ? 0
                             : recipe.last_params     ? L - 1
                             : recipe.reversed_params ? L - 1 - l
                                                      : l;
        const size_t where = recipe.reversed_streams ? L - 1 - l : l;
        float *output = streams + where * stream;
        status = block(output, weights + (recipe.one_place ? 0 : l * map), buffers, input,
                       &params[whose], causal, B, T, C, NH, H);
        for (size_t i = 0; i < stream && recipe.adds_input; i++) {
            output[i] += input[i];
        }
        input = recipe.reads_x ? x : output;
    }
    return status;
}

// STACK(name, .reads_x = true): a transformer_stack made by that recipe.
#define STACK(name, ...)                                                                 \
    static lab_status name(STACK_ARGUMENTS)                                              \
    {                                                                                    \
        return stack_with((struct stack_recipe){__VA_ARGS__}, STACK_VALUES);             \
    }

STACK(stack_first_params, .first_params = true)
STACK(stack_last_params, .last_params = true)
STACK(stack_reversed, .reversed_params = true)
STACK(stack_reads_x, .reads_x = true)
STACK(stack_reversed_streams, .reversed_streams = true)
STACK(stack_weights_in_one_place, .one_place = true)
STACK(stack_adds_input, .adds_input = true)

static const struct mistake stack_mistakes[] = {
    {
        .id = "first-params",
        .what = "every block uses the parameters of block 0",
        .why = "Block l has learned its own: &params[l]. A pointer is passed as it is; "
               "nothing moves it on by itself.",
        .source = "espnet/espnet#1278, zalandoresearch/pytorch-vq-vae#2",
        .function = LIKE(transformer_stack, stack_first_params),
    },
    {
        .id = "last-params",
        .what = "every block uses the parameters of the last block",
        .why = "Block l has learned its own: &params[l].",
        .source = "linkedin/Liger-Kernel#269",
        .function = LIKE(transformer_stack, stack_last_params),
    },
    {
        .id = "reversed",
        .what = "the parameters are used in reverse order",
        .why =
            "Block 0 comes first, with params[0]. The reverse order is that of the way "
            "back, in lab 6.",
        .source = NULL,
        .function = LIKE(transformer_stack, stack_reversed),
    },
    {
        .id = "reads-x",
        .what = "every block reads x instead of what the block before it wrote",
        .why = "Block l reads streams[l - 1]; only block 0 reads x. As it is, the last "
               "block alone makes the result.",
        .source = NULL,
        .function = LIKE(transformer_stack, stack_reads_x),
    },
    {
        .id = "streams-reversed",
        .what = "the outputs are stored in reverse order",
        .why = "streams[l] is the output of block l, and streams[L - 1] the result.",
        .source = NULL,
        .function = LIKE(transformer_stack, stack_reversed_streams),
    },
    {
        .id = "weights-in-one-place",
        .what = "every block writes its weights over those of the block before it",
        .why =
            "weights is (L, B, NH, T, T): those of block l start at weights + l * B * NH "
            "* T * T.",
        .source = NULL,
        .function = LIKE(transformer_stack, stack_weights_in_one_place),
    },
    {
        .id = "adds-input",
        .what = "the input of each block is added to its output once more",
        .why =
            "The residuals are inside the block. What comes out is already the stream.",
        .source = NULL,
        .function = LIKE(transformer_stack, stack_adds_input),
    },
    {0},
};

STACK(stack_in_plain_loops, .block = block_in_plain_loops)

static const struct mistake stack_alternatives[] = {
    {.id = "plain-loops", .function = LIKE(transformer_stack, stack_in_plain_loops)},
    {0},
};

static const struct part stack_part[] = {
    {
        .function = "transformer_stack",
        .dims = "causal B T C NH H L",
        .tensors = BLOCK_TENSOR_SPECS("streams", "L ", STACK_OUT_TOLERANCE,
                                      STACK_WEIGHTS_TOLERANCE),
        .cases = stack_cases,
        .mistakes = stack_mistakes,
        .alternatives = stack_alternatives,
    },
    {0},
};

// ---- 5.8 parameter counts -----------------------------------------------------------------

// Whole numbers: exact, whatever the size.
static const struct case_spec block_count_cases[] = {
    {.dims = "C=1 H=1"},
    {.dims = "C=2 H=3"},
    {.dims = "C=3 H=2"},
    {.dims = "C=4..30 H=31..99", .draws = 3},
    {.dims = "C=32 H=128", .note = "the model of lab 6"},
    {.dims = "C=768 H=3072", .note = "GPT-2 small"},
    {.dims = "C=1600 H=6400", .note = "GPT-2 XL"},
    {.dims = "C=12288 H=49152", .note = "GPT-3"},
    {.dims = "C=257 H=65"},
    {.dims = "C=999983 H=1048573", .note = "more than 32 bits can count"},
    {.dims = "C=0 H=3", .note = "a size of 0"},
    {.dims = "C=3 H=0", .note = "a size of 0"},
    {0},
};

static const struct case_spec stack_count_cases[] = {
    {.dims = "C=1 H=1 L=1"},
    {.dims = "C=2 H=3 L=5"},
    {.dims = "C=4..30 H=31..99 L=2..9", .draws = 3},
    {.dims = "C=768 H=3072 L=12", .note = "GPT-2 small"},
    {.dims = "C=12288 H=49152 L=96", .note = "GPT-3"},
    {.dims = "C=67 H=5 L=259"},
    {.dims = "C=3 H=261 L=70001"},
    {.dims = "C=0 H=3 L=2", .note = "a size of 0"},
    {.dims = "C=3 H=0 L=2", .note = "a size of 0"},
    {.dims = "C=3 H=3 L=0", .note = "a size of 0"},
    {0},
};

static const struct case_spec gpt2_count_cases[] = {
    {.dims = "V=1 T=1 C=1 L=1"},
    {.dims = "V=7 T=5 C=3 L=2"},
    {.dims = "V=50..99 T=30..40 C=4..20 L=2..9", .draws = 3},
    {.dims = "V=3 T=259 C=65 L=1"},
    {.dims = "V=67 T=5 C=131 L=257"},
    {.dims = "V=70001 T=99991 C=65537 L=301", .note = "more than 32 bits can count"},
    {.dims = "V=50257 T=1024 C=768 L=12", .note = "GPT-2 small"},
    {.dims = "V=50257 T=1024 C=1024 L=24", .note = "GPT-2 medium"},
    {.dims = "V=50257 T=1024 C=1280 L=36", .note = "GPT-2 large"},
    {.dims = "V=50257 T=1024 C=1600 L=48", .note = "GPT-2 XL"},
    {.dims = "V=0 T=5 C=3 L=2", .note = "a size of 0"},
    {.dims = "V=7 T=0 C=3 L=2", .note = "a size of 0"},
    {.dims = "V=7 T=5 C=0 L=2", .note = "a size of 0"},
    {.dims = "V=7 T=5 C=3 L=0", .note = "a size of 0"},
    {0},
};

// BLOCK_COUNT(name, value) and its two sisters: a count that returns value.
#define BLOCK_COUNT(name, value)                                                         \
    static lab_status name(size_t *count, size_t C, size_t H)                            \
    {                                                                                    \
        if (C == 0 || H == 0) {                                                          \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        *count = value;                                                                  \
        return LAB_OK;                                                                   \
    }
#define STACK_COUNT(name, value)                                                         \
    static lab_status name(size_t *count, size_t C, size_t H, size_t L)                  \
    {                                                                                    \
        if (C == 0 || H == 0 || L == 0) {                                                \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        *count = value;                                                                  \
        return LAB_OK;                                                                   \
    }
#define GPT2_COUNT(name, value)                                                          \
    static lab_status name(size_t *count, size_t V, size_t T, size_t C, size_t L)        \
    {                                                                                    \
        if (V == 0 || T == 0 || C == 0 || L == 0) {                                      \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        *count = value;                                                                  \
        return LAB_OK;                                                                   \
    }

// Everything written out once: 4CC + 2CH of weights, 4C + H + C of biases, 4C of norms.
#define RIGHT_BLOCK(C, H) (4 * (C) * (C) + 2 * (C) * (H) + 9 * (C) + (H))

BLOCK_COUNT(count_without_biases, 4 * C * C + 2 * C * H + 4 * C)
BLOCK_COUNT(count_weights_only, 4 * C * C + 2 * C * H)
BLOCK_COUNT(count_without_b_qkv, RIGHT_BLOCK(C, H) - 3 * C)
BLOCK_COUNT(count_without_norms, RIGHT_BLOCK(C, H) - 4 * C)
BLOCK_COUNT(count_one_norm, RIGHT_BLOCK(C, H) - 2 * C)
BLOCK_COUNT(count_one_projection, RIGHT_BLOCK(C, H) - 2 * C * C - 2 * C)
BLOCK_COUNT(count_without_output, RIGHT_BLOCK(C, H) - C * C - C)
BLOCK_COUNT(count_mlp_one_way, RIGHT_BLOCK(C, H) - C * H - C)
BLOCK_COUNT(count_H_is_C, RIGHT_BLOCK(C, C))
BLOCK_COUNT(count_H_is_4C, RIGHT_BLOCK(C, 4 * C))

static const struct mistake block_count_mistakes[] = {
    {
        .id = "no-biases",
        .what = "the biases of the linear layers are not counted",
        .why = "Each linear layer has one number per output besides its matrix: 3C, C, H "
               "and C of them.",
        .source = NULL,
        .function = LIKE(block_parameter_count, count_without_biases),
    },
    {
        .id = "weights-only",
        .what = "only the matrices are counted, no biases and no layer norms",
        .why = "12 C C for H = 4C is a good estimate and not a count: b_qkv, b_o, b_fc, "
               "b_proj and four arrays of layer norm are missing.",
        .source = NULL,
        .function = LIKE(block_parameter_count, count_weights_only),
    },
    {
        .id = "no-qkv-bias",
        .what = "b_qkv is not counted",
        .why = "It holds 3C numbers. GPT-2 has it; many later models do not.",
        .source = NULL,
        .function = LIKE(block_parameter_count, count_without_b_qkv),
    },
    {
        .id = "no-norms",
        .what = "the layer norms are not counted",
        .why = "Each of the two holds a gain and a bias, C numbers each.",
        .source = NULL,
        .function = LIKE(block_parameter_count, count_without_norms),
    },
    {
        .id = "one-norm",
        .what = "2C too few: one layer norm is missing, or both gains, or both biases",
        .why = "There are two layer norms with a gain and a bias each: 4C numbers.",
        .source = NULL,
        .function = LIKE(block_parameter_count, count_one_norm),
    },
    {
        .id = "one-projection",
        .what = "w_qkv is counted as one (C, C) matrix",
        .why = "It holds three, for q, k and v: (3C, C), and 3C biases.",
        .source = NULL,
        .function = LIKE(block_parameter_count, count_one_projection),
    },
    {
        .id = "no-output-projection",
        .what = "the output projection of the attention is not counted",
        .why = "w_o is (C, C), and b_o holds C numbers.",
        .source = "jwallbridge/translob#4",
        .function = LIKE(block_parameter_count, count_without_output),
    },
    {
        .id = "mlp-one-way",
        .what = "only the first layer of the MLP is counted",
        .why = "There are two: (H, C) with H biases, and (C, H) with C biases.",
        .source = "graykode/xlnet-Pytorch#16",
        .function = LIKE(block_parameter_count, count_mlp_one_way),
    },
    {
        .id = "H-is-C",
        .what = "the MLP is counted as if H were C",
        .why = "H is the width inside the MLP and an argument of its own.",
        .source = NULL,
        .function = LIKE(block_parameter_count, count_H_is_C),
    },
    {
        .id = "H-is-4C",
        .what = "the MLP is counted as if H were 4C",
        .why = "That is usual, but H is an argument: use it.",
        .source = NULL,
        .function = LIKE(block_parameter_count, count_H_is_4C),
    },
    {0},
};

STACK_COUNT(count_one_block, RIGHT_BLOCK(C, H) + 0 * L)
STACK_COUNT(count_final_norm, L *RIGHT_BLOCK(C, H) + 2 * C)
STACK_COUNT(count_norms_once, L *(RIGHT_BLOCK(C, H) - 4 * C) + 4 * C)
STACK_COUNT(count_one_layer_more, (L + 1) * RIGHT_BLOCK(C, H))

static const struct mistake stack_count_mistakes[] = {
    {
        .id = "one-block",
        .what = "only one block is counted",
        .why = "Each of the L blocks has parameters of its own.",
        .source = NULL,
        .function = LIKE(stack_parameter_count, count_one_block),
    },
    {
        .id = "final-norm",
        .what = "a final layer norm is counted too",
        .why = "The stack is L blocks and nothing else; the final layer norm belongs to "
               "gpt2_parameter_count.",
        .source = NULL,
        .function = LIKE(stack_parameter_count, count_final_norm),
        .convention = true,
    },
    {
        .id = "norms-once",
        .what = "the layer norms are counted for one block only",
        .why = "Every block has two layer norms of its own.",
        .source = "allenai/OLMo#222",
        .function = LIKE(stack_parameter_count, count_norms_once),
    },
    {
        .id = "one-layer-more",
        .what = "L + 1 blocks are counted",
        .why = "There are L, from 0 to L - 1.",
        .source = NULL,
        .function = LIKE(stack_parameter_count, count_one_layer_more),
    },
    {0},
};

// The numbers of a GPT-2 whose blocks hold block.
#define GPT2_WITH(block) (V * C + T * C + L * (block) + 2 * C)
#define RIGHT_GPT2 GPT2_WITH(RIGHT_BLOCK(C, 4 * C))

GPT2_COUNT(count_output_twice, RIGHT_GPT2 + V * C)
GPT2_COUNT(count_without_positions, RIGHT_GPT2 - T * C)
GPT2_COUNT(count_without_tokens, RIGHT_GPT2 - V * C)
GPT2_COUNT(count_without_embeddings, RIGHT_GPT2 - V * C - T * C)
GPT2_COUNT(count_blocks_only, L *RIGHT_BLOCK(C, 4 * C) + 0 * (V + T))
GPT2_COUNT(count_without_final_norm, RIGHT_GPT2 - 2 * C)
GPT2_COUNT(count_final_gain_only, RIGHT_GPT2 - C)
GPT2_COUNT(count_gpt2_H_is_C, GPT2_WITH(RIGHT_BLOCK(C, C)))
GPT2_COUNT(count_gpt2_without_biases, GPT2_WITH(12 * C * C + 4 * C))
GPT2_COUNT(count_one_number_per_position, RIGHT_GPT2 - T * C + T)
GPT2_COUNT(count_output_bias, RIGHT_GPT2 + V)
GPT2_COUNT(count_one_block_only, RIGHT_GPT2 - (L - 1) * RIGHT_BLOCK(C, 4 * C))

static const struct mistake gpt2_count_mistakes[] = {
    {
        .id = "output-twice",
        .what = "the output matrix is counted besides the token embedding",
        .why =
            "They are one matrix, used twice: once to look up a token, once to compare "
            "the last stream with every token. GPT-2 small would have 163 million.",
        .source = "karpathy/llama2.c#378, huggingface/transformers#14960",
        .function = LIKE(gpt2_parameter_count, count_output_twice),
    },
    {
        .id = "no-positions",
        .what = "the position embedding is not counted",
        .why = "GPT-2 has learned a vector for each of T places: T * C numbers.",
        .source = NULL,
        .function = LIKE(gpt2_parameter_count, count_without_positions),
    },
    {
        .id = "no-tokens",
        .what = "the token embedding is not counted at all",
        .why =
            "It serves twice and is counted once: V * C numbers, in GPT-2 small almost a "
            "third of all.",
        .source = NULL,
        .function = LIKE(gpt2_parameter_count, count_without_tokens),
    },
    {
        .id = "no-embeddings",
        .what = "neither of the embeddings is counted",
        .why =
            "Token embedding V * C and position embedding T * C belong to what the model "
            "has learned.",
        .source = NULL,
        .function = LIKE(gpt2_parameter_count, count_without_embeddings),
    },
    {
        .id = "blocks-only",
        .what = "only the blocks are counted",
        .why = "Papers on scaling do that and say \"non-embedding parameters\". Here the "
               "two "
               "embeddings and the final layer norm count too.",
        .source = "TransformerLensOrg/TransformerLens#903",
        .function = LIKE(gpt2_parameter_count, count_blocks_only),
        .convention = true,
    },
    {
        .id = "no-final-norm",
        .what = "the final layer norm is not counted",
        .why =
            "After the last pre-norm block nothing has been normalised yet; GPT-2 has a "
            "layer norm there, with 2C numbers.",
        .source = NULL,
        .function = LIKE(gpt2_parameter_count, count_without_final_norm),
    },
    {
        .id = "final-gain-only",
        .what = "of the final layer norm only the gain is counted",
        .why = "It has a bias too: 2C numbers.",
        .source = NULL,
        .function = LIKE(gpt2_parameter_count, count_final_gain_only),
    },
    {
        .id = "H-is-C",
        .what = "the MLPs are counted as if H were C",
        .why = "In GPT-2 the width inside the MLP is 4C.",
        .source = NULL,
        .function = LIKE(gpt2_parameter_count, count_gpt2_H_is_C),
    },
    {
        .id = "no-biases",
        .what = "the biases of the linear layers are not counted",
        .why = "Every block has 3C + C + 4C + C of them.",
        .source = NULL,
        .function = LIKE(gpt2_parameter_count, count_gpt2_without_biases),
    },
    {
        .id = "one-number-per-position",
        .what = "each position is counted as one number",
        .why =
            "The position embedding holds a vector of C numbers for each place: T * C.",
        .source = NULL,
        .function = LIKE(gpt2_parameter_count, count_one_number_per_position),
    },
    {
        .id = "output-bias",
        .what = "a bias of V numbers is counted at the output",
        .why = "GPT-2 has none there.",
        .source = NULL,
        .function = LIKE(gpt2_parameter_count, count_output_bias),
    },
    {
        .id = "one-block",
        .what = "only one of the L blocks is counted",
        .why = "Each block has parameters of its own: use stack_parameter_count.",
        .source = NULL,
        .function = LIKE(gpt2_parameter_count, count_one_block_only),
    },
    {0},
};

BLOCK_COUNT(count_block_formula, RIGHT_BLOCK(C, H))
STACK_COUNT(count_stack_formula, L *RIGHT_BLOCK(C, H))
GPT2_COUNT(count_gpt2_formula, C *(V + T + 2) + L * C * (12 * C + 13))

static const struct mistake block_count_alternatives[] = {
    {.id = "one-formula", .function = LIKE(block_parameter_count, count_block_formula)},
    {0},
};
static const struct mistake stack_count_alternatives[] = {
    {.id = "one-formula", .function = LIKE(stack_parameter_count, count_stack_formula)},
    {0},
};
static const struct mistake gpt2_count_alternatives[] = {
    {.id = "one-formula", .function = LIKE(gpt2_parameter_count, count_gpt2_formula)},
    {0},
};

static const struct part count_part[] = {
    {
        .function = "block_parameter_count",
        .dims = "C H",
        .tensors = {{"count", "1", OUTPUT, SIZE, 0, 0}},
        .cases = block_count_cases,
        .mistakes = block_count_mistakes,
        .alternatives = block_count_alternatives,
    },
    {
        .function = "stack_parameter_count",
        .dims = "C H L",
        .tensors = {{"count", "1", OUTPUT, SIZE, 0, 0}},
        .cases = stack_count_cases,
        .mistakes = stack_count_mistakes,
        .alternatives = stack_count_alternatives,
    },
    {
        .function = "gpt2_parameter_count",
        .dims = "V T C L",
        .tensors = {{"count", "1", OUTPUT, SIZE, 0, 0}},
        .cases = gpt2_count_cases,
        .mistakes = gpt2_count_mistakes,
        .alternatives = gpt2_count_alternatives,
    },
    {0},
};

// ---- the lab ------------------------------------------------------------------------------

static const struct exercise all[] = {
    {
        .id = "5.1",
        .name = "layernorm",
        .section = "5.1 Layer norm",
        .hints =
            {
                "One row at a time, and three passes over it. What do you need to know "
                "of a "
                "row before you can write the first number of y?",
                "mean = sum of x[c] / C. variance = sum of (x[c] - mean)^2 / C, not over "
                "C - "
                "1. rstd = 1 / sqrt(variance + LAYERNORM_EPS), eps under the root. y[c] "
                "= "
                "(x[c] - mean) * rstd * gain[c] + bias[c].",
                "for each row n, from n * C on:\n"
                "      sum = 0;      for each c: sum += x[c]\n"
                "      m = sum / C\n"
                "      squares = 0;  for each c: squares += (x[c] - m) * (x[c] - m)\n"
                "      r = 1 / sqrtf(squares / C + LAYERNORM_EPS)\n"
                "      for each c: y[c] = (x[c] - m) * r * gain[c] + bias[c]\n"
                "      mean[n] = m;  rstd[n] = r",
            },
        .gpu_hints =
            {
                "A block has a row. Each thread adds up its share of the channels; what "
                "is missing is a sum over all threads, and you need it twice.",
                "Thread i has the channels i, i + ROW_BLOCK, ... The sum of a warp by "
                "__shfl_xor_sync (lab 1's 1.4), one number of each warp into shared "
                "memory, barrier, every thread adds the four up. Before the shared "
                "memory is written again: another barrier.",
                "__device__ float block_sum(float value, float *parts):\n"
                "    for step = 16, 8, 4, 2, 1: value += __shfl_xor_sync(0xffffffffu, "
                "value, step)\n"
                "    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value\n"
                "    __syncthreads(); sum = parts[0] + ... + parts[ROW_WARPS - 1]; "
                "__syncthreads()\n"
                "    return sum\n"
                "kernel: mean = block_sum(own sum, parts) / C\n"
                "    rstd = 1 / sqrtf(block_sum(own sum of (x - mean)^2, parts) / C + "
                "LAYERNORM_EPS)\n"
                "    own channels: y = (x - mean) * rstd * gain + bias; thread 0 "
                "writes mean and rstd\n"
                "launcher: <<<(unsigned)N, ROW_BLOCK, 0, stream>>>",
            },
        .parts = layernorm_part,
    },
    {
        .id = "5.2",
        .name = "gelu",
        .section = "5.2 GELU",
        .hints =
            {
                "x, times the share of a unit normal that lies below x. math.h has the "
                "function this needs.",
                "The share is (1 + erf(x / sqrt(2))) / 2; in float it is erff. The form "
                "with "
                "tanh is another function.",
                "for each i below N:\n"
                "      y[i] = 0.5f * x[i] * (1.0f + erff(x[i] * 0.70710678f))",
            },
        .gpu_hints =
            {
                "One number needs no other. Let thread i take number i, and then, when "
                "there are fewer threads than numbers, go on.",
                "Start at blockIdx.x * blockDim.x + threadIdx.x and go on by gridDim.x "
                "* blockDim.x, the number of threads in the grid. In double nothing "
                "would be more right, and all of it slower: use erff.",
                "threads = (size_t)gridDim.x * blockDim.x\n"
                "for (i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < N; i += "
                "threads)\n"
                "    y_dev[i] = 0.5f * x_dev[i] * (1.0f + erff(x_dev[i] * "
                "0.70710678f))",
            },
        .parts = gelu_part,
    },
    {
        .id = "5.3",
        .name = "mlp",
        .section = "5.3 The MLP",
        .uses = {"2.3", "5.2"},
        .hints =
            {
                "Three calls of functions you have written. Which widths does each of "
                "them "
                "see?",
                "hidden (N, H) = batched_linear of x with w_fc and b_fc; activated = "
                "gelu of "
                "hidden; y (N, C) = batched_linear of activated with w_proj and b_proj. "
                "N "
                "rows are a batch of one sequence.",
                "batched_linear(hidden, x, w_fc, b_fc, 1, N, C, H)\n"
                "  gelu(activated, hidden, N * H)\n"
                "  batched_linear(y, activated, w_proj, b_proj, 1, N, H, C)\n"
                "  after every call: if the status is not LAB_OK, return it",
            },
        .parts = mlp_part,
    },
    {
        .id = "5.4",
        .name = "dropout",
        .section = "5.4 Dropout",
        .hints =
            {
                "p is the probability of being DROPPED. How many are kept on average, "
                "and by "
                "how much must they grow?",
                "Not training: y is x. Training: where uniforms[i] < 1 - p, y[i] = x[i] "
                "/ (1 "
                "- p); elsewhere 0.",
                "if not training: copy x to y; return LAB_OK\n"
                "  keep = 1 - p\n"
                "  for each i: y[i] = uniforms[i] < keep ? x[i] / keep : 0",
            },
        .gpu_hints =
            {
                "While training it is a grid-stride loop like the GELU's. When not, no "
                "kernel is needed at all.",
                "training: y[i] = uniforms[i] < keep ? x[i] / keep : 0 with keep = 1 - "
                "p. Otherwise cudaMemcpyAsync from device to device, in the stream, "
                "counted in bytes. p is checked on the host, first.",
                "if (!training)\n"
                "    return lab_cuda(cudaMemcpyAsync(y_dev, x_dev, N * sizeof *y_dev,\n"
                "                                    cudaMemcpyDeviceToDevice, "
                "stream))\n"
                "dropout_kernel<<<blocks_for(N), BLOCK, 0, stream>>>(y_dev, x_dev, "
                "uniforms_dev, 1 - p, N)",
            },
        .parts = dropout_part,
    },
    {
        .id = "5.5",
        .name = "residual_add",
        .section = "5.5 The residual",
        .hints =
            {
                "It is as short as it sounds.",
                "y[i] = x[i] + branch[i], for all N numbers.",
                "for each i below N: y[i] = x[i] + branch[i]",
            },
        .gpu_hints =
            {
                "A grid-stride loop with one addition in it.",
                "y[i] = x[i] + branch[i] for i from the thread's number on, by the "
                "number of threads.",
                "threads = (size_t)gridDim.x * blockDim.x\n"
                "for (i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < N; i += "
                "threads)\n"
                "    y_dev[i] = x_dev[i] + branch_dev[i]",
            },
        .parts = residual_part,
    },
    {
        .id = "5.6",
        .name = "transformer_block",
        .section = "5.6 The block",
        .uses = {"4.6", "5.1", "5.3", "5.5"},
        .hints =
            {
                "Draw the stream as a straight line from x to out. Twice something "
                "branches "
                "off and comes back. What reads the normalised copy, and what the stream "
                "itself?",
                "ln1 = layernorm(x); attended = multi_head_attention(ln1); middle = x + "
                "attended; ln2 = layernorm(middle) with its own gain and bias; projected "
                "= "
                "mlp(ln2); out = middle + projected. All rows together are N = B * T.",
                "layernorm(ln1, ln1_mean, ln1_rstd, x, ln1_gain, ln1_bias, B*T, C)\n"
                "  multi_head_attention(attended, weights, &buffers->attention, ln1,\n"
                "                       &params->attention, causal, B, T, C, C, NH)\n"
                "  residual_add(middle, x, attended, B*T*C)\n"
                "  layernorm(ln2, ln2_mean, ln2_rstd, middle, ln2_gain, ln2_bias, B*T, "
                "C)\n"
                "  mlp(projected, hidden, activated, ln2, &params->mlp, B*T, C, H)\n"
                "  residual_add(out, middle, projected, B*T*C)\n"
                "  after every call: if the status is not LAB_OK, return it",
            },
        .parts = block_part,
    },
    {
        .id = "5.7",
        .name = "transformer_stack",
        .section = "5.7 The stack",
        .uses = {"5.6"},
        .hints =
            {
                "What changes from block to block: where it reads, where it writes, "
                "whose "
                "parameters it uses. What stays the same?",
                "Block l reads x (l = 0) or streams + (l - 1) * B*T*C, writes streams + "
                "l * "
                "B*T*C and weights + l * B*NH*T*T, and uses &params[l]. The buffers are "
                "the "
                "same for all.",
                "input = x\n"
                "  for each l below L:\n"
                "      output = streams + l * B*T*C\n"
                "      transformer_block(output, weights + l * B*NH*T*T, buffers, "
                "input,\n"
                "                        &params[l], causal, B, T, C, NH, H)\n"
                "      input = output",
            },
        .parts = stack_part,
    },
    {
        .id = "5.8",
        .name = "parameter_count",
        .section = "5.8 Counting parameters",
        .hints =
            {
                "Go through struct block_params array by array; the shape stands beside "
                "each. "
                "Then what does a GPT-2 have besides its blocks?",
                "Block: 4C for the norms, 3CC + 3C and CC + C for the attention, HC + H "
                "and "
                "CH + C for the MLP. Stack: L blocks. GPT-2: VC + TC, the stack with H = "
                "4C, "
                "2C for the final norm.",
                "block = 2 * 2*C + 3*C*C + 3*C + C*C + C + H*C + H + C*H + C\n"
                "  stack = L * block\n"
                "  gpt2 = V*C + T*C + stack with H = 4*C + 2*C",
            },
        .parts = count_part,
    },
    {0},
};

static const struct exercise *const exercises[] = {
    &all[0], &all[1], &all[2], &all[3], &all[4], &all[5], &all[6], &all[7], NULL};

const struct lab lab_05 = {
    .title = "Transformer block",
    .exercises = exercises,
};

#endif
