// 01_sinusoidal_encoding.c - exercise 7.1, sinusoidal_encoding: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/07/shared.h"

#include <math.h>
#include <string.h>

#include "07_positional_encoding/positions.h"

// For the sizes below, a table computed with float angles is within a quarter of this
// tolerance: wide tables are short, and in long ones every angle fits a float well enough.
#define TABLE_TOLERANCE 4e-5f, 0

static const struct case_spec sinusoidal_cases[] = {
    {.dims = "T=1 C=2", .note = "one position, one pair"},
    {.dims = "T=2 C=2"},
    {.dims = "T=3 C=4"},
    {.dims = "T=2 C=6"},
    {.dims = "T=4 C=1", .note = "an odd width: the last channel is a sine"},
    {.dims = "T=3 C=5", .note = "an odd width: the last channel is a sine"},
    {.dims = "T=5..9 C=10..17", .draws = 3},
    {.dims = "T=4 C=4", .note = "as many positions as channels"},
    {.dims = "T=6 C=32"},
    {.dims = "T=40 C=24"},
    {.dims = "T=2001 C=4", .note = "a long table"},
    {.dims = "T=70001 C=1", .note = "a long table of one channel"},
    {.dims = "T=9 C=3", .note = "an odd width: the last channel is a sine"},
    {.dims = "T=2 C=1031", .note = "an odd width: the last channel is a sine"},
    {.dims = "T=67 C=259", .note = "larger, odd sizes"},
    {.dims = "T=71 C=66"},
    {.dims = "T=256 C=4", .note = "exactly 256 positions"},
    {.dims = "T=2 C=256", .note = "exactly 256 channels"},
    {.dims = "T=64 C=64", .note = "T = C = 64"},
    {.dims = "T=0 C=4", .note = "a size of 0"},
    {.dims = "T=4 C=0", .note = "a size of 0"},
    // A grid ends at 65535 blocks along y and z.
    {.dims = "T=524301 C=1",
     .note = "half a million positions",
     .gpu_only = true,
     .launch_only = true},
    {MOST("T=2 C=1", "T")},
    {MOST("T=1 C=2", "C")},
    {0},
};

// The even channels are sines, the odd ones cosines.
static double wave(size_t channel, double angle)
{
    return channel % 2 == 0 ? sin(angle) : cos(angle);
}

// TABLE(name, value): a function that writes value to the element at position t and channel c.
// In value, pair is 2i of the formula, width is C as a double, and half is the number of pairs
// in a row, including a last one without a partner.
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
TABLE(table_last_frequency,
      wave(c, place *frequency(1e4, pair / 2 / (half > 1 ? (double)(half - 1) : 1))))
TABLE(table_only_sines, sin(place *frequency(1e4, pair / width)))
TABLE(table_unsigned_exponent, c < 2 ? wave(c, place) : NAN)
TABLE(table_row_0_zero, t == 0 ? 0 : wave(c, place *frequency(1e4, pair / width)))

// All sines, then all cosines, and nothing in the last column of an odd width.
static lab_status table_even_halves(float *table, size_t T, size_t C)
{
    if (T == 0 || C == 0) {
        return LAB_ESHAPE;
    }
    for (size_t t = 0; t < T; t++) {
        for (size_t i = 0; i < C / 2; i++) {
            const double angle = (double)t * frequency(1e4, 2 * (double)i / (double)C);
            table[t * C + i] = (float)sin(angle);
            table[t * C + C / 2 + i] = (float)cos(angle);
        }
    }
    return LAB_OK;
}

// All sines, then all cosines, with exponents from 0 to 1, so that the slowest wave divides by
// exactly 10000. An odd width ends with a zero.
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

