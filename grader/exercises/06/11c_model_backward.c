// 11c_model_backward.c - 6.11, the whole backward pass: cases and mistakes of model_backward.

#include "exercises/exercise.h"
#include "exercises/06/11_whole_model.h"
#include "exercises/06/in_double.h"
#include "exercises/06/shared.h"

#include <string.h>

#include "02_batching/batching.h"
#include "06_copy_task/copy_task.h"

// The activations are those of a forward pass with these parameters.
static void run_model(struct test_case *test, bool training)
{
    static const struct tensor_spec activations[] = {
        ACTIVATION_TENSORS(INPUT, INPUT, 0, 0)};
    static const struct tensor_spec params[] = {PARAM_TENSORS("params.", INPUT, 0, 0)};
    const struct model_shape shape = {
        .B = case_dim(test, "B"),
        .T = case_dim(test, "T"),
        .T_max = case_dim(test, "T_max"),
        .V = case_dim(test, "V"),
        .C = case_dim(test, "C"),
        .NH = case_dim(test, "NH"),
        .H = case_dim(test, "H"),
        .L = case_dim(test, "L"),
        .causal = case_dim(test, "causal") != 0,
        .positions = (enum positions)case_dim(test, "positions"),
        .dropout = *case_f32(test, "dropout"),
    };
    void *t[MAX_TENSORS];
    struct model_activations z;
    struct model_params p;
    collect(t, test, activations, sizeof activations / sizeof activations[0]);
    activations_from_tensors(&z, t, &shape);
    memset(z.mask, 1, shape.B * shape.T * shape.T);
    collect(t, test, params, sizeof params / sizeof params[0]);
    params_from_tensors(&p, t);
    if (shape.positions == POSITIONS_NONE) {
        p.position_table = NULL;
    }
    float loss;
    must(model_forward(&loss, &z, &p, case_size(test, "tokens"),
                       case_size(test, "targets"),
                       training ? case_f32(test, "uniforms") : NULL, &shape));
}

static void prepare_grads(struct test_case *test)
{
    static const struct tensor_spec grads[] = {PARAM_TENSORS("grads.", INPUT, 0, 0)};
    scale_grads(test, grads, sizeof grads / sizeof grads[0]);
    if (case_dim(test, "positions") != POSITIONS_LEARNED) {
        case_absent(test, "grads.position_table");
    }
}

static void fill_way_back(struct test_case *test, struct lab_rng *rng)
{
    fill_model(test, rng);
    prepare_grads(test);
    run_model(test, false);
}

// The shape has dropout, but the forward pass was an evaluation.
static void fill_way_back_evaluation(struct test_case *test, struct lab_rng *rng)
{
    fill_model(test, rng);
    case_f32(test, "dropout")[0] = 0.25f;
    prepare_grads(test);
    run_model(test, false);
}

static void fill_way_back_training(struct test_case *test, struct lab_rng *rng)
{
    fill_with_uniforms(test, rng);
    prepare_grads(test);
    run_model(test, true);
}

// Channel 0 of the embedding is exactly 0, dropped or not, and still gets a gradient.
static void fill_way_back_from_0(struct test_case *test, struct lab_rng *rng)
{
    fill_with_uniforms(test, rng);
    static const char *const tables[] = {"params.token_table", "params.position_table"};
    const size_t C = case_dim(test, "C");
    for (size_t i = 0; i < 2; i++) {
        for (size_t at = 0; at < case_count(test, tables[i]); at += C) {
            case_f32(test, tables[i])[at] = 0.0f;
        }
    }
    prepare_grads(test);
    run_model(test, true);
}

static void fill_way_back_from_last_token(struct test_case *test, struct lab_rng *rng)
{
    fill_way_back(test, rng);
    case_size(test, "tokens")[0] = case_dim(test, "V") - 1;
}

