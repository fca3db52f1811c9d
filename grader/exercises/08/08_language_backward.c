// 08_language_backward.c - exercise 8.8, language_block_backward and language_backward: hints,
// and the cases and mistakes of the second; those of the first are in 08a_block_backward.c.

#include "exercises/exercise.h"
#include "exercises/08/08_language_backward.h"
#include "exercises/08/model.h"
#include "exercises/08/shared.h"

#include <string.h>

#include "06_copy_task/copy_task.h"
#include "08_language_model/language_model.h"

// The activations are what a forward pass with these parameters leaves.
static void run_model(struct test_case *test)
{
    static const struct tensor_spec activations[] = {
        ACTIVATION_TENSORS("B ", INPUT, INPUT, 0, 0)};
    static const struct tensor_spec params[] = {
        MODEL_PARAM_TENSORS("params.", INPUT, 0, 0)};
    const struct language_shape shape = shape_of_case(test);
    void *t[MAX_TENSORS];
    struct language_activations z;
    struct language_params p;
    collect(t, test, activations, sizeof activations / sizeof activations[0]);
    memcpy(&z, t, sizeof z);
    collect(t, test, params, sizeof params / sizeof params[0]);
    memcpy(&p, t, sizeof p);
    float loss;
    must(language_forward(&loss, &z, &p, case_size(test, "tokens"),
                          case_size(test, "targets"), &shape));
}

static void scale_and_run(struct test_case *test)
{
    static const struct tensor_spec grads[] = {
        MODEL_PARAM_TENSORS("grads.", INPUT, 0, 0)};
    scale_grads(test, grads, sizeof grads / sizeof grads[0]);
    run_model(test);
}

static void fill_way_back(struct test_case *test, struct lab_rng *rng)
{
    fill_model(test, rng);
    scale_and_run(test);
}

static void fill_long_way_back(struct test_case *test, struct lab_rng *rng)
{
    fill_many_blocks(test, rng);
    scale_and_run(test);
}

// A vocabulary larger than any other size, as those of real models.
static void fill_way_back_from_last_token(struct test_case *test, struct lab_rng *rng)
{
    fill_way_back(test, rng);
    case_size(test, "tokens")[0] = case_dim(test, "V") - 1;
    run_model(test);
}

static const struct case_spec language_backward_cases[] = {
    {.dims = "B=1 T=1 C=2 NH=1 hs=2 H=3 V=2 L=1 L1=2",
     .fill = fill_way_back,
     .note = "one token"},
    {.dims = "B=1 T=2 C=4 NH=1 hs=4 H=3 V=3 L=1 L1=2", .fill = fill_way_back},
    {.dims = "B=1 T=1 C=4 NH=2 hs=2 H=3 V=9 L=1 L1=2",
     .fill = fill_way_back_from_last_token,
     .note = "one token, V - 1"},
    {.dims = "B=1 T=9 C=4 NH=2 hs=2 H=3 V=5 L=1 L1=2",
     .fill = fill_way_back,
     .note = "more weights than there are numbers in q, k and v"},
    {.dims = "B=2 T=3 C=8 NH=2 hs=4 H=7 V=5 L=1 L1=2", .fill = fill_way_back},
    {.dims = "B=1 T=4 C=4 NH=2 hs=2 H=3 V=1 L=1 L1=2",
     .fill = fill_way_back,
     .note = "V is 1"},
    {.dims = "B=2 T=3 C=6 NH=3 hs=2 H=7 V=6 L=2 L1=3",
     .fill = fill_way_back,
     .note = "two blocks; V = C"},
    {.dims = "B=3 T=5 C=12 NH=2 hs=6 H=10 V=9 L=3 L1=4",
     .fill = fill_way_back,
     .note = "three blocks"},
    {.dims = "B=3 T=1 C=8 NH=2 hs=4 H=7 V=5 L=2 L1=3",
     .fill = fill_way_back,
     .note = "one token in each sequence"},
    {.dims = "B=1 T=3 C=8 NH=2 hs=4 H=8 V=8 L=2 L1=3",
     .fill = fill_way_back,
     .note = "one sequence, two blocks"},
    {.dims = "B=2 T=3 C=8 NH=1 hs=8 H=7 V=5 L=2 L1=3",
     .fill = fill_way_back,
     .note = "one head, two blocks"},
    {.dims = "B=2 T=3 C=8 NH=2 hs=4 H=1 V=5 L=2 L1=3",
     .fill = fill_way_back,
     .note = "an MLP of width 1"},
    {.dims = "B=2 T=3 C=8 NH=2 hs=4 H=7 V=1 L=2 L1=3",
     .fill = fill_way_back,
     .note = "V is 1, two blocks"},
    {.dims = "B=2 T=4 C=16 NH=2 hs=8 H=16 V=16 L=2 L1=3",
     .fill = fill_way_back,
     .note = "C = H = V = 16"},
    {.dims = "B=2 T=3 C=4 NH=2 hs=2 H=7 V=5 L=1 L1=2",
     .fill = fill_bad_last_token,
     .note = "the last token is V, which is not below V"},
    {.dims = "B=2 T=3 C=4 NH=2 hs=2 H=7 V=5 L=1 L1=2",
     .fill = fill_bad_first_target,
     .note = "the first target is V, which is not below V"},
    {.dims = "B=2 T=3 C=7 NH=2 hs=3 H=7 V=5 L=1 L1=2",
     .fill = fill_model,
     .note = "NH does not divide C"},
    {.dims = "B=2 T=3 C=6 NH=2 hs=3 H=7 V=5 L=1 L1=2",
     .fill = fill_model,
     .note = "C / NH is odd"},
    {.dims = "B=2 T=0 C=4 NH=2 hs=2 H=7 V=5 L=1 L1=2", .note = "a size of 0"},
    {.dims = "B=1 T=1 C=4 NH=1 hs=4 H=3 V=3 L=64 L1=65",
     .fill = fill_long_way_back,
     .note = "64 blocks",
     .memory_only = true},
    {.dims = "B=1 T=192 C=4 NH=1 hs=4 H=3 V=3 L=1 L1=2",
     .fill = fill_way_back,
     .note = "192 tokens",
     .memory_only = true},
    {.dims = "B=1 T=1 C=4 NH=2 hs=2 H=3 V=768 L=1 L1=2",
     .fill = fill_way_back_from_last_token,
     .note = "token 767 of 768",
     .memory_only = true},
    {0},
};