// The correct numbers, stored as a (C, T) matrix.
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
        .why = "The numbers are right, but the columns are in a different order. Here "
               "sine and cosine of one angle are neighbors: channels 2i and 2i + 1.",
        .source = "tatp22/multidim-positional-encoding#20, allenai/allennlp#2993",
        .function = LIKE(sinusoidal_encoding, table_halves),
        .convention = true,
    },
    {
        .id = "even-halves",
        .what = "all sines come first and all cosines after them, and the last column of "
                "an odd width is not written",
        .why = "Here sine and cosine of one angle are neighbors: channels 2i and 2i + 1. "
               "An odd width ends with a sine.",
        .source = "tatp22/multidim-positional-encoding#20",
        .function = LIKE(sinusoidal_encoding, table_even_halves),
    },
    {
        .id = "halves-to-the-end",
        .what = "all sines come first, and the exponents are i / (C/2 - 1)",
        .why = "tensor2tensor and fairseq do this: the slowest pair then rotates by "
               "exactly 1/10000 per position. Here, pair i has the exponent 2i/C, and "
               "sine and cosine are neighbors.",
        .source = "tensorflow/tensor2tensor#1423, hojonathanho/diffusion#15",
        .function = LIKE(sinusoidal_encoding, table_halves_to_the_end),
        .convention = true,
    },
    {
        .id = "exponent-twice",
        .what = "the exponent is 2c/C with c the channel",
        .why = "In the formula, 2i is already the channel of the pair's sine. If you "
               "double it again, the exponent grows twice as fast, and the cosine has a "
               "different angle from its sine.",
        .source = "jadore801120/attention-is-all-you-need-pytorch#32, "
                  "shenweichen/DeepCTR#379, SamLynnEvans/Transformer#25",
        .function = LIKE(sinusoidal_encoding, table_exponent_twice),
    },
    {
        .id = "last-frequency",
        .what = "the frequencies of the pairs end at exactly 1/10000: the exponent is "
                "i / (pairs - 1), not 2i/C",
        .why =
            "Some libraries space the frequencies like this. Here the exponent of pair "
            "i is 2i/C, and the last pair is a little faster than 1/10000.",
        .source = "tensorflow/tensor2tensor, get_timing_signal_1d; fairseq, "
                  "SinusoidalPositionalEmbedding",
        .function = LIKE(sinusoidal_encoding, table_last_frequency),
        .convention = true,
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
        .what =
            "the cosine has a different angle from its sine: exponent c/C in channel c",
        .why =
            "Both channels of a pair use the same angle, with the exponent of the even "
            "channel. Only then is a step along the sequence a rotation.",
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
        .why = "2 * i / C is an integer division and gives 0 for every i. Convert one of "
               "them to double first.",
        .source = "Kyubyong/transformer#81, zju3dv/LoFTR#41",
        .function = LIKE(sinusoidal_encoding, table_whole_number),
    },
    {
        .id = "multiplied",
        .what = "the position is multiplied by 10000^(2i/C) instead of divided by it",
        .why =
            "The pairs get faster and faster: they jump several turns from one position "
            "to the next, so neighboring rows are no longer similar.",
        .source = "harvardnlp/annotated-transformer#131, "
                  "labmlai/annotated_deep_learning_paper_implementations#313",
        .function = LIKE(sinusoidal_encoding, table_multiplied),
    },
    {
        .id = "exchanged",
        .what = "sine and cosine are swapped",
        .why =
            "The sine belongs in the even channel 2i, the cosine in 2i + 1. Row 0 must "
            "read 0 1 0 1.",
        .source = NULL,
        .function = LIKE(sinusoidal_encoding, table_exchanged),
    },
    {
        .id = "one-based",
        .what = "positions are counted from 1",
        .why = "The first token has position 0; its row is 0 1 0 1 and so on.",
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
        .why =
            "Sine alone is ambiguous: angles a and pi - a give the same value. The odd "
            "channels contain the cosine of the same angle.",
        .source = NULL,
        .function = LIKE(sinusoidal_encoding, table_only_sines),
    },
    {
        .id = "unsigned-exponent",
        .what = "from the second pair on the table is NaN",
        .why = "The exponent is negative, and a size_t has no sign: -c is a number near "
               "1.8e19, and 10000 to that power is infinite. Convert c to double first.",
        .source = NULL,
        .function = LIKE(sinusoidal_encoding, table_unsigned_exponent),
    },
    {
        .id = "row-0-zero",
        .what = "row 0 is all zeros",
        .why = "Some programs reserve position 0 for padding. Here it is a position like "
               "any other: sine 0, cosine 1.",
        .source = "kaushalshetty/Positional-Encoding#1, r9y9/deepvoice3_pytorch#19",
        .function = LIKE(sinusoidal_encoding, table_row_0_zero),
        .convention = true,
    },
    {
        .id = "transposed",
        .what = "the table is laid out (C, T)",
        .why = "Position t is a row of C channels: element (t, c) is table[t * C + c].",
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

// Row t + 1 is row t rotated by one step: only row 1 needs sines and cosines.
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

const struct exercise exercise_7_1 = {
    .id = "7.1",
    .name = "sinusoidal_encoding",
    .section = "7.1 Sinusoidal positions",
    .hints =
        {
            "Two channels form one hand of a clock. Which channels belong together, and "
            "what do they have in common?",
            "Channels c and c + 1 (c even) hold sine and cosine of the angle t * "
            "10000^(-c/C): c is the 2i of the formula. Divide as doubles.",
            "for c = 0, 2, 4 ... below C:\n"
            "    frequency = pow(10000.0, -(double)c / C)\n"
            "    for each t:\n"
            "        table[t * C + c] = sin(t * frequency)\n"
            "        if c + 1 < C: table[t * C + c + 1] = cos(t * frequency)",
        },
    .gpu_hints =
        {
            "Use a thread for each position and pair of channels: it computes one angle "
            "and writes two numbers.",
            "Thread i: t = i / pairs, c = 2 (i % pairs), with (C + 1) / 2 pairs. The "
            "angle t * 10000^(-c/C) in double; sincos gives both. If C is odd, the last "
            "pair has no second channel.",
            "i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; if (i >= T * pairs) return\n"
            "t = i / pairs; c = i % pairs * 2\n"
            "sincos((double)t * pow(10000.0, -(double)c / (double)C), &sine, &cosine)\n"
            "table_dev[t*C + c] = sine; if (c + 1 < C) table_dev[t*C + c + 1] = cosine",
        },
    .parts = sinusoidal_part,
};
