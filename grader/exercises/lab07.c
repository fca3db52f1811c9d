// lab07.c - what the grader knows of lab 7, positional encoding.
//
// Start reading at sinusoidal_part; the order is: adaptors, then for each exercise its cases,
// properties, mistakes, other right ways, and the part that gathers them.

#include "exercises/exercise.h"

#include "07_positional_encoding/positions.h"
#ifdef GPU
#include "07_positional_encoding/positions_gpu.h"
#endif

GPU_ADAPTOR(sinusoidal_encoding, t[0], n[0], n[1])
ADAPTOR(add_positions, t[0], t[1], t[2], n[0], n[1], n[2], n[3])
GPU_ADAPTOR(rope, t[0], t[1], t[2], n[0], n[1], n[2], n[3])
ADAPTOR(alibi_bias, t[0], n[0], n[1], n[2])
ADAPTOR(attention_without_projections, t[0], t[1], t[2], t[3], n[0], n[1])

const struct entry lab_entries[] = {
    GPU_ENTRY(sinusoidal_encoding),
    ENTRY(add_positions),
    GPU_ENTRY(rope),
    ENTRY(alibi_bias),
    ENTRY(attention_without_projections),
    {0},
};

#ifndef WORKER

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/rng.h"

// How fast pair i turns: base^-exponent radians from one place to the next.
static double frequency(double base, double exponent)
{
    return pow(base, -exponent);
}

// ---- 7.1 sinusoidal_encoding --------------------------------------------------------------

// A table of floats made of float angles is within a quarter of this for the sizes below: wide
// tables stay short, and the long ones have no pair whose angle a float cannot hold.
#define TABLE_TOLERANCE 4e-5f, 0

static const struct case_spec sinusoidal_cases[] = {
    {.dims = "T=1 C=2", .note = "one place, one pair"},
    {.dims = "T=2 C=2"},
    {.dims = "T=3 C=4"},
    {.dims = "T=2 C=6"},
    {.dims = "T=4 C=1", .note = "an odd width: the last channel is a sine"},
    {.dims = "T=3 C=5", .note = "an odd width: the last channel is a sine"},
    {.dims = "T=5..9 C=10..17", .draws = 3},
    {.dims = "T=6 C=32"},
    {.dims = "T=40 C=24"},
    {.dims = "T=2001 C=4", .note = "a long table"},
    {.dims = "T=70001 C=1", .note = "a long table of one channel"},
    {.dims = "T=9 C=3", .note = "an odd width: the last channel is a sine"},
    {.dims = "T=2 C=261", .note = "an odd width: the last channel is a sine"},
    {.dims = "T=67 C=259", .note = "larger and odd"},
    {.dims = "T=71 C=66"},
    {.dims = "T=0 C=4", .note = "a size of 0"},
    {.dims = "T=4 C=0", .note = "a size of 0"},
    {0},
};

// The even channels are sines, the odd ones cosines.
static double wave(size_t channel, double angle)
{
    return channel % 2 == 0 ? sin(angle) : cos(angle);
}

