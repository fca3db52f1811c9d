// 02_linear.c - what the grader knows of 1.2, linear.

#include "exercises/exercise.h"
#include "exercises/01/shared.h"
#include "exercises/common/inputs.h"

#include <math.h>

#include "01_simple_attention/attention.h"

static void whole_layer(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    make_whole(test, "x");
    make_whole(test, "w");
    make_whole(test, "bias");
}

static void no_bias(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    case_absent(test, "bias");
}

static void small_layer(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    make_small(test, "x");
    make_small(test, "w");
    make_small(test, "bias");
}

static void small_layer_no_bias(struct test_case *test, struct lab_rng *rng)
{
    small_layer(test, rng);
    no_bias(test, rng);
}

static void hundreds_of_inputs(struct test_case *test, struct lab_rng *rng)
{
    whole_layer(test, rng);
    scale_input(test, "x", 100.0f);
    scale_input(test, "w", 100.0f);
    scale_input(test, "bias", 1000.0f);
}

// T <= O wherever there is a bias, but for the special cases: a student who writes bias[t] then
// stays inside bias. With T > O the call ends there, in a crash.
static const struct case_spec linear_cases[] = {
    {"T=1 I=1 O=1", 1, "whole numbers, to check by hand", whole_layer},
    {"T=1 I=2 O=1", 1, "whole numbers, to check by hand", whole_layer},
    {"T=1 I=1 O=2", 1, "whole numbers, to check by hand", whole_layer},
    {"T=2 I=2 O=3", 1, "whole numbers, to check by hand", whole_layer},
    {"T=1 I=2 O=2", 1, "no bias", no_bias},
    {"T=2 I=3 O=4", 1, "no bias", no_bias},
    {.dims = "T=2 I=3 O=4"},
    {.dims = "T=3 I=3 O=3", .note = "every size is the same"},
    {.dims = "T=2..4 I=8..11 O=5..7", .draws = 3},
    {.dims = "T=5..6 I=2..4 O=7..9", .draws = 3},
    {"T=5 I=2..4 O=7..9", 2, "no bias", no_bias},
    {.dims = "T=3 I=64 O=5", .note = "long sums"},
    {"T=7 I=5 O=3", 1, "no bias", no_bias},
    {"T=5 I=7 O=2", 1, "no bias", no_bias},
    {"T=3 I=5 O=4", 1, "whole hundreds", hundreds_of_inputs},
    {"T=67 I=131 O=71", 1, "all sizes past 64", small_layer},
    {"T=257 I=2 O=263", 1, "more than 256 rows and outputs", small_layer},
    {"T=3 I=5 O=521", 1, "more than 512 outputs", small_layer},
    {"T=5 I=521 O=131", 1, "sums of more than 512 terms", small_layer},
    {"T=521 I=3 O=131", 1, "no bias, more than 512 rows", small_layer_no_bias},
    {.dims = "T=0 I=3 O=2", .note = "no rows: LAB_ESHAPE"},
    {.dims = "T=2 I=0 O=3", .note = "no input: LAB_ESHAPE"},
    {.dims = "T=2 I=3 O=0", .note = "no output: LAB_ESHAPE"},
    {0},
};

static void tiny_layer(struct test_case *test, struct lab_rng *rng)
{
    whole_layer(test, rng);
    scale_input(test, "x", TINY);
    scale_input(test, "w", TINY);
    scale_input(test, "bias", TINY * TINY);
}

static const struct special_case linear_special[] = {
    {.dims = "T=3 I=5 O=4", .note = TINY_NOTE, .fill = tiny_layer, .unit = TINY * TINY},
    {.dims = "T=7 I=4 O=3", .note = "more rows than outputs", .apart = true},
    {.dims = "T=521 I=3 O=131",
     .note = "more than 512 rows",
     .fill = small_layer,
     .apart = true,
     .cpu_only = true},
    {0},
};

// y(T,O) += factor * bias, where y[t,o] gets bias[t * by_row + o * by_column].
static void add_bias(float *y, const float *bias, size_t rows, size_t O, size_t by_row,
                     size_t by_column, float factor)
{
    for (size_t t = 0; bias != NULL && t < rows; t++) {
        for (size_t o = 0; o < O; o++) {
            y[t * O + o] += factor * bias[t * by_row + o * by_column];
        }
    }
}