enum backward_fault {
    BACKWARD_RIGHT,
    BACKWARD_NO_FINAL_NORM,
    BACKWARD_FINAL_NORM_OF_NORMED,
    BACKWARD_FINAL_NORM_OF_STREAM_0,
    BACKWARD_OUTPUT_OF_STREAM,
    BACKWARD_FIRST_BLOCK_FORGOTTEN,
    BACKWARD_FIRST_PARAMS,
    BACKWARD_FIRST_GRADS,
    BACKWARD_FIRST_BUFFERS,
    BACKWARD_FIRST_WEIGHTS,
    BACKWARD_OUTPUTS_AS_INPUTS,
    BACKWARD_TOKENS_AS_TARGETS,
    BACKWARD_TIED,
    BACKWARD_NO_EMBEDDING,
    BACKWARD_EMBEDDING_OF_TARGETS,
    BACKWARD_EMBEDDING_OF_TOP,
};

static void end_back(enum backward_fault fault, const struct language_params *grads,
                     const struct language_gradients *dz,
                     const struct language_activations *z,
                     const struct language_params *params, const struct language_shape *s)
{
    const size_t N = s->B * s->T, C = s->C, top = s->L * N * C;
    const float *stream = z->streams + top;
    must(linear_backward(dz->dnormed, grads->w_out, NULL, dz->dlogits,
                         fault == BACKWARD_OUTPUT_OF_STREAM ? stream : z->normed,
                         fault == BACKWARD_TIED ? params->token_table : params->w_out, N,
                         C, s->V));
    if (fault == BACKWARD_NO_FINAL_NORM) {
        memcpy(dz->dstreams + top, dz->dnormed, N * C * sizeof(float));
        return;
    }
    must(rmsnorm_backward(dz->dstreams + top, grads->norm, dz->dnormed,
                          fault == BACKWARD_FINAL_NORM_OF_NORMED     ? z->normed
                          : fault == BACKWARD_FINAL_NORM_OF_STREAM_0 ? z->streams
                                                                     : stream,
                          z->rrms, params->norm, N, C));
}

