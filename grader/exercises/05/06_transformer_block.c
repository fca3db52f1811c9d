// 06_transformer_block.c - exercise 5.6, transformer_block: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/05/block.h"
#include "exercises/05/shared.h"
#include "exercises/common/inputs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "05_transformer_block/block.h"
#include "common/rng.h"

// A residual stream that has grown, as it does over many blocks.
static void fill_grown(struct test_case *test, struct lab_rng *rng)
{
    fill_block(test, rng);
    scale_input(test, "x", 10.0f);
}

// For many heads or tokens: the largest of their scores stays small enough to be the same in any order of
// summation.
static void fill_small_scores(struct test_case *test, struct lab_rng *rng)
{
    fill_block(test, rng);
    scale_input(test, "ln1_gain", 0.5f);
    scale_input(test, "ln1_bias", 0.5f);
}

// Layer norm leaves channels 0 and 1 as heads_far_from_0 expects them.
static void fill_far_heads(struct test_case *test, struct lab_rng *rng)
{
    const size_t C = case_dim(test, "C");
    float *w = case_f32(test, "w_qkv");
    fill_without_b_qkv(test, rng);
    for (size_t c = 0; c < 2; c++) {
        case_f32(test, "ln1_gain")[c] = 0.0f;
        case_f32(test, "ln1_bias")[c] = c == 0 ? -1.0f : 1.0f;
    }
    heads_far_from_0(w, w + C * C, C, C, C / case_dim(test, "NH"));
}

static const struct case_spec block_cases[] = {
    {.dims = "causal=1 B=1 T=1 C=1 NH=1 H=1", .fill = fill_block},
    {.dims = "causal=1 B=1 T=2 C=4 NH=1 H=3", .fill = fill_block},
    {.dims = "causal=0 B=1 T=3 C=4 NH=2 H=5", .fill = fill_block, .note = "not causal"},
    {.dims = "causal=1 B=2 T=3 C=4 NH=2 H=16", .draws = 2, .fill = fill_block},
    {.dims = "causal=1 B=2 T=3 C=6 NH=3 H=6",
     .fill = fill_block,
     .note = "T = NH, H = C"},
    {.dims = "causal=0 B=2 T=3 C=6 NH=3 H=6",
     .fill = fill_block,
     .note = "not causal, after a causal call of the same sizes"},
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
    {.dims = "causal=1 B=1 T=259 C=14 NH=2 H=5", .fill = fill_block},
    {.dims = "causal=0 B=1 T=261 C=15 NH=1 H=5",
     .fill = fill_block,
     .note = "not causal"},
    {.dims = "causal=0 B=1 T=1031 C=14 NH=1 H=3",
     .fill = fill_small_scores,
     .cpu_only = true,
     .note = "more than 1024 tokens"},
    {.dims = "causal=1 B=257 T=2 C=16 NH=2 H=3", .fill = fill_block},
    {.dims = "causal=1 B=1 T=3 C=6 NH=3 H=1031", .fill = fill_block},
    {.dims = "causal=0 B=3 T=5 C=134 NH=2 H=9", .fill = fill_block},
    {.dims = "causal=1 B=17 T=21 C=57 NH=19 H=23",
     .fill = fill_block,
     .note = "larger, odd sizes"},
    {.dims = "causal=0 B=2 T=67 C=65 NH=5 H=131",
     .fill = fill_block,
     .note = "larger, odd sizes, not causal"},
    {.dims = "causal=1 B=3 T=1 C=6 NH=2 H=5",
     .fill = fill_block,
     .note = "one token in each sequence"},
    {.dims = "causal=1 B=2 T=3 C=1 NH=1 H=4", .fill = fill_block, .note = "one channel"},
    {.dims = "causal=1 B=2 T=3 C=6 NH=2 H=1",
     .fill = fill_block,
     .note = "an MLP of width 1"},
    {.dims = "causal=1 B=256 T=2 C=16 NH=2 H=3",
     .fill = fill_block,
     .note = "exactly 256 sequences"},
    {.dims = "causal=1 B=1 T=256 C=14 NH=2 H=5",
     .fill = fill_block,
     .note = "exactly 256 tokens"},
    {.dims = "causal=1 B=1 T=3 C=64 NH=16 H=256",
     .fill = fill_block,
     .note = "H = 4 C = 256"},
    {.dims = "causal=1 B=1 T=2 C=256 NH=256 H=3",
     .fill = fill_small_scores,
     .cpu_only = true,
     .note = "256 heads"},
    {.dims = "causal=0 B=2 T=64 C=64 NH=4 H=64",
     .fill = fill_block,
     .note = "T = C = H = 64, not causal"},
    {.dims = "causal=0 B=2 T=3 C=6 NH=2 H=5",
     .fill = fill_far_heads,
     .note = FAR_HEADS_NOTE},
    {.dims = "causal=0 B=2 T=2 C=4 NH=1 H=3",
     .fill = fill_stream_of_every_size,
     .unit = STREAM_OF_EVERY_SIZE_UNIT,
     .note = STREAM_OF_EVERY_SIZE_NOTE},
    {.dims = "causal=1 B=2 T=3 C=7 NH=3 H=5", .note = "NH does not divide C"},
    {.dims = "causal=1 B=0 T=3 C=4 NH=2 H=5", .note = "a size of 0"},
    {.dims = "causal=1 B=2 T=0 C=4 NH=2 H=5", .note = "a size of 0"},
    {.dims = "causal=1 B=2 T=3 C=0 NH=2 H=5", .note = "a size of 0"},
    {.dims = "causal=1 B=2 T=3 C=4 NH=0 H=5", .note = "a size of 0"},
    {.dims = "causal=1 B=2 T=3 C=4 NH=2 H=0", .note = "a size of 0"},
    {0},
};

