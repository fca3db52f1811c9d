// 01_causal_mask.c - exercise 3.1, causal_mask: cases, known mistakes and hints.

#include "exercises/exercise.h"

#include <string.h>

#include "03_causal_mask/causal.h"

// Every pair of sizes below is judged exactly, because zeros and ones need no tolerance.
static const struct case_spec causal_mask_cases[] = {
    {.dims = "T=1 S=1"},
    {.dims = "T=2 S=2", .note = "T = S, the usual triangle"},
    {.dims = "T=3 S=3", .note = "T = S, the usual triangle"},
    {.dims = "T=1 S=4", .note = "one query after earlier tokens: it sees every key"},
    {.dims = "T=2 S=5", .note = "T < S: the last query sees every key"},
    {.dims = "T=5 S=2", .note = "T > S: the first T - S queries see nothing"},
    {.dims = "T=4 S=1", .note = "T > S: the first T - S queries see nothing"},
    {.dims = "T=7 S=7", .note = "T = S, the usual triangle"},
    {.dims = "T=2..6 S=7..13",
     .draws = 3,
     .note = "T < S: the last query sees every key"},
    {.dims = "T=8..14 S=2..7",
     .draws = 3,
     .note = "T > S: the first T - S queries see nothing"},
    {.dims = "T=33 S=33", .note = "T = S, the usual triangle"},
    {.dims = "T=67 S=71", .note = "T < S: the last query sees every key"},
    {.dims = "T=71 S=67", .note = "T > S: the first T - S queries see nothing"},
    {.dims = "T=131 S=131", .note = "T = S, the usual triangle"},
    {.dims = "T=1 S=521", .note = "one query after earlier tokens: it sees every key"},
    {.dims = "T=521 S=1", .note = "T > S: the first T - S queries see nothing"},
    {.dims = "T=131 S=521", .note = "T < S: the last query sees every key"},
    {.dims = "T=521 S=131", .note = "T > S: the first T - S queries see nothing"},
    {.dims = "T=256 S=256", .note = "T = S, the usual triangle"},
    {.dims = "T=64 S=256", .note = "T < S: the last query sees every key"},
    {.dims = "T=65540 S=1",
     .note = "more queries than 16 bits can count",
     .cpu_only = true},
    {.dims = "T=1 S=65540", .note = "more keys than 16 bits can count"},
    {.dims = "T=3 S=4", .note = "then S changes, T stays", .apart = true},
    {.dims = "T=3 S=6", .note = "T as before", .apart = true},
    {.dims = "T=0 S=3", .note = "a size of 0"},
    {.dims = "T=3 S=0", .note = "a size of 0"},
    // 65538 blocks of 8 queries: more than a grid can have.
    {.dims = "T=524301 S=1", .note = "half a million queries", .gpu_only = true},
    {MOST("T=2 S=1", "T")},
    {MOST("T=1 S=2", "S")},
    // 33 blocks of 32 keys: more blocks than a block has threads in a row.
    {.dims = "T=3 S=1031", .note = "more than 1024 keys", .gpu_only = true},
    {TOO_LARGE("T=2 S=3", "T", "T")},
    {TOO_LARGE("T=2 S=3", "S", "S")},
    {0},
};

// MASK(name, condition): a causal_mask that allows key s if the condition on t, s, T and S
// holds.
#define MASK(name, condition)                                                            \
    static lab_status name(uint8_t *mask, size_t T, size_t S)                            \
    {                                                                                    \
        if (T == 0 || S == 0) {                                                          \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        for (size_t t = 0; t < T; t++) {                                                 \
            for (size_t s = 0; s < S; s++) {                                             \
                mask[t * S + s] = condition;                                             \
            }                                                                            \
        }                                                                                \
        return LAB_OK;                                                                   \
    }

MASK(mask_upside_down, s + T >= t + S)
MASK(mask_without_diagonal, s + T < t + S)
MASK(mask_sees_next, s + T <= t + S + 1)
MASK(mask_from_the_start, s <= t)
MASK(mask_start_for_short_past, s <= t + (S > T ? S - T : 0))
MASK(mask_inverted, s + T > t + S)
MASK(mask_unsigned, s <= t + (S - T)) // wraps around when T > S
MASK(mask_sizes_exchanged, s + S <= t + T)
MASK(mask_all_ones, true)
MASK(mask_upside_down_from_start, s >= t)
MASK(mask_inverted_from_start, s > t)
MASK(mask_without_diagonal_from_start, s < t)
MASK(mask_255, s + T <= t + S ? 255 : 0)

// The right rule, written into a (S, T) matrix.
static lab_status mask_transposed(uint8_t *mask, size_t T, size_t S)
{
    if (T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < S; s++) {
            mask[s * T + t] = s + T <= t + S;
        }
    }
    return LAB_OK;
}

