// 05a_gpt2_parts.c - exercise 11.5, gelu_tanh and linear_in_out: cases and known mistakes.

#include "exercises/11/05_gpt2_block.h"
#include "exercises/common/inputs.h"

#include <math.h>

#include "11_reading_attention/reading.h"
#include "common/rng.h"

// ---- gelu_tanh ------------------------------------------------------------------------------

static void spread(struct test_case *test, struct lab_rng *rng, float low, float high)
{
    float *x = case_f32(test, "x");
    lab_rng_rand(rng, x, case_count(test, "x"));
    for (size_t i = 0; i < case_count(test, "x"); i++) {
        x[i] = low + (high - low) * x[i];
    }
}

// Where the exact form differs most.
static void fill_near_minus_2_7(struct test_case *test, struct lab_rng *rng)
{
    spread(test, rng, -3.2f, -2.2f);
}

static void fill_wide(struct test_case *test, struct lab_rng *rng)
{
    spread(test, rng, -7.0f, 7.0f);
}

// The results are x above 0 and 0 below; no intermediate value may become inf or NaN. Both signs occur on
// every seed.
static void fill_huge(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    float *x = case_f32(test, "x");
    scale_input(test, "x", 1e4f);
    x[0] = fabsf(x[0]);
    x[1] = -fabsf(x[1]);
}

static void fill_zero(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_input(test, "x", 0.0f);
}

static void fill_tiny(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_input(test, "x", TINY);
}

static void fill_nan(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    case_f32(test, "x")[1] = NAN;
}

const struct case_spec gelu_tanh_cases[] = {
    {.dims = "N=1", .fill = fill_zero, .note = "x is 0"},
    {.dims = "N=1"},
    {.dims = "N=3", .draws = 2},
    {.dims = "N=5", .fill = fill_near_minus_2_7, .note = "x from -3.2 to -2.2"},
    {.dims = "N=7", .fill = fill_wide, .note = "x from -7 to 7"},
    {.dims = "N=9", .fill = fill_huge, .note = "x near 10000"},
    {.dims = "N=5", .fill = fill_tiny, .unit = TINY, .note = TINY_NOTE},
    {.dims = "N=4", .fill = fill_nan, .nan = true, .note = "NaN stays NaN"},
    {.dims = "N=11..19", .draws = 3},
    {.dims = "N=67", .fill = fill_near_minus_2_7, .note = "x from -3.2 to -2.2"},
    {.dims = "N=301", .fill = fill_wide, .note = "x from -7 to 7"},
    {.dims = "N=70001", .note = "more numbers than 16 bits can count"},
    {.dims = "N=1024", .fill = fill_wide, .note = "exactly 1024 numbers"},
    {.dims = "N=0", .note = "a size of 0"},
    {0},
};