// BEGIN HANDED OUT
// Absolute and relative tolerance of the results of a block and of a stack.
#define BLOCK_WEIGHTS_TOLERANCE 4e-6f, 4e-5f
#define BLOCK_OUT_TOLERANCE 4e-5f, 4e-5f

// The token that changes in every sequence; the results of the tokens before it must not
// change.
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
// Equal to within rounding: masking after the softmax and normalizing again is
// also correct, but then the masked keys affect the rounding.
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
        .claim = "in a causal block, changing token t+1 leaves outputs up to t unchanged",
        .dims = "causal=1 B=2 T=5 C=16 NH=2 H=3", // narrow rows magnify rounding
        .fill = fill_block,
        .change = change_one_token,
        HOLDS(earlier_outputs_stay),
    },
    {0},
};

#define BLOCK_VALUES out, weights, buffers, x, params, causal, B, T, C, NH, H

// The ways to compute a block; all zero is correct.
struct block_recipe {
    bool no_ln1, no_ln2;           // the branch reads the stream itself
    bool ln1_for_both, ln_swapped; // whose gain and bias
    bool gain1_for_both, bias1_for_both;
    bool mlp_reads_ln1;        // the output of layer norm 2 is not used
    enum stream first, second; // what the two branches are added to
    enum stream mlp_reads;     // the input of layer norm 2
    bool post_norm, mlp_first, always_causal, never_causal;
};

static lab_status normalize(bool skip, float *y, float *mean, float *rstd, const float *x,
                            const float *gain, const float *bias, size_t N, size_t C)
{
    if (skip) {
        memcpy(y, x, N * C * sizeof *y);
        return LAB_OK;
    }
    return layernorm(y, mean, rstd, x, gain, bias, N, C);
}