static lab_status linear_weight_transposed(float *y, const float *x, const float *w,
                                           const float *bias, size_t T, size_t I,
                                           size_t O)
{
    lab_status status = product(y, by_rows(x, I), by_rows(w, O), T, O, I, 1.0);
    if (status == LAB_OK) {
        add_bias(y, bias, T, O, 0, 1, 1.0f);
    }
    return status;
}

static lab_status linear_no_bias(float *y, const float *x, const float *w,
                                 const float *bias, size_t T, size_t I, size_t O)
{
    (void)bias;
    return product(y, by_rows(x, I), by_columns(w, I), T, O, I, 1.0);
}

static lab_status linear_bias_by_row(float *y, const float *x, const float *w,
                                     const float *bias, size_t T, size_t I, size_t O)
{
    if (bias != NULL && T > O) {
        return LEAVES_ARGUMENTS;
    }
    lab_status status = linear_no_bias(y, x, w, bias, T, I, O);
    if (status == LAB_OK) {
        add_bias(y, bias, T, O, 1, 0, 1.0f);
    }
    return status;
}

static lab_status linear_bias_first_row(float *y, const float *x, const float *w,
                                        const float *bias, size_t T, size_t I, size_t O)
{
    lab_status status = linear_no_bias(y, x, w, bias, T, I, O);
    if (status == LAB_OK) {
        add_bias(y, bias, 1, O, 0, 1, 1.0f);
    }
    return status;
}

static lab_status linear_bias_square(float *y, const float *x, const float *w,
                                     const float *bias, size_t T, size_t I, size_t O)
{
    lab_status status = linear_no_bias(y, x, w, bias, T, I, O);
    if (status == LAB_OK) {
        add_bias(y, bias, T < O ? T : O, O, 0, 1, 1.0f);
    }
    return status;
}

static lab_status linear_rounded(float *y, const float *x, const float *w,
                                 const float *bias, size_t T, size_t I, size_t O)
{
    return round_to_places(y, linear(y, x, w, bias, T, I, O), T * O);
}

static lab_status linear_bias_every_term(float *y, const float *x, const float *w,
                                         const float *bias, size_t T, size_t I, size_t O)
{
    lab_status status = linear_no_bias(y, x, w, bias, T, I, O);
    if (status == LAB_OK) {
        add_bias(y, bias, T, O, 0, 1, (float)I);
    }
    return status;
}

static lab_status linear_unset(float *y, const float *x, const float *w,
                               const float *bias, size_t T, size_t I, size_t O)
{
    (void)x, (void)w, (void)bias;
    return unset(y, T, O, I);
}

static lab_status linear_bias_from_1(float *y, const float *x, const float *w,
                                     const float *bias, size_t T, size_t I, size_t O)
{
    const lab_status status = linear(y, x, w, bias, T, I, O);
    for (size_t t = 0; status == LAB_OK && bias != NULL && t < T; t++) {
        y[t * O] -= bias[0];
    }
    return status;
}

static lab_status linear_from_1(float *y, const float *x, const float *w,
                                const float *bias, size_t T, size_t I, size_t O)
{
    const lab_status status =
        faulty_product(y, by_rows(x, I), by_columns(w, I), T, O, I, 1.0, FROM_TERM_1);
    if (status == LAB_OK) {
        add_bias(y, bias, T, O, 0, 1, 1.0f);
    }
    return status;
}

// int sum = bias[o], and then the terms
static lab_status linear_whole_sum(float *y, const float *x, const float *w,
                                   const float *bias, size_t T, size_t I, size_t O)
{
    if (T == 0 || I == 0 || O == 0) {
        return LAB_ESHAPE;
    }
    for (size_t n = 0; n < T * O; n++) {
        double sum = bias != NULL ? trunc((double)bias[n % O]) : 0.0;
        for (size_t i = 0; i < I; i++) {
            sum = trunc(sum + (double)x[n / O * I + i] * w[n % O * I + i]);
        }
        y[n] = (float)sum;
    }
    return LAB_OK;
}

