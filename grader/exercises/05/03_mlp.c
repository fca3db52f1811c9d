// 03_mlp.c - exercise 5.3, mlp: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/05/shared.h"
#include "exercises/common/inputs.h"

#include <math.h>

#include "05_transformer_block/block.h"

// Scales the weights so that the outputs are near unit scale.
static void fill_mlp(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    scale_input(test, "w_fc", 1.0f / sqrtf((float)case_dim(test, "C")));
    scale_input(test, "w_proj", 1.0f / sqrtf((float)case_dim(test, "H")));
}

// The rounding errors of long sums add up. Multiplying by exactly 1/4 keeps the outputs, and
// with them the errors, well below the tolerance.
static void fill_mlp_long_sums(struct test_case *test, struct lab_rng *rng)
{
    fill_mlp(test, rng);
    scale_input(test, "w_proj", 0.25f);
    scale_input(test, "b_proj", 0.25f);
}

// Every input of GELU is near -2.70, where the tanh form is least accurate, and nothing
// cancels.
static void fill_mlp_near_minus_2_7(struct test_case *test, struct lab_rng *rng)
{
    fill_mlp(test, rng);
    scale_input(test, "w_fc", 0.1f);
    spread_input(test, rng, "b_fc", -2.9f, -2.5f);
    spread_input(test, rng, "w_proj", 0.2f, 0.4f);
    scale_input(test, "b_proj", 0.01f);
}

static void set_whole(struct test_case *test, const char *input)
{
    for (size_t i = 0; i < case_count(test, input); i++) {
        case_f32(test, input)[i] = (float)(1 + i % 3);
    }
}

// Every row has another size, which its hidden numbers and y keep. Nothing cancels.
static void fill_mlp_every_size(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    rows_of_every_size(test, "x", case_dim(test, "C"));
    set_whole(test, "w_fc");
    set_whole(test, "w_proj");
    set_all(test, "b_fc", 0.0f);
    set_all(test, "b_proj", 0.0f);
}

static void repeated(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    static const char *const weights[] = {"w_fc", "b_fc", "w_proj", "b_proj"};
    repeat_numbers(test, "x", 1);
    for (size_t i = 0; i < sizeof weights / sizeof weights[0]; i++) {
        set_all(test, weights[i], 1.0f);
    }
}

static const struct case_spec mlp_cases[] = {
    {.dims = "N=1 C=1 H=1", .fill = fill_mlp},
    {.dims = "N=1 C=2 H=3", .fill = fill_mlp},
    {.dims = "N=2 C=2 H=4", .fill = fill_mlp},
    {.dims = "N=3 C=4 H=2", .fill = fill_mlp, .note = "H below C"},
    {.dims = "N=3 C=4 H=4", .fill = fill_mlp, .note = "H = C"},
    {.dims = "N=3 C=3 H=3", .fill = fill_mlp, .note = "every size is the same"},
    {.dims = "N=4 C=4 H=6", .fill = fill_mlp, .note = "N = C"},
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
    {.dims = "N=2 C=1031 H=7", .fill = fill_mlp_long_sums, .note = "H below C"},
    {.dims = "N=2 C=7 H=1031", .fill = fill_mlp_long_sums, .note = "a wide hidden layer"},
    {.dims = "N=19 C=131 H=65", .fill = fill_mlp_long_sums, .note = "H below C"},
    {.dims = "N=67 C=65 H=259", .fill = fill_mlp_long_sums, .note = "larger, odd sizes"},
    {.dims = "N=4 C=1 H=5", .fill = fill_mlp, .note = "one channel"},
    {.dims = "N=256 C=3 H=5", .fill = fill_mlp, .note = "exactly 256 rows"},
    {.dims = "N=2 C=256 H=8", .fill = fill_mlp_long_sums, .note = "exactly 256 channels"},
    {.dims = "N=16 C=64 H=256", .fill = fill_mlp_long_sums, .note = "H = 4 C"},
    {.dims = "N=0 C=2 H=3", .note = "a size of 0"},
    {.dims = "N=2 C=0 H=3", .note = "a size of 0"},
    {.dims = "N=2 C=2 H=0", .note = "a size of 0"},
    {.dims = "N=6 C=3 H=4",
     .fill = fill_mlp_every_size,
     .unit = EVERY_SIZE_UNIT,
     .note = EVERY_SIZE_NOTE},
    {MORE_THAN_16_BITS("N=65543 C=1 H=1", repeated, "65543 rows")},
    {0},
};

