// 11a_model_forward.c - 6.11, the forward pass: cases and mistakes of model_forward.

#include "exercises/exercise.h"
#include "exercises/06/11_whole_model.h"
#include "exercises/06/in_double.h"
#include "exercises/06/shared.h"
#include "exercises/common/inputs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "02_batching/batching.h"
#include "06_copy_task/copy_task.h"

void scale_params(struct test_case *test, const char *prefix, size_t C, size_t H)
{
    static const char *const gains[] = {"ln1_gain", "ln2_gain"};
    static const char *const small[] = {"ln1_bias", "b_qkv", "b_o",
                                        "ln2_bias", "b_fc",  "b_proj"};
    static const char *const matrices[] = {"w_qkv", "w_o", "w_fc", "w_proj"};
    char name[64];
    for (size_t i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "%s%s", prefix, gains[i]);
        float *gain = case_f32(test, name);
        for (size_t j = 0; j < case_count(test, name); j++) {
            gain[j] = 1.0f + 0.3f * gain[j];
        }
    }
    for (size_t i = 0; i < 6; i++) {
        snprintf(name, sizeof name, "%s%s", prefix, small[i]);
        scale_input(test, name, 0.3f);
    }
    for (size_t i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "%s%s", prefix, matrices[i]);
        scale_input(test, name, 1.0f / sqrtf((float)(i == 3 ? H : C)));
    }
}

// All inputs except dropout and uniforms. The rows of the tables are such that no row of the
// stream is nearly constant.
static void fill_tables(struct test_case *test, struct lab_rng *rng)
{
    const size_t C = case_dim(test, "C"), H = case_dim(test, "H");
    draw_tokens(test, rng, "tokens");
    draw_tokens(test, rng, "targets");
    scale_params(test, "params.", C, H);
    scale_input(test, "params.w_out", 1.5f / sqrtf((float)C));
    spread_rows(case_f32(test, "params.token_table"), case_dim(test, "V"), C, 1.0f);
    scale_input(test, "params.position_table", 0.5f);
    if (case_dim(test, "positions") == POSITIONS_NONE) {
        case_absent(test, "params.position_table");
    }
}

void fill_model(struct test_case *test, struct lab_rng *rng)
{
    fill_tables(test, rng);
    case_f32(test, "dropout")[0] = 0.0f;
    case_absent(test, "uniforms");
}

static void fill_dropout(struct test_case *test, struct lab_rng *rng)
{
    fill_model(test, rng);
    case_f32(test, "dropout")[0] = 0.25f;
}

void fill_with_uniforms(struct test_case *test, struct lab_rng *rng)
{
    fill_tables(test, rng);
    case_f32(test, "dropout")[0] = 0.25f;
    lab_rng_rand(rng, case_f32(test, "uniforms"), case_count(test, "uniforms"));
}

static void fill_logits_only(struct test_case *test, struct lab_rng *rng)
{
    fill_model(test, rng);
    case_absent(test, "loss");
    case_absent(test, "targets");
    case_absent(test, "z.probabilities");
}

static void fill_training_logits_only(struct test_case *test, struct lab_rng *rng)
{
    fill_with_uniforms(test, rng);
    case_absent(test, "loss");
    case_absent(test, "targets");
    case_absent(test, "z.probabilities");
}

static void fill_loss_without_targets(struct test_case *test, struct lab_rng *rng)
{
    fill_model(test, rng);
    case_absent(test, "targets");
}

static void fill_targets_without_loss(struct test_case *test, struct lab_rng *rng)
{
    fill_model(test, rng);
    case_absent(test, "loss");
}

void fill_model_bad_token(struct test_case *test, struct lab_rng *rng)
{
    fill_model(test, rng);
    last_token_too_large(test, "tokens");
}

void fill_model_bad_target(struct test_case *test, struct lab_rng *rng)
{
    fill_model(test, rng);
    last_token_too_large(test, "targets");
}

static void fill_dropout_of_1(struct test_case *test, struct lab_rng *rng)
{
    fill_model(test, rng);
    case_f32(test, "dropout")[0] = 1.0f;
}

static void fill_last_token(struct test_case *test, struct lab_rng *rng)
{
    fill_model(test, rng);
    case_size(test, "tokens")[0] = case_dim(test, "V") - 1;
}