#define UPSIDE_DOWN                                                                      \
    "Each query now sees itself and the future, but not the past. Row t is the query, "  \
    "column s the key: allow s <= t, not s >= t."
#define AT_END                                                                           \
    "The queries are the last T of S positions: query t is at position t + S - T, and "  \
    "the last query sees every key."

static const struct mistake causal_mask_mistakes[] = {
    {
        .id = "upside-down",
        .what = "the mask is inverted: it allows the upper triangle",
        .why = UPSIDE_DOWN,
        .source = "rasbt/LLMs-from-scratch#1061, lucidrains/x-transformers#164",
        .function = LIKE(causal_mask, mask_upside_down),
    },
    {
        .id = "diagonal-excluded",
        .what = "the mask forbids each query its own position",
        .why = "The comparison is < instead of <=. The first token then has nothing to "
               "look at.",
        .source = "RVC-Boss/GPT-SoVITS#965",
        .function = LIKE(causal_mask, mask_without_diagonal),
    },
    {
        .id = "sees-next",
        .what =
            "the mask allows each query one key too many, the one after its own position",
        .why = "The diagonal is off by one. A model trained with it reads the token that "
               "it should predict.",
        .source = "TransformerLensOrg/TransformerLens#284",
        .function = LIKE(causal_mask, mask_sees_next),
    },
    {
        .id = "aligned-at-start",
        .what = "the mask aligns query 0 with key 0 even when there are more keys "
                "than queries",
        .why = "With T < S the queries are the last T of S positions: query t is at "
               "position t + (S - T), and the last query sees every key.",
        .source = "NVIDIA/cutlass#2336, Dao-AILab/flash-attention#517",
        .function = LIKE(causal_mask, mask_from_the_start),
    },
    {
        .id = "aligned-at-start-when-longer",
        .what = "with T > S the mask is aligned at the start, not at the end",
        .why = "S - T must not be clamped at 0. The last query must still see the last "
               "key, and the first T - S queries see nothing.",
        .source = "ml-explore/mlx#2967",
        .function = LIKE(causal_mask, mask_start_for_short_past),
    },
    {
        .id = "sizes-exchanged",
        .what = "T and S are exchanged in the comparison",
        .why =
            "The last query is at the last key: t = T - 1 still sees s = S - 1. So query "
            "t is at position t + S - T, not t + T - S.",
        .function = LIKE(causal_mask, mask_sizes_exchanged),
    },
    {
        .id = "transposed",
        .what = "the mask is transposed: keys down, queries across",
        .why = "The mask is (T, S) with a query t per row and a key s per column: "
               "element (t, s) is mask[t * S + s].",
        .source = "charlesfrye/panndas#6",
        .function = LIKE(causal_mask, mask_transposed),
    },
    {
        .id = "inverted",
        .what = "0 and 1 are swapped: the mask marks the forbidden keys",
        .why = "In this lab, 1 means \"may attend\". Some libraries mark the forbidden "
               "keys instead.",
        .source = "mlwithme/TransformerTranslation#6",
        .function = LIKE(causal_mask, mask_inverted),
    },
    {
        .id = "unsigned-wrap",
        .what = "with T > S the first T - S queries see everything instead of nothing",
        .why = "S - T is a size_t and cannot be negative, so it wraps around to a huge "
               "number. Move T to the other side of the comparison: s + T <= t + S.",
        .source = NULL,
        .function = LIKE(causal_mask, mask_unsigned),
    },
    {
        .id = "all-ones",
        .what = "the mask allows every key to every query",
        .why = "A mask of only ones forbids nothing, so the future is visible.",
        .source = "paiml/entrenar#310",
        .function = LIKE(causal_mask, mask_all_ones),
    },
    {
        .id = "upside-down-at-start",
        .what = "the mask is inverted, and it aligns query 0 with key 0: s >= t",
        .why = UPSIDE_DOWN " " AT_END,
        .function = LIKE(causal_mask, mask_upside_down_from_start),
    },
    {
        .id = "inverted-at-start",
        .what =
            "the mask marks the forbidden keys, and it aligns query 0 with key 0: s > t",
        .why = "In this lab, 1 means \"may attend\". " AT_END,
        .function = LIKE(causal_mask, mask_inverted_from_start),
    },
    {
        .id = "diagonal-excluded-at-start",
        .what =
            "the mask forbids each query its own position, and it aligns query 0 with "
            "key 0: s < t",
        .why = "A query sees itself, too: s <= t if T = S. " AT_END,
        .function = LIKE(causal_mask, mask_without_diagonal_from_start),
    },
    {
        .id = "allowed-is-255",
        .what = "allowed keys are marked with 255",
        .why = "In this lab, 1 means \"may attend\", and 0 forbids.",
        .function = LIKE(causal_mask, mask_255),
    },
    {0},
};