static const struct mistake linear_mistakes[] = {
    {
        .id = "bias-from-1",
        .what = "output 0 gets no bias",
        .why = "Indices in C start at 0: for (size_t o = 0; o < O; o++).",
        .function = LIKE(linear, linear_bias_from_1),
    },
    {
        .id = "from-1",
        .what = FROM_1_WHAT,
        .why = FROM_1_WHY,
        .function = LIKE(linear, linear_from_1),
    },
    {
        .id = "whole-sum",
        .what = WHOLE_SUM_WHAT,
        .why = WHOLE_SUM_WHY,
        .function = LIKE(linear, linear_whole_sum),
    },
    {
        .id = "weight-transposed",
        .what = "the weight is read as if it were stored (I,O)",
        .why = "PyTorch stores a linear weight as (out, in), one row for each output: "
               "element (o, i) is w[o * I + i]. With a square weight the two only "
               "differ in the numbers.",
        .source = "nntile/nntile#370",
        .function = LIKE(linear, linear_weight_transposed),
    },
    {
        .id = "no-bias",
        .what = "the bias is never added",
        .why = "y = x w^T + bias: when bias is not NULL, bias[o] belongs to every "
               "y[t,o].",
        .function = LIKE(linear, linear_no_bias),
    },
    {
        .id = "bias-by-row",
        .what = "the bias is taken by row: bias[t] instead of bias[o]",
        .why = "There is one bias for each output o, and every row t gets the same ones.",
        .function = LIKE(linear, linear_bias_by_row),
    },
    {
        .id = "bias-first-row",
        .what = "the bias reaches the first row only, not every row",
        .why = "Every row t gets bias[o]. Add it inside the loop over t.",
        .function = LIKE(linear, linear_bias_first_row),
    },
    {
        .id = "bias-square",
        .what = "the bias reaches the first O rows only, not all T",
        .why = "The loop over the rows ends at O. Every one of the T rows gets bias[o].",
        .function = LIKE(linear, linear_bias_square),
    },
    {
        .id = "rounded",
        .what = ROUNDED_WHAT,
        .why = ROUNDED_WHY,
        .function = LIKE(linear, linear_rounded),
    },
    {
        .id = "bias-every-term",
        .what = "the bias is added I times instead of once, with every term of the sum",
        .why = "bias[o] is added once to each output. Move it out of the innermost loop.",
        .function = LIKE(linear, linear_bias_every_term),
    },
    {
        .id = "not-set",
        .what = UNSET_WHAT,
        .why = UNSET_WHY,
        .function = LIKE(linear, linear_unset),
    },
    {0},
};

static lab_status linear_in_float(float *y, const float *x, const float *w,
                                  const float *bias, size_t T, size_t I, size_t O)
{
    lab_status status = float_product(y, by_rows(x, I), by_columns(w, I), T, O, I);
    if (status == LAB_OK) {
        add_bias(y, bias, T, O, 0, 1, 1.0f);
    }
    return status;
}

static const struct mistake linear_alternatives[] = {
    {.id = "float-sums-then-bias", .function = LIKE(linear, linear_in_float)},
    {0},
};

static const struct part linear_parts[] = {
    {
        .function = "linear",
        .dims = "T I O",
        .tensors = {{"y", "T O", OUTPUT, F32, 5e-5f, 1e-5f},
                    {.name = "x", .shape = "T I"},
                    {.name = "w", .shape = "O I"},
                    {.name = "bias", .shape = "O"}},
        .cases = linear_cases,
        .special = linear_special,
        .mistakes = linear_mistakes,
        .alternatives = linear_alternatives,
    },
    {0},
};

const struct exercise exercise_1_2 = {
    .id = "1.2",
    .name = "linear",
    .section = "1.2 Linear layer",
    .uses = {"1.1"},
    .hints =
        {
            "w has one row for each output, so both x and w are read along their "
            "rows: you have that product already. The bias comes afterwards, or "
            "before, once.",
            "y[t,o] = bias[o] + sum over i of x[t,i] * w[o,i], with bias[o] = 0 "
            "when bias is NULL. The product is matmul_nt(y, x, w, T, O, I).",
            "In almost code:\n"
            "      status = matmul_nt(y, x, w, T, O, I)\n"
            "      return status unless it is LAB_OK\n"
            "      if bias is not NULL:\n"
            "          for t below T, for o below O: y[t * O + o] += bias[o]\n"
            "      return LAB_OK",
        },
    .parts = linear_parts,
};