// LN(x + attention(x)), then the same with the MLP: post-norm, as in the first transformer.
static lab_status post_norm_block(BLOCK_ARGUMENTS)
{
    const struct block_buffers *b = buffers;
    const struct block_params *p = params;
    const size_t N = B * T;
    LAB_TRY(multi_head_attention(b->attended, weights, &b->attention, x, &p->attention,
                                 causal, B, T, C, C, NH));
    for (size_t i = 0; i < N * C; i++) {
        b->middle[i] = x[i] + b->attended[i];
    }
    LAB_TRY(layernorm(b->ln1, b->ln1_mean, b->ln1_rstd, b->middle, p->ln1_gain,
                      p->ln1_bias, N, C));
    LAB_TRY(mlp(b->projected, b->hidden, b->activated, b->ln1, &p->mlp, N, C, H));
    for (size_t i = 0; i < N * C; i++) {
        b->ln2[i] = b->ln1[i] + b->projected[i];
    }
    return layernorm(out, b->ln2_mean, b->ln2_rstd, b->ln2, p->ln2_gain, p->ln2_bias, N,
                     C);
}

static lab_status mlp_first_block(BLOCK_ARGUMENTS)
{
    const struct block_buffers *b = buffers;
    const struct block_params *p = params;
    const size_t N = B * T;
    LAB_TRY(
        layernorm(b->ln1, b->ln1_mean, b->ln1_rstd, x, p->ln1_gain, p->ln1_bias, N, C));
    LAB_TRY(mlp(b->projected, b->hidden, b->activated, b->ln1, &p->mlp, N, C, H));
    LAB_TRY(residual_add(b->middle, x, b->projected, N * C));
    LAB_TRY(layernorm(b->ln2, b->ln2_mean, b->ln2_rstd, b->middle, p->ln2_gain,
                      p->ln2_bias, N, C));
    LAB_TRY(multi_head_attention(b->attended, weights, &b->attention, b->ln2,
                                 &p->attention, causal, B, T, C, C, NH));
    return residual_add(out, b->middle, b->attended, N * C);
}

// Returns what the branch is added to according to the recipe.
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

    LAB_TRY(normalize(recipe.no_ln1, b->ln1, b->ln1_mean, b->ln1_rstd, x,
                      two_first ? p->ln2_gain : p->ln1_gain,
                      two_first ? p->ln2_bias : p->ln1_bias, N, C));
    LAB_TRY(multi_head_attention(b->attended, weights, &b->attention, b->ln1,
                                 &p->attention, causal, B, T, C, C, NH));
    for (size_t i = 0; i < N * C; i++) {
        b->middle[i] = base_of(recipe.first, x[i], x[i], b->ln1[i]) + b->attended[i];
    }
    const float *read = recipe.mlp_reads == FROM_X          ? x
                        : recipe.mlp_reads == FROM_ATTENDED ? b->attended
                                                            : b->middle;
    LAB_TRY(normalize(recipe.no_ln2, b->ln2, b->ln2_mean, b->ln2_rstd, read,
                      one_second || recipe.gain1_for_both ? p->ln1_gain : p->ln2_gain,
                      one_second || recipe.bias1_for_both ? p->ln1_bias : p->ln2_bias, N,
                      C));
    LAB_TRY(mlp(b->projected, b->hidden, b->activated,
                recipe.mlp_reads_ln1 ? b->ln1 : b->ln2, &p->mlp, N, C, H));
    for (size_t i = 0; i < N * C; i++) {
        out[i] = base_of(recipe.second, b->middle[i], x[i], b->ln2[i]) + b->projected[i];
    }
    return LAB_OK;
}

// BLOCK(name, .no_ln1 = true): a transformer_block that follows that recipe.
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
BLOCK(block_gain1_for_both, .gain1_for_both = true)
BLOCK(block_bias1_for_both, .bias1_for_both = true)
BLOCK(block_mlp_reads_ln1, .mlp_reads_ln1 = true)
BLOCK(block_without_ln1, .no_ln1 = true)
BLOCK(block_without_ln2, .no_ln2 = true)
BLOCK(block_without_norms, .no_ln1 = true, .no_ln2 = true)
BLOCK(block_always_causal, .always_causal = true)
BLOCK(block_never_causal, .never_causal = true)

