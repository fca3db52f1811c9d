// 02_gelu.c - exercise 5.2, gelu: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/05/shared.h"
#include "exercises/common/inputs.h"

#include <math.h>

#include "05_transformer_block/block.h"

// The inputs at which the tanh form differs most.
static void fill_near_minus_2_7(struct test_case *test, struct lab_rng *rng)
{
    spread_input(test, rng, "x", -3.2f, -2.2f);
}

static void fill_wide(struct test_case *test, struct lab_rng *rng)
{
    spread_input(test, rng, "x", -7.0f, 7.0f);
}

// For many numbers: the student archive need not store normals that are only scaled.
static void fill_wider(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_input(test, "x", 3.0f);
}

static void fill_near_zero(struct test_case *test, struct lab_rng *rng)
{
    spread_input(test, rng, "x", -0.01f, 0.01f);
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

// GELU(-infinity) is -infinity times 0.
static void fill_not_finite(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    case_f32(test, "x")[1] = NAN;
    case_f32(test, "x")[2] = INFINITY;
}

// Half of x if it is small, x if it is large, and 0 if it is far below 0.
static void fill_every_size(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    float *x = case_f32(test, "x");
    rows_of_every_size(test, "x", 1);
    for (size_t i = 0; i < case_count(test, "x"); i += 4) {
        x[i] = -x[i];
    }
}

static const struct case_spec gelu_cases[] = {
    {.dims = "N=1", .fill = fill_zero, .note = "x is 0"},
    {.dims = "N=1"},
    {.dims = "N=3", .draws = 2},
    {.dims = "N=5", .fill = fill_near_minus_2_7, .note = "x from -3.2 to -2.2"},
    {.dims = "N=7", .fill = fill_wide, .note = "x from -7 to 7"},
    {.dims = "N=9", .fill = fill_huge, .note = "x near 10000"},
    {.dims = "N=11..19", .draws = 3},
    {.dims = "N=4", .fill = fill_not_finite, .nan = true, .note = "infinity and NaN"},
    {.dims = "N=67", .fill = fill_near_minus_2_7, .note = "x from -3.2 to -2.2"},
    {.dims = "N=301", .fill = fill_wide, .note = "x from -7 to 7"},
    {.dims = "N=8", .fill = fill_wide, .note = "x from -7 to 7"},
    {.dims = "N=65", .fill = fill_near_zero, .note = "x from -0.01 to 0.01"},
    {.dims = "N=70001",
     .fill = fill_wider,
     .note = "more numbers than 16 bits can count"},
    {.dims = "N=600001", .note = "more numbers than a GPU grid has threads"},
    {.dims = "N=1024", .fill = fill_wide, .note = "exactly 1024 numbers"},
    {.dims = "N=0", .note = "a size of 0"},
    {.dims = "N=13",
     .fill = fill_every_size,
     .unit = EVERY_SIZE_UNIT,
     .note = EVERY_SIZE_NOTE},
    {0},
};

ACTIVATION(gelu_sigmoid, x / (1.0 + exp(-1.702 * x)))
ACTIVATION(silu, x / (1.0 + exp(-x)))

ACTIVATION(gelu_without_sqrt2, 0.5 * x * (1.0 + erf(x)))
ACTIVATION(gelu_without_half, x *(1.0 + erf(x / sqrt(2.0))))
ACTIVATION(gelu_only_share, 0.5 * (1.0 + erf(x / sqrt(2.0))))
ACTIVATION(gelu_minus, 0.5 * x * (1.0 - erf(x / sqrt(2.0))))
ACTIVATION(gelu_erf_alone, 0.5 * x * erf(x / sqrt(2.0)))

ACTIVATION(gelu_over_2, 0.5 * x * (1.0 + erf(x / 2.0)))
ACTIVATION(gelu_times_root, 0.5 * x * (1.0 + erf(x * sqrt(2.0))))
ACTIVATION(gelu_zero, 0.0 * x)

// A kernel without its loop: the numbers beyond the grid's last thread are not written.
static lab_status gelu_of_one_grid(float *y, const float *x, size_t N)
{
    return gelu_by_erfc(y, x, N < THREADS_OF_A_GRID ? N : THREADS_OF_A_GRID);
}

static const struct mistake gelu_mistakes[] = {
    {
        .id = "tanh",
        .what = "this is the tanh form of GELU, not the exact one",
        .why =
            "GPT-2 was trained with it and llm.c uses it; this lab asks for erf, as "
            "torch.nn.GELU() computes. The two differ by up to 0.00047, near -2.70. Use "
            "erff from math.h.",
        .source = "karpathy/nanoGPT#2, kyutai-labs/pocket-tts#278, chelsea0x3b/dfdx#804",
        .function = LIKE(gelu, gelu_by_tanh),
        .convention = true,
    },
    {
        .id = "sigmoid",
        .what = "this is the sigmoid form of GELU, x * sigmoid(1.702 x)",
        .why = "It is a rough approximation and differs by up to 0.02. This lab asks for "
               "the exact form, with erff from math.h.",
        .source = "harvard-edge/cs249r_book#1156, ml-explore/mlx#744",
        .function = LIKE(gelu, gelu_sigmoid),
        .convention = true,
    },
    {
        .id = "silu",
        .what = "this is SiLU, x * sigmoid(x)",
        .why = "SiLU (or swish) has a similar shape, but multiplies x by the logistic "
               "curve instead of the normal distribution. GELU needs erff(x / sqrt(2)).",
        .source = NULL,
        .function = LIKE(gelu, silu),
        .convention = true,
    },
    {
        .id = "relu",
        .what = "this is ReLU",
        .why = "ReLU sets everything below 0 to 0; GELU does not: gelu(-1) is -0.1587.",
        .source = NULL,
        .function = LIKE(gelu, relu),
        .convention = true,
    },
    {
        .id = "no-sqrt-2",
        .what = "x is passed to erf without dividing by sqrt(2)",
        .why = "erf belongs to a normal distribution of variance 1/2. A standard normal "
               "variable is below x with probability (1 + erf(x / sqrt(2))) / 2.",
        .source = NULL,
        .function = LIKE(gelu, gelu_without_sqrt2),
    },
    {
        .id = "no-half",
        .what = "the factor 1/2 is missing",
        .why = "1 + erf runs from 0 to 2, but a share runs from 0 to 1. For large x, "
               "gelu(x) is x, not 2x.",
        .source = NULL,
        .function = LIKE(gelu, gelu_without_half),
    },
    {
        .id = "share-alone",
        .what = "the share is not multiplied by x",
        .why =
            "(1 + erf(x / sqrt(2))) / 2 is only the share of x that passes. Multiply x "
            "by it.",
        .source = NULL,
        .function = LIKE(gelu, gelu_only_share),
    },
    {
        .id = "minus-erf",
        .what = "1 - erf is used instead of 1 + erf",
        .why = "This passes the negative numbers and blocks the positive ones.",
        .source = NULL,
        .function = LIKE(gelu, gelu_minus),
    },
    {
        .id = "no-one",
        .what = "the 1 in 1 + erf is missing",
        .why = "erf runs from -1 to 1; add 1 and halve it to get a share from 0 to 1. "
               "Without the 1, large negative numbers come out positive.",
        .source = NULL,
        .function = LIKE(gelu, gelu_erf_alone),
    },
    {
        .id = "over-2",
        .what = "x is divided by 2 before erf, not by sqrt(2)",
        .why = "A standard normal variable is below x with probability (1 + erf(x / "
               "sqrt(2))) / 2.",
        .source = NULL,
        .function = LIKE(gelu, gelu_over_2),
    },
    {
        .id = "times-sqrt-2",
        .what = "x is multiplied by sqrt(2) before erf, not divided by it",
        .why = "A standard normal variable is below x with probability (1 + erf(x / "
               "sqrt(2))) / 2.",
        .source = NULL,
        .function = LIKE(gelu, gelu_times_root),
    },
    {
        .id = "zero",
        .what = "every number becomes 0",
        .why = "1 / 2 is an integer division and gives 0: write 0.5f.",
        .source = NULL,
        .function = LIKE(gelu, gelu_zero),
    },
    {
        .id = "identity",
        .what = "the output equals the input",
        .why = "Without an activation two linear layers in a row are one linear layer.",
        .source = NULL,
        .function = LIKE(gelu, identity),
    },
    {
        .id = "one-number-each",
        .what = "only the first 524288 numbers are computed, one for each thread",
        .why =
            "blocks_for(N) starts at most 2048 blocks of 256 threads. Each thread must "
            "step by the number of threads in the grid, gridDim.x * blockDim.x, while it "
            "is below N: write a for instead of the if.",
        .source = NULL,
        .function = LIKE(gelu, gelu_of_one_grid),
    },
    {0},
};

ACTIVATION(gelu_in_double, gelu_of(x))

// Everything in float, with a division instead of the multiplication.
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

const struct exercise exercise_5_2 = {
    .id = "5.2",
    .name = "gelu",
    .section = "5.2 GELU",
    .hints =
        {
            "Multiply x by the share of a standard normal that lies below x. math.h has "
            "the function you need.",
            "The share is (1 + erf(x / sqrt(2))) / 2; in float, use erff. The tanh form "
            "is a different function.",
            "for each i below N:\n"
            "    y[i] = 0.5f * x[i] * (1.0f + erff(x[i] * 0.70710678f))",
        },
    .gpu_hints =
        {
            "Each number is independent. Thread i starts with number i and continues "
            "with others if there are fewer threads than numbers.",
            "Start at blockIdx.x * blockDim.x + threadIdx.x and step by gridDim.x * "
            "blockDim.x, the number of threads in the grid. Double would only be slower: "
            "use erff.",
            "threads = (size_t)gridDim.x * blockDim.x\n"
            "for (i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < N; i += threads)\n"
            "    y_dev[i] = 0.5f * x_dev[i] * (1.0f + erff(x_dev[i] * 0.70710678f))",
        },
    .parts = gelu_part,
};