static void block_back(enum backward_fault fault, const struct language_params *grads,
                       const struct language_gradients *dz,
                       const struct language_activations *z,
                       const struct language_params *params,
                       const struct language_shape *s, size_t l)
{
    const size_t BTC = s->B * s->T * s->C, BNHTT = s->B * s->NH * s->T * s->T;
    const struct language_block_params block =
        language_block_params(params, s, fault == BACKWARD_FIRST_PARAMS ? 0 : l);
    const struct language_block_grads block_grads =
        language_block_grads(grads, s, fault == BACKWARD_FIRST_GRADS ? 0 : l);
    const struct language_block_buffers buffers =
        language_block_buffers(z, s, fault == BACKWARD_FIRST_BUFFERS ? 0 : l);
    const size_t input = l + (fault == BACKWARD_OUTPUTS_AS_INPUTS);
    must(language_block_backward(
        dz->dstreams + l * BTC, &block_grads, dz, dz->dstreams + (l + 1) * BTC,
        z->streams + input * BTC, &block,
        z->weights + (fault == BACKWARD_FIRST_WEIGHTS ? 0 : l) * BNHTT, &buffers, s->B,
        s->T, s->C, s->NH, s->H));
}

static lab_status backward_with(enum backward_fault fault, BACKWARD_ARGUMENTS)
{
    const struct language_shape *s = shape;
    const size_t N = s->B * s->T;
    const lab_status status = language_shape_check(s);
    if (status != LAB_OK) {
        return status;
    }
    for (size_t i = 0; i < N; i++) {
        if (tokens[i] >= s->V || targets[i] >= s->V) {
            return LAB_EVALUE;
        }
    }
    must(cross_entropy_backward(dz->dlogits, z->probabilities,
                                fault == BACKWARD_TOKENS_AS_TARGETS ? tokens : targets, N,
                                s->V));
    end_back(fault, grads, dz, z, params, s);
    for (size_t l = s->L; l-- > (fault == BACKWARD_FIRST_BLOCK_FORGOTTEN);) {
        block_back(fault, grads, dz, z, params, s, l);
    }
    if (fault != BACKWARD_NO_EMBEDDING) {
        must(embedding_backward(
            grads->token_table,
            dz->dstreams + (fault == BACKWARD_EMBEDDING_OF_TOP ? s->L * N * s->C : 0),
            fault == BACKWARD_EMBEDDING_OF_TARGETS ? targets : tokens, N, s->C, s->V));
    }
    return LAB_OK;
}

#define BACKWARD(name, fault)                                                            \
    static lab_status name(BACKWARD_ARGUMENTS)                                           \
    {                                                                                    \
        return backward_with(fault, BACKWARD_VALUES);                                    \
    }

BACKWARD(backward_no_final_norm, BACKWARD_NO_FINAL_NORM)
BACKWARD(backward_final_norm_of_normed, BACKWARD_FINAL_NORM_OF_NORMED)
BACKWARD(backward_final_norm_of_stream_0, BACKWARD_FINAL_NORM_OF_STREAM_0)
BACKWARD(backward_output_of_stream, BACKWARD_OUTPUT_OF_STREAM)
BACKWARD(backward_first_block_forgotten, BACKWARD_FIRST_BLOCK_FORGOTTEN)
BACKWARD(backward_first_params, BACKWARD_FIRST_PARAMS)
BACKWARD(backward_first_grads, BACKWARD_FIRST_GRADS)
BACKWARD(backward_first_buffers, BACKWARD_FIRST_BUFFERS)
BACKWARD(backward_first_weights, BACKWARD_FIRST_WEIGHTS)
BACKWARD(backward_outputs_as_inputs, BACKWARD_OUTPUTS_AS_INPUTS)
BACKWARD(backward_tokens_as_targets, BACKWARD_TOKENS_AS_TARGETS)
BACKWARD(backward_tied, BACKWARD_TIED)
BACKWARD(backward_no_embedding, BACKWARD_NO_EMBEDDING)
BACKWARD(backward_embedding_of_targets, BACKWARD_EMBEDDING_OF_TARGETS)
BACKWARD(backward_embedding_of_top, BACKWARD_EMBEDDING_OF_TOP)
BACKWARD(backward_by_pieces, BACKWARD_RIGHT)

