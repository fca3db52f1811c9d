// 04_swiglu.c - exercise 8.4, swiglu and swiglu_backward: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/08/04_swiglu.h"
#include "exercises/08/shared.h"
#include "exercises/common/inputs.h"

#include <math.h>

#include "08_language_model/language_model.h"
#include "common/rng.h"

// a from -9 to 9 in equal steps: the whole curve of the gate.
static void fill_wide(struct test_case *test, struct lab_rng *rng)
{
    float *a = case_f32(test, "a");
    for (size_t i = 0; i < case_count(test, "a"); i++) {
        float u;
        lab_rng_rand(rng, &u, 1);
        a[i] = 18.0f * u - 9.0f;
    }
}

// For many numbers: the student archive need not store normals that are only scaled.
static void fill_wider(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_input(test, "a", 4.0f);
}

// Both signs in turn, near 10000: exp(10000) overflows.
static void fill_huge(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    float *a = case_f32(test, "a");
    for (size_t i = 0; i < case_count(test, "a"); i++) {
        a[i] = (i % 2 == 0 ? 1e4f : -1e4f) * (1.0f + 0.1f * fabsf(a[i]));
    }
}

// Above 88.7 the exponential overflows in float.
static void fill_near_89(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    float *a = case_f32(test, "a");
    for (size_t i = 0; i < case_count(test, "a"); i++) {
        a[i] = (i % 2 == 0 ? 1.0f : -1.0f) *
               ((i % 4 < 2 ? 80.0f : 90.0f) + (float)(i % 8) / 2.0f);
    }
}

static void fill_zero(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_input(test, "a", 0.0f);
}

// Where the slope is not near 0.
static void fill_every_size(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    rows_of_every_size(test, case_has(test, "dy") ? "dy" : "b", 1);
    for (size_t i = 0; i < case_count(test, "a"); i++) {
        case_f32(test, "a")[i] = fabsf(case_f32(test, "a")[i]);
    }
}

static void fill_some_zeros(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    clear_every(test, "a", 2);
    clear_every(test, "b", 3);
}

// The gate is near -4e-8 and -2e-9: small, but not 0.
static void fill_20_below(struct test_case *test, struct lab_rng *rng)
{
    for (size_t i = 0; i < case_count(test, "a"); i++) {
        float u;
        lab_rng_rand(rng, &u, 1);
        case_f32(test, "a")[i] = -20.25f - 2.0f * u;
    }
}

// A NaN in each input, in different places.
static void fill_nan(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    case_f32(test, "a")[1] = NAN;
    case_f32(test, "b")[3] = NAN;
    if (case_has(test, "dy")) {
        case_f32(test, "dy")[5] = NAN;
    }
}

static const struct case_spec swiglu_cases[] = {
    {.dims = "N=1"},
    {.dims = "N=2", .fill = fill_zero, .note = "a is 0"},
    {.dims = "N=3", .draws = 2},
    {.dims = "N=8", .fill = fill_wide, .note = "a from -9 to 9"},
    {.dims = "N=6", .fill = fill_huge, .note = "a near 10000 and near -10000"},
    {.dims = "N=16",
     .fill = fill_near_89,
     .note = "a between 80 and 93, and -93 and -80"},
    {.dims = "N=11..19", .draws = 3},
    {.dims = "N=257"},
    {.dims = "N=301", .fill = fill_wide, .note = "a from -9 to 9"},
    {.dims = "N=70001",
     .fill = fill_wider,
     .note = "more numbers than 16 bits can count"},
    {.dims = "N=1024", .note = "exactly 1024 numbers"},
    {.dims = "N=600001",
     .note = "more numbers than a GPU grid has threads",
     .gpu_only = true},
    {.dims = "N=13", .fill = fill_some_zeros, .note = "some numbers of a and b are 0"},
    {.dims = "N=13",
     .fill = fill_every_size,
     .unit = EVERY_SIZE_UNIT,
     .note = EVERY_SIZE_NOTE},
    {.dims = "N=0", .note = "a size of 0"},
    {.dims = "N=7",
     .fill = fill_20_below,
     .unit = 1e-9f,
     .note = "a between -23 and -20: small results, but not 0"},
    {.dims = "N=7",
     .fill = fill_nan,
     .note = "a number of each input is NaN",
     .nan = true},
    {0},
};