const struct case_spec model_backward_cases[] = {
    {.dims = "B=1 T=1 T_max=1 V=2 C=4 NH=1 hs=4 H=3 L=1 L1=2 causal=1 positions=0",
     .fill = fill_way_back,
     .note = "one token, no positions"},
    {.dims = "B=1 T=2 T_max=3 V=3 C=4 NH=1 hs=4 H=3 L=1 L1=2 causal=1 positions=1",
     .fill = fill_way_back},
    {.dims = "B=1 T=1 T_max=1 V=9 C=4 NH=1 hs=4 H=3 L=1 L1=2 causal=1 positions=0",
     .fill = fill_way_back_from_last_token,
     .note = "one token, V - 1"},
    {.dims = "B=1 T=9 T_max=9 V=5 C=4 NH=2 hs=2 H=3 L=1 L1=2 causal=1 positions=1",
     .fill = fill_way_back,
     .note = "more weights than there are numbers in q, k and v"},
    {.dims = "B=2 T=3 T_max=4 V=5 C=6 NH=2 hs=3 H=7 L=1 L1=2 causal=1 positions=1",
     .fill = fill_way_back},
    {.dims = "B=2 T=3 T_max=4 V=5 C=6 NH=3 hs=2 H=7 L=2 L1=3 causal=1 positions=2",
     .fill = fill_way_back,
     .note = "two blocks, positions that are not trained"},
    {.dims = "B=3 T=4 T_max=5 V=7 C=6 NH=2 hs=3 H=8 L=2 L1=3 causal=1 positions=1",
     .fill = fill_way_back_training,
     .note = "training, with dropout of 0.25"},
    {.dims = "B=2 T=4 T_max=5 V=7 C=6 NH=2 hs=3 H=8 L=1 L1=2 causal=1 positions=1",
     .fill = fill_way_back_from_0,
     .note = "training, a channel of the embedding is 0"},
    {.dims = "B=2 T=3 T_max=4 V=5 C=6 NH=2 hs=3 H=7 L=1 L1=2 causal=1 positions=1",
     .fill = fill_way_back_evaluation,
     .note = "dropout of 0.25 in the shape, but uniforms is NULL: evaluation"},
    {.dims = "B=3 T=5 T_max=7 V=4 C=8 NH=4 hs=2 H=11 L=3 L1=4 causal=0 positions=1",
     .fill = fill_way_back,
     .note = "three blocks, no mask"},
    {.dims = "B=4 T=8 T_max=8 V=10 C=32 NH=4 hs=8 H=128 L=1 L1=2 causal=1 positions=1",
     .fill = fill_way_back,
     .note = "the copy task's model"},
    {.dims = "B=3 T=1 T_max=4 V=5 C=6 NH=2 hs=3 H=7 L=2 L1=3 causal=1 positions=1",
     .fill = fill_way_back,
     .note = "one token in each sequence"},
    {.dims = "B=3 T=1 T_max=1 V=8 C=6 NH=2 hs=3 H=7 L=2 L1=3 causal=1 positions=1",
     .fill = fill_way_back,
     .note = "one token in each sequence, one position"},
    {.dims = "B=1 T=3 T_max=4 V=5 C=6 NH=2 hs=3 H=7 L=2 L1=3 causal=1 positions=1",
     .fill = fill_way_back,
     .note = "one sequence, two blocks"},
    {.dims = "B=2 T=3 T_max=4 V=5 C=6 NH=1 hs=6 H=7 L=2 L1=3 causal=1 positions=1",
     .fill = fill_way_back,
     .note = "one head, two blocks"},
    {.dims = "B=2 T=3 T_max=4 V=5 C=6 NH=2 hs=3 H=1 L=2 L1=3 causal=1 positions=1",
     .fill = fill_way_back,
     .note = "an MLP of width 1"},
    {.dims = "B=2 T=3 T_max=4 V=1 C=6 NH=2 hs=3 H=7 L=2 L1=3 causal=1 positions=1",
     .fill = fill_way_back,
     .note = "V is 1"},
    {.dims = "B=2 T=3 T_max=4 V=5 C=6 NH=2 hs=3 H=7 L=1 L1=2 causal=1 positions=1",
     .fill = fill_model_bad_token,
     .note = "the last token is V, which is not below V"},
    {.dims = "B=2 T=3 T_max=4 V=5 C=6 NH=2 hs=3 H=7 L=1 L1=2 causal=1 positions=1",
     .fill = fill_model_bad_target,
     .note = "the last target is V, which is not below V"},
    {.dims = "B=2 T=3 T_max=4 V=5 C=7 NH=2 hs=3 H=7 L=1 L1=2 causal=1 positions=1",
     .fill = fill_model,
     .note = "NH does not divide C"},
    {.dims = "B=2 T=0 T_max=4 V=5 C=6 NH=2 hs=3 H=7 L=1 L1=2 causal=1 positions=1",
     .note = "a size of 0"},
    {.dims = "B=2 T=3 T_max=3 V=5 C=6 NH=2 hs=3 H=7 L=1 L1=2 causal=1 positions=0",
     .fill = fill_way_back_training,
     .note = "training without positions"},
    {0},
};