const struct case_spec model_forward_cases[] = {
    {.dims = "B=1 T=1 T_max=1 V=2 C=4 NH=1 hs=4 H=3 L=1 L1=2 causal=1 positions=0",
     .fill = fill_model,
     .note = "one token, no positions"},
    {.dims = "B=1 T=2 T_max=3 V=3 C=4 NH=1 hs=4 H=3 L=1 L1=2 causal=1 positions=1",
     .fill = fill_model},
    {.dims = "B=1 T=3 T_max=3 V=4 C=4 NH=2 hs=2 H=3 L=1 L1=2 causal=0 positions=1",
     .fill = fill_model,
     .note = "no causal mask"},
    {.dims = "B=1 T=1 T_max=1 V=9 C=4 NH=1 hs=4 H=3 L=1 L1=2 causal=1 positions=0",
     .fill = fill_last_token,
     .note = "one token, V - 1"},
    {.dims = "B=2 T=3 T_max=4 V=5 C=6 NH=2 hs=3 H=7 L=1 L1=2 causal=1 positions=1",
     .fill = fill_model},
    {.dims = "B=2 T=3 T_max=4 V=5 C=6 NH=3 hs=2 H=7 L=2 L1=3 causal=1 positions=2",
     .fill = fill_model,
     .note = "two blocks, positions that are not trained"},
    {.dims = "B=2 T=3 T_max=3 V=5 C=6 NH=2 hs=3 H=5 L=2 L1=3 causal=0 positions=1",
     .fill = fill_model,
     .note = "two blocks, no causal mask"},
    {.dims = "B=3 T=4 T_max=5 V=7 C=6 NH=2 hs=3 H=8 L=2 L1=3 causal=1 positions=1",
     .fill = fill_with_uniforms,
     .note = "training, with dropout of 0.25"},
    {.dims = "B=2 T=4 T_max=6 V=7 C=6 NH=2 hs=3 H=8 L=1 L1=2 causal=1 positions=1",
     .fill = fill_dropout,
     .note = "dropout of 0.25 in the shape, but uniforms is NULL: evaluation"},
    {.dims = "B=2 T=5 T_max=5 V=6 C=8 NH=2 hs=4 H=9 L=2 L1=3 causal=1 positions=1",
     .fill = fill_logits_only,
     .note = "loss and targets are NULL: stop at the logits"},
    {.dims = "B=3 T=5 T_max=7 V=9 C=8 NH=4 hs=2 H=11 L=3 L1=4 causal=1 positions=1",
     .fill = fill_model,
     .note = "three blocks"},
    {.dims = "B=256 T=2 T_max=3 V=3 C=4 NH=1 hs=4 H=3 L=1 L1=2 causal=1 positions=1",
     .fill = fill_model,
     .cpu_only = true,
     .note = "256 sequences"},
    {.dims = "B=2 T=256 T_max=256 V=3 C=4 NH=2 hs=2 H=3 L=1 L1=2 causal=1 positions=1",
     .fill = fill_model,
     .cpu_only = true,
     .note = "256 tokens"},
    {.dims = "B=4 T=8 T_max=8 V=10 C=32 NH=4 hs=8 H=128 L=1 L1=2 causal=1 positions=1",
     .fill = fill_model,
     .note = "the copy task's model"},
    {.dims = "B=3 T=1 T_max=4 V=5 C=6 NH=2 hs=3 H=7 L=2 L1=3 causal=1 positions=1",
     .fill = fill_model,
     .note = "one token in each sequence"},
    {.dims = "B=3 T=1 T_max=1 V=8 C=6 NH=2 hs=3 H=7 L=2 L1=3 causal=1 positions=1",
     .fill = fill_model,
     .note = "one token in each sequence, one position"},
    {.dims = "B=1 T=3 T_max=4 V=5 C=6 NH=2 hs=3 H=7 L=2 L1=3 causal=1 positions=1",
     .fill = fill_model,
     .note = "one sequence, two blocks"},
    {.dims = "B=2 T=3 T_max=4 V=5 C=6 NH=1 hs=6 H=7 L=2 L1=3 causal=1 positions=1",
     .fill = fill_model,
     .note = "one head, two blocks"},
    {.dims = "B=2 T=3 T_max=4 V=5 C=6 NH=2 hs=3 H=1 L=2 L1=3 causal=1 positions=1",
     .fill = fill_model,
     .note = "an MLP of width 1"},
    {.dims = "B=2 T=3 T_max=4 V=1 C=6 NH=2 hs=3 H=7 L=2 L1=3 causal=1 positions=1",
     .fill = fill_model,
     .note = "V is 1"},
    {.dims = "B=2 T=3 T_max=4 V=5 C=6 NH=2 hs=3 H=7 L=1 L1=2 causal=1 positions=1",
     .fill = fill_model_bad_token,
     .note = "the last token is V, which is not below V"},
    {.dims = "B=2 T=3 T_max=4 V=5 C=6 NH=2 hs=3 H=7 L=1 L1=2 causal=1 positions=1",
     .fill = fill_model_bad_target,
     .note = "the last target is V, which is not below V"},
    {.dims = "B=2 T=3 T_max=4 V=5 C=6 NH=2 hs=3 H=7 L=1 L1=2 causal=1 positions=1",
     .fill = fill_loss_without_targets,
     .note = "loss is not NULL but targets is"},
    {.dims = "B=2 T=3 T_max=4 V=5 C=6 NH=2 hs=3 H=7 L=1 L1=2 causal=1 positions=1",
     .fill = fill_targets_without_loss,
     .note = "targets is not NULL but loss is"},
    {.dims = "B=2 T=3 T_max=4 V=5 C=6 NH=2 hs=3 H=7 L=1 L1=2 causal=1 positions=1",
     .fill = fill_dropout_of_1,
     .note = "dropout of 1"},
    {.dims = "B=2 T=3 T_max=4 V=5 C=7 NH=2 hs=3 H=7 L=1 L1=2 causal=1 positions=1",
     .fill = fill_model,
     .note = "NH does not divide C"},
    {.dims = "B=2 T=5 T_max=4 V=5 C=6 NH=2 hs=3 H=7 L=1 L1=2 causal=1 positions=1",
     .fill = fill_model,
     .note = "more tokens than positions"},
    {.dims = "B=2 T=3 T_max=4 V=5 C=6 NH=2 hs=3 H=0 L=1 L1=2 causal=1 positions=1",
     .note = "a size of 0"},
    {.dims = "B=2 T=3 T_max=3 V=5 C=6 NH=2 hs=3 H=7 L=1 L1=2 causal=1 positions=0",
     .fill = fill_with_uniforms,
     .note = "training without positions"},
    {.dims = "B=2 T=3 T_max=4 V=5 C=6 NH=2 hs=3 H=7 L=1 L1=2 causal=1 positions=1",
     .fill = fill_training_logits_only,
     .note = "training, loss and targets are NULL"},
    {0},
};