static const struct mistake block_mistakes[] = {
    {
        .id = "post-norm",
        .what = "this is a post-norm block: the layer norm comes after the addition",
        .why = "The first transformer did this. Here, as in GPT-2, each branch "
               "reads a normalized copy, and the stream itself is never normalized: "
               "x + attention(ln1(x)).",
        .source =
            "harvardnlp/annotated-transformer#1, #13, hkproj/pytorch-transformer#14",
        .function = LIKE(transformer_block, block_post_norm),
        .convention = true,
    },
    {
        .id = "residuals-from-normed",
        .what = "both branches are added to the normalized copy, not to the stream",
        .why = "Add each branch to the stream BEFORE its layer norm: x, then middle. "
               "Otherwise every block normalizes the stream.",
        .source = "pytorch/pytorch#61165, tracel-ai/burn#1056, "
                  "Howuhh/faster-trajectory-transformer#3",
        .function = LIKE(transformer_block, block_both_from_normed),
    },
    {
        .id = "first-from-normed",
        .what = "the attention is added to ln1, not to x",
        .why = "The stream must bypass the layer norm: middle = x + attended.",
        .source = "lbcb-sci/RiNALMo#9",
        .function = LIKE(transformer_block, block_first_from_normed),
    },
    {
        .id = "second-from-normed",
        .what = "the MLP is added to ln2, not to middle",
        .why = "The stream must bypass the layer norm: out = middle + projected.",
        .source = "Project-MONAI/MONAI#9011",
        .function = LIKE(transformer_block, block_second_from_normed),
    },
    {
        .id = "no-residual",
        .what = "there is no residual: the branches replace the stream",
        .why =
            "Add the output of a branch to the stream: x + attended, middle + projected.",
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
        .what = "the MLP is added to x, and the attention's output is lost",
        .why = "After the first addition the stream is middle: out = middle + projected.",
        .source = "strutive07/transformer-tensorflow2.0#14",
        .function = LIKE(transformer_block, block_second_from_x),
    },
    {
        .id = "parallel",
        .what = "both branches read x: the MLP does not see the attention's output",
        .why = "GPT-J and PaLM do this. Here the branches run one after the other: layer "
               "norm 2 reads middle.",
        .source = NULL,
        .function = LIKE(transformer_block, block_parallel),
        .convention = true,
    },
    {
        .id = "mlp-reads-attended",
        .what = "layer norm 2 reads the attention's output, without x",
        .why =
            "The MLP reads the stream after the first addition: layer norm 2 of middle.",
        .source = NULL,
        .function = LIKE(transformer_block, block_mlp_reads_attended),
    },
    {
        .id = "ln-shared",
        .what = "layer norm 2 uses the gain and bias of layer norm 1",
        .why = "Each layer norm has its own parameters: ln2_gain and ln2_bias. In a new "
               "model all gains are 1 and all biases 0, so the mistake does not show.",
        .source = "allenai/OLMo#222, ml-explore/mlx#1636",
        .function = LIKE(transformer_block, block_ln1_for_both),
    },
    {
        .id = "ln2-with-ln1_gain",
        .what = "layer norm 2 uses the gain of layer norm 1",
        .why = "Layer norm 2 needs ln2_gain.",
        .source = NULL,
        .function = LIKE(transformer_block, block_gain1_for_both),
    },
    {
        .id = "ln2-with-ln1_bias",
        .what = "layer norm 2 uses the bias of layer norm 1",
        .why = "Layer norm 2 needs ln2_bias.",
        .source = NULL,
        .function = LIKE(transformer_block, block_bias1_for_both),
    },
    {
        .id = "mlp-reads-ln1",
        .what = "the MLP reads ln1, the normalized copy of x",
        .why = "Its branch starts at middle: pass ln2 to mlp.",
        .source = NULL,
        .function = LIKE(transformer_block, block_mlp_reads_ln1),
    },
    {
        .id = "ln-swapped",
        .what = "the gains and biases of the two layer norms are swapped",
        .why = "Layer norm 1 comes before the attention, layer norm 2 before the MLP.",
        .source = "ml-explore/mlx#1636",
        .function = LIKE(transformer_block, block_ln_swapped),
    },
    {
        .id = "no-ln1",
        .what = "the attention reads x itself, not its normalized copy",
        .why =
            "Pass ln1 to multi_head_attention. Without the norm its scores grow with the "
            "stream, block after block.",
        .source = NULL,
        .function = LIKE(transformer_block, block_without_ln1),
    },
    {
        .id = "no-ln2",
        .what = "the MLP reads middle itself, not its normalized copy",
        .why = "Pass ln2 to mlp.",
        .source = NULL,
        .function = LIKE(transformer_block, block_without_ln2),
    },
    {
        .id = "no-norms",
        .what = "there is no layer norm at all",
        .why = "Each branch reads a normalized copy: ln1 of x, ln2 of middle.",
        .source = NULL,
        .function = LIKE(transformer_block, block_without_norms),
    },
    {
        .id = "mlp-first",
        .what = "the MLP comes before the attention",
        .why =
            "First the tokens exchange information, then each token is processed alone: "
            "attention, then MLP.",
        .source = NULL,
        .function = LIKE(transformer_block, block_mlp_first),
    },
    {
        .id = "always-causal",
        .what = "the attention is causal even when causal is false",
        .why = "Pass causal on to multi_head_attention.",
        .source = NULL,
        .function = LIKE(transformer_block, block_always_causal),
    },
    {
        .id = "never-causal",
        .what = "the attention is not causal even when causal is true",
        .why = "Pass causal on to multi_head_attention. As it is, every token sees the "
               "tokens it should predict.",
        .source = NULL,
        .function = LIKE(transformer_block, block_never_causal),
    },
    {0},
};

