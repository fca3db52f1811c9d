// 07_transformer_stack.c - exercise 5.7, transformer_stack: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/05/block.h"

#include "05_transformer_block/block.h"

// BEGIN HANDED OUT
#define STACK_WEIGHTS_TOLERANCE 2e-5f, 2e-4f
#define STACK_OUT_TOLERANCE 2e-4f, 2e-4f
// END HANDED OUT

static const struct case_spec stack_cases[] = {
    {.dims = "causal=1 B=1 T=2 C=4 NH=1 H=3 L=1",
     .fill = fill_block,
     .note = "one block"},
    {.dims = "causal=1 B=1 T=2 C=4 NH=2 H=5 L=2", .fill = fill_block},
    {.dims = "causal=0 B=2 T=3 C=6 NH=3 H=5 L=2",
     .fill = fill_block,
     .note = "not causal"},
    {.dims = "causal=1 B=3 T=3 C=3 NH=3 H=3 L=3",
     .fill = fill_block,
     .note = "all sizes 3"},
    {.dims = "causal=1 B=1 T=4 C=6 NH=2 H=7 L=3", .draws = 2, .fill = fill_block},
    {.dims = "causal=0..1 B=2..3 T=3..5 C=8 NH=4 H=9..17 L=3",
     .draws = 2,
     .fill = fill_block},
    {.dims = "causal=1 B=2 T=5 C=12 NH=3 H=48 L=4", .fill = fill_block},
    {.dims = "causal=1 B=1 T=1 C=1 NH=1 H=1 L=2", .fill = fill_block},
    {.dims = "causal=0 B=2 T=7 C=5 NH=1 H=3 L=1",
     .fill = fill_without_biases,
     .note = "one block, attention without biases"},
    {.dims = "causal=1 B=3 T=2 C=6 NH=3 H=4 L=5",
     .fill = fill_without_biases,
     .note = "attention without biases"},
    {.dims = "causal=0 B=1 T=3 C=10 NH=5 H=7 L=6",
     .fill = fill_without_b_o,
     .note = "attention with b_qkv alone"},
    {.dims = "causal=1 B=2 T=3 C=8 NH=2 H=5 L=67",
     .fill = fill_without_b_qkv,
     .note = "many blocks, attention with b_o alone"},
    {.dims = "causal=0 B=17 T=5 C=19 NH=19 H=23 L=3", .fill = fill_block},
    {.dims = "causal=1 B=2 T=67 C=65 NH=5 H=69 L=3",
     .fill = fill_block,
     .note = "larger, odd sizes"},
    {.dims = "causal=1 B=3 T=1 C=6 NH=2 H=5 L=2",
     .fill = fill_block,
     .note = "one token in each sequence"},
    {.dims = "causal=1 B=2 T=3 C=1 NH=1 H=4 L=2",
     .fill = fill_block,
     .note = "one channel"},
    {.dims = "causal=1 B=2 T=3 C=6 NH=2 H=1 L=2",
     .fill = fill_block,
     .note = "an MLP of width 1"},
    {.dims = "causal=0 B=2 T=3 C=6 NH=2 H=5 L=1",
     .fill = fill_block,
     .note = "one block, not causal"},
    {.dims = "causal=1 B=16 T=3 C=8 NH=2 H=5 L=2",
     .fill = fill_block,
     .note = "exactly 16 sequences"},
    {.dims = "causal=1 B=2 T=3 C=16 NH=2 H=5 L=2",
     .fill = fill_block,
     .note = "exactly 16 channels"},
    {.dims = "causal=1 B=1 T=3 C=8 NH=2 H=5 L=64",
     .fill = fill_without_b_qkv,
     .note = "exactly 64 blocks, attention with b_o alone"},
    {.dims = "causal=1 B=2 T=64 C=64 NH=16 H=64 L=2",
     .fill = fill_block,
     .note = "T = C = H = 64"},
    {.dims = "causal=0 B=2 T=2 C=4 NH=1 H=3 L=2",
     .fill = fill_stream_of_every_size,
     .unit = STREAM_OF_EVERY_SIZE_UNIT,
     .note = STREAM_OF_EVERY_SIZE_NOTE},
    {.dims = "causal=1 B=2 T=3 C=7 NH=3 H=5 L=2", .note = "NH does not divide C"},
    {.dims = "causal=1 B=0 T=3 C=4 NH=2 H=5 L=2", .note = "a size of 0"},
    {.dims = "causal=1 B=2 T=0 C=4 NH=2 H=5 L=2", .note = "a size of 0"},
    {.dims = "causal=1 B=2 T=3 C=0 NH=2 H=5 L=2", .note = "a size of 0"},
    {.dims = "causal=1 B=2 T=3 C=4 NH=0 H=5 L=2", .note = "a size of 0"},
    {.dims = "causal=1 B=2 T=3 C=4 NH=2 H=0 L=2", .note = "a size of 0"},
    {.dims = "causal=1 B=2 T=3 C=4 NH=2 H=5 L=0", .note = "a size of 0"},
    {0},
};