// The arguments of model_forward, for declarations and for calls.
#define FORWARD_ARGUMENTS                                                                \
    float *loss, const struct model_activations *z, const struct model_params *params,   \
        const size_t *tokens, const size_t *targets, const float *uniforms,              \
        const struct model_shape *shape
#define FORWARD_VALUES loss, z, params, tokens, targets, uniforms, shape

enum forward_fault {
    FORWARD_RIGHT,
    FORWARD_NO_POSITIONS,
    FORWARD_FIRST_POSITION,
    FORWARD_NO_DROPOUT,
    FORWARD_DROPOUT_FIRST,
    FORWARD_DROPOUT_UNSCALED,
    FORWARD_FIRST_PARAMS,
    FORWARD_FIRST_INPUT,
    FORWARD_NOT_CAUSAL,
    FORWARD_ALWAYS_CAUSAL,
    FORWARD_FINAL_NORM,
    FORWARD_NO_OUTPUT_BIAS,
    FORWARD_SKIPS_LAST,
    FORWARD_SCALED_EMBEDDING,
};

// streams[0] from the tokens.
static void enter(enum forward_fault fault, const struct model_activations *z,
                  const struct model_params *params, const size_t *tokens,
                  const float *uniforms, const struct model_shape *s)
{
    const size_t BTC = s->B * s->T * s->C;
    const float factor = fault == FORWARD_SCALED_EMBEDDING ? sqrtf((float)s->C) : 1.0f;
    const float kept =
        fault == FORWARD_DROPOUT_UNSCALED ? 1.0f : 1.0f / (1.0f - s->dropout);
    const bool positions =
        params->position_table != NULL && fault != FORWARD_NO_POSITIONS;
    const bool drops = uniforms != NULL && fault != FORWARD_NO_DROPOUT;
    for (size_t i = 0; i < BTC; i++) {
        const size_t c = i % s->C, t = i / s->C % s->T, token = tokens[i / s->C];
        const size_t row = fault == FORWARD_FIRST_POSITION ? 0 : t;
        const float by = !drops ? 1.0f : uniforms[i] < 1.0f - s->dropout ? kept : 0.0f;
        const float position = positions ? params->position_table[row * s->C + c] : 0.0f;
        z->embedded[i] = factor * params->token_table[token * s->C + c];
        z->positioned[i] = z->embedded[i] + position;
        z->streams[i] = fault == FORWARD_DROPOUT_FIRST ? by * z->embedded[i] + position
                                                       : by * z->positioned[i];
    }
}