#define SWIGLU_ARGUMENTS float *y, const float *a_row, const float *b_row, size_t N

static double sigmoid(double x)
{
    return 1.0 / (1.0 + exp(-x));
}

// With a power of 2 instead of e.
static double sigmoid_of_2(double x)
{
    return 1.0 / (1.0 + exp2(-x));
}

static double share_below(double x)
{
    return 0.5 * erfc(-x / sqrt(2.0));
}

// e^x rounded to float: infinite above 88.7.
static double float_exp(double x)
{
    return (double)expf((float)x);
}

// The sigmoid by tanh, in float: 0 for x below -18.
static double sigmoid_by_tanh(double x)
{
    return (double)(0.5f + 0.5f * tanhf(0.5f * (float)x));
}

// GATE(name, value): y is an expression of a, b and s, the sigmoid of a.
#define GATE(name, value)                                                                \
    static lab_status name(SWIGLU_ARGUMENTS)                                             \
    {                                                                                    \
        if (N == 0) {                                                                    \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        for (size_t n = 0; n < N; n++) {                                                 \
            const double a = (double)a_row[n], b = (double)b_row[n];                     \
            const double s = sigmoid(a);                                                 \
            (void)b, (void)s;                                                            \
            y[n] = (float)(value);                                                       \
        }                                                                                \
        return LAB_OK;                                                                   \
    }

GATE(gate_swapped, b *sigmoid(b) * a)
GATE(gate_sigmoid_alone, s *b)
GATE(gate_without_b, a *s)
GATE(gate_gelu, a *share_below(a) * b)
GATE(gate_gelu_sigmoid, a *sigmoid(1.702 * a) * b)
GATE(gate_relu, (a > 0 ? a : 0) * b)
GATE(gate_tanh, a *tanh(a) * b)
GATE(gate_product, a *b *sigmoid(a *b))
GATE(gate_minus, a *sigmoid(-a) * b)
GATE(gate_sum, a *s + b)
GATE(gate_bilinear, a *b)
GATE(gate_twice, a *s *b *sigmoid(b))
GATE(gate_other_sigmoid, a *sigmoid(b))
GATE(gate_base_2, a *b *sigmoid_of_2(a))
GATE(gate_by_tanhf, a *b *sigmoid_by_tanh(a))
GATE(gate_overflow, a *b *float_exp(a) / (1.0 + float_exp(a)))

#define BY_TANHF_WHAT "the sigmoid becomes 0 for a far below 0, as by tanhf"
#define BY_TANHF_WHY                                                                     \
    "tanhf(a / 2) is rounded to -1 there, but sigmoid(-20) is 2e-9. 1 / (1 + expf(-a)) " \
    "keeps all its digits."

static const struct mistake swiglu_mistakes[] = {
    {
        .id = "swapped",
        .what = "b is used as the gate and a as the value",
        .why = "a goes through the sigmoid: y = a sigmoid(a) b. Trained weights work "
               "only with this order.",
        .source = "ml-explore/mlx-lm#767",
        .function = LIKE(swiglu, gate_swapped),
    },
    {
        .id = "sigmoid-alone",
        .what = "the gate is sigmoid(a), without the factor a",
        .why = "That is GLU. The Swish of SwiGLU is a sigmoid(a).",
        .source = NULL,
        .function = LIKE(swiglu, gate_sigmoid_alone),
    },
    {
        .id = "b-missing",
        .what = "the factor b is missing",
        .why = "a sigmoid(a) is only the gate. It decides how much of b passes: multiply "
               "by b.",
        .source = NULL,
        .function = LIKE(swiglu, gate_without_b),
    },
    {
        .id = "gelu",
        .what = "the gate is GELU",
        .why = "That is GEGLU. SwiGLU multiplies a by its sigmoid, 1 / (1 + exp(-a)).",
        .source = NULL,
        .function = LIKE(swiglu, gate_gelu),
        .convention = true,
    },
    {
        .id = "gelu-sigmoid",
        .what = "the gate is a sigmoid(1.702 a)",
        .why =
            "That is an approximation of GELU. SwiGLU has no factor inside the sigmoid.",
        .source = NULL,
        .function = LIKE(swiglu, gate_gelu_sigmoid),
        .convention = true,
    },
    {
        .id = "relu",
        .what = "the gate is ReLU",
        .why = "That is ReGLU. SwiGLU multiplies a by its sigmoid, 1 / (1 + exp(-a)).",
        .source = NULL,
        .function = LIKE(swiglu, gate_relu),
        .convention = true,
    },
    {
        .id = "tanh",
        .what = "a is multiplied by its hyperbolic tangent",
        .why = "The sigmoid is 1 / (1 + exp(-a)), from 0 to 1; tanh runs from -1 to 1.",
        .source = NULL,
        .function = LIKE(swiglu, gate_tanh),
    },
    {
        .id = "gate-of-product",
        .what = "the product a b goes through the gate",
        .why = "Only a does: (a sigmoid(a)) b.",
        .source = "Nijikadesu/breakdown-minimind#3",
        .function = LIKE(swiglu, gate_product),
    },
    {
        .id = "sign",
        .what = "the sign inside the exponential is wrong: sigmoid(-a)",
        .why = "sigmoid(a) = 1 / (1 + exp(-a)): a large negative a gives 0.",
        .source = NULL,
        .function = LIKE(swiglu, gate_minus),
    },
    {
        .id = "added",
        .what = "b is added to the gate, not multiplied by it",
        .why = "The gate decides how much of b passes: it is a factor.",
        .source = NULL,
        .function = LIKE(swiglu, gate_sum),
    },
    {
        .id = "no-sigmoid",
        .what = "the sigmoid is missing: y is a b",
        .why = "That is the bilinear form. y = a sigmoid(a) b.",
        .source = NULL,
        .function = LIKE(swiglu, gate_bilinear),
    },
    {
        .id = "both-gated",
        .what = "both a and b are multiplied by their sigmoids",
        .why = "Only a is.",
        .source = NULL,
        .function = LIKE(swiglu, gate_twice),
    },
    {
        .id = "sigmoid-of-b",
        .what = "a is multiplied by the sigmoid of b",
        .why = "The sigmoid takes a, and b is only a factor: y = a sigmoid(a) b.",
        .source = NULL,
        .function = LIKE(swiglu, gate_other_sigmoid),
    },
    {
        .id = "base-2",
        .what = "the sigmoid has a power of 2, not of e",
        .why = "sigmoid(a) = 1 / (1 + exp(-a)): expf(-a), not exp2f(-a).",
        .source = NULL,
        .function = LIKE(swiglu, gate_base_2),
    },
    {
        .id = "overflow",
        .what = "large values of a become NaN",
        .why =
            "exp(a) / (1 + exp(a)) is inf / inf above 88.7. 1 / (1 + exp(-a)) becomes 1 "
            "there, and 0 below -88.7.",
        .source = NULL,
        .function = LIKE(swiglu, gate_overflow),
    },
    {
        .id = "sigmoid-by-tanh",
        .what = BY_TANHF_WHAT,
        .why = BY_TANHF_WHY,
        .source = NULL,
        .function = LIKE(swiglu, gate_by_tanhf),
    },
    {0},
};

GATE(gate_in_double, a *s *b)

// sigmoid(a) = (1 + tanh(a / 2)) / 2. For a very negative a it is 0, too.
GATE(gate_by_tanh, a < -9.0 ? a * s * b : 0.5 * a * (1.0 + tanh(0.5 * a)) * b)

// a / (1 + exp(-a)), computed so that the exponent is never positive.
static lab_status gate_in_float(SWIGLU_ARGUMENTS)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    for (size_t n = N; n-- > 0;) {
        const float e = expf(-fabsf(a_row[n]));
        y[n] = b_row[n] * (a_row[n] > 0.0f ? a_row[n] : a_row[n] * e) / (1.0f + e);
    }
    return LAB_OK;
}