#define STACK_ARGUMENTS                                                                  \
    float *streams, float *weights, const struct block_buffers *buffers, const float *x, \
        const struct block_params *params, bool causal, size_t B, size_t T, size_t C,    \
        size_t NH, size_t H, size_t L
#define STACK_VALUES streams, weights, buffers, x, params, causal, B, T, C, NH, H, L

// Which parameters and streams layer l uses; all zero is correct.
struct stack_recipe {
    bool first_params, last_params, reversed_params; // whose parameters
    bool reads_x;                                    // every layer reads x
    bool reads_first;                                // every later one reads layer 0's
    bool reversed_streams;                           // the result is stream 0
    bool one_place; // all layers write their weights over those of layer 0
    bool stream_of_one, map_of_one, map_of_one_head; // steps of one sequence, or head
    bool adds_input;                                 // a residual around each block
    lab_status (*block)(BLOCK_ARGUMENTS);
};

static lab_status stack_with(struct stack_recipe recipe, STACK_ARGUMENTS)
{
    if (B == 0 || T == 0 || C == 0 || NH == 0 || H == 0 || L == 0 || C % NH != 0) {
        return LAB_ESHAPE;
    }
    lab_status (*block)(BLOCK_ARGUMENTS) =
        recipe.block == NULL ? transformer_block : recipe.block;
    const size_t stream = B * T * C, map = B * NH * T * T;
    const size_t stream_step = recipe.stream_of_one ? T * C : stream;
    const size_t map_step = recipe.one_place         ? 0
                            : recipe.map_of_one      ? NH * T * T
                            : recipe.map_of_one_head ? B * T * T
                                                     : map;
    const float *input = x;
    lab_status status = LAB_OK;
    for (size_t l = 0; l < L && status == LAB_OK; l++) {
        const size_t whose = recipe.first_params      ? 0
                             : recipe.last_params     ? L - 1
                             : recipe.reversed_params ? L - 1 - l
                                                      : l;
        const size_t where = recipe.reversed_streams ? L - 1 - l : l;
        float *output = streams + where * stream_step;
        status = block(output, weights + l * map_step, buffers, input, &params[whose],
                       causal, B, T, C, NH, H);
        for (size_t i = 0; i < stream && recipe.adds_input; i++) {
            output[i] += input[i];
        }
        input = recipe.reads_x ? x : recipe.reads_first ? streams : output;
    }
    return status;
}

// STACK(name, .reads_x = true): a transformer_stack that follows that recipe.
#define STACK(name, ...)                                                                 \
    static lab_status name(STACK_ARGUMENTS)                                              \
    {                                                                                    \
        return stack_with((struct stack_recipe){__VA_ARGS__}, STACK_VALUES);             \
    }

STACK(stack_first_params, .first_params = true)
STACK(stack_last_params, .last_params = true)
STACK(stack_reversed, .reversed_params = true)
STACK(stack_reads_x, .reads_x = true)
STACK(stack_reads_first, .reads_first = true)
STACK(stack_reversed_streams, .reversed_streams = true)
STACK(stack_weights_in_one_place, .one_place = true)
STACK(stack_streams_of_one_sequence, .stream_of_one = true)
STACK(stack_weights_of_one_sequence, .map_of_one = true)
STACK(stack_weights_of_one_head, .map_of_one_head = true)
STACK(stack_adds_input, .adds_input = true)

