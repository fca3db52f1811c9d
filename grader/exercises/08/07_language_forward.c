// 07_language_forward.c - exercise 8.7, language_forward: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/08/model.h"
#include "exercises/08/shared.h"
#include "exercises/common/inputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "02_batching/batching.h"
#include "05_transformer_block/block.h"
#include "06_copy_task/copy_task.h"
#include "08_language_model/language_model.h"

static void fill_logits_only(struct test_case *test, struct lab_rng *rng)
{
    fill_model(test, rng);
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

static void fill_last_token(struct test_case *test, struct lab_rng *rng)
{
    fill_model(test, rng);
    case_size(test, "tokens")[0] = case_dim(test, "V") - 1;
    case_size(test, "targets")[0] = case_dim(test, "V") - 1;
}

// A large table and a large output matrix: logits of several hundred.
static void fill_large(struct test_case *test, struct lab_rng *rng)
{
    fill_model(test, rng);
    scale_input(test, "params.token_table", 30.0f);
    scale_input(test, "params.w_out", 60.0f);
}

// A logit of each token, all probabilities and the loss are NaN.
static void fill_nan(struct test_case *test, struct lab_rng *rng)
{
    fill_model(test, rng);
    set_channel(test, "params.w_out", case_count(test, "params.w_out"), 0, NAN);
}

static const struct case_spec language_forward_cases[] = {
    {.dims = "B=1 T=1 C=2 NH=1 hs=2 H=3 V=2 L=1 L1=2",
     .fill = fill_model,
     .note = "one token"},
    {.dims = "B=1 T=2 C=4 NH=1 hs=4 H=3 V=3 L=1 L1=2", .fill = fill_model},
    {.dims = "B=1 T=3 C=4 NH=2 hs=2 H=3 V=4 L=1 L1=2", .fill = fill_model},
    {.dims = "B=2 T=3 C=8 NH=2 hs=4 H=7 V=5 L=1 L1=2", .fill = fill_model},
    {.dims = "B=1 T=1 C=4 NH=1 hs=4 H=3 V=9 L=1 L1=2",
     .fill = fill_last_token,
     .note = "token and target V - 1"},
    {.dims = "B=1 T=4 C=4 NH=2 hs=2 H=3 V=1 L=1 L1=2",
     .fill = fill_model,
     .note = "V is 1"},
    {.dims = "B=2 T=3 C=6 NH=3 hs=2 H=7 V=6 L=2 L1=3",
     .fill = fill_model,
     .note = "two blocks; V = C"},
    {.dims = "B=3 T=4 C=8 NH=2 hs=4 H=11 V=7 L=2 L1=3",
     .fill = fill_logits_only,
     .note = "loss and targets are NULL: stop at the logits"},
    {.dims = "B=3 T=5 C=12 NH=2 hs=6 H=10 V=9 L=3 L1=4",
     .fill = fill_model,
     .note = "three blocks"},
    {.dims = "B=2 T=4 C=8 NH=2 hs=4 H=9 V=7 L=1 L1=2",
     .fill = fill_large,
     .unit = 100, // logits near 200
     .note = "large logits"},
    {.dims = "B=2 T=13 C=16 NH=4 hs=4 H=64 V=30 L=2 L1=3",
     .fill = fill_model,
     .note = "larger"},
    {.dims = "B=3 T=1 C=8 NH=2 hs=4 H=7 V=5 L=2 L1=3",
     .fill = fill_model,
     .note = "one token in each sequence"},
    {.dims = "B=1 T=3 C=8 NH=2 hs=4 H=8 V=8 L=2 L1=3",
     .fill = fill_model,
     .note = "one sequence, two blocks"},
    {.dims = "B=2 T=3 C=8 NH=1 hs=8 H=7 V=5 L=2 L1=3",
     .fill = fill_model,
     .note = "one head, two blocks"},
    {.dims = "B=2 T=3 C=8 NH=2 hs=4 H=1 V=5 L=2 L1=3",
     .fill = fill_model,
     .note = "an MLP of width 1"},
    {.dims = "B=2 T=3 C=8 NH=2 hs=4 H=7 V=1 L=2 L1=3",
     .fill = fill_model,
     .note = "V is 1, two blocks"},
    {.dims = "B=2 T=4 C=16 NH=2 hs=8 H=16 V=16 L=2 L1=3",
     .fill = fill_model,
     .note = "C = H = V = 16"},
    {.dims = "B=2 T=3 C=4 NH=2 hs=2 H=7 V=5 L=1 L1=2",
     .fill = fill_nan,
     .note = "a weight of w_out is NaN, so the loss is NaN",
     .nan = true},
    {.dims = "B=2 T=3 C=4 NH=2 hs=2 H=7 V=5 L=1 L1=2",
     .fill = fill_bad_last_token,
     .note = "the last token is V, which is not below V"},
    {.dims = "B=2 T=3 C=4 NH=2 hs=2 H=7 V=5 L=1 L1=2",
     .fill = fill_bad_first_token,
     .note = "the first token is V, which is not below V"},
    {.dims = "B=2 T=3 C=4 NH=2 hs=2 H=7 V=5 L=1 L1=2",
     .fill = fill_bad_last_target,
     .note = "the last target is V, which is not below V"},
    {.dims = "B=2 T=3 C=4 NH=2 hs=2 H=7 V=5 L=1 L1=2",
     .fill = fill_bad_first_target,
     .note = "the first target is V, which is not below V"},
    {.dims = "B=2 T=3 C=4 NH=2 hs=2 H=7 V=5 L=1 L1=2",
     .fill = fill_loss_without_targets,
     .note = "loss is not NULL but targets is"},
    {.dims = "B=2 T=3 C=4 NH=2 hs=2 H=7 V=5 L=1 L1=2",
     .fill = fill_targets_without_loss,
     .note = "targets is not NULL but loss is"},
    {.dims = "B=2 T=3 C=7 NH=2 hs=3 H=7 V=5 L=1 L1=2",
     .fill = fill_model,
     .note = "NH does not divide C"},
    {.dims = "B=2 T=3 C=6 NH=2 hs=3 H=7 V=5 L=1 L1=2",
     .fill = fill_model,
     .note = "C / NH is odd"},
    {.dims = "B=2 T=3 C=4 NH=2 hs=2 H=0 V=5 L=1 L1=2", .note = "a size of 0"},
    {.dims = "B=2 T=3 C=4 NH=2 hs=2 H=3 V=5 L=0 L1=1", .note = "a size of 0"},
    {.dims = "B=1 T=1 C=4 NH=1 hs=4 H=3 V=3 L=64 L1=65",
     .fill = fill_many_blocks,
     .note = "64 blocks",
     .memory_only = true},
    {.dims = "B=1 T=192 C=4 NH=1 hs=4 H=3 V=3 L=1 L1=2",
     .fill = fill_model,
     .note = "192 tokens",
     .memory_only = true},
    {.dims = "B=1 T=1 C=4 NH=2 hs=2 H=3 V=768 L=1 L1=2",
     .fill = fill_last_token,
     .note = "token 767 of 768",
     .memory_only = true},
    {.dims = "B=1 T=1 C=4 NH=2 hs=2 H=3 V=5 L=1 L1=2",
     .fill = fill_logits_only,
     .note = "one token; loss and targets are NULL"},
    {.dims = "B=2 T=2 C=12 NH=1 hs=12 H=1 V=12 L=3 L1=4",
     .fill = fill_logits_only,
     .note = "one head, an MLP of width 1, V = C; loss and targets are NULL"},
    {.dims = "B=2 T=3 C=4 NH=2 hs=2 H=3 V=1 L=1 L1=2",
     .fill = fill_logits_only,
     .note = "V is 1; loss and targets are NULL"},
    {0},
};

enum forward_fault {
    FORWARD_RIGHT,
    FORWARD_NO_FINAL_NORM,
    FORWARD_LAYER_NORM,
    FORWARD_FINAL_NORM1,
    FORWARD_FINAL_NORM2,
    FORWARD_NORM_AT_START,
    FORWARD_TIED,
    FORWARD_SCALED_EMBEDDING,
    FORWARD_FIRST_PARAMS,
    FORWARD_FIRST_INPUT,
    FORWARD_FIRST_BUFFERS,
    FORWARD_FIRST_WEIGHTS,
    FORWARD_SKIPS_LAST,
    FORWARD_TOKENS_AS_TARGETS,
    FORWARD_SUM,
};

// y (N,C): a layer norm of every row, with a gain.
static void layer_norm(float *y, const float *x, const float *gain, size_t N, size_t C)
{
    for (size_t n = 0; n < N; n++) {
        double mean = 0.0, square = 0.0;
        for (size_t c = 0; c < C; c++) {
            const double v = (double)x[n * C + c];
            mean += v / (double)C;
            square += v * v / (double)C;
        }
        const double r = 1.0 / sqrt(square - mean * mean + (double)RMSNORM_EPS);
        for (size_t c = 0; c < C; c++) {
            y[n * C + c] = (float)(((double)x[n * C + c] - mean) * r * (double)gain[c]);
        }
    }
}

static void enter(enum forward_fault fault, const struct language_activations *z,
                  const struct language_params *params, const size_t *tokens,
                  const struct language_shape *s)
{
    const size_t N = s->B * s->T, C = s->C;
    must(embedding(z->streams, tokens, params->token_table, N, C, s->V));
    for (size_t i = 0; fault == FORWARD_SCALED_EMBEDDING && i < N * C; i++) {
        z->streams[i] *= sqrtf((float)C);
    }
    if (fault == FORWARD_NORM_AT_START) {
        float *embedded = borrow(N * C);
        memcpy(embedded, z->streams, N * C * sizeof *embedded);
        must(rmsnorm(z->streams, z->rrms, embedded, params->norm, N, C));
        free(embedded);
    }
}

static void go_through_blocks(enum forward_fault fault,
                              const struct language_activations *z,
                              const struct language_params *params,
                              const struct language_shape *s)
{
    const size_t BTC = s->B * s->T * s->C, BNHTT = s->B * s->NH * s->T * s->T;
    for (size_t l = 0; l < s->L; l++) {
        const struct language_block_params block =
            language_block_params(params, s, fault == FORWARD_FIRST_PARAMS ? 0 : l);
        const struct language_block_buffers buffers =
            language_block_buffers(z, s, fault == FORWARD_FIRST_BUFFERS ? 0 : l);
        must(language_block(z->streams + (l + 1) * BTC,
                            z->weights + (fault == FORWARD_FIRST_WEIGHTS ? 0 : l) * BNHTT,
                            &buffers,
                            z->streams + (fault == FORWARD_FIRST_INPUT ? 0 : l) * BTC,
                            &block, s->B, s->T, s->C, s->NH, s->H));
    }
}

// The last norm; returns what the output layer reads.
static const float *end_norm(enum forward_fault fault,
                             const struct language_activations *z,
                             const struct language_params *params,
                             const struct language_shape *s)
{
    const size_t N = s->B * s->T, C = s->C;
    const float *top = z->streams + (s->L - (fault == FORWARD_SKIPS_LAST)) * N * C;
    if (fault == FORWARD_NO_FINAL_NORM || fault == FORWARD_NORM_AT_START) {
        return top;
    }
    must(rmsnorm(z->normed, z->rrms, top,
                 fault == FORWARD_FINAL_NORM1   ? params->norm1
                 : fault == FORWARD_FINAL_NORM2 ? params->norm2 + (s->L - 1) * C
                                                : params->norm,
                 N, C));
    if (fault == FORWARD_LAYER_NORM) {
        layer_norm(z->normed, top, params->norm, N, C);
    }
    return z->normed;
}

static lab_status forward_with(enum forward_fault fault, FORWARD_ARGUMENTS)
{
    const struct language_shape *s = shape;
    const size_t N = s->B * s->T;
    lab_status status = language_shape_check(s);
    if (status != LAB_OK) {
        return status;
    }
    for (size_t i = 0; i < N; i++) {
        if (tokens[i] >= s->V || (targets != NULL && targets[i] >= s->V)) {
            return LAB_EVALUE;
        }
    }
    if ((loss == NULL) != (targets == NULL)) {
        return LAB_EVALUE;
    }
    enter(fault, z, params, tokens, s);
    go_through_blocks(fault, z, params, s);
    const float *last = end_norm(fault, z, params, s);
    must(batched_linear(z->logits, last,
                        fault == FORWARD_TIED ? params->token_table : params->w_out, NULL,
                        s->B, s->T, s->C, s->V));
    if (targets == NULL) {
        return LAB_OK;
    }
    status =
        cross_entropy(loss, z->probabilities, z->logits,
                      fault == FORWARD_TOKENS_AS_TARGETS ? tokens : targets, N, s->V);
    if (fault == FORWARD_SUM) {
        *loss *= (float)N;
    }
    return status;
}

#define FORWARD(name, fault)                                                             \
    static lab_status name(FORWARD_ARGUMENTS)                                            \
    {                                                                                    \
        return forward_with(fault, FORWARD_VALUES);                                      \
    }

FORWARD(forward_no_final_norm, FORWARD_NO_FINAL_NORM)
FORWARD(forward_layer_norm, FORWARD_LAYER_NORM)
FORWARD(forward_final_norm1, FORWARD_FINAL_NORM1)
FORWARD(forward_final_norm2, FORWARD_FINAL_NORM2)
FORWARD(forward_norm_at_start, FORWARD_NORM_AT_START)
FORWARD(forward_tied, FORWARD_TIED)
FORWARD(forward_scaled_embedding, FORWARD_SCALED_EMBEDDING)
FORWARD(forward_first_params, FORWARD_FIRST_PARAMS)
FORWARD(forward_first_input, FORWARD_FIRST_INPUT)
FORWARD(forward_first_buffers, FORWARD_FIRST_BUFFERS)
FORWARD(forward_first_weights, FORWARD_FIRST_WEIGHTS)
FORWARD(forward_skips_last, FORWARD_SKIPS_LAST)
FORWARD(forward_tokens_as_targets, FORWARD_TOKENS_AS_TARGETS)
FORWARD(forward_sum, FORWARD_SUM)
FORWARD(forward_by_pieces, FORWARD_RIGHT)

static const struct mistake language_forward_mistakes[] = {
    {
        .id = "no-final-norm",
        .what = "the norm before the output layer is missing",
        .why = "Lab 6's model had none. This one has: normed = rmsnorm(streams[L]) with "
               "the gain norm, and logits = normed w_out^T.",
        .source = NULL,
        .function = LIKE(language_forward, forward_no_final_norm),
    },
    {
        .id = "layer-norm",
        .what = "the last norm subtracts the mean",
        .why = "It is an rmsnorm, like those of the blocks.",
        .source = "stanford-cs336/assignment1-basics#93",
        .function = LIKE(language_forward, forward_layer_norm),
    },
    {
        .id = "final-norm-of-norm1",
        .what = "the last norm uses the gain norm1",
        .why = "The last norm has its own gain, params->norm.",
        .source = NULL,
        .function = LIKE(language_forward, forward_final_norm1),
    },
    {
        .id = "final-norm-of-norm2",
        .what = "the last norm uses the last block's gain norm2",
        .why = "The last norm has its own gain, params->norm.",
        .source = NULL,
        .function = LIKE(language_forward, forward_final_norm2),
    },
    {
        .id = "norm-at-the-start",
        .what = "the last norm comes before the first block",
        .why = "It comes after the last block: normed = rmsnorm(streams[L]).",
        .source = NULL,
        .function = LIKE(language_forward, forward_norm_at_start),
    },
    {
        .id = "tied",
        .what = "the output layer uses the token table",
        .why = "GPT-2 ties the two. This model has its own matrix for the output, w_out.",
        .source = NULL,
        .function = LIKE(language_forward, forward_tied),
        .convention = true,
    },
    {
        .id = "scaled-embedding",
        .what = "the embedding is multiplied by sqrt(C)",
        .why = "Vaswani et al. (2017) and Gemma do that; this model does not.",
        .source = NULL,
        .function = LIKE(language_forward, forward_scaled_embedding),
        .convention = true,
    },
    {
        .id = "block-0-params",
        .what = "every block uses the parameters of block 0",
        .why = "Block l has its own: language_block_params(params, shape, l).",
        .source = NULL,
        .function = LIKE(language_forward, forward_first_params),
    },
    {
        .id = "blocks-beside-each-other",
        .what = "every block reads streams[0]",
        .why = "Block l reads streams[l], the output of block l - 1, and writes "
               "streams[l + 1].",
        .source = NULL,
        .function = LIKE(language_forward, forward_first_input),
    },
    {
        .id = "block-0-buffers",
        .what = "every block writes into the buffers of block 0",
        .why = "The backward pass needs those of each block: language_block_buffers(z, "
               "shape, l).",
        .source = NULL,
        .function = LIKE(language_forward, forward_first_buffers),
    },
    {
        .id = "block-0-weights",
        .what = "every block writes its attention weights over those of block 0",
        .why = "weights is (L, B, NH, T, T): block l's start at l * B * NH * T * T.",
        .source = NULL,
        .function = LIKE(language_forward, forward_first_weights),
    },
    {
        .id = "skips-last-block",
        .what = "the last norm reads the INPUT of the last block",
        .why = "streams has L + 1 entries; the last block's output is streams[L].",
        .source = NULL,
        .function = LIKE(language_forward, forward_skips_last),
    },
    {
        .id = "tokens-as-targets",
        .what = "the loss is taken against the tokens, not the targets",
        .why = "The targets are the tokens that follow; shifted_batch has shifted them "
               "already.",
        .source = "Project-MONAI/GenerativeModels#314, huggingface/transformers#47394",
        .function = LIKE(language_forward, forward_tokens_as_targets),
    },
    {
        .id = "sum-for-mean",
        .what = "the loss is the sum over all tokens",
        .why = "cross_entropy gives the mean over B * T tokens.",
        .source = "tracel-ai/burn#5568",
        .function = LIKE(language_forward, forward_sum),
    },
    {0},
};

static const struct mistake language_forward_alternatives[] = {
    {.id = "by-pieces", .function = LIKE(language_forward, forward_by_pieces)},
    {.id = "in-double", .function = LIKE(language_forward, language_forward_in_double)},
    {0},
};

static const struct part language_forward_part[] = {
    {
        .function = "language_forward",
        .dims = MODEL_DIMS " L1",
        .tensors =
            {
                {"loss", "1", OUTPUT, F32, FORWARD_TOLERANCE},
                ACTIVATION_TENSORS("B ", OUTPUT, WORKSPACE, FORWARD_TOLERANCE),
                MODEL_PARAM_TENSORS("params.", INPUT, 0, 0),
                {"tokens", "B T", INPUT, SIZE, 0, 0},
                {"targets", "B T", INPUT, SIZE, 0, 0},
            },
        .stages =
            "z.normed1 z.q:z.normed1 z.k:z.normed1 z.v:z.normed1 z.q_heads:z.q "
            "z.k_heads:z.k z.v_heads:z.v z.q_turned:z.q_heads z.k_turned:z.k_heads "
            "z.weights:z.q_turned,z.k_turned z.out_heads:z.weights,z.v_heads "
            "z.merged:z.out_heads z.attended:z.merged z.middle:z.attended "
            "z.normed2:z.middle z.gate:z.normed2 z.up:z.normed2 z.hidden:z.gate,z.up "
            "z.projected:z.hidden z.streams:z.middle,z.projected z.normed:z.streams "
            "z.logits:z.normed z.probabilities:z.logits loss:z.probabilities",
        .cases = language_forward_cases,
        .mistakes = language_forward_mistakes,
        .alternatives = language_forward_alternatives,
    },
    {0},
};

const struct exercise exercise_8_7 = {
    .id = "8.7",
    .name = "language_forward",
    .section = "8.7 From tokens to loss",
    .uses = {"8.6", "8.3", "6.2", "6.3", "2.3"},
    .hints =
        {
            "streams holds the input of block 0 and the output of every block. Where "
            "does each of them begin?",
            "embedding into streams[0]; block l from streams[l] to streams[l + 1], with "
            "its own parameters, buffers and weights; rmsnorm of streams[L]; the output "
            "layer; cross_entropy if there are targets.",
            "embedding(z->streams, tokens, params->token_table, B * T, C, V)\n"
            "for each l: block = language_block_params(params, s, l)\n"
            "    buffers = language_block_buffers(z, s, l)\n"
            "    language_block(z->streams + (l + 1) * B * T * C,\n"
            "        z->weights + l * B * NH * T * T, &buffers,\n"
            "        z->streams + l * B * T * C, &block, B, T, C, NH, H)\n"
            "rmsnorm(z->normed, z->rrms, z->streams + L * B * T * C, params->norm, B *"
            " T, C)\n"
            "batched_linear(z->logits, z->normed, params->w_out, NULL, B, T, C, V)\n"
            "if targets: cross_entropy(loss, z->probabilities, z->logits, targets, B *"
            " T, V)",
        },
    .parts = language_forward_part,
};