static const struct mistake swiglu_alternatives[] = {
    {.id = "in-double", .function = LIKE(swiglu, gate_in_double)},
    {.id = "by-tanh", .function = LIKE(swiglu, gate_by_tanh)},
    {.id = "in-float", .function = LIKE(swiglu, gate_in_float)},
    {0},
};

// ---- back ---------------------------------------------------------------------------------

#define BACK_ARGUMENTS                                                                   \
    float *da, float *db, const float *dy_row, const float *a_row, const float *b_row,   \
        size_t N

// BACK(name, da_value, db_value): expressions of d (dy), a, b and s, the sigmoid of a.
#define SHARED_BACK(name, da_value, db_value)                                            \
    lab_status name(BACK_ARGUMENTS)                                                      \
    {                                                                                    \
        if (N == 0) {                                                                    \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        for (size_t n = 0; n < N; n++) {                                                 \
            const double a = (double)a_row[n], b = (double)b_row[n];                     \
            const double d = (double)dy_row[n], s = sigmoid(a);                          \
            (void)a, (void)b, (void)d, (void)s;                                          \
            da[n] = (float)(da_value);                                                   \
            db[n] = (float)(db_value);                                                   \
        }                                                                                \
        return LAB_OK;                                                                   \
    }
#define BACK(name, da_value, db_value) static SHARED_BACK(name, da_value, db_value)

#define RIGHT_DA (d * b * s * (1 + a * (1 - s)))
#define RIGHT_DB (d * a * s)

BACK(back_swapped, RIGHT_DB, RIGHT_DA)
BACK(back_exchanged, d *a *sigmoid(b) * (1 + b * (1 - sigmoid(b))), d *b *sigmoid(b))
BACK(back_sigmoid_constant, d *b *s, RIGHT_DB)
BACK(back_sigmoid_only, d *b *s *(1 - s), RIGHT_DB)
BACK(back_second_only, d *b *a *s *(1 - s), RIGHT_DB)
BACK(back_a_forgotten, d *b *(s + s * (1 - s)), RIGHT_DB)
BACK(back_minus, d *b *s *(1 - a * (1 - s)), RIGHT_DB)
BACK(back_one_plus, d *b *s *(1 + a * (1 + s)), RIGHT_DB)
BACK(back_s_of_a, d *b *(1 + a * (1 - s)), RIGHT_DB)
BACK(back_da_without_b, d *s *(1 + a * (1 - s)), RIGHT_DB)
BACK(back_db_sigmoid, RIGHT_DA, d *s)
BACK(back_db_a, RIGHT_DA, d *a)
BACK(back_db_with_b, RIGHT_DA, d *a *s *b)
BACK(back_db_gradient, RIGHT_DA, d *s *(1 + a * (1 - s)))
BACK(back_both_b, RIGHT_DA *b, RIGHT_DB *b)
BACK(back_no_dy, b *s *(1 + a * (1 - s)), a *s)
BACK(back_base_2, d *b *sigmoid_of_2(a) * (1 + a * (1 - sigmoid_of_2(a))),
     d *a *sigmoid_of_2(a))
BACK(back_by_tanhf, d *b *sigmoid_by_tanh(a) * (1 + a * (1 - sigmoid_by_tanh(a))),
     d *a *sigmoid_by_tanh(a))
BACK(back_silu_for_a, d *b *s *(1 + a * s * (1 - s)), RIGHT_DB)

// The value of exp(a) / (1 + exp(a)) in float.
static double float_sigmoid(double a)
{
    return float_exp(a) / (1.0 + float_exp(a));
}

BACK(back_overflow, d *b *float_sigmoid(a) * (1 + a * (1 - float_sigmoid(a))),
     d *a *float_sigmoid(a))

#define DA_WHY                                                                           \
    "y = a s b with s = sigmoid(a), whose derivative is s (1 - s). The product rule "    \
    "gives da = dy b (s + a s (1 - s))."

static const struct mistake swiglu_backward_mistakes[] = {
    {
        .id = "swapped",
        .what = "da has the value of db, db that of da, or both",
        .why = "da is the gradient of the gate's input, db that of the value.",
        .source = NULL,
        .function = LIKE(swiglu_backward, back_swapped),
    },
    {
        .id = "gate-and-value-swapped",
        .what = "b is used as the gate and a as the value",
        .why = "In the forward pass a goes through the sigmoid.",
        .source = "ml-explore/mlx-lm#767",
        .function = LIKE(swiglu_backward, back_exchanged),
    },
    {
        .id = "sigmoid-constant",
        .what = "the sigmoid is treated as a constant: da is dy b s",
        .why = "s depends on a, too. " DA_WHY,
        .source = NULL,
        .function = LIKE(swiglu_backward, back_sigmoid_constant),
    },
    {
        .id = "derivative-of-sigmoid",
        .what = "da is dy b s (1 - s), the gradient of a gate sigmoid(a)",
        .why = "The gate is a sigmoid(a). " DA_WHY,
        .source = NULL,
        .function = LIKE(swiglu_backward, back_sigmoid_only),
    },
    {
        .id = "first-term-missing",
        .what = "da has only the term that comes from the sigmoid",
        .why = "a is a factor of y itself. " DA_WHY,
        .source = NULL,
        .function = LIKE(swiglu_backward, back_second_only),
    },
    {
        .id = "a-missing",
        .what = "the factor a is missing in da: 1 + (1 - s)",
        .why = DA_WHY,
        .source = NULL,
        .function = LIKE(swiglu_backward, back_a_forgotten),
    },
    {
        .id = "minus",
        .what = "the second term of da is subtracted",
        .why = DA_WHY,
        .source = NULL,
        .function = LIKE(swiglu_backward, back_minus),
    },
    {
        .id = "one-plus-s",
        .what = "da has 1 + s instead of 1 - s",
        .why = "The derivative of the sigmoid is s (1 - s). " DA_WHY,
        .source = NULL,
        .function = LIKE(swiglu_backward, back_one_plus),
    },
    {
        .id = "no-s",
        .what = "the factor s is missing in da",
        .why = DA_WHY,
        .source = NULL,
        .function = LIKE(swiglu_backward, back_s_of_a),
    },
    {
        .id = "da-without-b",
        .what = "the factor b is missing in da",
        .why =
            "b multiplies the gate in the forward pass, so it multiplies its gradient.",
        .source = NULL,
        .function = LIKE(swiglu_backward, back_da_without_b),
    },
    {
        .id = "silu-for-a",
        .what = "da uses a s instead of a",
        .why = DA_WHY,
        .source = NULL,
        .function = LIKE(swiglu_backward, back_silu_for_a),
    },
    {
        .id = "db-without-a",
        .what = "db is dy s, without the factor a",
        .why = "b is multiplied by a s in the forward pass: db = dy a s.",
        .source = NULL,
        .function = LIKE(swiglu_backward, back_db_sigmoid),
    },
    {
        .id = "db-without-s",
        .what = "db is dy a, without the sigmoid",
        .why = "b is multiplied by a s in the forward pass: db = dy a s.",
        .source = NULL,
        .function = LIKE(swiglu_backward, back_db_a),
    },
    {
        .id = "db-with-b",
        .what = "db contains b itself as a factor",
        .why = "The derivative of y = a s b with respect to b is a s.",
        .source = NULL,
        .function = LIKE(swiglu_backward, back_db_with_b),
    },
    {
        .id = "db-of-the-derivative",
        .what = "db uses the derivative of the gate instead of the gate",
        .why = "b is multiplied by a s in the forward pass: db = dy a s.",
        .source = NULL,
        .function = LIKE(swiglu_backward, back_db_gradient),
    },
    {
        .id = "b-twice",
        .what = "da, db or both are multiplied by b one time too many",
        .why = "da = dy b s (1 + a (1 - s)), db = dy a s.",
        .source = NULL,
        .function = LIKE(swiglu_backward, back_both_b),
    },
    {
        .id = "no-dy",
        .what = "dy is not a factor",
        .why = "These are the derivatives of y. The chain rule multiplies them by dy.",
        .source = NULL,
        .function = LIKE(swiglu_backward, back_no_dy),
    },
    {
        .id = "base-2",
        .what = "the sigmoid has a power of 2, not of e",
        .why = "sigmoid(a) = 1 / (1 + exp(-a)): expf(-a), not exp2f(-a).",
        .source = NULL,
        .function = LIKE(swiglu_backward, back_base_2),
    },
    {
        .id = "overflow",
        .what = "large values of a become NaN",
        .why =
            "exp(a) / (1 + exp(a)) is inf / inf above 88.7. 1 / (1 + exp(-a)) becomes 1 "
            "there, and 0 below -88.7.",
        .source = NULL,
        .function = LIKE(swiglu_backward, back_overflow),
    },
    {
        .id = "sigmoid-by-tanh",
        .what = BY_TANHF_WHAT,
        .why = BY_TANHF_WHY,
        .source = NULL,
        .function = LIKE(swiglu_backward, back_by_tanhf),
    },
    {0},
};

SHARED_BACK(swiglu_backward_in_double, RIGHT_DA, RIGHT_DB)

// By the product rule, the gate first, in float.
static lab_status back_in_float(BACK_ARGUMENTS)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    for (size_t n = N; n-- > 0;) {
        const float e = expf(-fabsf(a_row[n])), a = a_row[n];
        const float s = a > 0.0f ? 1.0f / (1.0f + e) : e / (1.0f + e);
        const float gate = a * s, rest = e / ((1.0f + e) * (1.0f + e)); // s (1 - s)
        db[n] = dy_row[n] * gate;
        da[n] = dy_row[n] * b_row[n] * (s + a * rest);
    }
    return LAB_OK;
}