// TABLE(name, value): a table whose element at place t and channel c is value. pair is 2i of
// the formula, the width C as a number, half the pairs of a row, the last one perhaps single.
#define TABLE(name, value)                                                               \
    static lab_status name(float *table, size_t T, size_t C)                             \
    {                                                                                    \
        if (T == 0 || C == 0) {                                                          \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        const double width = (double)C;                                                  \
        const size_t half = (C + 1) / 2;                                                 \
        for (size_t t = 0; t < T; t++) {                                                 \
            for (size_t c = 0; c < C; c++) {                                             \
                const double place = (double)t, channel = (double)c;                     \
                const double pair = (double)(c - c % 2);                                 \
                (void)width, (void)half, (void)channel, (void)pair, (void)place;         \
                table[t * C + c] = (float)(value);                                       \
            }                                                                            \
        }                                                                                \
        return LAB_OK;                                                                   \
    }

TABLE(table_halves, c < half
                        ? sin(place * frequency(1e4, 2 * channel / width))
                        : cos(place * frequency(1e4, 2 * (double)(c - half) / width)))
TABLE(table_exponent_twice, wave(c, place *frequency(1e4, 2 * channel / width)))
TABLE(table_exponent_twice_in_pairs, wave(c, place *frequency(1e4, 2 * pair / width)))
TABLE(table_own_frequency, wave(c, place *frequency(1e4, channel / width)))
TABLE(table_half_exponent, wave(c, place *frequency(1e4, pair / 2 / width)))
TABLE(table_whole_number, wave(c, place))
TABLE(table_multiplied, wave(c, place *frequency(1e4, -pair / width)))
TABLE(table_exchanged, wave(c + 1, place *frequency(1e4, pair / width)))
TABLE(table_one_based, wave(c, (place + 1) * frequency(1e4, pair / width)))
TABLE(table_base_1000, wave(c, place *frequency(1e3, pair / width)))
TABLE(table_only_sines, sin(place *frequency(1e4, pair / width)))
TABLE(table_row_0_zero, t == 0 ? 0 : wave(c, place *frequency(1e4, pair / width)))

// All sines, then all cosines, the slowest at exactly 10000: the exponents run from 0 to 1. An
// odd width ends with a zero.
static lab_status table_halves_to_the_end(float *table, size_t T, size_t C)
{
    if (T == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    const size_t half = C / 2;
    const double steps = half > 1 ? (double)(half - 1) : 1;
    memset(table, 0, T * C * sizeof *table);
    for (size_t t = 0; t < T; t++) {
        for (size_t i = 0; i < half; i++) {
            const double angle = (double)t * frequency(1e4, (double)i / steps);
            table[t * C + i] = (float)sin(angle);
            table[t * C + half + i] = (float)cos(angle);
        }
    }
    return LAB_OK;
}

// The right numbers, written into a (C, T) matrix.
static lab_status table_transposed(float *table, size_t T, size_t C)
{
    if (T == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    for (size_t t = 0; t < T; t++) {
        for (size_t c = 0; c < C; c++) {
            const double pair = (double)(c - c % 2);
            table[c * T + t] =
                (float)wave(c, (double)t * frequency(1e4, pair / (double)C));
        }
    }
    return LAB_OK;
}

static const struct mistake sinusoidal_mistakes[] = {
    {
        .id = "halves",
        .what = "all sines come first and all cosines after them",
        .why = "The numbers are right and lie in other columns. Here sine and cosine of "
               "one angle are neighbours: channels 2i and 2i + 1.",
        .source = "tatp22/multidim-positional-encoding#20, allenai/allennlp#2993",
        .function = LIKE(sinusoidal_encoding, table_halves),
        .convention = true,
    },
    {
        .id = "halves-to-the-end",
        .what = "all sines come first, and the exponents are i / (C/2 - 1)",
        .why = "That is how tensor2tensor and fairseq do it: the slowest pair then has "
               "exactly the base 10000. Here pair i has the exponent 2i/C, and sine and "
               "cosine are neighbours.",
        .source = "tensorflow/tensor2tensor#1423, hojonathanho/diffusion#15",
        .function = LIKE(sinusoidal_encoding, table_halves_to_the_end),
        .convention = true,
    },
    {
        .id = "exponent-twice",
        .what = "the exponent is 2c/C with c the channel",
        .why = "In the formula 2i is the channel itself, of the pair's sine. Doubling it "
               "again makes the pairs slow down twice as fast, and the cosine has "
               "another angle than its sine.",
        .source = "jadore801120/attention-is-all-you-need-pytorch#32, "
                  "shenweichen/DeepCTR#379, SamLynnEvans/Transformer#25",
        .function = LIKE(sinusoidal_encoding, table_exponent_twice),
    },
    {
        .id = "exponent-twice-in-pairs",
        .what = "the exponent is 4i/C: 2i was counted twice",
        .why = "A loop over every second channel counts 2i already: the exponent is c/C, "
               "not 2c/C.",
        .source = NULL,
        .function = LIKE(sinusoidal_encoding, table_exponent_twice_in_pairs),
    },
    {
        .id = "own-frequency",
        .what = "the cosine has another angle than its sine: exponent c/C in channel c",
        .why = "Both channels of a pair belong to one angle, whose exponent is that of "
               "the even channel. Only then is a step along the sequence a rotation.",
        .source = "maxjcohen/transformer#62",
        .function = LIKE(sinusoidal_encoding, table_own_frequency),
    },
    {
        .id = "half-exponent",
        .what =
            "the exponent is i/C, without the 2 (or the base is 100, which is the same)",
        .why =
            "The slowest pair is then a hundred times faster than it should be. Pair i "
            "has the exponent 2i/C, and the base is 10000.",
        .source = "rasbt/LLMs-from-scratch#410",
        .function = LIKE(sinusoidal_encoding, table_half_exponent),
    },
    {
        .id = "whole-number-division",
        .what = "every pair has the frequency 1",
        .why = "2 * i / C with whole numbers is 0 for every i. Make one of them a double "
               "before dividing.",
        .source = "Kyubyong/transformer#81, zju3dv/LoFTR#41",
        .function = LIKE(sinusoidal_encoding, table_whole_number),
    },
    {
        .id = "multiplied",
        .what = "the place is multiplied by 10000^(2i/C) instead of divided by it",
        .why = "The pairs get faster and faster: from one place to the next they jump "
               "several turns, and neighbours are no longer alike.",
        .source = "harvardnlp/annotated-transformer#131, "
                  "labmlai/annotated_deep_learning_paper_implementations#313",
        .function = LIKE(sinusoidal_encoding, table_multiplied),
    },
    {
        .id = "exchanged",
        .what = "sine and cosine are exchanged",
        .why = "The sine belongs into the even channel 2i, the cosine into 2i + 1. Row 0 "
               "must read 0 1 0 1.",
        .source = NULL,
        .function = LIKE(sinusoidal_encoding, table_exchanged),
    },
    {
        .id = "one-based",
        .what = "places are counted from 1",
        .why = "The first token stands at place 0; its row is 0 1 0 1 and so on.",
        .source = "graykode/nlp-tutorial#73, Physical-Intelligence/openpi#762",
        .function = LIKE(sinusoidal_encoding, table_one_based),
    },
    {
        .id = "base-1000",
        .what = "the base is 1000",
        .why = "The formula has 10000, with four zeros.",
        .source = "maxjcohen/transformer#62, YutaroOgawa/pytorch_advanced#15",
        .function = LIKE(sinusoidal_encoding, table_base_1000),
    },
    {
        .id = "only-sines",
        .what = "the odd channels are sines too",
        .why = "Sine alone does not know which way it moves: angles a and pi - a look "
               "the same. The odd channels hold the cosine of the same angle.",
        .source = NULL,
        .function = LIKE(sinusoidal_encoding, table_only_sines),
    },
    {
        .id = "row-0-zero",
        .what = "row 0 is all zeros",
        .why = "Some programs keep place 0 for padding. Here it is a place like any "
               "other: sine 0, cosine 1.",
        .source = "kaushalshetty/Positional-Encoding#1, r9y9/deepvoice3_pytorch#19",
        .function = LIKE(sinusoidal_encoding, table_row_0_zero),
        .convention = true,
    },
    {
        .id = "transposed",
        .what = "the table is laid out (C, T)",
        .why = "Place t is a row of C channels: element (t, c) is table[t * C + c].",
        .source = NULL,
        .function = LIKE(sinusoidal_encoding, table_transposed),
    },
    {0},
};

// Everything in float, as PyTorch programs do: exact enough for the sizes here.
TABLE(table_in_float, c % 2 == 0
                          ? sinf((float)t / powf(1e4f, (float)(c - c % 2) / (float)C))
                          : cosf((float)t / powf(1e4f, (float)(c - c % 2) / (float)C)))
TABLE(table_by_expf,
      c % 2 == 0 ? sinf((float)t * expf((float)(c - c % 2) * (-logf(1e4f) / (float)C)))
                 : cosf((float)t * expf((float)(c - c % 2) * (-logf(1e4f) / (float)C))))
TABLE(table_by_exp, wave(c, place *exp(pair *(-log(1e4) / width))))

// Row t + 1 is row t turned by one step: no sine or cosine but those of row 1.
static lab_status table_by_turning(float *table, size_t T, size_t C)
{
    if (T == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    for (size_t c = 0; c < C; c += 2) {
        const double step = frequency(1e4, (double)c / (double)C);
        const double step_sine = sin(step), step_cosine = cos(step);
        double sine = 0, cosine = 1;
        for (size_t t = 0; t < T; t++) {
            table[t * C + c] = (float)sine;
            if (c + 1 < C) {
                table[t * C + c + 1] = (float)cosine;
            }
            const double next = sine * step_cosine + cosine * step_sine;
            cosine = cosine * step_cosine - sine * step_sine;
            sine = next;
        }
    }
    return LAB_OK;
}

static const struct mistake sinusoidal_alternatives[] = {
    {.id = "in-float", .function = LIKE(sinusoidal_encoding, table_in_float)},
    {.id = "by-expf", .function = LIKE(sinusoidal_encoding, table_by_expf)},
    {.id = "by-exp", .function = LIKE(sinusoidal_encoding, table_by_exp)},
    {.id = "by-turning", .function = LIKE(sinusoidal_encoding, table_by_turning)},
    {0},
};

static const struct part sinusoidal_part[] = {
    {
        .function = "sinusoidal_encoding",
        .dims = "T C",
        .tensors = {{"table", "T C", OUTPUT, F32, TABLE_TOLERANCE}},
        .cases = sinusoidal_cases,
        .mistakes = sinusoidal_mistakes,
        .alternatives = sinusoidal_alternatives,
    },
    {0},
};

// ---- 7.2 add_positions --------------------------------------------------------------------

#define ADDED_TOLERANCE 1e-6f, 1e-6f // one addition of floats

static const struct case_spec add_positions_cases[] = {
    {.dims = "B=1 T=1 C=2 T_max=1"},
    {.dims = "B=1 T=2 C=3 T_max=4", .note = "a table longer than the sequence"},
    {.dims = "B=2 T=3 C=2 T_max=3", .note = "a table just long enough"},
    {.dims = "B=2 T=3 C=4 T_max=5", .draws = 2},
    {.dims = "B=3 T=1 C=4 T_max=6", .note = "one token: place 0"},
    {.dims = "B=2..3 T=4..6 C=7..11 T_max=12..16", .draws = 3},
    {.dims = "B=4 T=9 C=5 T_max=9", .note = "a table just long enough"},
    {.dims = "B=5 T=2 C=9 T_max=3"},
    {.dims = "B=8 T=3 C=1 T_max=5"},
    {.dims = "B=2 T=259 C=3 T_max=261"},
    {.dims = "B=257 T=3 C=2 T_max=4"},
    {.dims = "B=2 T=3 C=263 T_max=7"},
    {.dims = "B=3 T=5 C=4 T_max=1001", .note = "a table much longer than the sequence"},
    {.dims = "B=17 T=67 C=65 T_max=71", .note = "larger and odd"},
    {.dims = "B=1 T=4 C=2 T_max=3", .note = "a table that is too short"},
    {.dims = "B=0 T=2 C=3 T_max=4", .note = "a size of 0"},
    {.dims = "B=2 T=0 C=3 T_max=4", .note = "a size of 0"},
    {.dims = "B=2 T=2 C=0 T_max=4", .note = "a size of 0"},
    {.dims = "B=2 T=2 C=3 T_max=0", .note = "a table without rows"},
    {0},
};

static void change_every_token(struct test_case *second, struct lab_rng *rng)
{
    float *x = case_f32(second, "x");
    lab_rng_randn(rng, x, case_count(second, "x"));
}

// BEGIN HANDED OUT
// out - x is what was added. Both are rounded, so it is known to a few 1e-7.
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
                     "to token %zu of sequence %zu, channel %zu, %.6g was added, and "
                     "%.6g when another token stood there",
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
        .claim = "what is added depends on the place, not on the token that stands there",
        .dims = "B=2 T=4 C=3 T_max=6",
        .change = change_every_token,
        HOLDS(the_same_was_added),
    },
    {0},
};

// ADD(name, value): an add_positions that writes value, made of the token's number and the
// number of the table that belongs there, or of other rows of the table.
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

ADD(add_row_of_batch, token + table[b % T_max * C + c])
ADD(add_multiplied, token *place)
ADD(add_scaled, token *sqrtf((float)C) + place)
ADD(add_one_row, token + table[c])
ADD(add_table_only, place)
ADD(add_nothing, token)
ADD(add_first_sequence, b == 0 ? token + place : token)
ADD(add_transposed, token + table[c * T_max + t])
ADD(add_token_twice, token + (token + place))
ADD(add_subtracted, token - place)

static const struct mistake add_positions_mistakes[] = {
    {
        .id = "row-of-batch",
        .what = "every token of sequence b gets row b of the table",
        .why = "The row is chosen by the place in the sequence, not by the sequence: "
               "table[t * C + c], the same for every b.",
        .source = "cmu-l3/anlp-fall2025-code#1, songyangco/GETNext#2",
        .function = LIKE(add_positions, add_row_of_batch),
    },
    {
        .id = "multiplied",
        .what = "token and position are multiplied",
        .why = "The position is added. A product would erase every channel whose sine "
               "is 0, and at place 0 that is every second one.",
        .source = "facebookarchive/MemNN#15",
        .function = LIKE(add_positions, add_multiplied),
    },
    {
        .id = "scaled",
        .what = "the tokens are multiplied by sqrt(C) before the positions are added",
        .why = "The paper does that to its embeddings (section 3.4), so that the "
               "positions do not drown them. It belongs to the embedding and not to "
               "this function.",
        .source = "brightmart/text_classification#100",
        .function = LIKE(add_positions, add_scaled),
        .convention = true,
    },
    {
        .id = "one-row",
        .what = "every token gets row 0",
        .why = "Token t gets row t. With one row for all of them nothing tells the "
               "places apart.",
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
        .why = "out = x + the row of each token's place.",
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
        .why = "A place is a row of C channels: element (t, c) is table[t * C + c].",
        .source = NULL,
        .function = LIKE(add_positions, add_transposed),
    },
    {
        .id = "token-twice",
        .what = "the token is added twice",
        .why = "out = x + table. A += on top of a sum that contains x already counts it "
               "again.",
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

// ---- 7.3 rope -----------------------------------------------------------------------------

// Angles in double are good to 1e-11 at place 131071, so what is left is one product of
// floats. A float angle is off by up to 0.004 there, and by less than this below place 40, so
// that of the cases only the one that says so is missed.
#define TURNED_TOLERANCE 2e-5f, 0

enum { NEAR = 40, FAR = 131072 }; // places below

static void fill_places(struct test_case *test, size_t first)
{
    size_t *positions = case_size(test, "positions");
    for (size_t t = 0; t < case_count(test, "positions"); t++) {
        positions[t] = first + t;
    }
}

static void fill_from_zero(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    fill_places(test, 0);
}

static void fill_after_cache(struct test_case *test, struct lab_rng *rng)
{
    fill_places(test, (size_t)lab_rng_int(rng, 9, NEAR - 10));
}

static void fill_gaps(struct test_case *test, struct lab_rng *rng)
{
    size_t *positions = case_size(test, "positions"), place = 0;
    for (size_t t = 0; t < case_count(test, "positions"); t++) {
        place += (size_t)lab_rng_int(rng, 1, 6);
        positions[t] = place;
    }
}

static void fill_any_order(struct test_case *test, struct lab_rng *rng)
{
    size_t *positions = case_size(test, "positions");
    for (size_t t = 0; t < case_count(test, "positions"); t++) {
        positions[t] = (size_t)lab_rng_int(rng, 1, NEAR);
    }
    positions[case_count(test, "positions") - 1] = positions[0]; // one place twice
}

static void fill_downwards(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    size_t *positions = case_size(test, "positions");
    const size_t T = case_count(test, "positions");
    for (size_t t = 0; t < T; t++) {
        positions[t] = T - 1 - t;
    }
}

static void fill_far(struct test_case *test, struct lab_rng *rng)
{
    size_t *positions = case_size(test, "positions");
    for (size_t t = 0; t < case_count(test, "positions"); t++) {
        positions[t] = (size_t)lab_rng_int(rng, FAR / 2, FAR);
    }
}

static const struct case_spec rope_cases[] = {
    {.dims = "B=1 NH=1 T=2 hs=2", .fill = fill_from_zero, .note = "places 0 and 1"},
    {.dims = "B=1 NH=1 T=3 hs=4", .fill = fill_from_zero},
    {.dims = "B=1 NH=2 T=3 hs=4", .fill = fill_from_zero},
    {.dims = "B=1 NH=2 T=1 hs=6",
     .fill = fill_after_cache,
     .note = "one token after a cache: its place is not 0"},
    {.dims = "B=2 NH=3 T=4 hs=6",
     .fill = fill_after_cache,
     .note = "tokens after a cache: the first place is not 0"},
    {.dims = "B=2..3 NH=2..4 T=5..7 hs=8",
     .draws = 3,
     .fill = fill_gaps,
     .note = "places with gaps"},
    {.dims = "B=2 NH=2 T=5 hs=10",
     .fill = fill_any_order,
     .note = "places in any order, one of them twice"},
    {.dims = "B=3 NH=1 T=4 hs=2", .fill = fill_any_order, .note = "one pair"},
    {.dims = "B=2 NH=3 T=4 hs=6",
     .draws = 2,
     .fill = fill_any_order,
     .note = "places in any order, one of them twice"},
    {.dims = "B=1 NH=1 T=9 hs=4", .fill = fill_downwards, .note = "the last one first"},
    {.dims = "B=3 NH=5 T=2 hs=14", .fill = fill_gaps, .note = "places with gaps"},
    {.dims = "B=2 NH=2 T=259 hs=6",
     .fill = fill_any_order,
     .note = "places in any order, most of them more than once"},
    {.dims = "B=257 NH=2 T=3 hs=2", .fill = fill_after_cache},
    {.dims = "B=2 NH=257 T=3 hs=4", .fill = fill_after_cache},
    {.dims = "B=1 NH=2 T=5 hs=262", .fill = fill_any_order},
    {.dims = "B=17 NH=19 T=21 hs=22",
     .fill = fill_any_order,
     .note = "larger; places in any order"},
    {.dims = "B=2 NH=3 T=67 hs=70", .fill = fill_any_order, .note = "larger"},
    {.dims = "B=2 NH=3 T=13 hs=128",
     .fill = fill_any_order,
     .note = "the width of LLaMA's heads"},
    {.dims = "B=1 NH=4 T=12 hs=128",
     .fill = fill_far,
     .note = "places up to 131071: compute the angle in double"},
    {.dims = "B=2 NH=2 T=3 hs=5", .fill = fill_from_zero, .note = "hs is odd"},
    {.dims = "B=0 NH=2 T=3 hs=4", .note = "a size of 0"},
    {.dims = "B=2 NH=0 T=3 hs=4", .fill = fill_from_zero, .note = "a size of 0"},
    {.dims = "B=2 NH=2 T=0 hs=4", .note = "a size of 0"},
    {.dims = "B=2 NH=2 T=3 hs=0", .fill = fill_from_zero, .note = "a size of 0"},
    {0},
};

// BEGIN HANDED OUT
enum { SHIFT = 16 }; // all tokens stand this much later in the second case
// END HANDED OUT

static void move_all(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    size_t *positions = case_size(second, "positions");
    for (size_t t = 0; t < case_count(second, "positions"); t++) {
        positions[t] += SHIFT;
    }
}

// BEGIN HANDED OUT
static double dot(const float *a, const float *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (double)a[i] * (double)b[i];
    }
    return sum;
}

// The rows of x serve as queries and as keys: every pair of tokens of a head has a score.
static bool only_the_offset_counts(const struct test_case *first,
                                   const struct test_case *second, char *why,
                                   size_t why_size)
{
    const size_t T = case_dim(first, "T"), hs = case_dim(first, "hs");
    const float *out_1 = case_got(first, "out"), *out_2 = case_got(second, "out");
    const size_t *positions = case_input(first, "positions");
    for (size_t row = 0; row < case_count(first, "out") / hs; row++) {
        const size_t t = row % T, head = row - t; // the head's rows start at row head
        for (size_t s = 0; s < T; s++) {
            const double before = dot(out_1 + row * hs, out_1 + (head + s) * hs, hs);
            const double after = dot(out_2 + row * hs, out_2 + (head + s) * hs, hs);
            if (!(fabs(before - after) <= 3e-4 * (1 + fabs(before)))) {
                snprintf(why, why_size,
                         "the tokens at places %zu and %zu have the score %.6g, and %.6g "
                         "at places %zu and %zu",
                         positions[t], positions[s], before, after, positions[t] + SHIFT,
                         positions[s] + SHIFT);
                return false;
            }
        }
    }
    return true;
}
// END HANDED OUT

static const struct property rope_properties[] = {
    {
        .id = "only-the-offset-counts",
        .claim =
            "moving all tokens by the same number of places leaves every score q . k "
            "as it was",
        .dims = "B=2 NH=3 T=5 hs=6",
        .fill = fill_gaps,
        .change = move_all,
        HOLDS(only_the_offset_counts),
    },
    {0},
};

#define ROPE_ARGUMENTS                                                                   \
    float *out, const float *x, const size_t *positions, size_t B, size_t NH, size_t T,  \
        size_t hs

static bool rope_refuses(size_t B, size_t NH, size_t T, size_t hs)
{
    return B == 0 || NH == 0 || T == 0 || hs == 0 || hs % 2 != 0;
}

// ROPE(name, angle, even, odd): the channels of a pair become even and odd, made of what they
// were, a and b, and of the sine and cosine of the angle. 2i of the formula is pair, the place
// of the token is place, row counts the B * NH * T tokens.
#define ROPE(name, angle, even, odd)                                                     \
    static lab_status name(ROPE_ARGUMENTS)                                               \
    {                                                                                    \
        if (rope_refuses(B, NH, T, hs)) {                                                \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        for (size_t row = 0; row < B * NH * T; row++) {                                  \
            for (size_t c = 0; c < hs; c += 2) {                                         \
                const size_t t = row % T, heads = NH;                                    \
                const double pair = (double)c, place = (double)positions[t];             \
                const double width = (double)hs, a = (double)x[row * hs + c],            \
                             b = (double)x[row * hs + c + 1];                            \
                (void)heads, (void)pair, (void)width, (void)place, (void)b;              \
                const double cosine = cos(angle), sine = sin(angle);                     \
                (void)sine;                                                              \
                out[row * hs + c] = (float)(even);                                       \
                out[row * hs + c + 1] = (float)(odd);                                    \
            }                                                                            \
        }                                                                                \
        return LAB_OK;                                                                   \
    }

// TURN(name, angle): the right rotation by another angle.
#define TURN(name, angle) ROPE(name, angle, a *cosine - b * sine, a * sine + b * cosine)
#define RIGHT_ANGLE_OF_TURN (place * frequency(1e4, pair / width))

ROPE(rope_back, RIGHT_ANGLE_OF_TURN, a *cosine + b * sine, b *cosine - a * sine)
ROPE(rope_exchanged, RIGHT_ANGLE_OF_TURN, a *sine - b * cosine, a *cosine + b * sine)
ROPE(rope_already_turned, RIGHT_ANGLE_OF_TURN, a *cosine - b * sine,
     (a * cosine - b * sine) * sine + b * cosine)
ROPE(rope_cosine_only, RIGHT_ANGLE_OF_TURN, a *cosine, b *cosine)
ROPE(rope_plus, RIGHT_ANGLE_OF_TURN, a *cosine + b * sine, a *sine + b * cosine)
TURN(rope_over_C, place *frequency(1e4, pair / (width * (double)heads)))
TURN(rope_ignored, (double)t *frequency(1e4, pair / width))
TURN(rope_one_frequency, place)
TURN(rope_half_exponent, place *frequency(1e4, pair / 2 / width))
TURN(rope_exponent_twice, place *frequency(1e4, 2 * pair / width))
TURN(rope_multiplied, place *frequency(1e4, -pair / width))
TURN(rope_one_based, (place + 1) * frequency(1e4, pair / width))
TURN(rope_base_1000, place *frequency(1e3, pair / width))
TURN(rope_heads_as_tokens,
     (double)positions[row / heads % T] * frequency(1e4, pair / width))
TURN(rope_float_angle, (float)(place *frequency(1e4, pair / width)))
TURN(rope_float_product, (float)positions[t] * powf(1e4f, -(float)c / (float)hs))
TURN(rope_float_quotient, (float)positions[t] / powf(1e4f, (float)c / (float)hs))

// Channel i goes with channel i + hs/2.
static lab_status rope_half_split(ROPE_ARGUMENTS)
{
    if (rope_refuses(B, NH, T, hs)) {
        return LAB_ESHAPE;
    }
    for (size_t row = 0; row < B * NH * T; row++) {
        for (size_t i = 0; i < hs / 2; i++) {
            const double angle =
                (double)positions[row % T] * frequency(1e4, 2 * (double)i / (double)hs);
            const size_t low = row * hs + i, high = low + hs / 2;
            const double a = (double)x[low], b = (double)x[high];
            out[low] = (float)(a * cos(angle) - b * sin(angle));
            out[high] = (float)(a * sin(angle) + b * cos(angle));
        }
    }
    return LAB_OK;
}

// Neighbours are paired, but their angles are those of the half-split form: 0 1 2 0 1 2 where
// 0 0 1 1 2 2 belongs.
static lab_status rope_repeated_angles(ROPE_ARGUMENTS)
{
    if (rope_refuses(B, NH, T, hs)) {
        return LAB_ESHAPE;
    }
    for (size_t row = 0; row < B * NH * T; row++) {
        for (size_t c = 0; c < hs; c++) {
            const double exponent = 2 * (double)(c % (hs / 2)) / (double)hs;
            const double angle = (double)positions[row % T] * frequency(1e4, exponent);
            const double itself = (double)x[row * hs + c];
            const double other =
                c % 2 == 0 ? -(double)x[row * hs + c + 1] : (double)x[row * hs + c - 1];
            out[row * hs + c] = (float)(itself * cos(angle) + other * sin(angle));
        }
    }
    return LAB_OK;
}

#define FLOAT_ANGLE_WHAT "the angle is computed in float"
#define FLOAT_ANGLE_WHY                                                                  \
    "Near the start nobody notices. At place 100000 neighbouring floats are 0.008 "      \
    "apart, "                                                                            \
    "and so are the angles. Multiply the place and the frequency as doubles; only sine " \
    "and cosine become floats."

static const struct mistake rope_mistakes[] = {
    {
        .id = "half-split",
        .what = "channel i is paired with channel i + hs/2",
        .why = "That is the half-split form, found in many libraries. This lab pairs "
               "neighbours, 2i and 2i + 1. A model trained with one form needs its "
               "weights reordered for the other.",
        .source = "huggingface/transformers#25199, rasbt/LLMs-from-scratch#747",
        .function = LIKE(rope, rope_half_split),
        .convention = true,
    },
    {
        .id = "turned-back",
        .what = "the pairs turn the other way",
        .why = "The sign of the sine is exchanged. Scores then still depend on the "
               "offset only, but with its sign reversed. Here the first channel gets a "
               "cos - b sin, the second a sin + b cos.",
        .source = "karpathy/nanochat#489, trymirai/lalamo#268",
        .function = LIKE(rope, rope_back),
        .convention = true,
    },
    {
        .id = "repeated-angles",
        .what = "neighbours are paired, but their angles are laid out in two halves",
        .why =
            "The two channels of a pair need the same angle: 0 0 1 1 2 2 for "
            "neighbours. 0 1 2 0 1 2 belongs to the half-split form. Mixed, nothing is "
            "a rotation any more.",
        .source = "xiangking/ark-nlp#47, karpathy/nanochat#264",
        .function = LIKE(rope, rope_repeated_angles),
    },
    {
        .id = "over-C",
        .what = "the frequencies are taken over all channels: 2i/C instead of 2i/hs",
        .why = "Every head has its own channels 0 ... hs-1 and the whole range of "
               "frequencies. Divide by hs.",
        .source = "Lightricks/LTX-Video#224, eole-nlp/eole#140",
        .function = LIKE(rope, rope_over_C),
    },
    {
        .id = "positions-ignored",
        .what = "the index t is used in place of positions[t]",
        .why = "The tokens need not stand at 0 ... T-1: after a cache of 100 tokens the "
               "next one stands at place 100.",
        .source = "NVIDIA/Megatron-LM#453, Blaizzy/mlx-vlm#1983",
        .function = LIKE(rope, rope_ignored),
    },
    {
        .id = "one-frequency",
        .what = "every pair turns by the same angle",
        .why = "Pair i turns by place * 10000^(-2i/hs). If you wrote the exponent with "
               "whole numbers, 2 * i / hs is 0.",
        .source = "Kyubyong/transformer#81, zju3dv/LoFTR#41",
        .function = LIKE(rope, rope_one_frequency),
    },
    {
        .id = "half-exponent",
        .what = "the exponent is i/hs, without the 2 (or the base is 100, which is the "
                "same)",
        .why = "Pair i has the exponent 2i/hs, where 2i is the number of its first "
               "channel, and the base is 10000.",
        .source = "rasbt/LLMs-from-scratch#410",
        .function = LIKE(rope, rope_half_exponent),
    },
    {
        .id = "exponent-twice",
        .what = "the exponent is 4i/hs: 2i was counted twice",
        .why = "A loop over every second channel counts 2i already: the exponent is "
               "c/hs, not 2c/hs.",
        .source = "jadore801120/attention-is-all-you-need-pytorch#32",
        .function = LIKE(rope, rope_exponent_twice),
    },
    {
        .id = "multiplied",
        .what = "the place is multiplied by 10000^(2i/hs) instead of divided by it",
        .why = "The exponent is negative: later pairs turn more slowly.",
        .source = "labmlai/annotated_deep_learning_paper_implementations#313",
        .function = LIKE(rope, rope_multiplied),
    },
    {
        .id = "one-based",
        .what = "one is added to every place",
        .why = "positions[t] is the place. The token at place 0 is not turned at all.",
        .source = "Physical-Intelligence/openpi#762",
        .function = LIKE(rope, rope_one_based),
    },
    {
        .id = "base-1000",
        .what = "the base is 1000",
        .why = "The formula has 10000, with four zeros.",
        .source = "maxjcohen/transformer#62",
        .function = LIKE(rope, rope_base_1000),
    },
    {
        .id = "heads-as-tokens",
        .what = "x is read as (B, T, NH, hs): heads and tokens are exchanged",
        .why =
            "x is (B, NH, T, hs): of the rows of hs channels, row r holds token r % T.",
        .source = "mlfoundations/open_lm#4, facebookresearch/xformers#841",
        .function = LIKE(rope, rope_heads_as_tokens),
    },
    {
        .id = "exchanged",
        .what = "sine and cosine are exchanged",
        .why = "At place 0 the cosine is 1 and the sine 0, and nothing turns: out = x "
               "there. The first channel is a cos - b sin.",
        .source = NULL,
        .function = LIKE(rope, rope_exchanged),
    },
    {
        .id = "already-turned",
        .what = "the second channel of a pair is made of the first one after its turn",
        .why = "Both new channels are made of both old ones. Keep a and b before you "
               "write either.",
        .source = "DaVikingCode/Citrus-Engine#108",
        .function = LIKE(rope, rope_already_turned),
    },
    {
        .id = "cosine-only",
        .what = "every channel is only multiplied by the cosine",
        .why = "That shrinks a pair instead of turning it. The sine carries each channel "
               "into its neighbour.",
        .source = "NVIDIA/ngpt#10",
        .function = LIKE(rope, rope_cosine_only),
    },
    {
        .id = "no-minus",
        .what = "both sines have a plus",
        .why = "A rotation has one minus: a cos - b sin, and a sin + b cos. With two "
               "pluses lengths change.",
        .source = NULL,
        .function = LIKE(rope, rope_plus),
    },
    {
        .id = "float-angle",
        .what = FLOAT_ANGLE_WHAT,
        .why = FLOAT_ANGLE_WHY,
        .source = "kekzl/imp#1325, KellerJordan/modded-nanogpt#39",
        .function = LIKE(rope, rope_float_angle),
        .convention = true,
    },
    {
        .id = "float-product",
        .what = FLOAT_ANGLE_WHAT ", from a float frequency",
        .why = FLOAT_ANGLE_WHY,
        .source = "kekzl/imp#1325, KellerJordan/modded-nanogpt#39",
        .function = LIKE(rope, rope_float_product),
        .convention = true,
    },
    {
        .id = "float-quotient",
        .what = FLOAT_ANGLE_WHAT ", as a quotient",
        .why = FLOAT_ANGLE_WHY,
        .source = "kekzl/imp#1325, KellerJordan/modded-nanogpt#39",
        .function = LIKE(rope, rope_float_quotient),
        .convention = true,
    },
    {0},
};

TURN(rope_by_exp, place *exp(-log(1e4) * pair / width))
TURN(rope_reduced, fmod(place / pow(1e4, pair / width), 8 * atan(1)))

// Whole turns are taken off in double; what is left fits a float.
ROPE(rope_reduced_to_float, fmod(place *frequency(1e4, pair / width), 8 * atan(1)),
     (float)a *cosf((float)acos(cosine) * (sine < 0 ? -1.0f : 1.0f)) -
         (float)b * sinf((float)acos(cosine) * (sine < 0 ? -1.0f : 1.0f)),
     (float)a *(float)sine + (float)b * (float)cosine)

// (a + ib) times e^(i angle), as LLaMA's code has it.
ROPE(rope_complex, place *frequency(1e4, pair / width),
     sqrt(a *a + b * b) * cos(atan2(b, a) + atan2(sine, cosine)),
     sqrt(a *a + b * b) * sin(atan2(b, a) + atan2(sine, cosine)))

static const struct mistake rope_alternatives[] = {
    {.id = "by-exp", .function = LIKE(rope, rope_by_exp)},
    {.id = "reduced", .function = LIKE(rope, rope_reduced)},
    {.id = "reduced-to-float", .function = LIKE(rope, rope_reduced_to_float)},
    {.id = "polar", .function = LIKE(rope, rope_complex)},
    {0},
};

static const struct part rope_part[] = {
    {
        .function = "rope",
        .dims = "B NH T hs",
        .tensors =
            {
                {"out", "B NH T hs", OUTPUT, F32, TURNED_TOLERANCE},
                {"x", "B NH T hs", INPUT, F32, 0, 0},
                {"positions", "T", INPUT, SIZE, 0, 0},
            },
        .cases = rope_cases,
        .properties = rope_properties,
        .mistakes = rope_mistakes,
        .alternatives = rope_alternatives,
    },
    {0},
};

// ---- 7.4 alibi_bias -----------------------------------------------------------------------

#define BIAS_TOLERANCE 1e-7f, 4e-5f // a slope of floats, multiplied NH times

static const struct case_spec alibi_cases[] = {
    {.dims = "NH=1 T=1 S=1"},
    {.dims = "NH=1 T=2 S=2"},
    {.dims = "NH=2 T=3 S=3"},
    {.dims = "NH=3 T=4 S=4", .note = "NH is not a power of two"},
    {.dims = "NH=2 T=1 S=4", .note = "one query after a past"},
    {.dims = "NH=4 T=2 S=5", .note = "T < S: the last query stands at the last key"},
    {.dims = "NH=2 T=5 S=3", .note = "T > S: the first queries stand before every key"},
    {.dims = "NH=5..7 T=3..6 S=8..12", .draws = 2},
    {.dims = "NH=12 T=7 S=7", .note = "NH is not a power of two"},
    {.dims = "NH=16 T=9 S=9"},
    {.dims = "NH=8 T=2 S=257", .note = "large distances"},
    {.dims = "NH=8 T=5 S=7", .note = "T < S: the last query stands at the last key"},
    {.dims = "NH=3 T=1 S=1"},
    {.dims = "NH=5 T=9 S=1", .note = "T > S: the first queries stand before every key"},
    {.dims = "NH=6..9 T=8..12 S=3..7",
     .draws = 2,
     .note = "T > S: the first queries stand before every key"},
    {.dims = "NH=2 T=259 S=3", .note = "T > S: the first queries stand before every key"},
    {.dims = "NH=1 T=2 S=70001", .note = "very large distances"},
    {.dims = "NH=259 T=2 S=3"},
    {.dims = "NH=17 T=65 S=67", .note = "larger and odd"},
    {.dims = "NH=3 T=263 S=71", .note = "larger, T > S"},
    {.dims = "NH=0 T=3 S=3", .note = "a size of 0"},
    {.dims = "NH=2 T=0 S=3", .note = "a size of 0"},
    {.dims = "NH=2 T=3 S=0", .note = "a size of 0"},
    {0},
};

// BIAS(name, slope, value): head h has that slope; behind says by how many places key s lies
// behind query t, negative in the future.
#define BIAS(name, slope_of_head, value)                                                 \
    static lab_status name(float *bias, size_t NH, size_t T, size_t S)                   \
    {                                                                                    \
        if (NH == 0 || T == 0 || S == 0) {                                               \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        for (size_t i = 0; i < NH * T * S; i++) {                                        \
            const size_t h = i / (T * S), t = i / S % T, s = i % S;                      \
            const double head = (double)h, heads = (double)NH;                           \
            const double behind = (double)(t + S) - (double)(T + s);                     \
            (void)head, (void)heads, (void)behind;                                       \
            const double slope = slope_of_head;                                          \
            bias[i] = (float)(value);                                                    \
        }                                                                                \
        return LAB_OK;                                                                   \
    }

#define SLOPE exp2(-8 * (head + 1) / heads)
#define PAST(distance) ((distance) > 0 ? -slope * (distance) : 0)

// Slopes of the paper's code: those of the next lower power of two, then every second one of
// twice that many heads.
static double slope_of_the_paper(size_t h, size_t NH)
{
    size_t power = 1;
    while (2 * power <= NH) {
        power *= 2;
    }
    return h < power ? exp2(-8 * (double)(h + 1) / (double)power)
                     : exp2(-4 * (double)(2 * (h - power) + 1) / (double)power);
}

BIAS(bias_off_by_one, exp2(-8 * head / heads), PAST(behind))
BIAS(bias_positive, SLOPE, -PAST(behind))
BIAS(bias_from_the_start, SLOPE, PAST((double)t - (double)s))
BIAS(bias_symmetric, SLOPE, -slope *fabs(behind))
BIAS(bias_signed, SLOPE, -slope *behind)
BIAS(bias_masked, SLOPE, behind < 0 ? -INFINITY : PAST(behind))
BIAS(bias_key_index, SLOPE, slope *(double)s)
BIAS(bias_key_from_the_end, SLOPE, slope *((double)s - (double)(S - 1)))
BIAS(bias_paper_slopes, slope_of_the_paper(h, NH), PAST(behind))
BIAS(bias_eight_heads, exp2(-(head + 1)), PAST(behind))
BIAS(bias_whole_number, exp2(-(double)(8 * (h + 1) / NH)), PAST(behind))
BIAS(bias_base_e, exp(-8 * (head + 1) / heads), PAST(behind))
BIAS(bias_one_slope, exp2(-8 / heads), PAST(behind))
BIAS(bias_no_slope, 1, PAST(behind))
BIAS(bias_one_too_far, SLOPE, behind >= 0 ? -slope * (behind + 1) : 0)
BIAS(bias_unsigned, SLOPE, -slope *(double)(t + S - T - s)) // wraps around in the future
BIAS(bias_transposed, SLOPE, PAST(-behind))

static const struct mistake alibi_mistakes[] = {
    {
        .id = "slopes-off-by-one",
        .what = "the slopes are 2^(-8h/NH): head 0 has slope 1",
        .why = "Heads are counted from 1 in the paper: head h, counted from 0, has "
               "2^(-8(h+1)/NH), and the last one 2^-8.",
        .source = "paiml/aprender#2143",
        .function = LIKE(alibi_bias, bias_off_by_one),
    },
    {
        .id = "positive",
        .what = "the bias is positive: far keys are preferred",
        .why = "The score sinks with the distance. The sign is minus.",
        .source = "meta-pytorch/attention-gym#86, explosion/curated-transformers#260",
        .function = LIKE(alibi_bias, bias_positive),
    },
    {
        .id = "aligned-at-start",
        .what = "the distance is t - s, also when there are more keys than queries",
        .why = "With T < S the queries are the last T of S places: query t stands at "
               "t + (S - T).",
        .source = "lucidrains/x-transformers#103, keras-team/keras-hub#2861",
        .function = LIKE(alibi_bias, bias_from_the_start),
    },
    {
        .id = "symmetric",
        .what = "keys in the future are biased by their distance too",
        .why = "That is a form for attention without a causal mask. Here the bias of a "
               "key in the future is 0.",
        .source = "lucidrains/voicebox-pytorch#10, lucidrains/x-transformers#88",
        .function = LIKE(alibi_bias, bias_symmetric),
        .convention = true,
    },
    {
        .id = "signed",
        .what = "keys in the future get a positive bias",
        .why = "-slope * distance is positive where the distance is negative. Under a "
               "causal mask nobody sees it; here the bias of a key in the future is 0.",
        .source = "ofirpress/attention_with_linear_biases#5",
        .function = LIKE(alibi_bias, bias_signed),
        .convention = true,
    },
    {
        .id = "masked",
        .what = "keys in the future get -INFINITY: the causal mask is in the bias",
        .why = "Many programs add both in one matrix. Here the bias is 0 in the future, "
               "and the mask of lab 3 forbids.",
        .source = "facebookresearch/multimodal#462",
        .function = LIKE(alibi_bias, bias_masked),
        .convention = true,
    },
    {
        .id = "key-index",
        .what = "the bias is slope * s, counted from the first key",
        .why = "It differs from this lab's by the same number in a whole row of allowed "
               "keys, and the softmax does not notice. It is how the paper's code does "
               "it. Here the bias is -slope * distance.",
        .source = "ofirpress/attention_with_linear_biases#9",
        .function = LIKE(alibi_bias, bias_key_index),
        .convention = true,
    },
    {
        .id = "key-from-the-end",
        .what = "every query gets the bias of the last one",
        .why = "It differs from this lab's by the same number in a whole row of allowed "
               "keys, and the softmax does not notice. Here each query counts from its "
               "own place.",
        .source = "mosaicml/llm-foundry#186, NVIDIA-NeMo/Speech#7105",
        .function = LIKE(alibi_bias, bias_key_from_the_end),
        .convention = true,
    },
    {
        .id = "paper-slopes",
        .what = "when NH is not a power of two, the slopes are put together from two "
                "powers of two",
        .why = "That is the rule of the paper's code and of models trained with it. This "
               "lab uses the paper's formula, 2^(-8(h+1)/NH), for every NH.",
        .source = "ml-explore/mlx#3071, baichuan-inc/Baichuan2#225",
        .function = LIKE(alibi_bias, bias_paper_slopes),
        .convention = true,
    },
    {
        .id = "eight-heads",
        .what = "the slopes are 1/2, 1/4, 1/8 ... whatever NH is",
        .why = "That is right for NH = 8. In general the exponent is -8(h+1)/NH: the "
               "last slope is always 1/256.",
        .source = NULL,
        .function = LIKE(alibi_bias, bias_eight_heads),
    },
    {
        .id = "whole-number-division",
        .what = "the exponent 8(h+1)/NH is rounded down",
        .why = "A size_t divided by a size_t has no fraction. Make one of them a float "
               "first.",
        .source = "zju3dv/LoFTR#41",
        .function = LIKE(alibi_bias, bias_whole_number),
    },
    {
        .id = "base-e",
        .what = "the slopes are powers of e",
        .why = "The formula has 2^(...): exp2, not exp.",
        .source = NULL,
        .function = LIKE(alibi_bias, bias_base_e),
    },
    {
        .id = "one-slope",
        .what = "every head has the slope of head 0",
        .why = "Each head has its own slope: some look near, some far.",
        .source = NULL,
        .function = LIKE(alibi_bias, bias_one_slope),
    },
    {
        .id = "no-slope",
        .what = "the bias is -distance in every head",
        .why = "The distance is multiplied by the slope of the head.",
        .source = NULL,
        .function = LIKE(alibi_bias, bias_no_slope),
    },
    {
        .id = "one-too-far",
        .what = "the distance is one too large: a token is at distance 1 from itself",
        .why = "A query stands at its own key: distance 0, bias 0.",
        .source = "vllm-project/vllm#945",
        .function = LIKE(alibi_bias, bias_one_too_far),
    },
    {
        .id = "unsigned-wrap",
        .what = "keys in the future get a huge negative bias",
        .why = "The distance is a size_t and cannot be negative: it wraps around to "
               "1.8e19. Compare first: s + T < t + S.",
        .source = NULL,
        .function = LIKE(alibi_bias, bias_unsigned),
    },
    {
        .id = "transposed",
        .what = "the bias is on the future instead of the past",
        .why = "Row t is the query, column s the key; keys with s < t + (S - T) are the "
               "past.",
        .source = NULL,
        .function = LIKE(alibi_bias, bias_transposed),
    },
    {0},
};

BIAS(bias_by_pow, pow(2.0, -8.0 * (head + 1.0) / heads), fmin(0, -slope *behind))
BIAS(bias_in_float, powf(2.0f, -8.0f / (float)NH * ((float)h + 1.0f)), PAST(behind))

// Every slope is the one before it times the first, in float.
static lab_status bias_by_products(float *bias, size_t NH, size_t T, size_t S)
{
    if (NH == 0 || T == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    const float ratio = powf(2.0f, -8.0f / (float)NH);
    float slope = ratio;
    for (size_t h = 0; h < NH; h++) {
        for (long t = 0; t < (long)T; t++) {
            for (long s = 0; s < (long)S; s++) {
                const long distance = t + (long)S - (long)T - s;
                *bias++ = distance > 0 ? -slope * (float)distance : 0.0f;
            }
        }
        slope *= ratio;
    }
    return LAB_OK;
}

static const struct mistake alibi_alternatives[] = {
    {.id = "by-pow", .function = LIKE(alibi_bias, bias_by_pow)},
    {.id = "in-float", .function = LIKE(alibi_bias, bias_in_float)},
    {.id = "by-products", .function = LIKE(alibi_bias, bias_by_products)},
    {0},
};

static const struct part alibi_part[] = {
    {
        .function = "alibi_bias",
        .dims = "NH T S",
        .tensors = {{"bias", "NH T S", OUTPUT, F32, BIAS_TOLERANCE}},
        .cases = alibi_cases,
        .mistakes = alibi_mistakes,
        .alternatives = alibi_alternatives,
    },
    {0},
};

// ---- 7.5 attention_without_projections ----------------------------------------------------

// BEGIN HANDED OUT
// Absolute and relative.
// A weight of 1 that became 1 / (1 + 1e-5) is refused: together they stay below 1e-5.
#define WEIGHTS_TOLERANCE 5e-6f, 4e-6f
#define OUT_TOLERANCE 1e-5f, 1e-4f
// END HANDED OUT

// The last token is the first one again: their rows must be equal.
static void fill_repeated(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    const size_t T = case_dim(test, "T"), C = case_dim(test, "C");
    float *x = case_f32(test, "x");
    memcpy(x + (T - 1) * C, x, C * sizeof *x);
}

// Whole numbers, so that with C = 16 every way of computing the scores is exact.
static void fill_large(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    float *x = case_f32(test, "x");
    for (size_t i = 0; i < case_count(test, "x"); i++) {
        x[i] = rintf(8.0f * x[i]);
    }
}

static const struct case_spec attention_cases[] = {
    {.dims = "T=1 C=3", .note = "one token sees only itself"},
    {.dims = "T=2 C=3"},
    {.dims = "T=3 C=2", .draws = 2},
    {.dims = "T=4 C=5",
     .fill = fill_repeated,
     .note = "the first and last token are equal"},
    {.dims = "T=5..8 C=9..14", .draws = 3},
    {.dims = "T=6 C=32",
     .fill = fill_repeated,
     .note = "the first and last token are equal"},
    {.dims = "T=9 C=4"},
    {.dims = "T=4 C=16", .fill = fill_large, .note = "large inputs: scores above 88"},
    {.dims = "T=17 C=24"},
    {.dims = "T=7 C=1", .note = "one channel"},
    {.dims = "T=16 C=16", .fill = fill_large, .note = "large inputs: scores above 88"},
    {.dims = "T=3 C=259"},
    {.dims = "T=131 C=3"},
    {.dims = "T=67 C=131", .note = "larger and odd"},
    {.dims = "T=261 C=65", .note = "larger and odd"},
    {.dims = "T=0 C=3", .note = "a size of 0"},
    {.dims = "T=3 C=0", .note = "a size of 0"},
    {0},
};

// BEGIN HANDED OUT
// Token t of the second case is token moved(t) of the first. T is odd, so that every token
// is taken once.
static size_t moved(const struct test_case *test, size_t t)
{
    return (2 * t + 1) % case_dim(test, "T");
}
// END HANDED OUT

static void permute(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    float old[64];
    const size_t T = case_dim(second, "T"), C = case_dim(second, "C");
    float *x = case_f32(second, "x");
    memcpy(old, x, T * C * sizeof *x); // T * C <= 64
    for (size_t t = 0; t < T; t++) {
        memcpy(x + t * C, old + moved(second, t) * C, C * sizeof *x);
    }
}

// BEGIN HANDED OUT
// Other right ways keep to a quarter of the tolerance each, so two of them to a half.
static bool alike(float a, float b, float atol, float rtol)
{
    return fabsf(a - b) <= atol + rtol * fabsf(a);
}

static bool permuted_alike(const struct test_case *first, const struct test_case *second,
                           char *why, size_t why_size)
{
    const size_t T = case_dim(first, "T"), C = case_dim(first, "C");
    const float *weights_1 = case_got(first, "weights"),
                *weights_2 = case_got(second, "weights");
    const float *out_1 = case_got(first, "out"), *out_2 = case_got(second, "out");
    for (size_t i = 0; i < T * T; i++) {
        const size_t t = i / T, s = i % T, from_t = moved(first, t),
                     from_s = moved(first, s);
        const float was = weights_1[from_t * T + from_s];
        if (!alike(was, weights_2[i], WEIGHTS_TOLERANCE)) {
            snprintf(why, why_size,
                     "tokens %zu and %zu moved to places %zu and %zu, and their weight "
                     "went from %.6g to %.6g",
                     from_t, from_s, t, s, (double)was, (double)weights_2[i]);
            return false;
        }
    }
    for (size_t i = 0; i < T * C; i++) {
        const size_t t = i / C, from = moved(first, t);
        const float was = out_1[from * C + i % C];
        if (!alike(was, out_2[i], OUT_TOLERANCE)) {
            snprintf(why, why_size,
                     "token %zu moved to place %zu, and its output in channel %zu went "
                     "from %.6g to %.6g",
                     from, t, i % C, (double)was, (double)out_2[i]);
            return false;
        }
    }
    return true;
}
// END HANDED OUT

// Other tokens, of which the first and the last are equal again: every score stays.
static void negate(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    float *x = case_f32(second, "x");
    for (size_t i = 0; i < case_count(second, "x"); i++) {
        x[i] = -x[i];
    }
}

// BEGIN HANDED OUT
static bool equal_rows(const struct test_case *test, const char *output, float atol,
                       float rtol, char *why, size_t why_size)
{
    const float *values = case_got(test, output);
    const size_t T = case_dim(test, "T"), width = case_count(test, output) / T;
    const float *last = values + (T - 1) * width;
    for (size_t i = 0; i < width; i++) {
        if (!alike(values[i], last[i], atol, rtol)) {
            snprintf(why, why_size,
                     "tokens 0 and %zu are equal, and %s[0][%zu] is %.6g, %s[%zu][%zu] "
                     "%.6g",
                     T - 1, output, i, (double)values[i], output, T - 1, i,
                     (double)last[i]);
            return false;
        }
    }
    return true;
}

static bool equal_tokens_alike(const struct test_case *first,
                               const struct test_case *second, char *why, size_t why_size)
{
    return equal_rows(first, "weights", WEIGHTS_TOLERANCE, why, why_size) &&
           equal_rows(first, "out", OUT_TOLERANCE, why, why_size) &&
           equal_rows(second, "weights", WEIGHTS_TOLERANCE, why, why_size) &&
           equal_rows(second, "out", OUT_TOLERANCE, why, why_size);
}
// END HANDED OUT

static const struct property attention_properties[] = {
    {
        .id = "permutation",
        .claim = "permuting the tokens permutes the outputs and changes nothing else",
        .dims = "T=7 C=5",
        .change = permute,
        HOLDS(permuted_alike),
    },
    {
        .id = "equal-tokens",
        .claim = "equal tokens get equal weights and equal outputs, wherever they stand",
        .dims = "T=5 C=6",
        .fill = fill_repeated,
        .change = negate,
        HOLDS(equal_tokens_alike),
    },
    {0},
};

enum fault {
    NO_SCALE,
    OVER_C,
    SQRT_T,
    TIMES_ROOT,
    COLUMNS,
    NO_MAX,
    UNNORMALISED,
    CAUSAL,
    NOT_ITSELF,
    SCORES_APPLIED,
    OUT_TRANSPOSED,
    RIGHT_IN_FLOAT,
};

static double score_divisor(enum fault fault, size_t T, size_t C)
{
    switch (fault) {
    case NO_SCALE:
        return 1;
    case OVER_C:
        return (double)C;
    case SQRT_T:
        return sqrt((double)T);
    case TIMES_ROOT:
        return 1 / sqrt((double)C);
    default:
        return sqrt((double)C);
    }
}

// The softmax of n numbers that lie stride apart; -INFINITY gets 0, a row of them zeros.
static void softmax(enum fault fault, float *w, const float *scores, size_t n,
                    size_t stride)
{
    float max = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++) {
        max = fmaxf(max, scores[i * stride]);
    }
    if (fault == NO_MAX || max == -INFINITY) {
        max = 0;
    }
    for (size_t i = 0; i < n; i++) {
        w[i * stride] = expf(scores[i * stride] - max);
        sum += w[i * stride];
    }
    for (size_t i = 0; i < n && fault != UNNORMALISED && sum > 0; i++) {
        w[i * stride] /= sum;
    }
}

static lab_status attend(enum fault fault, float *out, float *weights, float *scores,
                         const float *x, size_t T, size_t C)
{
    if (T == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    for (size_t t = 0; t < T; t++) {
        for (size_t s = 0; s < T; s++) {
            float sum = 0;
            for (size_t c = 0; c < C; c++) {
                sum += x[t * C + c] * x[s * C + c];
            }
            const bool hidden =
                (fault == CAUSAL && s > t) || (fault == NOT_ITSELF && s == t);
            scores[t * T + s] =
                hidden ? -INFINITY : (float)((double)sum / score_divisor(fault, T, C));
        }
    }
    for (size_t t = 0; t < T; t++) {
        if (fault == COLUMNS) {
            softmax(fault, weights + t, scores + t, T, T);
        } else {
            softmax(fault, weights + t * T, scores + t * T, T, 1);
        }
    }
    for (size_t t = 0; t < T; t++) {
        for (size_t c = 0; c < C; c++) {
            float sum = 0;
            for (size_t s = 0; s < T; s++) {
                const float weight = fault == SCORES_APPLIED   ? scores[t * T + s]
                                     : fault == OUT_TRANSPOSED ? weights[s * T + t]
                                                               : weights[t * T + s];
                sum += weight * x[s * C + c];
            }
            out[t * C + c] = sum;
        }
    }
    return LAB_OK;
}

#define ATTEND(name, fault)                                                              \
    static lab_status name(float *out, float *weights, float *scores, const float *x,    \
                           size_t T, size_t C)                                           \
    {                                                                                    \
        return attend(fault, out, weights, scores, x, T, C);                             \
    }

ATTEND(attend_no_scale, NO_SCALE)
ATTEND(attend_over_C, OVER_C)
ATTEND(attend_sqrt_T, SQRT_T)
ATTEND(attend_times_root, TIMES_ROOT)
ATTEND(attend_columns, COLUMNS)
ATTEND(attend_no_max, NO_MAX)
ATTEND(attend_unnormalised, UNNORMALISED)
ATTEND(attend_causal, CAUSAL)
ATTEND(attend_not_itself, NOT_ITSELF)
ATTEND(attend_scores_applied, SCORES_APPLIED)
ATTEND(attend_out_transposed, OUT_TRANSPOSED)
ATTEND(attend_in_float, RIGHT_IN_FLOAT)

static const struct mistake attention_mistakes[] = {
    {
        .id = "no-scale",
        .what = "the scores are not divided by sqrt(C)",
        .why = "A token's product with itself is about C, and without the scale it "
               "takes nearly all the weight.",
        .source = "PAIR-code/tiny-transformers#71, mlc-ai/mlc-llm#3426",
        .function = LIKE(attention_without_projections, attend_no_scale),
    },
    {
        .id = "over-C",
        .what = "the scores are divided by C instead of sqrt(C)",
        .why = "The root is missing: sqrtf((float)C).",
        .source = "Graylab/DL4Proteins-notebooks#12",
        .function = LIKE(attention_without_projections, attend_over_C),
    },
    {
        .id = "sqrt-T",
        .what = "the scores are divided by sqrt(T) instead of sqrt(C)",
        .why = "The scale belongs to the width of the vectors that are multiplied, C, "
               "not to how many of them there are.",
        .source = "tenstorrent/tt-metal#56789",
        .function = LIKE(attention_without_projections, attend_sqrt_T),
    },
    {
        .id = "times-root",
        .what = "the scores are multiplied by sqrt(C) instead of divided by it",
        .why = "The scale is 1 / sqrt(C).",
        .source = "esceptico/perceiver-io#9",
        .function = LIKE(attention_without_projections, attend_times_root),
    },
    {
        .id = "columns",
        .what = "the softmax runs down the columns",
        .why = "Each row, a query, must sum to 1 over its keys. The scores are symmetric "
               "here, so only the sums of the rows give it away.",
        .source = "nerminnuraydogan/vision-transformer#1, PetrochukM/PyTorch-NLP#2",
        .function = LIKE(attention_without_projections, attend_columns),
    },
    {
        .id = "no-max",
        .what = "the largest score is not subtracted before exp",
        .why = "A token's product with itself is large: above 88.7 exp overflows, and "
               "inf/inf is NaN.",
        .source = "pytorch/executorch#18407, NVIDIA/FasterTransformer#43",
        .function = LIKE(attention_without_projections, attend_no_max),
    },
    {
        .id = "unnormalised",
        .what = "the exponentials are not divided by their sum",
        .why = "Every row of weights must sum to 1.",
        .source = NULL,
        .function = LIKE(attention_without_projections, attend_unnormalised),
    },
    {
        .id = "causal",
        .what = "later tokens are hidden: this is causal attention",
        .why = "Here every token sees every token. (The mask itself tells the places "
               "apart, and this exercise is about attention that cannot.)",
        .source = NULL,
        .function = LIKE(attention_without_projections, attend_causal),
    },
    {
        .id = "not-itself",
        .what = "no token sees itself",
        .why = "The diagonal takes part in the softmax like every other score.",
        .source = "RVC-Boss/GPT-SoVITS#965",
        .function = LIKE(attention_without_projections, attend_not_itself),
    },
    {
        .id = "scores-applied",
        .what = "the scores are applied to the values, not the weights",
        .why = "out = weights x: the softmax comes before the sum.",
        .source = NULL,
        .function = LIKE(attention_without_projections, attend_scores_applied),
    },
    {
        .id = "out-transposed",
        .what = "out is made of the columns of the weights",
        .why = "out[t] is the sum over s of weights[t][s] x[s]: row t of the weights.",
        .source = "karpathy/llm.c#531",
        .function = LIKE(attention_without_projections, attend_out_transposed),
    },
    {0},
};

static const struct mistake attention_alternatives[] = {
    {.id = "in-float", .function = LIKE(attention_without_projections, attend_in_float)},
    {0},
};

static const struct part attention_part[] = {
    {
        .function = "attention_without_projections",
        .dims = "T C",
        .tensors =
            {
                {"out", "T C", OUTPUT, F32, OUT_TOLERANCE},
                {"weights", "T T", OUTPUT, F32, WEIGHTS_TOLERANCE},
                {"scores", "T T", WORKSPACE, F32, 0, 0},
                {"x", "T C", INPUT, F32, 0, 0},
            },
        .cases = attention_cases,
        .properties = attention_properties,
        .mistakes = attention_mistakes,
        .alternatives = attention_alternatives,
    },
    {0},
};

// ---- the lab ------------------------------------------------------------------------------

static const struct exercise all[] = {
    {
        .id = "7.1",
        .name = "sinusoidal_encoding",
        .section = "7.1 A clock with many hands",
        .hints =
            {
                "Two channels are one hand of a clock. Which channels belong together, "
                "and what do the two have in common?",
                "Channels c and c + 1 (c even) hold sine and cosine of the angle t * "
                "10000^(-c/C): c is the 2i of the formula. Divide as doubles.",
                "for c = 0, 2, 4 ... below C:\n"
                "      frequency = pow(10000.0, -(double)c / C)\n"
                "      for each t:\n"
                "          table[t * C + c] = sin(t * frequency)\n"
                "          if c + 1 < C: table[t * C + c + 1] = cos(t * frequency)",
            },
        .gpu_hints =
            {
                "A thread for each place and pair of channels: it computes one angle "
                "and writes two numbers.",
                "Thread i: t = i / pairs, c = 2 (i % pairs), with (C + 1) / 2 pairs. "
                "The angle t * 10000^(-c/C) in double; sincos gives both. When C is odd "
                "the last pair has no second channel.",
                "i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; if (i >= T * pairs) "
                "return\n"
                "t = i / pairs; c = i % pairs * 2\n"
                "sincos((double)t * pow(10000.0, -(double)c / (double)C), &sine, "
                "&cosine)\n"
                "table_dev[t*C + c] = sine; if (c + 1 < C) table_dev[t*C + c + 1] = "
                "cosine",
            },
        .parts = sinusoidal_part,
    },
    {
        .id = "7.2",
        .name = "add_positions",
        .section = "7.2 Adding it",
        .hints =
            {
                "Which of b, t and c decides the row of the table?",
                "out[b][t][c] = x[b][t][c] + table[t][c]. The first T rows of the table "
                "lie in memory as one sequence does.",
                "for each b, t, c:\n"
                "      out[(b * T + t) * C + c] = x[(b * T + t) * C + c] + table[t * C + "
                "c]",
            },
        .parts = add_positions_part,
    },
    {
        .id = "7.3",
        .name = "rope",
        .section = "7.3 Turning instead of adding",
        .hints =
            {
                "A pair of channels is a point in the plane. Turn it about the origin. "
                "What decides how far?",
                "angle = positions[t] * 10000^(-2i/hs), in double. With a = x[2i] and b "
                "= "
                "x[2i + 1]: out[2i] = a cos - b sin, out[2i + 1] = a sin + b cos. Read "
                "both before you write either.",
                "for each b, h, t, and c = 0, 2, 4 ... below hs:\n"
                "      double angle = positions[t] * pow(10000.0, -(double)c / hs)\n"
                "      at = ((b * NH + h) * T + t) * hs + c\n"
                "      a = x[at], b = x[at + 1]\n"
                "      out[at]     = a * cos(angle) - b * sin(angle)\n"
                "      out[at + 1] = a * sin(angle) + b * cos(angle)",
            },
        .gpu_hints =
            {
                "The angle is what costs. All heads of all sequences turn by the same "
                "one: compute it once and keep it in a register.",
                "Thread (t, pair), counted along x: angle = positions[t] * 10000^(-2 "
                "pair / hs) in double, its sine and cosine as floats. Then for each of "
                "the B*NH heads that this row of blocks has: two numbers in, two "
                "numbers out.",
                "i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; if (i >= T * hs / 2) "
                "return\n"
                "t = i / (hs / 2); pair = i % (hs / 2); sincos of the angle, rounded "
                "to s and c\n"
                "for (row = blockIdx.y; row < B*NH; row += gridDim.y)\n"
                "    x = ((const float2 *)x_dev)[row * T * (hs/2) + i]\n"
                "    the same place of out = make_float2(x.x * c - x.y * s, x.x * s + "
                "x.y * c)",
            },
        .parts = rope_part,
    },
    {
        .id = "7.4",
        .name = "alibi_bias",
        .section = "7.4 A slope for each head",
        .hints =
            {
                "Draw the distances of a 3 x 3 map first. Then of a 1 x 4 map: where "
                "does its one query stand?",
                "Query t stands at place t + (S - T). slope = 2^(-8 (h + 1) / NH), with "
                "exp2f and a division of floats. The bias is -slope * distance for keys "
                "behind the query, else 0; ask s + T < t + S before you subtract.",
                "for each h:\n"
                "      slope = exp2f(-8.0f * (h + 1) / NH)\n"
                "      for each t, s:\n"
                "          if s + T < t + S: bias = -slope * (float)(t + S - T - s)\n"
                "          else: bias = 0",
            },
        .parts = alibi_part,
    },
    {
        .id = "7.5",
        .name = "attention_without_projections",
        .section = "7.5 The attention that cannot tell",
        .uses = {"1.3", "1.4", "1.5"},
        .hints =
            {
                "You have written all of it in lab 1. What are the queries, the keys and "
                "the values here?",
                "attention_scores with q = k = x (and T keys), softmax_rows, "
                "weighted_values with v = x. Return the first status that is not LAB_OK.",
                "status = attention_scores(scores, x, x, T, T, C)\n"
                "  if LAB_OK: status = softmax_rows(weights, scores, T, T)\n"
                "  if LAB_OK: status = weighted_values(out, weights, x, T, T, C)\n"
                "  return status",
            },
        .parts = attention_part,
    },
    {0},
};

static const struct exercise *const exercises[] = {&all[0], &all[1], &all[2],
                                                   &all[3], &all[4], NULL};

const struct lab lab_07 = {
    .title = "Positional encoding",
    .exercises = exercises,
};

#endif
