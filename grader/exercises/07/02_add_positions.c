// 02_add_positions.c - exercise 7.2, add_positions: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/common/inputs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "07_positional_encoding/positions.h"
#include "common/rng.h"

#define ADDED_TOLERANCE 1e-6f, 1e-6f // one addition of floats

static void fill_every_size(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    rows_of_every_size(test, "x", case_dim(test, "C"));
    rows_of_every_size(test, "table", case_dim(test, "C"));
}

static void repeated(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    repeat_numbers(test, "x", 1);
    repeat_numbers(test, "table", 2);
}

static const struct case_spec add_positions_cases[] = {
    {.dims = "B=1 T=1 C=2 T_max=1"},
    {.dims = "B=1 T=2 C=3 T_max=4", .note = "a table longer than the sequence"},
    {.dims = "B=2 T=3 C=2 T_max=3", .note = "a table just long enough"},
    {.dims = "B=3 T=3 C=3 T_max=3", .note = "all sizes are 3"},
    {.dims = "B=2 T=3 C=4 T_max=5", .draws = 2},
    {.dims = "B=3 T=1 C=4 T_max=6", .note = "one token: position 0"},
    {.dims = "B=2..3 T=4..6 C=7..11 T_max=12..16", .draws = 3},
    {.dims = "B=4 T=9 C=5 T_max=9", .note = "a table just long enough"},
    {.dims = "B=5 T=2 C=9 T_max=3", .apart = true},
    {.dims = "B=8 T=3 C=1 T_max=5", .apart = true},
    {.dims = "B=2 T=259 C=3 T_max=261"},
    {.dims = "B=257 T=3 C=2 T_max=4", .apart = true},
    {.dims = "B=2 T=3 C=1031 T_max=7"},
    {.dims = "B=3 T=5 C=4 T_max=1001", .note = "a table much longer than the sequence"},
    {.dims = "B=17 T=67 C=65 T_max=71", .note = "larger, odd sizes"},
    {.dims = "B=1 T=4 C=2 T_max=3", .note = "a table that is too short"},
    {.dims = "B=3 T=1 C=4 T_max=1", .note = "one token, one position", .apart = true},
    {.dims = "B=256 T=3 C=2 T_max=4", .note = "exactly 256 sequences", .apart = true},
    {.dims = "B=2 T=256 C=3 T_max=256", .note = "exactly 256 tokens"},
    {.dims = "B=2 T=3 C=256 T_max=8", .note = "exactly 256 channels"},
    {.dims = "B=1 T=1 C=3 T_max=4", .note = "one sequence of one token, a longer table"},
    {.dims = "B=0 T=2 C=3 T_max=4", .note = "a size of 0"},
    {.dims = "B=2 T=0 C=3 T_max=4", .note = "a size of 0"},
    {.dims = "B=2 T=2 C=0 T_max=4", .note = "a size of 0"},
    {.dims = "B=2 T=2 C=3 T_max=0", .note = "a table without rows"},
    {.dims = "B=2 T=6 C=3 T_max=7",
     .fill = fill_every_size,
     .unit = EVERY_SIZE_UNIT,
     .note = EVERY_SIZE_NOTE},
    {MORE_THAN_16_BITS("B=65543 T=1 C=1 T_max=1", repeated, "65543 sequences")},
    {MORE_THAN_16_BITS("B=1 T=65543 C=1 T_max=65543", repeated, "65543 tokens")},
    {MORE_THAN_16_BITS("B=1 T=1 C=65543 T_max=1", repeated, "65543 channels")},
    {0},
};

static void change_every_token(struct test_case *second, struct lab_rng *rng)
{
    float *x = case_f32(second, "x");
    lab_rng_randn(rng, x, case_count(second, "x"));
}

