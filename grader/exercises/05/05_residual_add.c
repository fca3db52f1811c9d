// 05_residual_add.c - exercise 5.5, residual_add: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/05/shared.h"

#include <math.h>

#include "05_transformer_block/block.h"

static void fill_coarse(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    case_coarse(test, "x");
    case_coarse(test, "branch");
}

static void fill_large(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_input(test, "x", 1e4f);
    scale_input(test, "branch", 1e4f);
}

static void fill_not_finite(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    float *x = case_f32(test, "x"), *branch = case_f32(test, "branch");
    x[1] = NAN;
    branch[2] = NAN;
    x[3] = INFINITY;
    x[4] = INFINITY;
    branch[4] = -INFINITY;
}

static void fill_every_size(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    rows_of_every_size(test, "x", 1);
    rows_of_every_size(test, "branch", 1);
}

static const struct case_spec residual_cases[] = {
    {.dims = "N=1"},
    {.dims = "N=3", .draws = 2},
    {.dims = "N=17..40", .draws = 2},
    {.dims = "N=7", .fill = fill_large, .note = "numbers near 10000"},
    {.dims = "N=6", .fill = fill_not_finite, .nan = true, .note = "infinities and NaN"},
    {.dims = "N=257"},
    {.dims = "N=70001",
     .fill = fill_coarse,
     .note = "more numbers than 16 bits can count"},
    {.dims = "N=1024", .note = "exactly 1024 numbers"},
    {.dims = "N=0", .note = "a size of 0"},
    {.dims = "N=13",
     .fill = fill_every_size,
     .unit = EVERY_SIZE_UNIT,
     .note = EVERY_SIZE_NOTE},
    {.dims = "N=600001",
     .fill = fill_coarse,
     .note = "more numbers than a GPU grid has threads"},
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

static lab_status residual_of_one_grid(float *y, const float *x, const float *branch,
                                       size_t N)
{
    return residual_add(y, x, branch, N < THREADS_OF_A_GRID ? N : THREADS_OF_A_GRID);
}

RESIDUAL(residual_made_finite, isfinite(a + b) ? a + b : 0.0f)

static const struct mistake residual_mistakes[] = {
    {
        .id = "made-finite",
        .what = "a sum that is not finite is replaced by 0",
        .why = "Infinities and NaN must stay, or training goes on with wrong numbers and "
               "nobody notices.",
        .function = LIKE(residual_add, residual_made_finite),
    },
    {
        .id = "branch-only",
        .what = "x is missing from the sum",
        .why = "Without x, only the output of the last branch reaches the next block.",
        .source = "tensorflow/models#7533",
        .function = LIKE(residual_add, residual_branch_only),
    },
    {
        .id = "x-only",
        .what = "the branch is missing from the sum",
        .why = "The output of the branch is thrown away.",
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
        .why = "Add it: x[i] + branch[i].",
        .source = NULL,
        .function = LIKE(residual_add, residual_subtracted),
    },
    {
        .id = "mean",
        .what = "the sum is halved",
        .why = "Every block would then halve the stream. It is a plain sum.",
        .source = NULL,
        .function = LIKE(residual_add, residual_mean),
    },
    {
        .id = "product",
        .what = "x and the branch are multiplied",
        .why = "Add them: a branch that outputs 0 must leave x unchanged.",
        .source = NULL,
        .function = LIKE(residual_add, residual_product),
    },
    {
        .id = "onto-old",
        .what = "the sum is added to the old content of y",
        .why = "y is an output and has no content yet: write = and not +=.",
        .source = NULL,
        .function = LIKE(residual_add, residual_onto_old),
    },
    {
        .id = "one-number-each",
        .what = "only the first 524288 numbers are computed, one for each thread",
        .why =
            "blocks_for(N) starts at most 2048 blocks of 256 threads: each thread must "
            "step by gridDim.x * blockDim.x while it is below N.",
        .source = NULL,
        .function = LIKE(residual_add, residual_of_one_grid),
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

const struct exercise exercise_5_5 = {
    .id = "5.5",
    .name = "residual_add",
    .section = "5.5 The residual",
    .hints =
        {
            "It is one line in a loop.",
            "y[i] = x[i] + branch[i], for all N numbers.",
            "for each i below N: y[i] = x[i] + branch[i]",
        },
    .gpu_hints =
        {
            "A grid-stride loop with one addition in it.",
            "y[i] = x[i] + branch[i]; i starts at the thread's index and steps by the "
            "number of threads.",
            "threads = (size_t)gridDim.x * blockDim.x\n"
            "for (i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < N; i += threads)\n"
            "    y_dev[i] = x_dev[i] + branch_dev[i]",
        },
    .parts = residual_part,
};
