// 09_gelu_backward.c - exercise 6.9, gelu_backward: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/06/shared.h"
#include "exercises/common/inputs.h"

#include <math.h>

#include "06_copy_task/copy_task.h"

// x from -6 to 6 in equal steps, with dy of 3 and -3. The exact form and the tanh form differ
// only in a few places, and these steps include all of them.
static void fill_x_grid(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    const size_t N = case_count(test, "x");
    for (size_t i = 0; i < N; i++) {
        case_f32(test, "x")[i] = -6.0f + 12.0f * (float)i / (float)(N - 1);
        case_f32(test, "dy")[i] = i % 3 == 0 ? -3.0f : 3.0f;
    }
}

static void fill_x_large(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_input(test, "x", 1000.0f);
}

// Where the slope is not near 0.
static void fill_every_size(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    rows_of_every_size(test, "dy", 1);
    for (size_t i = 0; i < case_count(test, "x"); i++) {
        case_f32(test, "x")[i] = fabsf(case_f32(test, "x")[i]);
    }
}

// Few different numbers, so that the student archive stays small.
static void fill_many(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    case_small(test, "dy");
    case_small(test, "x");
}

static void repeated(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    repeat_numbers(test, "dy", 1);
    repeat_numbers(test, "x", 2);
}

static const struct case_spec gelu_backward_cases[] = {
    {.dims = "N=1"},
    {.dims = "N=2"},
    {.dims = "N=5", .draws = 2},
    {.dims = "N=7..13", .draws = 2},
    {.dims = "N=9", .fill = fill_x_large, .note = "x in the hundreds"},
    {.dims = "N=241", .fill = fill_x_grid, .note = "x from -6 to 6"},
    {.dims = "N=1031", .note = "many numbers"},
    {.dims = "N=1024", .note = "exactly 1024 numbers"},
    {.dims = "N=13",
     .fill = fill_every_size,
     .unit = EVERY_SIZE_UNIT,
     .note = EVERY_SIZE_NOTE},
    {.dims = "N=0", .note = "a size of 0"},
    {.dims = "N=600001",
     .fill = fill_many,
     .note = "more numbers than a GPU grid has threads",
     .gpu_only = true},
    {MORE_THAN_16_BITS("N=65543", repeated, "more numbers than 16 bits can count")},
    {0},
};

static double normal_cdf(double x)
{
    return 0.5 * erfc(-x / sqrt(2.0));
}

static double normal_pdf(double x)
{
    return exp(-0.5 * x * x) / sqrt(2.0 * acos(-1.0));
}

static double tanh_gelu_slope(double x)
{
    const double a = sqrt(2.0 / acos(-1.0)), t = tanh(a * (x + 0.044715 * x * x * x));
    return 0.5 * (1.0 + t) + 0.5 * x * (1.0 - t * t) * a * (1.0 + 3.0 * 0.044715 * x * x);
}

static double sigmoid_gelu_slope(double x)
{
    const double s = 1.0 / (1.0 + exp(-1.702 * x));
    return s + 1.702 * x * s * (1.0 - s);
}