// A layer norm of every row of x, without gain and bias, into y.
static void plain_norm(float *y, const float *x, size_t N, size_t C)
{
    for (size_t n = 0; n < N; n++) {
        double mean = 0.0, variance = 0.0;
        for (size_t c = 0; c < C; c++) {
            mean += (double)x[n * C + c] / (double)C;
        }
        for (size_t c = 0; c < C; c++) {
            variance +=
                ((double)x[n * C + c] - mean) * ((double)x[n * C + c] - mean) / (double)C;
        }
        for (size_t c = 0; c < C; c++) {
            y[n * C + c] = (float)(((double)x[n * C + c] - mean) /
                                   sqrt(variance + (double)LAYERNORM_EPS));
        }
    }
}

static lab_status forward_with(enum forward_fault fault, FORWARD_ARGUMENTS)
{
    const struct model_shape *s = shape;
    lab_status status = model_forward(FORWARD_VALUES); // for its checks
    if (status != LAB_OK) {
        return status;
    }
    const size_t BTC = s->B * s->T * s->C, BNHTT = s->B * s->NH * s->T * s->T;
    const bool causal =
        fault == FORWARD_ALWAYS_CAUSAL || (s->causal && fault != FORWARD_NOT_CAUSAL);
    enter(fault, z, params, tokens, uniforms, s);
    for (size_t l = 0; l < s->L; l++) {
        const struct block_params block =
            model_block_params(params, s, fault == FORWARD_FIRST_PARAMS ? 0 : l);
        const struct block_buffers buffers = model_block_buffers(z, s, l);
        must(transformer_block(z->streams + (l + 1) * BTC, z->weights + l * BNHTT,
                               &buffers,
                               z->streams + (fault == FORWARD_FIRST_INPUT ? 0 : l) * BTC,
                               &block, causal, s->B, s->T, s->C, s->NH, s->H));
    }
    float *last = borrow(BTC);
    const float *top = z->streams + (s->L - (fault == FORWARD_SKIPS_LAST)) * BTC;
    memcpy(last, top, BTC * sizeof *last);
    if (fault == FORWARD_FINAL_NORM) {
        plain_norm(last, top, s->B * s->T, s->C);
    }
    must(batched_linear(z->logits, last, params->w_out,
                        fault == FORWARD_NO_OUTPUT_BIAS ? NULL : params->b_out, s->B,
                        s->T, s->C, s->V));
    free(last);
    if (targets != NULL) {
        must(
            cross_entropy(loss, z->probabilities, z->logits, targets, s->B * s->T, s->V));
    }
    return LAB_OK;
}

#define FORWARD(name, fault)                                                             \
    static lab_status name(FORWARD_ARGUMENTS)                                            \
    {                                                                                    \
        return forward_with(fault, FORWARD_VALUES);                                      \
    }