static const struct mistake stack_mistakes[] = {
    {
        .id = "first-params",
        .what = "every block uses the parameters of block 0",
        .why = "Block l has its own parameters, &params[l]; params alone points to those "
               "of block 0.",
        .source = "espnet/espnet#1278, zalandoresearch/pytorch-vq-vae#2",
        .function = LIKE(transformer_stack, stack_first_params),
    },
    {
        .id = "last-params",
        .what = "every block uses the parameters of the last block",
        .why = "Block l has its own parameters: &params[l].",
        .source = "linkedin/Liger-Kernel#269",
        .function = LIKE(transformer_stack, stack_last_params),
    },
    {
        .id = "reversed",
        .what = "the parameters are used in reverse order",
        .why = "Block 0 comes first, with params[0]. The reverse order is that of the "
               "backward pass, in lab 6.",
        .source = NULL,
        .function = LIKE(transformer_stack, stack_reversed),
    },
    {
        .id = "reads-x",
        .what = "every block reads x instead of the previous block's output",
        .why = "Block l reads streams[l - 1]; only block 0 reads x. As it is, only the "
               "last block affects the result.",
        .source = NULL,
        .function = LIKE(transformer_stack, stack_reads_x),
    },
    {
        .id = "reads-block-0",
        .what = "every block after block 0 reads the output of block 0",
        .why = "Block l reads the output of block l - 1: streams + (l - 1) * B * T * C.",
        .source = NULL,
        .function = LIKE(transformer_stack, stack_reads_first),
    },
    {
        .id = "streams-reversed",
        .what = "the outputs are stored in reverse order",
        .why = "streams[l] is the output of block l, and streams[L - 1] the result.",
        .source = NULL,
        .function = LIKE(transformer_stack, stack_reversed_streams),
    },
    {
        .id = "weights-in-one-place",
        .what = "every block writes its weights over those of the block before it",
        .why =
            "weights is (L, B, NH, T, T): those of block l start at weights + l * B * NH "
            "* T * T.",
        .source = NULL,
        .function = LIKE(transformer_stack, stack_weights_in_one_place),
    },
    {
        .id = "streams-without-B",
        .what = "the output of block l starts at l * T * C",
        .why = "Each output is (B, T, C): that of block l starts at streams + l * B * T "
               "* C.",
        .source = NULL,
        .function = LIKE(transformer_stack, stack_streams_of_one_sequence),
    },
    {
        .id = "weights-without-B",
        .what = "the weights of block l start at l * NH * T * T",
        .why =
            "Those of each block are (B, NH, T, T): they start at weights + l * B * NH "
            "* T * T.",
        .source = NULL,
        .function = LIKE(transformer_stack, stack_weights_of_one_sequence),
    },
    {
        .id = "weights-without-NH",
        .what = "the weights of block l start at l * B * T * T",
        .why =
            "Those of each block are (B, NH, T, T): they start at weights + l * B * NH "
            "* T * T.",
        .source = NULL,
        .function = LIKE(transformer_stack, stack_weights_of_one_head),
    },
    {
        .id = "adds-input",
        .what = "the input of each block is added to its output a second time",
        .why = "The residuals are inside the block. Its output is already the stream.",
        .source = NULL,
        .function = LIKE(transformer_stack, stack_adds_input),
    },
    {0},
};

STACK(stack_in_plain_loops, .block = block_in_plain_loops)
STACK(stack_with_folded_norms, .block = block_with_folded_norms)

static const struct mistake stack_alternatives[] = {
    {.id = "plain-loops", .function = LIKE(transformer_stack, stack_in_plain_loops)},
    {.id = "folded-norms", .function = LIKE(transformer_stack, stack_with_folded_norms)},
    {0},
};

static const struct part stack_part[] = {
    {
        .function = "transformer_stack",
        .passes_status_on = true,
        .dims = "causal B T C NH H L",
        .tensors = BLOCK_TENSOR_SPECS("streams", "L ", STACK_OUT_TOLERANCE,
                                      STACK_WEIGHTS_TOLERANCE),
        .cases = stack_cases,
        .mistakes = stack_mistakes,
        .alternatives = stack_alternatives,
    },
    {0},
};

const struct exercise exercise_5_7 = {
    .id = "5.7",
    .name = "transformer_stack",
    .section = "5.7 The stack",
    .uses = {"5.6"},
    .hints =
        {
            "From block to block these change: where it reads, where it writes, which "
            "parameters it uses. What stays the same?",
            "Block l reads x (l = 0) or streams + (l - 1) * B*T*C, writes "
            "streams + l * B*T*C and weights + l * B*NH*T*T, and uses &params[l]. "
            "The buffers are the same for all.",
            "input = x\n"
            "for each l below L:\n"
            "    output = streams + l * B*T*C\n"
            "    transformer_block(output, weights + l * B*NH*T*T, buffers, input,\n"
            "                      &params[l], causal, B, T, C, NH, H)\n"
            "    input = output",
        },
    .parts = stack_part,
};