#define MLP_ARGUMENTS                                                                    \
    float *y, float *hidden, float *activated, const float *x,                           \
        const struct mlp_params *params, size_t N, size_t C, size_t H
#define MLP_VALUES y, hidden, activated, x, params, N, C, H

// The ways to compute an MLP; all zero is correct.
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

// MLP(name, .no_b_fc = true): an mlp that follows that recipe.
#define MLP(name, ...)                                                                   \
    static lab_status name(MLP_ARGUMENTS)                                                \
    {                                                                                    \
        return mlp_with((struct mlp_recipe){__VA_ARGS__}, MLP_VALUES);                   \
    }

MLP(mlp_without_activation, .activation = identity)
MLP(mlp_activation_last, .activation_last = true)
MLP(mlp_activation_both, .activation_both = true)
MLP(mlp_tanh, .activation = gelu_by_tanh)
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
        .why = "Two linear layers in a row are one linear layer, whatever H is. "
               "Call gelu on hidden and give activated to the second layer.",
        .source = "YujiaBao/ls#1, Nota-NetsPresso/netspresso-trainer#320",
        .function = LIKE(mlp, mlp_without_activation),
    },
    {
        .id = "activation-last",
        .what = "the activation comes after the second layer instead of between the two",
        .why = "The output is added to the stream, so it must be able to take any value. "
               "Without gelu between them, the two layers are one. Apply gelu to hidden.",
        .source = "goruck/nilm#1, spring-media/TransformerTTS#102",
        .function = LIKE(mlp, mlp_activation_last),
    },
    {
        .id = "activation-both",
        .what = "the activation is applied after the second layer as well",
        .why =
            "It belongs only between the two layers: the output is added to the stream "
            "and must be able to take any value.",
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
        .why = "The first transformer used ReLU; this lab uses GELU, like GPT-2.",
        .source = NULL,
        .function = LIKE(mlp, mlp_relu),
        .convention = true,
    },
    {
        .id = "fc-in-out",
        .what = "w_fc is read as (C, H)",
        .why =
            "Weights are (out, in), here (H, C): hidden is x w_fc^T, as batched_linear "
            "computes it. GPT-2's files store them transposed.",
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
        .why = "The bias of the first layer shifts the input of each GELU. Pass it to "
               "batched_linear instead of NULL.",
        .source = NULL,
        .function = LIKE(mlp, mlp_without_b_fc),
    },
    {
        .id = "no-b-proj",
        .what = "b_proj is missing",
        .why = "Pass it to the second batched_linear instead of NULL.",
        .source = NULL,
        .function = LIKE(mlp, mlp_without_b_proj),
    },
    {
        .id = "no-biases",
        .what = "both biases are missing",
        .why = "Pass b_fc and b_proj to the two calls of batched_linear instead of NULL.",
        .source = NULL,
        .function = LIKE(mlp, mlp_without_biases),
    },
    {
        .id = "adds-x",
        .what = "x is added to the result",
        .why = "Leave the residual to the block, which adds the stream itself. Here x is "
               "only a normalized copy of the stream.",
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
            activated[h] = (float)gelu_of(sum);
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
        .passes_status_on = true,
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

const struct exercise exercise_5_3 = {
    .id = "5.3",
    .name = "mlp",
    .section = "5.3 The MLP",
    .uses = {"2.3", "5.2"},
    .hints =
        {
            "Call three functions you have written. Which widths does each of them need?",
            "hidden (N, H) = batched_linear of x with w_fc and b_fc; activated = gelu "
            "of hidden; y (N, C) = batched_linear of activated with w_proj and b_proj. "
            "N rows are a batch of one sequence.",
            "batched_linear(hidden, x, w_fc, b_fc, 1, N, C, H)\n"
            "gelu(activated, hidden, N * H)\n"
            "batched_linear(y, activated, w_proj, b_proj, 1, N, H, C)\n"
            "each call in LAB_TRY; return LAB_OK",
        },
    .parts = mlp_part,
};