FORWARD(forward_no_positions, FORWARD_NO_POSITIONS)
FORWARD(forward_first_position, FORWARD_FIRST_POSITION)
FORWARD(forward_no_dropout, FORWARD_NO_DROPOUT)
FORWARD(forward_dropout_first, FORWARD_DROPOUT_FIRST)
FORWARD(forward_dropout_unscaled, FORWARD_DROPOUT_UNSCALED)
FORWARD(forward_first_params, FORWARD_FIRST_PARAMS)
FORWARD(forward_first_input, FORWARD_FIRST_INPUT)
FORWARD(forward_not_causal, FORWARD_NOT_CAUSAL)
FORWARD(forward_always_causal, FORWARD_ALWAYS_CAUSAL)
FORWARD(forward_final_norm, FORWARD_FINAL_NORM)
FORWARD(forward_no_output_bias, FORWARD_NO_OUTPUT_BIAS)
FORWARD(forward_skips_last, FORWARD_SKIPS_LAST)
FORWARD(forward_scaled_embedding, FORWARD_SCALED_EMBEDDING)
FORWARD(forward_by_pieces, FORWARD_RIGHT)

const struct mistake model_forward_mistakes[] = {
    {
        .id = "no-positions",
        .what = "the positions are not added",
        .why =
            "streams[0] is the embedding plus row t of position_table, if there is one.",
        .function = LIKE(model_forward, forward_no_positions),
    },
    {
        .id = "position-0",
        .what = "every token gets the position of the first",
        .why = "Token t of every sequence gets row t: position_table[t * C + c].",
        .function = LIKE(model_forward, forward_first_position),
    },
    {
        .id = "no-dropout",
        .what = "there is no dropout, although uniforms are given",
        .why =
            "uniforms not NULL means training: dropout(positioned) with shape->dropout.",
        .function = LIKE(model_forward, forward_no_dropout),
    },
    {
        .id = "dropout-before-positions",
        .what = "dropout is applied before the positions are added",
        .why = "Apply dropout to the sum of embedding and position.",
        .function = LIKE(model_forward, forward_dropout_first),
    },
    {
        .id = "dropout-not-scaled",
        .what = "the numbers that dropout keeps are not divided by 1 - p",
        .why = "Lab 5's dropout does this to keep the mean: call it with training true.",
        .source = "rasbt/LLMs-from-scratch#431",
        .function = LIKE(model_forward, forward_dropout_unscaled),
    },
    {
        .id = "block-0-params",
        .what = "every block uses the parameters of block 0",
        .why = "Block l has its own: model_block_params(params, shape, l).",
        .function = LIKE(model_forward, forward_first_params),
    },
    {
        .id = "blocks-beside-each-other",
        .what = "every block reads streams[0]",
        .why = "Block l reads the output of block l - 1, streams[l], and writes "
               "streams[l + 1].",
        .function = LIKE(model_forward, forward_first_input),
    },
    {
        .id = "not-causal",
        .what = "there is no causal mask, although shape->causal is set",
        .why = "Pass shape->causal on to transformer_block.",
        .source = "keras-team/keras#23040",
        .function = LIKE(model_forward, forward_not_causal),
    },
    {
        .id = "always-causal",
        .what = "there is a causal mask, although shape->causal is not set",
        .why = "Pass shape->causal on to transformer_block.",
        .function = LIKE(model_forward, forward_always_causal),
    },
    {
        .id = "final-norm",
        .what = "there is a layer norm before the output",
        .why =
            "GPT-2 has one there; this lab's model goes straight from the last block to "
            "the output layer.",
        .function = LIKE(model_forward, forward_final_norm),
        .convention = true,
    },
    {
        .id = "no-output-bias",
        .what = "the output layer's bias is missing",
        .why = "logits = streams[L] w_out^T + b_out.",
        .function = LIKE(model_forward, forward_no_output_bias),
    },
    {
        .id = "skips-last-block",
        .what = "the logits use the INPUT of the last block",
        .why = "streams has L + 1 entries; the last block's output is streams[L].",
        .function = LIKE(model_forward, forward_skips_last),
    },
    {
        .id = "scaled-embedding",
        .what = "the embedding is multiplied by sqrt(C)",
        .why = "Vaswani et al. (2017) do that; this lab's model does not.",
        .function = LIKE(model_forward, forward_scaled_embedding),
        .convention = true,
    },
    {0},
};

const struct mistake model_forward_alternatives[] = {
    {.id = "by-pieces", .function = LIKE(model_forward, forward_by_pieces)},
    {.id = "in-double", .function = LIKE(model_forward, model_forward_in_double)},
    {0},
};