// s + gate (1 - s), as PyTorch writes it.
BACK(back_by_gate, d *b *(s + a * s * (1 - s)), d *(a *s))

static const struct mistake swiglu_backward_alternatives[] = {
    {.id = "in-double", .function = LIKE(swiglu_backward, swiglu_backward_in_double)},
    {.id = "in-float", .function = LIKE(swiglu_backward, back_in_float)},
    {.id = "by-gate", .function = LIKE(swiglu_backward, back_by_gate)},
    {0},
};

static const struct part swiglu_part[] = {
    {
        .function = "swiglu",
        .dims = "N",
        .tensors =
            {
                {"y", "N", OUTPUT, F32, 1e-6f, 4e-6f},
                {"a", "N", INPUT, F32, 0, 0},
                {"b", "N", INPUT, F32, 0, 0},
            },
        .cases = swiglu_cases,
        .mistakes = swiglu_mistakes,
        .alternatives = swiglu_alternatives,
    },
    {
        .function = "swiglu_backward",
        .dims = "N",
        .tensors =
            {
                {"da", "N", OUTPUT, F32, 1e-5f, 1e-5f},
                {"db", "N", OUTPUT, F32, 1e-6f, 4e-6f},
                {"dy", "N", INPUT, F32, 0, 0},
                {"a", "N", INPUT, F32, 0, 0},
                {"b", "N", INPUT, F32, 0, 0},
            },
        .cases = swiglu_cases,
        .mistakes = swiglu_backward_mistakes,
        .alternatives = swiglu_backward_alternatives,
    },
    {0},
};

