// 08_parameter_counts.c - exercise 5.8, parameter_count: cases, known mistakes and hints.

#include "exercises/exercise.h"

#include "05_transformer_block/block.h"

// Whole numbers: exact, whatever the size.
static const struct case_spec block_count_cases[] = {
    {.dims = "C=1 H=1"},
    {.dims = "C=2 H=3"},
    {.dims = "C=3 H=2"},
    {.dims = "C=4..30 H=31..99", .draws = 3},
    {.dims = "C=32 H=128", .note = "the model of lab 6"},
    {.dims = "C=768 H=3072", .note = "GPT-2 small"},
    {.dims = "C=1600 H=6400", .note = "GPT-2 XL"},
    {.dims = "C=12288 H=49152", .note = "GPT-3"},
    {.dims = "C=257 H=65"},
    {.dims = "C=999983 H=1048573", .note = "more than 32 bits can count"},
    {.dims = "C=99999989 H=299999977", .note = "more than a double counts exactly"},
    {.dims = "C=1 H=7"},
    {.dims = "C=6 H=1"},
    {.dims = "C=0 H=3", .note = "a size of 0"},
    {.dims = "C=3 H=0", .note = "a size of 0"},
    {0},
};

static const struct case_spec stack_count_cases[] = {
    {.dims = "C=1 H=1 L=1"},
    {.dims = "C=2 H=3 L=5"},
    {.dims = "C=4..30 H=31..99 L=2..9", .draws = 3},
    {.dims = "C=768 H=3072 L=12", .note = "GPT-2 small"},
    {.dims = "C=12288 H=49152 L=96", .note = "GPT-3"},
    {.dims = "C=67 H=5 L=259"},
    {.dims = "C=3 H=261 L=70001"},
    {.dims = "C=999983 H=2999957 L=9973", .note = "more than a double counts exactly"},
    {.dims = "C=1 H=7 L=3"},
    {.dims = "C=6 H=1 L=3"},
    {.dims = "C=6 H=7 L=1"},
    {.dims = "C=0 H=3 L=2", .note = "a size of 0"},
    {.dims = "C=3 H=0 L=2", .note = "a size of 0"},
    {.dims = "C=3 H=3 L=0", .note = "a size of 0"},
    {0},
};

static const struct case_spec gpt2_count_cases[] = {
    {.dims = "V=1 T=1 C=1 L=1"},
    {.dims = "V=7 T=5 C=3 L=2"},
    {.dims = "V=50..99 T=30..40 C=4..20 L=2..9", .draws = 3},
    {.dims = "V=3 T=259 C=65 L=1"},
    {.dims = "V=67 T=5 C=131 L=257"},
    {.dims = "V=70001 T=99991 C=65537 L=301", .note = "more than 32 bits can count"},
    {.dims = "V=999999937 T=999999929 C=9999991 L=67",
     .note = "more than a double counts exactly"},
    {.dims = "V=50257 T=1024 C=768 L=12", .note = "GPT-2 small"},
    {.dims = "V=50257 T=1024 C=1024 L=24", .note = "GPT-2 medium"},
    {.dims = "V=50257 T=1024 C=1280 L=36", .note = "GPT-2 large"},
    {.dims = "V=50257 T=1024 C=1600 L=48", .note = "GPT-2 XL"},
    {.dims = "V=1 T=5 C=3 L=2"},
    {.dims = "V=7 T=1 C=3 L=2"},
    {.dims = "V=7 T=5 C=1 L=2"},
    {.dims = "V=0 T=5 C=3 L=2", .note = "a size of 0"},
    {.dims = "V=7 T=0 C=3 L=2", .note = "a size of 0"},
    {.dims = "V=7 T=5 C=0 L=2", .note = "a size of 0"},
    {.dims = "V=7 T=5 C=3 L=0", .note = "a size of 0"},
    {0},
};