static const struct mistake block_alternatives[] = {
    {.id = "plain-loops", .function = LIKE(transformer_block, block_in_plain_loops)},
    {.id = "folded-norms", .function = LIKE(transformer_block, block_with_folded_norms)},
    {0},
};

static const struct part block_part[] = {
    {
        .function = "transformer_block",
        .passes_status_on = true,
        .dims = "causal B T C NH H",
        .tensors =
            BLOCK_TENSOR_SPECS("out", "", BLOCK_OUT_TOLERANCE, BLOCK_WEIGHTS_TOLERANCE),
        .stages = "ln1 qkv:ln1 q:qkv k:qkv v:qkv q_heads:q k_heads:k v_heads:v mask "
                  "scores:q_heads,k_heads weights:scores,mask "
                  "out_heads:weights,v_heads merged:out_heads attended:merged "
                  "middle:attended ln2:middle hidden:ln2 activated:hidden "
                  "projected:activated out:middle,projected",
        .cases = block_cases,
        .properties = block_properties,
        .mistakes = block_mistakes,
        .alternatives = block_alternatives,
    },
    {0},
};

const struct exercise exercise_5_6 = {
    .id = "5.6",
    .name = "transformer_block",
    .section = "5.6 The block",
    .uses = {"4.6", "5.1", "5.3", "5.5"},
    .hints =
        {
            "Draw the stream as a straight line from x to out. Two branches leave "
            "it and return. What reads the normalized copy, and what is added to the "
            "stream itself?",
            "ln1 = layernorm(x); attended = multi_head_attention(ln1); middle = x + "
            "attended; ln2 = layernorm(middle) with its own gain and bias; projected = "
            "mlp(ln2); out = middle + projected. All rows together are N = B * T.",
            "layernorm(ln1, ln1_mean, ln1_rstd, x, ln1_gain, ln1_bias, B*T, C)\n"
            "multi_head_attention(attended, weights, &buffers->attention, ln1,\n"
            "                     &params->attention, causal, B, T, C, C, NH)\n"
            "residual_add(middle, x, attended, B*T*C)\n"
            "layernorm(ln2, ln2_mean, ln2_rstd, middle, ln2_gain, ln2_bias, B*T, C)\n"
            "mlp(projected, hidden, activated, ln2, &params->mlp, B*T, C, H)\n"
            "residual_add(out, middle, projected, B*T*C)\n"
            "each call in LAB_TRY; return LAB_OK",
        },
    .parts = block_part,
};