// GELU(name, value): dx is an expression of x, of its cdf and pdf, and of d, the dy.
#define GELU(name, value)                                                                \
    static lab_status name(float *dx, const float *dy, const float *x_, size_t N)        \
    {                                                                                    \
        if (N == 0) {                                                                    \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        for (size_t i = 0; i < N; i++) {                                                 \
            const double d = (double)dy[i], x = (double)x_[i];                           \
            const double cdf = normal_cdf(x), pdf = normal_pdf(x);                       \
            (void)x, (void)d, (void)cdf, (void)pdf;                                      \
            dx[i] = (float)(value);                                                      \
        }                                                                                \
        return LAB_OK;                                                                   \
    }

GELU(gelu_slope_by_tanh, d *tanh_gelu_slope(x))
GELU(gelu_sigmoid, d *sigmoid_gelu_slope(x))
GELU(gelu_cdf_only, d *cdf)
GELU(gelu_pdf_without_x, d *(cdf + pdf))
GELU(gelu_minus, d *(cdf - x * pdf))
GELU(gelu_at_y, d *(normal_cdf(x *cdf) + x * cdf * normal_pdf(x * cdf)))
GELU(gelu_no_dy, cdf + x * pdf)
GELU(gelu_no_pi, d *(cdf + x * exp(-0.5 * x * x)))
GELU(gelu_no_half, d *(cdf + x * exp(-x * x) / sqrt(2.0 * acos(-1.0))))
GELU(gelu_growing_pdf, d *(cdf + x * exp(0.5 * x * x) / sqrt(2.0 * acos(-1.0))))
GELU(gelu_root_of_pi, d *(cdf + x * exp(-0.5 * x * x) / sqrt(acos(-1.0))))
GELU(gelu_cdf_without_half, d *(2.0 * cdf + x * pdf))
GELU(gelu_no_root_2, d *(0.5 * erfc(-x) + x * pdf))
GELU(gelu_relu, x > 0.0 ? d : 0.0)
GELU(gelu_dy_is_x, x *(cdf + x * pdf))
GELU(gelu_in_double, d *(cdf + x * pdf))

static lab_status gelu_in_float(float *dx, const float *dy, const float *x, size_t N)
{
    if (N == 0) {
        return LAB_ESHAPE;
    }
    for (size_t i = 0; i < N; i++) {
        const float cdf = 0.5f * (1.0f + erff(x[i] * 0.70710678f));
        const float pdf = 0.39894228f * expf(-0.5f * x[i] * x[i]);
        dx[i] = dy[i] * (cdf + x[i] * pdf);
    }
    return LAB_OK;
}

static const struct mistake gelu_backward_mistakes[] = {
    {
        .id = "tanh-form",
        .what = "this is the derivative of the tanh form of GELU",
        .why =
            "GPT-2 uses that approximation, which differs by up to 0.0009 here. "
            "Lab 5's gelu is the exact form with erf; forward and backward must use the "
            "same form.",
        .source = "karpathy/nanoGPT#2",
        .function = LIKE(gelu_backward, gelu_slope_by_tanh),
        .convention = true,
    },
    {
        .id = "sigmoid-form",
        .what = "this is the derivative of the sigmoid form, x sigmoid(1.702 x)",
        .why = "It belongs to a rougher approximation of GELU. Lab 5's gelu is the exact "
               "form with erf.",
        .function = LIKE(gelu_backward, gelu_sigmoid),
        .convention = true,
    },
    {
        .id = "no-pdf-term",
        .what = "the term x pdf(x) is missing",
        .why = "y = x cdf(x) is a product, and both factors depend on x: cdf + x pdf.",
        .function = LIKE(gelu_backward, gelu_cdf_only),
    },
    {
        .id = "pdf-without-x",
        .what = "pdf(x) is added without the factor x",
        .why = "Use the product rule: the derivative of x times cdf, plus x times the "
               "derivative of cdf.",
        .function = LIKE(gelu_backward, gelu_pdf_without_x),
    },
    {
        .id = "minus",
        .what = "x pdf(x) is subtracted instead of added",
        .why = "The derivative of cdf is pdf, with a plus: cdf + x pdf.",
        .function = LIKE(gelu_backward, gelu_minus),
    },
    {
        .id = "at-y",
        .what = "the derivative is taken at gelu(x) instead of x",
        .why = "The formula needs the INPUT of gelu. In a model that is hidden, "
               "not activated.",
        .function = LIKE(gelu_backward, gelu_at_y),
    },
    {
        .id = "no-dy",
        .what = "the factor dy is missing",
        .why = "This is only the slope. The chain rule multiplies it by the output's "
               "gradient, dy.",
        .function = LIKE(gelu_backward, gelu_no_dy),
    },
    {
        .id = "dy-is-x",
        .what = "the slope is multiplied by x instead of dy",
        .why = "The chain rule multiplies the slope by the output's gradient, dy.",
        .function = LIKE(gelu_backward, gelu_dy_is_x),
    },
    {
        .id = "pdf-not-normalized",
        .what = "1/sqrt(2 pi) is missing in pdf",
        .why = "pdf is the normal density, 0.3989 at 0: exp(-x^2 / 2) / sqrt(2 pi).",
        .function = LIKE(gelu_backward, gelu_no_pi),
    },
    {
        .id = "pdf-without-half",
        .what = "pdf uses exp(-x^2) instead of exp(-x^2 / 2)",
        .why = "The exponent of the normal density contains a factor 1/2.",
        .function = LIKE(gelu_backward, gelu_no_half),
    },
    {
        .id = "erf-without-root-2",
        .what = "cdf uses erf(x) instead of erf(x / sqrt 2)",
        .why = "erf belongs to a normal distribution of variance 1/2; the division by "
               "sqrt 2 turns it into the standard one.",
        .function = LIKE(gelu_backward, gelu_no_root_2),
    },
    {
        .id = "relu",
        .what = "this is the derivative of ReLU",
        .why = "GELU has a slope at negative x too.",
        .function = LIKE(gelu_backward, gelu_relu),
    },
    {
        .id = "pdf-over-root-of-pi",
        .what = "pdf is divided by sqrt(pi), not by sqrt(2 pi)",
        .why = "pdf(x) = exp(-x^2 / 2) / sqrt(2 pi): its integral is 1.",
        .function = LIKE(gelu_backward, gelu_root_of_pi),
    },
    {
        .id = "cdf-without-half",
        .what = "cdf lacks the factor 1/2",
        .why = "cdf(x) = (1 + erf(x / sqrt 2)) / 2 runs from 0 to 1.",
        .function = LIKE(gelu_backward, gelu_cdf_without_half),
    },
    {
        .id = "exponent-positive",
        .what = "the exponent of pdf has no minus sign: exp(x^2 / 2)",
        .why = "The normal density falls on both sides of 0: exp(-x^2 / 2).",
        .function = LIKE(gelu_backward, gelu_growing_pdf),
    },
    {0},
};

static const struct mistake gelu_backward_alternatives[] = {
    {.id = "in-double", .function = LIKE(gelu_backward, gelu_in_double)},
    {.id = "in-float", .function = LIKE(gelu_backward, gelu_in_float)},
    {0},
};

static const struct part gelu_backward_part[] = {
    {
        .function = "gelu_backward",
        .dims = "N",
        .tensors =
            {
                {"dx", "N", OUTPUT, F32, 4e-6f, 2e-6f},
                {"dy", "N", INPUT, F32, 0, 0},
                {"x", "N", INPUT, F32, 0, 0},
            },
        .cases = gelu_backward_cases,
        .mistakes = gelu_backward_mistakes,
        .alternatives = gelu_backward_alternatives,
    },
    {0},
};

const struct exercise exercise_6_9 = {
    .id = "6.9",
    .name = "gelu_backward",
    .section = "6.9 GELU, backward",
    .uses = {"5.2"},
    .hints =
        {
            "y = x cdf(x) is a product: use the product rule. The slope of a cdf is "
            "its pdf.",
            "dx = dy (cdf + x pdf), cdf = (1 + erf(x / sqrt 2)) / 2, pdf = exp(-x^2 / 2) "
            "/ sqrt(2 pi).",
            "cdf = 0.5f * (1 + erff(x * 0.70710678f))\n"
            "pdf = 0.39894228f * expf(-0.5f * x * x)\n"
            "dx[i] = dy[i] * (cdf + x * pdf)",
        },
    .gpu_hints =
        {
            "One number per thread, like the GELU itself.",
            "dx = dy (cdf + x pdf), cdf = (1 + erff(x / sqrt 2)) / 2, pdf = "
            "expf(-x^2 / 2) / sqrt(2 pi).",
            "i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; if (i >= N) return\n"
            "cdf = 0.5f * (1.0f + erff(x * 0.70710678f)); pdf = 0.39894228f * expf(-0.5f * x * x)\n"
            "dx_dev[i] = dy_dev[i] * (cdf + x * pdf)",
        },
    .parts = gelu_backward_part,
};