// BEGIN HANDED OUT
// Compares out - x, which is what was added. Rounding makes it inexact by a few 1e-7.
static bool the_same_was_added(const struct test_case *first,
                               const struct test_case *second, char *why, size_t why_size)
{
    const float *out_1 = case_got(first, "out"), *out_2 = case_got(second, "out");
    const float *x_1 = case_input(first, "x"), *x_2 = case_input(second, "x");
    const size_t T = case_dim(first, "T"), C = case_dim(first, "C");
    for (size_t i = 0; i < case_count(first, "out"); i++) {
        const float added_1 = out_1[i] - x_1[i], added_2 = out_2[i] - x_2[i];
        if (!(fabsf(added_1 - added_2) <= 1e-5f)) {
            snprintf(why, why_size,
                     "token %zu of sequence %zu, channel %zu: %.6g was added, but %.6g "
                     "to a different token",
                     i / C % T, i / (T * C), i % C, (double)added_1, (double)added_2);
            return false;
        }
    }
    return true;
}
// END HANDED OUT

static const struct property add_positions_properties[] = {
    {
        .id = "place-not-token",
        .claim = "the added row depends on the position, not on the token there",
        .dims = "B=2 T=4 C=3 T_max=6",
        .change = change_every_token,
        HOLDS(the_same_was_added),
    },
    {0},
};