static const struct mistake language_backward_mistakes[] = {
    {
        .id = "no-final-norm",
        .what = "the last norm's backward is missing",
        .why =
            "logits come from normed, not from streams[L]: call rmsnorm_backward, which "
            "also adds to norm.",
        .source = NULL,
        .function = LIKE(language_backward, backward_no_final_norm),
    },
    {
        .id = "final-norm-of-normed",
        .what = "the last norm's backward gets normed instead of streams[L]",
        .why = "It needs the input of the norm.",
        .source = NULL,
        .function = LIKE(language_backward, backward_final_norm_of_normed),
    },
    {
        .id = "final-norm-of-stream-0",
        .what = "the last norm's backward gets streams[0] instead of streams[L]",
        .why = "It needs the input of the norm, the last block's output: streams[L].",
        .source = NULL,
        .function = LIKE(language_backward, backward_final_norm_of_stream_0),
    },
    {
        .id = "output-of-stream",
        .what = "the gradient of w_out uses streams[L] instead of normed",
        .why = "linear_backward needs the input of that layer: normed.",
        .source = NULL,
        .function = LIKE(language_backward, backward_output_of_stream),
    },
    {
        .id = "block-0-forgotten",
        .what = "the loop over the blocks ends before block 0",
        .why =
            "A size_t cannot go below 0, and l > 0 skips block 0. Write for (size_t l = "
            "L; l-- > 0;).",
        .source = NULL,
        .function = LIKE(language_backward, backward_first_block_forgotten),
    },
    {
        .id = "block-0-params",
        .what = "every block uses the parameters of block 0",
        .why = "Block l has its own: language_block_params(params, shape, l).",
        .source = NULL,
        .function = LIKE(language_backward, backward_first_params),
    },
    {
        .id = "block-0-grads",
        .what = "every block adds to the gradients of block 0",
        .why = "Block l has its own: language_block_grads(grads, shape, l).",
        .source = NULL,
        .function = LIKE(language_backward, backward_first_grads),
    },
    {
        .id = "block-0-buffers",
        .what = "every block uses the buffers of block 0",
        .why = "Block l has its own: language_block_buffers(z, shape, l).",
        .source = NULL,
        .function = LIKE(language_backward, backward_first_buffers),
    },
    {
        .id = "block-0-weights",
        .what = "every block uses the attention weights of block 0",
        .why = "weights is (L, B, NH, T, T): block l's start at l * B * NH * T * T.",
        .source = NULL,
        .function = LIKE(language_backward, backward_first_weights),
    },
    {
        .id = "outputs-as-inputs",
        .what = "every block gets its output, streams[l + 1], as x",
        .why = "x is the input of the block: streams[l].",
        .source = NULL,
        .function = LIKE(language_backward, backward_outputs_as_inputs),
    },
    {
        .id = "tokens-as-targets",
        .what = "dlogits is computed from the tokens, not from the targets",
        .why = "The loss is computed from the targets, and so is its gradient.",
        .source = NULL,
        .function = LIKE(language_backward, backward_tokens_as_targets),
    },
    {
        .id = "tied",
        .what = "dlogits goes back through the token table in place of w_out",
        .why = "forward: logits = normed w_out^T. This model has a matrix of its own for "
               "the output.",
        .source = NULL,
        .function = LIKE(language_backward, backward_tied),
    },
    {
        .id = "no-embedding",
        .what = "the token table gets no gradient",
        .why =
            "The last step is embedding_backward(grads->token_table, dstreams, tokens).",
        .source = NULL,
        .function = LIKE(language_backward, backward_no_embedding),
    },
    {
        .id = "embedding-of-targets",
        .what = "the gradient goes to the rows of the targets, not of the tokens",
        .why = "streams[0] holds the rows of the tokens.",
        .source = NULL,
        .function = LIKE(language_backward, backward_embedding_of_targets),
    },
    {
        .id = "embedding-of-top",
        .what = "the token table gets dstreams[L] instead of dstreams[0]",
        .why =
            "streams[0] holds the table's rows. Their gradient has gone back through all "
            "blocks.",
        .source = NULL,
        .function = LIKE(language_backward, backward_embedding_of_top),
    },
    {0},
};

static const struct mistake language_backward_alternatives[] = {
    {.id = "by-pieces", .function = LIKE(language_backward, backward_by_pieces)},
    {.id = "in-double", .function = LIKE(language_backward, language_backward_in_double)},
    {0},
};