// The arguments of model_backward, for declarations and for calls.
#define BACKWARD_ARGUMENTS                                                               \
    const struct model_params *grads, const struct model_gradients *dz,                  \
        const struct model_activations *z, const struct model_params *params,            \
        const size_t *tokens, const size_t *targets, const float *uniforms,              \
        const struct model_shape *shape
#define BACKWARD_VALUES grads, dz, z, params, tokens, targets, uniforms, shape

enum backward_fault {
    BACKWARD_RIGHT,
    BACKWARD_FIRST_BLOCK_FORGOTTEN,
    BACKWARD_LAST_SEQUENCE,
    BACKWARD_FIRST_SEQUENCE,
    BACKWARD_POSITIONS_MEAN,
    BACKWARD_POSITIONS_OVERWRITTEN,
    BACKWARD_NO_POSITIONS,
    BACKWARD_NO_DROPOUT,
    BACKWARD_DROPOUT_UNSCALED,
    BACKWARD_POSITIONS_NO_DROPOUT,
    BACKWARD_NO_EMBEDDING,
    BACKWARD_OUTPUT_OF_STREAM_0,
    BACKWARD_FIRST_WEIGHTS,
    BACKWARD_FIRST_PARAMS,
    BACKWARD_FIRST_BUFFERS,
    BACKWARD_FIRST_GRADS,
    BACKWARD_POSITIONS_ASSIGNED,
};

static void blocks_way(enum backward_fault fault, const struct model_params *grads,
                       const struct model_gradients *dz,
                       const struct model_activations *z,
                       const struct model_params *params, const struct model_shape *s)
{
    const size_t BTC = s->B * s->T * s->C, BNHTT = s->B * s->NH * s->T * s->T;
    const size_t end = fault == BACKWARD_FIRST_BLOCK_FORGOTTEN ? 1 : 0;
    for (size_t l = s->L; l-- > end;) {
        const struct block_params block =
            model_block_params(params, s, fault == BACKWARD_FIRST_PARAMS ? 0 : l);
        const struct block_grads block_grads =
            model_block_grads(grads, s, fault == BACKWARD_FIRST_GRADS ? 0 : l);
        const struct block_buffers buffers =
            model_block_buffers(z, s, fault == BACKWARD_FIRST_BUFFERS ? 0 : l);
        must(
            block_backward(dz->dstreams + l * BTC, &block_grads, dz,
                           dz->dstreams + (l + 1) * BTC, z->streams + l * BTC, &block,
                           z->weights + (fault == BACKWARD_FIRST_WEIGHTS ? 0 : l) * BNHTT,
                           &buffers, s->B, s->T, s->C, s->NH, s->H));
    }
}

// From dstreams[0] to the two tables.
static void leave(enum backward_fault fault, const struct model_params *grads,
                  const struct model_gradients *dz, const size_t *tokens,
                  const float *uniforms, const struct model_shape *s)
{
    const size_t TC = s->T * s->C, BTC = s->B * TC;
    const float kept =
        fault == BACKWARD_DROPOUT_UNSCALED ? 1.0f : 1.0f / (1.0f - s->dropout);
    for (size_t i = 0; i < BTC; i++) {
        const bool drops = uniforms != NULL && fault != BACKWARD_NO_DROPOUT;
        if (!drops) {
            dz->dpositioned[i] = dz->dstreams[i];
        } else if (uniforms[i] < 1.0f - s->dropout) {
            dz->dpositioned[i] = dz->dstreams[i] * kept;
        } else {
            dz->dpositioned[i] = 0.0f;
        }
    }
    const float *d =
        fault == BACKWARD_POSITIONS_NO_DROPOUT ? dz->dstreams : dz->dpositioned;
    const bool last =
        fault == BACKWARD_LAST_SEQUENCE || fault == BACKWARD_POSITIONS_ASSIGNED;
    const size_t from = last ? s->B - 1 : 0;
    const size_t to = fault == BACKWARD_FIRST_SEQUENCE ? 1 : s->B;
    if (grads->position_table != NULL && fault != BACKWARD_NO_POSITIONS) {
        if (fault == BACKWARD_POSITIONS_OVERWRITTEN ||
            fault == BACKWARD_POSITIONS_ASSIGNED) {
            memset(grads->position_table, 0, TC * sizeof(float));
        }
        for (size_t i = from * TC; i < to * TC; i++) {
            grads->position_table[i % TC] +=
                d[i] / (fault == BACKWARD_POSITIONS_MEAN ? (float)s->B : 1.0f);
        }
    }
    if (fault != BACKWARD_NO_EMBEDDING) {
        must(embedding_backward(grads->token_table, dz->dpositioned, tokens, s->B * s->T,
                                s->C, s->V));
    }
}