// BLOCK_COUNT(name, value) and its two sisters: a count that returns value.
#define BLOCK_COUNT(name, value)                                                         \
    static lab_status name(size_t *count, size_t C, size_t H)                            \
    {                                                                                    \
        if (C == 0 || H == 0) {                                                          \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        *count = value;                                                                  \
        return LAB_OK;                                                                   \
    }
#define STACK_COUNT(name, value)                                                         \
    static lab_status name(size_t *count, size_t C, size_t H, size_t L)                  \
    {                                                                                    \
        if (C == 0 || H == 0 || L == 0) {                                                \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        *count = value;                                                                  \
        return LAB_OK;                                                                   \
    }
#define GPT2_COUNT(name, value)                                                          \
    static lab_status name(size_t *count, size_t V, size_t T, size_t C, size_t L)        \
    {                                                                                    \
        if (V == 0 || T == 0 || C == 0 || L == 0) {                                      \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        *count = value;                                                                  \
        return LAB_OK;                                                                   \
    }

// Everything written out once: 4CC + 2CH of weights, 4C + H + C of biases, 4C of norms.
#define RIGHT_BLOCK(C, H) (4 * (C) * (C) + 2 * (C) * (H) + 9 * (C) + (H))

BLOCK_COUNT(count_without_biases, 4 * C * C + 2 * C * H + 4 * C)
BLOCK_COUNT(count_weights_only, 4 * C * C + 2 * C * H)
BLOCK_COUNT(count_without_b_qkv, RIGHT_BLOCK(C, H) - 3 * C)
BLOCK_COUNT(count_without_norms, RIGHT_BLOCK(C, H) - 4 * C)
BLOCK_COUNT(count_one_norm, RIGHT_BLOCK(C, H) - 2 * C)
BLOCK_COUNT(count_one_projection, RIGHT_BLOCK(C, H) - 2 * C * C - 2 * C)
BLOCK_COUNT(count_without_output, RIGHT_BLOCK(C, H) - C * C - C)
BLOCK_COUNT(count_mlp_one_way, RIGHT_BLOCK(C, H) - C * H - C)
BLOCK_COUNT(count_mlp_without_biases, RIGHT_BLOCK(C, H) - C - H)
BLOCK_COUNT(count_H_for_b_proj, RIGHT_BLOCK(C, H) - C + H)
BLOCK_COUNT(count_H_is_C, RIGHT_BLOCK(C, C))
BLOCK_COUNT(count_H_is_4C, RIGHT_BLOCK(C, 4 * C))

// Several slips give the same number.
#define ARRAYS_OF_C                                                                      \
    "The two layer norms hold a gain and a bias each, together 4C numbers. b_qkv holds " \
    "3C, b_o and b_proj C each."

static const struct mistake block_count_mistakes[] = {
    {
        .id = "no-biases",
        .what = "the biases of the linear layers are not counted",
        .why = "Each linear layer has one number per output besides its matrix: 3C, C, H "
               "and C of them.",
        .source = NULL,
        .function = LIKE(block_parameter_count, count_without_biases),
    },
    {
        .id = "weights-only",
        .what = "only the matrices are counted, no biases and no layer norms",
        .why = "12 C C for H = 4C is only a good estimate: b_qkv, b_o, b_fc, b_proj and "
               "four arrays of layer norm are missing.",
        .source = NULL,
        .function = LIKE(block_parameter_count, count_weights_only),
    },
    {
        .id = "no-qkv-bias",
        .what = "b_qkv is not counted",
        .why = "It has 3C numbers. GPT-2 has this bias; many later models do not.",
        .source = NULL,
        .function = LIKE(block_parameter_count, count_without_b_qkv),
    },
    {
        .id = "4C-too-few",
        .what = "4C too few are counted",
        .why = ARRAYS_OF_C,
        .source = NULL,
        .function = LIKE(block_parameter_count, count_without_norms),
    },
    {
        .id = "2C-too-few",
        .what = "2C too few are counted",
        .why = ARRAYS_OF_C,
        .source = NULL,
        .function = LIKE(block_parameter_count, count_one_norm),
    },
    {
        .id = "one-projection",
        .what = "w_qkv is counted as one (C, C) matrix",
        .why = "It holds three, for q, k and v: (3C, C), and 3C biases.",
        .source = NULL,
        .function = LIKE(block_parameter_count, count_one_projection),
    },
    {
        .id = "no-output-projection",
        .what = "the output projection of the attention is not counted",
        .why = "w_o is (C, C), and b_o holds C numbers.",
        .source = "jwallbridge/translob#4",
        .function = LIKE(block_parameter_count, count_without_output),
    },
    {
        .id = "mlp-one-way",
        .what = "only the first layer of the MLP is counted",
        .why = "There are two: (H, C) with H biases, and (C, H) with C biases.",
        .source = "graykode/xlnet-Pytorch#16",
        .function = LIKE(block_parameter_count, count_mlp_one_way),
    },
    {
        .id = "H-is-C",
        .what = "the MLP is counted as if H were C",
        .why = "H is the width inside the MLP and a separate argument.",
        .source = NULL,
        .function = LIKE(block_parameter_count, count_H_is_C),
    },
    {
        .id = "H-is-4C",
        .what = "the MLP is counted as if H were 4C",
        .why = "That is usual, but H is an argument: use it.",
        .source = NULL,
        .function = LIKE(block_parameter_count, count_H_is_4C),
    },
    {
        .id = "mlp-without-biases",
        .what = "the biases of the MLP are not counted",
        .why = "b_fc has H numbers, and b_proj has C.",
        .source = NULL,
        .function = LIKE(block_parameter_count, count_mlp_without_biases),
    },
    {
        .id = "b_proj-with-H",
        .what = "b_proj is counted with H numbers",
        .why = "A bias has one number for each output: b_proj has C, only b_fc has H.",
        .source = NULL,
        .function = LIKE(block_parameter_count, count_H_for_b_proj),
    },
    {0},
};

STACK_COUNT(count_one_block, RIGHT_BLOCK(C, H) + 0 * L)
STACK_COUNT(count_final_norm, L *RIGHT_BLOCK(C, H) + 2 * C)
STACK_COUNT(count_norms_once, L *(RIGHT_BLOCK(C, H) - 4 * C) + 4 * C)
STACK_COUNT(count_stack_H_is_4C, L *RIGHT_BLOCK(C, 4 * C) + 0 * H)
STACK_COUNT(count_one_layer_more, (L + 1) * RIGHT_BLOCK(C, H))

static const struct mistake stack_count_mistakes[] = {
    {
        .id = "one-block",
        .what = "only one block is counted",
        .why = "Each of the L blocks has its own parameters.",
        .source = NULL,
        .function = LIKE(stack_parameter_count, count_one_block),
    },
    {
        .id = "final-norm",
        .what = "a final layer norm is counted too",
        .why = "The stack is only the L blocks; the final layer norm belongs "
               "to gpt2_parameter_count.",
        .source = NULL,
        .function = LIKE(stack_parameter_count, count_final_norm),
        .convention = true,
    },
    {
        .id = "norms-once",
        .what = "the layer norms are counted for one block only",
        .why = "Every block has its own two layer norms.",
        .source = "allenai/OLMo#222",
        .function = LIKE(stack_parameter_count, count_norms_once),
    },
    {
        .id = "one-layer-more",
        .what = "L + 1 blocks are counted",
        .why = "There are L blocks, from 0 to L - 1.",
        .source = NULL,
        .function = LIKE(stack_parameter_count, count_one_layer_more),
    },
    {
        .id = "H-is-4C",
        .what = "the MLPs are counted as if H were 4C",
        .why = "That is so in GPT-2, but here H is an argument: pass it on.",
        .source = NULL,
        .function = LIKE(stack_parameter_count, count_stack_H_is_4C),
    },
    {0},
};

// The numbers of a GPT-2 whose blocks hold block.
#define GPT2_WITH(block) (V * C + T * C + L * (block) + 2 * C)
#define RIGHT_GPT2 GPT2_WITH(RIGHT_BLOCK(C, 4 * C))

GPT2_COUNT(count_output_twice, RIGHT_GPT2 + V * C)
GPT2_COUNT(count_without_positions, RIGHT_GPT2 - T * C)
GPT2_COUNT(count_without_tokens, RIGHT_GPT2 - V * C)
GPT2_COUNT(count_without_embeddings, RIGHT_GPT2 - V * C - T * C)
GPT2_COUNT(count_blocks_only, L *RIGHT_BLOCK(C, 4 * C) + 0 * (V + T))
GPT2_COUNT(count_without_final_norm, RIGHT_GPT2 - 2 * C)
GPT2_COUNT(count_final_gain_only, RIGHT_GPT2 - C)
GPT2_COUNT(count_gpt2_H_is_C, GPT2_WITH(RIGHT_BLOCK(C, C)))
GPT2_COUNT(count_gpt2_without_biases, GPT2_WITH(12 * C * C + 4 * C))
GPT2_COUNT(count_one_number_per_position, RIGHT_GPT2 - T * C + T)
GPT2_COUNT(count_output_bias, RIGHT_GPT2 + V)
GPT2_COUNT(count_one_block_only, RIGHT_GPT2 - (L - 1) * RIGHT_BLOCK(C, 4 * C))

static const struct mistake gpt2_count_mistakes[] = {
    {
        .id = "output-twice",
        .what = "the output matrix is counted in addition to the token embedding",
        .why =
            "They are one matrix, used twice: once to look up a token, once to compare "
            "the last stream with every token. GPT-2 small would have 163 million.",
        .source = "karpathy/llama2.c#378, huggingface/transformers#14960",
        .function = LIKE(gpt2_parameter_count, count_output_twice),
    },
    {
        .id = "no-positions",
        .what = "the position embedding is not counted",
        .why = "GPT-2 learns a vector for each of T positions: T * C numbers.",
        .source = NULL,
        .function = LIKE(gpt2_parameter_count, count_without_positions),
    },
    {
        .id = "no-tokens",
        .what = "the token embedding is not counted at all",
        .why = "It is used twice and counted once: V * C numbers, almost a third of "
               "GPT-2 small.",
        .source = NULL,
        .function = LIKE(gpt2_parameter_count, count_without_tokens),
    },
    {
        .id = "no-embeddings",
        .what = "neither of the embeddings is counted",
        .why = "The token embedding, V * C, and the position embedding, T * C, are "
               "parameters too.",
        .source = NULL,
        .function = LIKE(gpt2_parameter_count, count_without_embeddings),
    },
    {
        .id = "blocks-only",
        .what = "only the blocks are counted",
        .why =
            "Papers on scaling do this and write \"non-embedding parameters\". Here the "
            "two embeddings and the final layer norm count too.",
        .source = "TransformerLensOrg/TransformerLens#903",
        .function = LIKE(gpt2_parameter_count, count_blocks_only),
        .convention = true,
    },
    {
        .id = "no-final-norm",
        .what = "the final layer norm is not counted",
        .why =
            "A pre-norm block does not normalize its output, so GPT-2 has a layer norm "
            "after the last block, with 2C numbers.",
        .source = NULL,
        .function = LIKE(gpt2_parameter_count, count_without_final_norm),
    },
    {
        .id = "final-gain-only",
        .what = "only the gain of the final layer norm is counted",
        .why = "It has a bias too: 2C numbers.",
        .source = NULL,
        .function = LIKE(gpt2_parameter_count, count_final_gain_only),
    },
    {
        .id = "H-is-C",
        .what = "the MLPs are counted as if H were C",
        .why = "In GPT-2 the width inside the MLP is 4C.",
        .source = NULL,
        .function = LIKE(gpt2_parameter_count, count_gpt2_H_is_C),
    },
    {
        .id = "no-biases",
        .what = "the biases of the linear layers are not counted",
        .why = "Every block has 3C + C + 4C + C of them.",
        .source = NULL,
        .function = LIKE(gpt2_parameter_count, count_gpt2_without_biases),
    },
    {
        .id = "one-number-per-position",
        .what = "each position is counted as one number",
        .why =
            "The position embedding has a vector of C numbers for each position: T * C.",
        .source = NULL,
        .function = LIKE(gpt2_parameter_count, count_one_number_per_position),
    },
    {
        .id = "output-bias",
        .what = "a bias of V numbers is counted for the output",
        .why = "GPT-2 has no output bias.",
        .source = NULL,
        .function = LIKE(gpt2_parameter_count, count_output_bias),
    },
    {
        .id = "one-block",
        .what = "only one of the L blocks is counted",
        .why = "Each block has its own parameters: use stack_parameter_count.",
        .source = NULL,
        .function = LIKE(gpt2_parameter_count, count_one_block_only),
    },
    {0},
};

BLOCK_COUNT(count_block_formula, RIGHT_BLOCK(C, H))
STACK_COUNT(count_stack_formula, L *RIGHT_BLOCK(C, H))
GPT2_COUNT(count_gpt2_formula, C *(V + T + 2) + L * C * (12 * C + 13))

static const struct mistake block_count_alternatives[] = {
    {.id = "one-formula", .function = LIKE(block_parameter_count, count_block_formula)},
    {0},
};
static const struct mistake stack_count_alternatives[] = {
    {.id = "one-formula", .function = LIKE(stack_parameter_count, count_stack_formula)},
    {0},
};
static const struct mistake gpt2_count_alternatives[] = {
    {.id = "one-formula", .function = LIKE(gpt2_parameter_count, count_gpt2_formula)},
    {0},
};

static const struct part count_part[] = {
    {
        .function = "block_parameter_count",
        .dims = "C H",
        .tensors = {{"count", "1", OUTPUT, SIZE, 0, 0}},
        .cases = block_count_cases,
        .mistakes = block_count_mistakes,
        .alternatives = block_count_alternatives,
    },
    {
        .function = "stack_parameter_count",
        .dims = "C H L",
        .tensors = {{"count", "1", OUTPUT, SIZE, 0, 0}},
        .cases = stack_count_cases,
        .mistakes = stack_count_mistakes,
        .alternatives = stack_count_alternatives,
    },
    {
        .function = "gpt2_parameter_count",
        .dims = "V T C L",
        .tensors = {{"count", "1", OUTPUT, SIZE, 0, 0}},
        .cases = gpt2_count_cases,
        .mistakes = gpt2_count_mistakes,
        .alternatives = gpt2_count_alternatives,
    },
    {0},
};

const struct exercise exercise_5_8 = {
    .id = "5.8",
    .name = "parameter_count",
    .section = "5.8 Counting parameters",
    .hints =
        {
            "Go through struct block_params array by array; each has its shape in a "
            "comment. Then, what does GPT-2 have in addition to its blocks?",
            "Block: 4C for the norms, 3CC + 3C and CC + C for the attention, HC + H and "
            "CH + C for the MLP. Stack: L blocks. GPT-2: VC + TC, the stack with H = 4C, "
            "2C for the final norm.",
            "block = 2 * 2*C + 3*C*C + 3*C + C*C + C + H*C + H + C*H + C\n"
            "stack = L * block\n"
            "gpt2 = V*C + T*C + stack with H = 4*C + 2*C",
        },
    .parts = count_part,
};
