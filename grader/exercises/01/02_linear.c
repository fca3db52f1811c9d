// 02_linear.c - exercise 1.2, linear: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/01/shared.h"
#include "exercises/common/inputs.h"

#include <math.h>

#include "01_simple_attention/attention.h"

static void no_bias(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    case_absent(test, "bias");
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

// Every sum is exact.
static void millions(struct test_case *test, struct lab_rng *rng)
{
    whole_layer(test, rng);
    scale_input(test, "x", 0x1p13f);
    scale_input(test, "w", 0x1p13f);
    scale_input(test, "bias", 0x1p24f);
}

// A bias is there if its pointer is not NULL, whatever its first number is.
static void bias_begins_with_0(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    case_f32(test, "bias")[0] = 0.0f;
}

static void repeated(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    repeat_numbers(test, "x", 1);
    repeat_numbers(test, "w", 2);
    repeat_numbers(test, "bias", 4);
}

// T <= O wherever there is a bias, except in the special cases. So bias[t], a common
// mistake, stays inside bias. With T > O it crashes.
static const struct case_spec linear_cases[] = {
    {"T=1 I=1 O=1", 1, "whole numbers, to check by hand", whole_layer},
    {"T=1 I=2 O=1", 1, "whole numbers, to check by hand", whole_layer},
    {"T=1 I=1 O=2", 1, "whole numbers, to check by hand", whole_layer},
    {"T=2 I=2 O=3", 1, "whole numbers, to check by hand", whole_layer},
    {.dims = "T=2 I=3 O=4"},
    {.dims = "T=3 I=3 O=3", .note = "every size is the same"},
    {.dims = "T=2..4 I=8..11 O=5..7", .draws = 3},
    {.dims = "T=5..6 I=2..4 O=7..9", .draws = 3},
    {.dims = "T=3 I=64 O=5", .note = "long sums"},
    {"T=3 I=5 O=4", 1, "multiples of 100", hundreds_of_inputs},
    {"T=67 I=131 O=71", 1, "all sizes past 64", small_layer, .all_set = true},
    {"T=257 I=2 O=263", 1, "more than 256 rows and outputs", small_layer,
     .all_set = true},
    {"T=3 I=5 O=1031", 1, "more than 1024 outputs", small_layer, .all_set = true},
    {"T=5 I=1031 O=67", 1, "sums of more than 1024 terms", small_layer, .all_set = true},
    {.dims = "T=5 I=1 O=7", .note = "one input"},
    {.dims = "T=3 I=4 O=6", .fill = bias_begins_with_0, .note = "bias[0] is 0"},
    {.dims = "T=64 I=3 O=256",
     .fill = small_layer,
     .note = "exactly 256 outputs",
     .all_set = true},
    {.dims = "T=5 I=256 O=64",
     .fill = small_layer,
     .note = "sums of exactly 256 terms",
     .all_set = true},
    {.dims = "T=0 I=3 O=2", .note = "no rows: LAB_ESHAPE"},
    {.dims = "T=2 I=0 O=3", .note = "no input: LAB_ESHAPE"},
    {.dims = "T=2 I=3 O=0", .note = "no output: LAB_ESHAPE"},
    {.dims = "T=3 I=5 O=4", .note = TINY_NOTE, .fill = tiny_layer, .unit = TINY * TINY},
    // Where bias is NULL: if the function reads it without asking, the calls before have shown its other
    // mistakes.
    {"T=1 I=2 O=2", 1, "no bias", no_bias, .apart = true},
    {"T=2 I=3 O=4", 1, "no bias", no_bias, .apart = true},
    {"T=5 I=2..4 O=7..9", 2, "no bias", no_bias, .apart = true},
    {"T=7 I=5 O=3", 1, "no bias", no_bias, .apart = true},
    {"T=5 I=7 O=2", 1, "no bias", no_bias, .apart = true},
    {"T=1031 I=3 O=67", 1, "no bias, more than 1024 rows", small_layer_no_bias,
     .all_set = true, .apart = true},
    {.dims = "T=5 I=3 O=1",
     .fill = no_bias,
     .note = "no bias, one output",
     .apart = true},
    {.dims = "T=256 I=3 O=64",
     .fill = small_layer_no_bias,
     .all_set = true,
     .note = "no bias, exactly 256 rows",
     .apart = true},
    {.dims = "T=7 I=4 O=3", .note = "more rows than outputs", .apart = true},
    {.dims = "T=521 I=3 O=131",
     .note = "more than 512 rows",
     .fill = small_layer,
     .all_set = true,
     .apart = true,
     .cpu_only = true},
    {.dims = "T=7 I=4 O=1", .note = "one output", .apart = true},
    {.dims = "T=1 I=3 O=6",
     .fill = millions,
     .note = "one row, numbers above 10 million"},
    {MORE_THAN_16_BITS("T=65543 I=1 O=1", repeated, "65543 rows")},
    {MORE_THAN_16_BITS("T=1 I=65543 O=1", repeated, "sums of 65543 terms")},
    {MORE_THAN_16_BITS("T=1 I=1 O=65543", repeated, "65543 outputs")},
    {0},
};

#define LINEAR_ARGUMENTS                                                                 \
    float *y, const float *x, const float *w, const float *bias, size_t T, size_t I,     \
        size_t O

// y(rows,O) += factor * bias, once y is made.
static lab_status add_bias(lab_status made, float *y, const float *bias, size_t rows,
                           size_t O, float factor)
{
    for (size_t i = 0; made == LAB_OK && bias != NULL && i < rows * O; i++) {
        y[i] += factor * bias[i % O];
    }
    return made;
}

// LINEAR(name, result): a linear layer that returns result.
#define LINEAR(name, result)                                                             \
    static lab_status name(LINEAR_ARGUMENTS)                                             \
    {                                                                                    \
        (void)x, (void)w, (void)bias;                                                    \
        return result;                                                                   \
    }
// What a product needs to make y = x w^T.
#define X_AND_W y, by_rows(x, I), by_columns(w, I), T, O, I
// What add_bias needs to add the bias as it should be.
#define THE_BIAS y, bias, T, O, 1

LINEAR(linear_weight_transposed,
       add_bias(plain_product(y, by_rows(x, I), by_rows(w, O), T, O, I), THE_BIAS))
LINEAR(linear_no_bias, plain_product(X_AND_W))
LINEAR(linear_bias_first_row, add_bias(plain_product(X_AND_W), y, bias, 1, O, 1))
LINEAR(linear_bias_square, add_bias(plain_product(X_AND_W), y, bias, T < O ? T : O, O, 1))
LINEAR(linear_bias_every_term, add_bias(plain_product(X_AND_W), y, bias, T, O, (float)I))
LINEAR(linear_from_1, add_bias(product_from_1(X_AND_W), THE_BIAS))
LINEAR(linear_last_term, add_bias(product_of_last_terms(X_AND_W), THE_BIAS))
LINEAR(linear_last_term_no_bias, product_of_last_terms(X_AND_W))
LINEAR(linear_in_float, add_bias(float_product(X_AND_W), THE_BIAS))
LINEAR(linear_rounded, round_to_places(y, linear(y, x, w, bias, T, I, O), T, O))
LINEAR(linear_unset, unset(y, T, O, I))

static lab_status linear_bias_by_row(LINEAR_ARGUMENTS)
{
    if (bias != NULL && T > O) {
        return LEAVES_ARGUMENTS;
    }
    const lab_status status = linear_no_bias(y, x, w, bias, T, I, O);
    for (size_t i = 0; status == LAB_OK && bias != NULL && i < T * O; i++) {
        y[i] += bias[i / O];
    }
    return status;
}

static lab_status linear_bias_asked_for_its_number(LINEAR_ARGUMENTS)
{
    const bool asked = bias != NULL && bias[0] != 0.0f;
    return linear(y, x, w, asked ? bias : NULL, T, I, O);
}

static lab_status linear_bias_from_1(LINEAR_ARGUMENTS)
{
    const lab_status status = linear(y, x, w, bias, T, I, O);
    for (size_t t = 0; status == LAB_OK && bias != NULL && t < T; t++) {
        y[t * O] -= bias[0];
    }
    return status;
}

static lab_status linear_bias_of_output_0(LINEAR_ARGUMENTS)
{
    const lab_status status = linear_no_bias(y, x, w, bias, T, I, O);
    for (size_t i = 0; status == LAB_OK && bias != NULL && i < T * O; i++) {
        y[i] += bias[0];
    }
    return status;
}

// int sum = bias[o], and then the terms
static lab_status linear_whole_sum(LINEAR_ARGUMENTS)
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
        .id = "bias-number-asked",
        .what = "the bias is left out if bias[0] is 0",
        .why = "There is a bias if the pointer is not NULL, whatever the numbers are: "
               "if (bias != NULL), without * or [0].",
        .function = LIKE(linear, linear_bias_asked_for_its_number),
    },
    {
        .id = "bias-from-1",
        .what = "output 0 gets no bias",
        .why = "Indices in C start at 0: for (size_t o = 0; o < O; o++).",
        .function = LIKE(linear, linear_bias_from_1),
    },
    {
        .id = "bias-of-output-0",
        .what = "every output gets the bias of output 0: bias[0] instead of bias[o]",
        .why = "There is one bias for each output: bias[o], with the letter o.",
        .function = LIKE(linear, linear_bias_of_output_0),
    },
    {
        .id = "from-1",
        .what = FROM_1_WHAT,
        .why = FROM_1_WHY("for (size_t i = 0; i < I; i++)"),
        .function = LIKE(linear, linear_from_1),
    },
    {
        .id = "whole-sum",
        .what = WHOLE_SUM_WHAT,
        .why = WHOLE_SUM_WHY,
        .function = LIKE(linear, linear_whole_sum),
    },
    {
        .id = "last-term",
        .what = LAST_TERM_WHAT,
        .why = LAST_TERM_WHY("sum += x[t * I + i] * w[o * I + i]"),
        .function = LIKE(linear, linear_last_term),
    },
    {
        .id = "last-term-alone",
        .what = "only the last term of every sum is kept, without the bias",
        .why =
            "The sum starts as the bias, and = replaces it with the newest term. += adds "
            "the term to it: sum += x[t * I + i] * w[o * I + i].",
        .function = LIKE(linear, linear_last_term_no_bias),
    },
    {
        .id = "weight-transposed",
        .what = "the weight is read as if it were stored (I,O)",
        .why = "PyTorch stores a linear weight as (out, in), one row per output, so "
               "element (o, i) is w[o * I + i]. With a square weight both layouts have "
               "the same shape, and only the numbers are wrong.",
        .source = "nntile/nntile#370",
        .function = LIKE(linear, linear_weight_transposed),
    },
    {
        .id = "no-bias",
        .what = "the bias is never added",
        .why = "y = x w^T + bias. If bias is not NULL, add bias[o] to every y[t,o].",
        .function = LIKE(linear, linear_no_bias),
    },
    {
        .id = "bias-by-row",
        .what = "the bias is indexed by row: bias[t] instead of bias[o]",
        .why = "There is one bias for each output o, and every row t gets the "
               "same biases.",
        .function = LIKE(linear, linear_bias_by_row),
    },
    {
        .id = "bias-first-row",
        .what = "the bias is added to the first row only, not to every row",
        .why = "Every row t gets bias[o]. Add it inside the loop over t.",
        .function = LIKE(linear, linear_bias_first_row),
    },
    {
        .id = "bias-square",
        .what = "the bias is added to the first O rows only, not to all T",
        .why = "The loop over the rows ends at O. Add bias[o] to all T rows.",
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
        .why = "Add bias[o] once to each output. Move it out of the innermost loop.",
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
            "w has one row for each output, so you read both x and w along their rows. "
            "You have already written that product. Add the bias once, before or after "
            "the product.",
            "y[t,o] = bias[o] + sum over i of x[t,i] * w[o,i], with bias[o] = 0 "
            "when bias is NULL. The product is matmul_nt(y, x, w, T, O, I).",
            "In pseudocode:\n"
            "    LAB_TRY(matmul_nt(y, x, w, T, O, I))\n"
            "    if bias is not NULL:\n"
            "        for t below T, for o below O: y[t * O + o] += bias[o]\n"
            "    return LAB_OK",
        },
    .parts = linear_parts,
};