static lab_status backward_with(enum backward_fault fault, BACKWARD_ARGUMENTS)
{
    const struct model_shape *s = shape;
    lab_status status = model_shape_check(s);
    if (status != LAB_OK) {
        return status;
    }
    const size_t N = s->B * s->T;
    if (!tokens_below(tokens, N, s->V) || !tokens_below(targets, N, s->V)) {
        return LAB_EVALUE;
    }
    const size_t top = s->L * N * s->C;
    must(cross_entropy_backward(dz->dlogits, z->probabilities, targets, N, s->V));
    must(linear_backward(dz->dstreams + top, grads->w_out, grads->b_out, dz->dlogits,
                         z->streams + (fault == BACKWARD_OUTPUT_OF_STREAM_0 ? 0 : top),
                         params->w_out, N, s->C, s->V));
    blocks_way(fault, grads, dz, z, params, s);
    leave(fault, grads, dz, tokens, uniforms, s);
    return LAB_OK;
}

#define BACKWARD(name, fault)                                                            \
    static lab_status name(BACKWARD_ARGUMENTS)                                           \
    {                                                                                    \
        return backward_with(fault, BACKWARD_VALUES);                                    \
    }

BACKWARD(backward_first_block_forgotten, BACKWARD_FIRST_BLOCK_FORGOTTEN)
BACKWARD(backward_last_sequence, BACKWARD_LAST_SEQUENCE)
BACKWARD(backward_first_sequence, BACKWARD_FIRST_SEQUENCE)
BACKWARD(backward_positions_mean, BACKWARD_POSITIONS_MEAN)
BACKWARD(backward_positions_overwritten, BACKWARD_POSITIONS_OVERWRITTEN)
BACKWARD(backward_no_positions, BACKWARD_NO_POSITIONS)
BACKWARD(backward_no_dropout, BACKWARD_NO_DROPOUT)
BACKWARD(backward_dropout_unscaled, BACKWARD_DROPOUT_UNSCALED)
BACKWARD(backward_positions_no_dropout, BACKWARD_POSITIONS_NO_DROPOUT)
BACKWARD(backward_no_embedding, BACKWARD_NO_EMBEDDING)
BACKWARD(backward_output_of_stream_0, BACKWARD_OUTPUT_OF_STREAM_0)
BACKWARD(backward_first_weights, BACKWARD_FIRST_WEIGHTS)
BACKWARD(backward_first_params, BACKWARD_FIRST_PARAMS)
BACKWARD(backward_first_buffers, BACKWARD_FIRST_BUFFERS)
BACKWARD(backward_first_grads, BACKWARD_FIRST_GRADS)
BACKWARD(backward_positions_assigned, BACKWARD_POSITIONS_ASSIGNED)
BACKWARD(backward_by_pieces, BACKWARD_RIGHT)