#define ACTIVATION(name, value)                                                          \
    static lab_status name(float *y, const float *inputs, size_t N)                      \
    {                                                                                    \
        if (N == 0) {                                                                    \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        for (size_t i = 0; i < N; i++) {                                                 \
            const double x = (double)inputs[i];                                          \
            y[i] = (float)(value);                                                       \
        }                                                                                \
        return LAB_OK;                                                                   \
    }

#define ROOT 0.7978845608028654 // sqrt(2 / pi)
#define CUBE (0.044715 * x * x * x)

double gelu_tanh_of(double x)
{
    return x / 2 * (1 + tanh(ROOT * (x + CUBE)));
}

ACTIVATION(tanh_exact, x / 2 * (1 + erf(x / sqrt(2.0))))
ACTIVATION(tanh_sigmoid, x / (1 + exp(-1.702 * x)))
ACTIVATION(tanh_silu, x / (1 + exp(-x)))
ACTIVATION(tanh_relu, x > 0 ? x : 0)
ACTIVATION(tanh_no_cube, x / 2 * (1 + tanh(ROOT * (x + 0.044715 * x))))
ACTIVATION(tanh_square, x / 2 * (1 + tanh(ROOT * (x + 0.044715 * x * x))))
ACTIVATION(tanh_without_term, x / 2 * (1 + tanh(ROOT * x)))
ACTIVATION(tanh_term_outside, x / 2 * (1 + tanh(ROOT * x + CUBE)))
ACTIVATION(tanh_no_root, x / 2 * (1 + tanh(x + CUBE)))
ACTIVATION(tanh_2_over_pi, x / 2 * (1 + tanh(2 / 3.141592653589793 * (x + CUBE))))
ACTIVATION(tanh_root_of_half_pi,
           x / 2 * (1 + tanh(sqrt(3.141592653589793 / 2) * (x + CUBE))))
ACTIVATION(tanh_without_half, x *(1 + tanh(ROOT * (x + CUBE))))
ACTIVATION(tanh_alone, (1 + tanh(ROOT * (x + CUBE))) / 2)
ACTIVATION(tanh_minus, x / 2 * (1 - tanh(ROOT * (x + CUBE))))
ACTIVATION(tanh_without_1, x / 2 * tanh(ROOT * (x + CUBE)))
ACTIVATION(tanh_0_44715, x / 2 * (1 + tanh(ROOT * (x + 0.44715 * x * x * x))))
ACTIVATION(tanh_overflow,
           x / 2 *
               (1 + (exp(2 * ROOT * (x + CUBE)) - 1) / (exp(2 * ROOT * (x + CUBE)) + 1)))
ACTIVATION(tanh_overflow_both,
           x / 2 * (1 + sinh(ROOT * (x + CUBE)) / cosh(ROOT * (x + CUBE))))
ACTIVATION(tanh_sigmoid_of_a, x / (1 + exp(-ROOT * (x + CUBE))))
ACTIVATION(tanh_root_rounded, x / 2 * (1 + tanh(0.8 * (x + CUBE))))
ACTIVATION(tanh_cube_rounded, x / 2 * (1 + tanh(ROOT * (x + 0.045 * x * x * x))))
ACTIVATION(tanh_identity, x)
ACTIVATION(tanh_in_double, gelu_tanh_of(x))
// 1 + tanh(a) = 2 / (1 + e^(-2a))
ACTIVATION(tanh_by_exp, x / (1 + exp(-2 * ROOT * (x + CUBE))))

const struct mistake gelu_tanh_mistakes[] = {
    {
        .id = "exact",
        .what = "this is the exact GELU, with erf",
        .why = "GPT-2 was trained with the tanh form. The two differ by up to 0.00047.",
        .source = "karpathy/nanoGPT#2",
        .function = LIKE(gelu_tanh, tanh_exact),
        .convention = true,
    },
    {
        .id = "sigmoid",
        .what = "this is the sigmoid form, x * sigmoid(1.702 x)",
        .why = "It differs by up to 0.02. GPT-2 was trained with the tanh form.",
        .source = NULL,
        .function = LIKE(gelu_tanh, tanh_sigmoid),
        .convention = true,
    },
    {
        .id = "silu",
        .what = "this is SiLU, x * sigmoid(x)",
        .why = "See the formula in the contract.",
        .source = NULL,
        .function = LIKE(gelu_tanh, tanh_silu),
        .convention = true,
    },
    {
        .id = "relu",
        .what = "this is ReLU",
        .why = "See the formula in the contract.",
        .source = NULL,
        .function = LIKE(gelu_tanh, tanh_relu),
        .convention = true,
    },
    {
        .id = "no-cube",
        .what = "0.044715 is multiplied by x, not by its cube",
        .why = "The inner term is x + 0.044715 x x x.",
        .source = NULL,
        .function = LIKE(gelu_tanh, tanh_no_cube),
    },
    {
        .id = "square",
        .what = "0.044715 is multiplied by the square of x, not by its cube",
        .why = "The inner term is x + 0.044715 x x x.",
        .source = NULL,
        .function = LIKE(gelu_tanh, tanh_square),
    },
    {
        .id = "no-cubic-term",
        .what = "the cubic term is missing",
        .why = "The inner term is x + 0.044715 x x x.",
        .source = NULL,
        .function = LIKE(gelu_tanh, tanh_without_term),
    },
    {
        .id = "cube-outside",
        .what = "the cubic term is not multiplied by sqrt(2 / pi)",
        .why = "sqrt(2 / pi) multiplies the sum x + 0.044715 x x x.",
        .source = NULL,
        .function = LIKE(gelu_tanh, tanh_term_outside),
    },
    {
        .id = "no-factor",
        .what = "the factor sqrt(2 / pi) is missing",
        .why = "tanh(sqrt(2 / pi) (x + 0.044715 x x x)).",
        .source = NULL,
        .function = LIKE(gelu_tanh, tanh_no_root),
    },
    {
        .id = "no-root",
        .what = "the factor is 2 / pi, not its root",
        .why = "tanh(sqrt(2 / pi) (x + 0.044715 x x x)).",
        .source = NULL,
        .function = LIKE(gelu_tanh, tanh_2_over_pi),
    },
    {
        .id = "pi-over-2",
        .what = "the factor is sqrt(pi / 2)",
        .why = "tanh(sqrt(2 / pi) (x + 0.044715 x x x)).",
        .source = NULL,
        .function = LIKE(gelu_tanh, tanh_root_of_half_pi),
    },
    {
        .id = "no-half",
        .what = "the factor 1/2 is missing",
        .why = "1 + tanh runs from 0 to 2. For large x, the result is x, not 2x.",
        .source = NULL,
        .function = LIKE(gelu_tanh, tanh_without_half),
    },
    {
        .id = "share-alone",
        .what = "the fraction is not multiplied by x",
        .why = "(1 + tanh(...)) / 2 is the fraction of x that passes. Multiply x by it.",
        .source = NULL,
        .function = LIKE(gelu_tanh, tanh_alone),
    },
    {
        .id = "minus-tanh",
        .what = "tanh is subtracted",
        .why = "1 + tanh(...).",
        .source = NULL,
        .function = LIKE(gelu_tanh, tanh_minus),
    },
    {
        .id = "no-1",
        .what = "the 1 in front of tanh is missing",
        .why = "1 + tanh(...).",
        .source = NULL,
        .function = LIKE(gelu_tanh, tanh_without_1),
    },
    {
        .id = "overflow",
        .what = "large values of x become NaN",
        .why = "exp of a large number is infinite, and infinity / infinity is NaN. Call "
               "tanhf, which is 1 there.",
        .source = NULL,
        .function = LIKE(gelu_tanh, tanh_overflow),
    },
    {
        .id = "overflow-on-both-sides",
        .what = "large values of x become NaN, positive or negative",
        .why = "exp of a large number is infinite, and infinity / infinity is NaN. Call "
               "tanhf, which is 1 or -1 there.",
        .source = NULL,
        .function = LIKE(gelu_tanh, tanh_overflow_both),
    },
    {
        .id = "sigmoid-without-2",
        .what = "this is x * sigmoid(a) with the argument a of tanh",
        .why = "(1 + tanh(a)) / 2 is sigmoid(2 a): a factor of 2 is missing.",
        .source = NULL,
        .function = LIKE(gelu_tanh, tanh_sigmoid_of_a),
    },
    {
        .id = "ten-times",
        .what = "the factor of the cube is 0.44715, ten times too large",
        .why = "It is 0.044715.",
        .source = NULL,
        .function = LIKE(gelu_tanh, tanh_0_44715),
    },
    {
        .id = "root-rounded",
        .what = "sqrt(2 / pi) is rounded to 0.8",
        .why = "That is wrong in the third digit. Use sqrtf(2.0f / 3.14159265f), or "
               "0.79788456f.",
        .source = NULL,
        .function = LIKE(gelu_tanh, tanh_root_rounded),
    },
    {
        .id = "cube-rounded",
        .what = "the factor of the cube is rounded to 0.045",
        .why =
            "It is 0.044715. This formula is an approximation already; a trained model "
            "expects exactly its numbers.",
        .source = NULL,
        .function = LIKE(gelu_tanh, tanh_cube_rounded),
    },
    {
        .id = "unchanged",
        .what = "x is copied",
        .why = "See the formula in the contract.",
        .source = NULL,
        .function = LIKE(gelu_tanh, tanh_identity),
    },
    {0},
};

const struct mistake gelu_tanh_alternatives[] = {
    {.id = "in-double", .function = LIKE(gelu_tanh, tanh_in_double)},
    {.id = "by-exp", .function = LIKE(gelu_tanh, tanh_by_exp)},
    {0},
};

// ---- linear_in_out --------------------------------------------------------------------------

const struct case_spec in_out_cases[] = {
    {.dims = "N=1 I=1 O=1"},
    {.dims = "N=2 I=3 O=4",
     .fill = whole_layer,
     .note = "whole numbers, to check by hand"},
    {.dims = "N=3 I=4 O=4", .fill = whole_layer, .note = "a square matrix"},
    {.dims = "N=5 I=2 O=7", .draws = 2},
    {.dims = "N=4 I=7 O=2"},
    {.dims = "N=3 I=3 O=3", .note = "all sizes are 3"},
    {.dims = "N=6..9 I=5..8 O=10..13", .draws = 3},
    {.dims = "N=3 I=16 O=48", .note = "O = 3 I, as for q, k and v"},
    {.dims = "N=1 I=67 O=5", .fill = small_layer, .note = "one row"},
    {.dims = "N=67 I=1 O=3", .note = "one input"},
    {.dims = "N=5 I=9 O=1", .note = "one output"},
    {.dims = "N=61 I=67 O=71", .fill = small_layer, .note = "larger, odd sizes"},
    {.dims = "N=256 I=3 O=2", .note = "256 rows"},
    {.dims = "N=1 I=2 O=3",
     .fill = tiny_layer,
     .unit = TINY * TINY,
     .note = TINY_RESULTS_NOTE},
    {.dims = "N=1 I=2 O=3", .fill = large_layer, .note = LARGE_NOTE},
    {.dims = "N=2 I=1280 O=3", .fill = small_layer, .note = "more than 1024 inputs"},
    {.dims = "N=2 I=3 O=1280", .note = "more than 1024 outputs"},
    {.dims = "N=64 I=64 O=64", .fill = small_layer, .note = "every size is 64"},
    {.dims = "N=0 I=3 O=4", .note = "a size of 0"},
    {.dims = "N=3 I=0 O=4", .note = "a size of 0"},
    {.dims = "N=3 I=4 O=0", .note = "a size of 0"},
    {0},
};

#define LINEAR(name, weight, begin)                                                      \
    static lab_status name(float *y, const float *x, const float *w, const float *bias,  \
                           size_t N, size_t I, size_t O)                                 \
    {                                                                                    \
        if (N == 0 || I == 0 || O == 0) {                                                \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        for (size_t n = 0; n < N; n++) {                                                 \
            for (size_t o = 0; o < O; o++) {                                             \
                double sum = (begin);                                                    \
                for (size_t i = 0; i < I; i++) {                                         \
                    sum += (double)x[n * I + i] * (double)(weight);                      \
                }                                                                        \
                y[n * O + o] = (float)sum;                                               \
            }                                                                            \
        }                                                                                \
        return LAB_OK;                                                                   \
    }

LINEAR(linear_out_in, w[o * I + i], (double)bias[o])
LINEAR(linear_without_bias, w[i * O + o], (double)bias[o] * 0.0)
LINEAR(linear_out_in_without_bias, w[o * I + i], (double)bias[o] * 0.0)
LINEAR(linear_minus_bias, w[i * O + o], -(double)bias[o])
LINEAR(linear_first_bias, w[i * O + o], (double)bias[0])
LINEAR(linear_bias_of_row_0, w[i * O + o], n == 0 ? (double)bias[o] : 0.0)
LINEAR(linear_in_double, w[i * O + o], (double)bias[o])

const struct mistake in_out_mistakes[] = {
    {
        .id = "out-in",
        .what = "w is read as (out, in)",
        .why = "Here w is (I, O): w[i * O + o]. So it is lab 2's matmul, not matmul_nt.",
        .source = NULL,
        .function = LIKE(linear_in_out, linear_out_in),
    },
    {
        .id = "no-bias",
        .what = "the bias is missing",
        .why = "Add bias[o] to output o of every row.",
        .source = NULL,
        .function = LIKE(linear_in_out, linear_without_bias),
    },
    {
        .id = "out-in-no-bias",
        .what = "w is read as (out, in), and the bias is missing",
        .why = "Here w is (I, O): w[i * O + o]. Then add bias[o] to every row.",
        .source = NULL,
        .function = LIKE(linear_in_out, linear_out_in_without_bias),
    },
    {
        .id = "minus-bias",
        .what = "the bias is subtracted",
        .why = "Add bias[o] to output o of every row.",
        .source = NULL,
        .function = LIKE(linear_in_out, linear_minus_bias),
    },
    {
        .id = "bias-0-for-all",
        .what = "every output gets the first bias",
        .why = "Output o gets bias[o].",
        .source = NULL,
        .function = LIKE(linear_in_out, linear_first_bias),
    },
    {
        .id = "bias-in-row-0",
        .what = "only the first row gets the bias",
        .why = "Add bias[o] to output o of every row.",
        .source = NULL,
        .function = LIKE(linear_in_out, linear_bias_of_row_0),
    },
    {0},
};

const struct mistake in_out_alternatives[] = {
    {.id = "in-double", .function = LIKE(linear_in_out, linear_in_double)},
    {0},
};