// Zeros, then one run of ones for each query.
static lab_status mask_by_runs(uint8_t *mask, size_t T, size_t S)
{
    if (T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    memset(mask, 0, T * S);
    for (size_t t = T > S ? T - S : 0; t < T; t++) {
        memset(mask + t * S, 1, t + S - T + 1);
    }
    return LAB_OK;
}

static lab_status mask_signed(uint8_t *mask, size_t T, size_t S)
{
    if (T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    long offset = (long)S - (long)T;
    for (long t = 0; t < (long)T; t++) {
        for (long s = 0; s < (long)S; s++) {
            *mask++ = s <= t + offset ? 1 : 0;
        }
    }
    return LAB_OK;
}

static const struct mistake causal_mask_alternatives[] = {
    {.id = "runs-of-ones", .function = LIKE(causal_mask, mask_by_runs)},
    {.id = "signed-offset", .function = LIKE(causal_mask, mask_signed)},
    {0},
};

static const struct part causal_mask_part[] = {
    {
        .function = "causal_mask",
        .dims = "T S",
        .tensors = {{"mask", "T S", OUTPUT, U8, 0, 0}},
        .cases = causal_mask_cases,
        .mistakes = causal_mask_mistakes,
        .alternatives = causal_mask_alternatives,
    },
    {0},
};

const struct exercise exercise_3_1 = {
    .id = "3.1",
    .name = "causal_mask",
    .section = "3.1 The mask",
    .gpu_section = "3.1 A kernel without an input",
    .hints =
        {
            "Draw the 3 x 3 and the 2 x 5 mask on paper first. Which is the last "
            "key that query t may see?",
            "Query t is at position t + (S - T) among the keys, so mask[t][s] is 1 if s "
            "<= t + (S - T). Sizes are size_t and cannot be negative, so move T to the "
            "other side.",
            "for each t, for each s:\n"
            "    mask[t * S + s] = (s + T <= t + S)",
        },
    .gpu_hints =
        {
            "There is nothing to read: each thread computes its value from its indices. "
            "Which bytes do neighboring threads write?",
            "s = blockIdx.x * blockDim.x + threadIdx.x and t the same with y; "
            "mask[t * S + s] = s + T <= t + S, if s < S and t < T.",
            "s = blockIdx.x * blockDim.x + threadIdx.x; return if s >= S\n"
            "for t = blockIdx.y * blockDim.y + threadIdx.y; t < T;\n"
            "        t += gridDim.y * blockDim.y:\n"
            "    mask_dev[t * S + s] = s + T <= t + S\n"
            "launcher: block(32, 8), grid((S + 31) / 32, min((T + 7) / 8, GRID_MAX))",
        },
    .parts = causal_mask_part,
};