const struct exercise exercise_8_4 = {
    .id = "8.4",
    .name = "swiglu and swiglu_backward",
    .section = "8.4 SwiGLU",
    .hints =
        {
            "a decides how much of b passes. Which of the two goes through the sigmoid, "
            "and what happens to exp(-a) when a is -10000?",
            "s = 1 / (1 + exp(-a)), y = a s b. Backward by the product rule, with "
            "s' = s (1 - s): da = dy b s (1 + a (1 - s)), db = dy a s.",
            "for each n: s = 1 / (1 + expf(-a[n]))\n"
            "    forward:  y[n] = a[n] * s * b[n]\n"
            "    backward: da[n] = dy[n] * b[n] * s * (1 + a[n] * (1 - s))\n"
            "              db[n] = dy[n] * a[n] * s",
        },
    .gpu_hints =
        {
            "Each number is independent, as with GELU.",
            "Start at blockIdx.x * blockDim.x + threadIdx.x and step by gridDim.x * "
            "blockDim.x, the number of threads in the grid. Use expf, not exp.",
            "threads = (size_t)gridDim.x * blockDim.x\n"
            "for (n = (size_t)blockIdx.x * blockDim.x + threadIdx.x; n < N; n += "
            "threads)\n"
            "    s = 1.0f / (1.0f + expf(-a_dev[n]))\n"
            "    y_dev[n] = a_dev[n] * s * b_dev[n], or the two gradients",
        },
    .parts = swiglu_part,
};