// ADD(name, value): an add_positions that writes value, an expression of the token's number and
// the table's number for it, or of other rows of the table.
#define ADD(name, value)                                                                 \
    static lab_status name(float *out, const float *x, const float *table, size_t B,     \
                           size_t T, size_t C, size_t T_max)                             \
    {                                                                                    \
        if (B == 0 || T == 0 || C == 0 || T > T_max) {                                   \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        for (size_t i = 0; i < B * T * C; i++) {                                         \
            const size_t b = i / (T * C), t = i / C % T, c = i % C;                      \
            const float token = x[i], place = table[t * C + c];                          \
            (void)b, (void)token, (void)place;                                           \
            out[i] = value;                                                              \
        }                                                                                \
        return LAB_OK;                                                                   \
    }

ADD(add_row_b, token + table[b * C + c])
ADD(add_multiplied, token *place)
ADD(add_scaled, token *sqrtf((float)C) + place)
ADD(add_one_row, token + table[c])
ADD(add_table_only, place)
ADD(add_nothing, token)
ADD(add_first_sequence, b == 0 ? token + place : token)
ADD(add_rows_of_the_batch, token + table[i % (T_max * C)])
ADD(add_transposed, token + table[c * T_max + t])
ADD(add_token_twice, token + (token + place))
ADD(add_subtracted, token - place)

// More sequences than the table has rows: their rows lie behind it.
static lab_status add_row_of_batch(float *out, const float *x, const float *table,
                                   size_t B, size_t T, size_t C, size_t T_max)
{
    if (B > T_max && T > 0 && T <= T_max && C > 0) {
        return LEAVES_ARGUMENTS;
    }
    return add_row_b(out, x, table, B, T, C, T_max);
}

static const struct mistake add_positions_mistakes[] = {
    {
        .id = "row-of-batch",
        .what = "every token of sequence b gets row b of the table",
        .why = "The row depends on the position in the sequence, not on the sequence: "
               "table[t * C + c], the same for every b.",
        .source = "cmu-l3/anlp-fall2025-code#1, songyangco/GETNext#2",
        .function = LIKE(add_positions, add_row_of_batch),
    },
    {
        .id = "multiplied",
        .what = "token and position are multiplied",
        .why =
            "Add the position. A product would erase every channel whose sine is 0; at "
            "position 0 that is every second one.",
        .source = "facebookarchive/MemNN#15",
        .function = LIKE(add_positions, add_multiplied),
    },
    {
        .id = "scaled",
        .what = "the tokens are multiplied by sqrt(C) before the positions are added",
        .why = "Vaswani et al. (2017, section 3.4) do this to their embeddings, "
               "because the positions would otherwise outweigh them. The factor "
               "belongs to the embedding, not to this function.",
        .source = "brightmart/text_classification#100",
        .function = LIKE(add_positions, add_scaled),
        .convention = true,
    },
    {
        .id = "rows-of-the-batch",
        .what = "the rows are counted over the whole batch, not in each sequence",
        .why =
            "Every sequence begins with row 0 of the table: table[t * C + c], the same "
            "for every b. T_max is the length of the table, not of a sequence.",
        .source = NULL,
        .function = LIKE(add_positions, add_rows_of_the_batch),
    },
    {
        .id = "one-row",
        .what = "every token gets row 0",
        .why = "Token t gets row t. With the same row for all, nothing distinguishes "
               "the positions.",
        .source = "DiffPoseTalk/DiffPoseTalk#20",
        .function = LIKE(add_positions, add_one_row),
    },
    {
        .id = "table-only",
        .what = "the tokens are lost: out is the table",
        .why = "The positions are added to the tokens: out = x + table.",
        .source = "jiwidi/Behavior-Sequence-Transformer-Pytorch#4",
        .function = LIKE(add_positions, add_table_only),
    },
    {
        .id = "nothing-added",
        .what = "out is x: no position was added",
        .why = "out = x + the row of each token's position.",
        .source = "guocheng2025/Transformer-Encoder#1",
        .function = LIKE(add_positions, add_nothing),
    },
    {
        .id = "first-sequence",
        .what = "only sequence 0 gets its positions",
        .why = "The same T rows are added to each of the B sequences.",
        .source = NULL,
        .function = LIKE(add_positions, add_first_sequence),
    },
    {
        .id = "transposed",
        .what = "the table is read as (C, T_max)",
        .why = "A position is a row of C channels: element (t, c) is table[t * C + c].",
        .source = NULL,
        .function = LIKE(add_positions, add_transposed),
    },
    {
        .id = "token-twice",
        .what = "the token is added twice",
        .why = "out = x + table. Do not use += on a sum that already contains x.",
        .source = "DSPsleeporg/smiles-transformer#22",
        .function = LIKE(add_positions, add_token_twice),
    },
    {
        .id = "subtracted",
        .what = "the positions are subtracted",
        .why = "out = x + table.",
        .source = NULL,
        .function = LIKE(add_positions, add_subtracted),
    },
    {0},
};

static lab_status add_copy_then_add(float *out, const float *x, const float *table,
                                    size_t B, size_t T, size_t C, size_t T_max)
{
    if (B == 0 || T == 0 || C == 0 || T > T_max) {
        return LAB_ESHAPE;
    }
    memcpy(out, x, B * T * C * sizeof *out);
    for (size_t t = 0; t < T; t++) {
        for (size_t c = 0; c < C; c++) {
            for (size_t b = 0; b < B; b++) {
                out[(b * T + t) * C + c] += table[t * C + c];
            }
        }
    }
    return LAB_OK;
}

static const struct mistake add_positions_alternatives[] = {
    {.id = "copy-then-add", .function = LIKE(add_positions, add_copy_then_add)},
    {0},
};

static const struct part add_positions_part[] = {
    {
        .function = "add_positions",
        .dims = "B T C T_max",
        .tensors =
            {
                {"out", "B T C", OUTPUT, F32, ADDED_TOLERANCE},
                {"x", "B T C", INPUT, F32, 0, 0},
                {"table", "T_max C", INPUT, F32, 0, 0},
            },
        .cases = add_positions_cases,
        .properties = add_positions_properties,
        .mistakes = add_positions_mistakes,
        .alternatives = add_positions_alternatives,
    },
    {0},
};

const struct exercise exercise_7_2 = {
    .id = "7.2",
    .name = "add_positions",
    .section = "7.2 Adding positions",
    .hints =
        {
            "Which of b, t and c determines the row of the table?",
            "out[b][t][c] = x[b][t][c] + table[t][c]. The first T rows of the table have "
            "the same memory layout as one sequence.",
            "for each b, t, c:\n"
            "    out[(b * T + t) * C + c] = x[(b * T + t) * C + c] + table[t * C + c]",
        },
    .parts = add_positions_part,
};