const struct mistake model_backward_mistakes[] = {
    {
        .id = "block-0-forgotten",
        .what = "the loop over the blocks ends before block 0",
        .why =
            "A size_t cannot go below 0, and l > 0 skips block 0. Write for (size_t l = "
            "L; l-- > 0;).",
        .function = LIKE(model_backward, backward_first_block_forgotten),
    },
    {
        .id = "positions-last-sequence",
        .what = "the positions get the gradient of the last sequence only",
        .why = "All B sequences use the same rows of position_table, so all B add to its "
               "gradient: +=.",
        .source = "karpathy/micrograd#102",
        .function = LIKE(model_backward, backward_last_sequence),
    },
    {
        .id = "positions-first-sequence",
        .what = "the positions get the gradient of the first sequence only",
        .why = "All B sequences use the same rows of position_table, so all B add to "
               "its gradient.",
        .function = LIKE(model_backward, backward_first_sequence),
    },
    {
        .id = "positions-mean",
        .what = "the gradient of the positions is divided by B",
        .why = "Only sum the sequences. The loss already contains the mean.",
        .function = LIKE(model_backward, backward_positions_mean),
    },
    {
        .id = "positions-overwritten",
        .what = "the gradient of the positions is set to 0 first",
        .why =
            "Add to gradients of parameters; the caller sets them to 0 once in each step.",
        .source = "karpathy/llm.c#548",
        .function = LIKE(model_backward, backward_positions_overwritten),
    },
    {
        .id = "positions-assigned",
        .what =
            "the gradient of the positions is assigned for each sequence: only the last "
            "one counts",
        .why = "All B sequences use the same rows of position_table, and the old values "
               "must stay: +=.",
        .source = "karpathy/micrograd#102, karpathy/llm.c#548",
        .function = LIKE(model_backward, backward_positions_assigned),
    },
    {
        .id = "no-positions",
        .what = "the positions get no gradient",
        .why = "positioned = embedded + position: the gradient goes to both terms.",
        .function = LIKE(model_backward, backward_no_positions),
    },
    {
        .id = "no-dropout",
        .what = "the gradient does not go through the dropout",
        .why = "Dropout multiplied each number by 0 or by 1/(1-p). Multiply its gradient "
               "by the same factor: dropout(dstreams[0]) with the same uniforms.",
        .source = "rasbt/LLMs-from-scratch#431",
        .function = LIKE(model_backward, backward_no_dropout),
    },
    {
        .id = "dropout-not-scaled",
        .what = "the gradient of kept numbers is not multiplied by 1/(1-p)",
        .why = "A factor of the forward pass is a factor of the backward pass.",
        .source = "rasbt/LLMs-from-scratch#431",
        .function = LIKE(model_backward, backward_dropout_unscaled),
    },
    {
        .id = "positions-without-dropout",
        .what = "the positions get dstreams[0], although dropout is in between",
        .why = "Dropout comes after adding the positions: both tables get dpositioned.",
        .function = LIKE(model_backward, backward_positions_no_dropout),
    },
    {
        .id = "no-embedding",
        .what = "the token table gets no gradient",
        .why = "The last step is embedding_backward(grads->token_table, "
               "dpositioned, tokens).",
        .function = LIKE(model_backward, backward_no_embedding),
    },
    {
        .id = "output-of-stream-0",
        .what = "the gradient of w_out uses streams[0] instead of streams[L]",
        .why = "linear_backward needs the input of that layer: the last block's output.",
        .function = LIKE(model_backward, backward_output_of_stream_0),
    },
    {
        .id = "block-0-weights",
        .what = "every block uses the attention weights of block 0",
        .why = "weights is (L, B, NH, T, T): block l's start at l * B * NH * T * T.",
        .function = LIKE(model_backward, backward_first_weights),
    },
    {
        .id = "block-0-params",
        .what = "every block uses the parameters of block 0",
        .why = "Block l has its own: model_block_params(params, shape, l).",
        .function = LIKE(model_backward, backward_first_params),
    },
    {
        .id = "block-0-buffers",
        .what = "every block uses the buffers of block 0",
        .why = "Block l has its own: model_block_buffers(z, shape, l).",
        .function = LIKE(model_backward, backward_first_buffers),
    },
    {
        .id = "block-0-grads",
        .what = "the gradients of all blocks go to block 0",
        .why = "Block l has its own: model_block_grads(grads, shape, l).",
        .function = LIKE(model_backward, backward_first_grads),
    },
    {0},
};

const struct mistake model_backward_alternatives[] = {
    {.id = "by-pieces", .function = LIKE(model_backward, backward_by_pieces)},
    {.id = "in-double", .function = LIKE(model_backward, model_backward_in_double)},
    {0},
};