static const struct part language_backward_part[] = {
    {
        .function = "language_block_backward",
        .dims = BLOCK_DIMS,
        .tensors =
            {
                {"dx", "B T C", OUTPUT, F32, GRADIENT_TOLERANCE},
                BLOCK_PARAM_TENSORS("grads.", UPDATED, GRADIENT_TOLERANCE),
                GRADIENT_WORKSPACES,
                {"dout", "B T C", INPUT, F32, 0, 0},
                {"x", "B T C", INPUT, F32, 0, 0},
                BLOCK_PARAM_TENSORS("params.", INPUT, 0, 0),
                {"weights", "B NH T T", INPUT, F32, 0, 0},
                BLOCK_BUFFER_TENSORS(INPUT, INPUT, 0, 0),
            },
        .stages =
            "dz.dhidden dz.dgate:dz.dhidden dz.dup:dz.dhidden "
            "dz.dnormed2:dz.dgate,dz.dup dz.dmiddle:dz.dnormed2 "
            "dz.dmerged:dz.dmiddle dz.dout_heads:dz.dmerged "
            "dz.dweights:dz.dout_heads dz.dv_heads:dz.dout_heads "
            "dz.dscores:dz.dweights dz.dq_turned:dz.dscores dz.dk_turned:dz.dscores "
            "dz.dq_heads:dz.dq_turned dz.dk_heads:dz.dk_turned dz.dq:dz.dq_heads "
            "dz.dk:dz.dk_heads dz.dv:dz.dv_heads dz.dnormed1:dz.dq,dz.dk,dz.dv "
            "dx:dz.dnormed1",
        .cases = block_backward_cases,
        .mistakes = block_backward_mistakes,
        .alternatives = block_backward_alternatives,
    },
    {
        .function = "language_backward",
        .dims = MODEL_DIMS " L1",
        .tensors =
            {
                MODEL_PARAM_TENSORS("grads.", UPDATED, GRADIENT_TOLERANCE),
                {"dz.dlogits", "B T V", OUTPUT, F32, GRADIENT_TOLERANCE},
                {"dz.dnormed", "B T C", OUTPUT, F32, GRADIENT_TOLERANCE},
                {"dz.dstreams", "L1 B T C", OUTPUT, F32, GRADIENT_TOLERANCE},
                ACTIVATION_TENSORS("B ", INPUT, INPUT, 0, 0),
                MODEL_PARAM_TENSORS("params.", INPUT, 0, 0),
                {"tokens", "B T", INPUT, SIZE, 0, 0},
                {"targets", "B T", INPUT, SIZE, 0, 0},
            },
        .stages = "dz.dlogits grads.w_out:dz.dlogits dz.dnormed:dz.dlogits "
                  "grads.norm:dz.dnormed dz.dstreams<:dz.dnormed "
                  "grads.token_table:dz.dstreams",
        .cases = language_backward_cases,
        .mistakes = language_backward_mistakes,
        .alternatives = language_backward_alternatives,
    },
    {0},
};

const struct exercise exercise_8_8 = {
    .id = "8.8",
    .name = "language_block_backward and language_backward",
    .section = "8.8 The whole model, backward",
    .uses = {"8.3", "8.4", "8.5", "6.4", "6.5", "6.7", "6.10", "4.3"},
    .hints =
        {
            "Copy the forward lines into comments, from last to first, and put the "
            "backward call under each. If a value is used several times, add the "
            "gradients.",
            "block: linear(w_down), swiglu, linear(w_gate) + linear(w_up), rmsnorm, "
            "dmiddle = dout + its dx; linear(w_o), split_heads, attention, "
            "rope_backward twice, merge_heads three times, "
            "linear(w_q) + linear(w_k) + linear(w_v), rmsnorm, dx = dmiddle + its dx.",
            "linear_backward(dhidden, grads->w_down, NULL, dout, z->hidden, w_down, N, "
            "H, C)\n"
            "swiglu_backward(dgate, dup, dhidden, z->gate, z->up, N * H)\n"
            "linear_backward(dnormed2, grads->w_gate, NULL, dgate, z->normed2, w_gate,"
            " N, C, H)\n"
            "linear_backward(dbranch, grads->w_up, NULL, dup, ...); dnormed2 += dbranch\n"
            "rmsnorm_backward(dbranch, grads->norm2, dnormed2, z->middle, z->rrms2,"
            " norm2, N, C)\n"
            "residual_add(dmiddle, dout, dbranch, N * C); the attention likewise, from"
            " dmiddle\n"
            "model: cross_entropy_backward, linear_backward(w_out),"
            " rmsnorm_backward(norm)\n"
            "    for (size_t l = L; l-- > 0;) language_block_backward(dstreams[l], ...,\n"
            "    dstreams[l + 1], streams[l], ...); embedding_backward",
        },
    .parts = language_backward_part,
};
