// 02_shifted_batch.c - exercise 8.2, shifted_batch: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/08/shared.h"

#include "08_language_model/language_model.h"
#include "common/rng.h"

// All tokens of the stream differ, so that each place can be recognized.
static void fill_stream(struct test_case *test)
{
    for (size_t i = 0; i < case_count(test, "stream"); i++) {
        case_size(test, "stream")[i] = 3 * i + 1000;
    }
}

// Offsets from the largest valid one down to `spare` below it.
static void draw_offsets(struct test_case *test, struct lab_rng *rng, size_t spare)
{
    const size_t N = case_dim(test, "N"), T = case_dim(test, "T");
    fill_stream(test);
    for (size_t b = 0; b < case_count(test, "offsets"); b++) {
        case_size(test, "offsets")[b] =
            N > T + spare ? lab_rng_next32(rng) % (N - T - spare) : 0;
    }
}

// With two tokens to spare, so that code that shifts twice stays inside the stream.
static void fill_offsets(struct test_case *test, struct lab_rng *rng)
{
    draw_offsets(test, rng, 1);
}

static void fill_last_offset(struct test_case *test, struct lab_rng *rng)
{
    draw_offsets(test, rng, 0);
    case_size(test, "offsets")[case_count(test, "offsets") - 1] =
        case_dim(test, "N") - case_dim(test, "T") - 1;
}

static void fill_equal_offsets(struct test_case *test, struct lab_rng *rng)
{
    draw_offsets(test, rng, 1);
    for (size_t b = 1; b < case_count(test, "offsets"); b++) {
        case_size(test, "offsets")[b] = case_size(test, "offsets")[0];
    }
}

static void fill_bad_offset(struct test_case *test, struct lab_rng *rng, size_t place,
                            size_t offset)
{
    draw_offsets(test, rng, 1);
    case_size(test, "offsets")[place] = offset;
}

static void fill_last_one_too_large(struct test_case *test, struct lab_rng *rng)
{
    fill_bad_offset(test, rng, case_count(test, "offsets") - 1,
                    case_dim(test, "N") - case_dim(test, "T"));
}

static void fill_first_one_too_large(struct test_case *test, struct lab_rng *rng)
{
    fill_bad_offset(test, rng, 0, case_dim(test, "N") - case_dim(test, "T"));
}

static void fill_middle_far_too_large(struct test_case *test, struct lab_rng *rng)
{
    fill_bad_offset(test, rng, 1, case_dim(test, "N") + 1000);
}

// T + 1 added to it wraps around to 1.
static void fill_around(struct test_case *test, struct lab_rng *rng)
{
    fill_bad_offset(test, rng, 1, SIZE_MAX - case_dim(test, "T") + 1);
}

static void fill_beyond_32_bits(struct test_case *test, struct lab_rng *rng)
{
    fill_bad_offset(test, rng, 1, ((size_t)1 << 32) + 1);
}

static void fill_zeros(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    fill_stream(test);
    for (size_t b = 0; b < case_count(test, "offsets"); b++) {
        case_size(test, "offsets")[b] = 0;
    }
}

// Tokens of more than 32 bits, which differ in their upper bits and in their lower ones.
static void fill_large_tokens(struct test_case *test, struct lab_rng *rng)
{
    draw_offsets(test, rng, 1);
    for (size_t i = 0; i < case_count(test, "stream"); i++) {
        case_size(test, "stream")[i] = ((i + 1) << 40) + 7 * i + 3;
    }
}

// Offsets that 16 bits do not hold, in a text that repeats itself every 1009 tokens.
static void fill_far_offsets(struct test_case *test, struct lab_rng *rng)
{
    for (size_t i = 0; i < case_count(test, "stream"); i++) {
        case_size(test, "stream")[i] = i * 7 % 1009;
    }
    for (size_t b = 0; b < case_count(test, "offsets"); b++) {
        case_size(test, "offsets")[b] = 65536 + lab_rng_next32(rng) % 1000;
    }
}

static const struct case_spec shifted_batch_cases[] = {
    {.dims = "N=5 B=1 T=3", .fill = fill_offsets, .note = "offset 0"},
    {.dims = "N=9 B=1 T=4", .draws = 2, .fill = fill_offsets},
    {.dims = "N=20 B=2 T=3", .fill = fill_offsets},
    {.dims = "N=30 B=4 T=1", .fill = fill_offsets, .note = "one token each"},
    {.dims = "N=40..60 B=3..5 T=6..8", .draws = 3, .fill = fill_offsets},
    {.dims = "N=9 B=7 T=4", .fill = fill_offsets, .note = "pieces that overlap"},
    {.dims = "N=30 B=3 T=5",
     .fill = fill_equal_offsets,
     .note = "the same piece three times"},
    {.dims = "N=1001 B=16 T=67", .fill = fill_offsets, .note = "larger"},
    {.dims = "N=600 B=256 T=3", .fill = fill_offsets, .note = "256 pieces"},
    {.dims = "N=700 B=2 T=256", .fill = fill_offsets, .note = "pieces of 256 tokens"},
    {.dims = "N=17 B=2 T=5",
     .fill = fill_last_offset,
     .note = "an offset is N - T - 1, the last one allowed",
     .apart = true},
    {.dims = "N=5 B=2 T=4",
     .fill = fill_last_offset,
     .note = "N is T + 1: only offset 0 is allowed",
     .apart = true},
    {.dims = "N=2 B=1 T=1",
     .fill = fill_last_offset,
     .note = "two tokens: the smallest text",
     .apart = true},
    {.dims = "N=256 B=16 T=64", .fill = fill_offsets, .note = "T is 64, N is 256"},
    {.dims = "N=17 B=3 T=5",
     .fill = fill_last_one_too_large,
     .note = "the last offset is N - T: its last target does not exist"},
    {.dims = "N=17 B=3 T=5",
     .fill = fill_first_one_too_large,
     .note = "the first offset is N - T: its last target does not exist"},
    {.dims = "N=17 B=3 T=5",
     .fill = fill_middle_far_too_large,
     .note = "an offset is N + 1000"},
    {.dims = "N=17 B=3 T=5",
     .fill = fill_around,
     .note = "an offset so large that adding T to it overflows"},
    {.dims = "N=17 B=3 T=5",
     .fill = fill_beyond_32_bits,
     .note = "an offset beyond 32 bits"},
    {.dims = "N=5 B=2 T=5",
     .fill = fill_zeros,
     .note = "N is T: the last target does not exist"},
    {.dims = "N=4 B=2 T=7", .fill = fill_zeros, .note = "a text shorter than T"},
    {.dims = "N=4 B=1 T=3",
     .fill = fill_last_one_too_large,
     .note = "one piece, and its last target does not exist"},
    {.dims = "N=5 B=3 T=1",
     .fill = fill_last_one_too_large,
     .note = "pieces of one token; the last target does not exist"},
    {.dims = "N=131 B=2 T=2",
     .fill = fill_last_one_too_large,
     .note = "a longer text; the last target does not exist"},
    {.dims = "N=0 B=2 T=3", .fill = fill_zeros, .note = "a size of 0"},
    {.dims = "N=9 B=0 T=3", .note = "a size of 0"},
    {.dims = "N=9 B=2 T=0", .fill = fill_zeros, .note = "a size of 0"},
    {.dims = "N=9 B=2 T=3", .fill = fill_large_tokens, .note = "tokens above 2^32"},
    {.dims = "N=70001 B=2 T=1031",
     .fill = fill_far_offsets,
     .note = "pieces of 1031 tokens, far into a long text",
     .memory_only = true},
    {.dims = "N=1100 B=1031 T=2",
     .fill = fill_offsets,
     .note = "1031 pieces",
     .memory_only = true},
    {0},
};

#define SHIFTED_ARGUMENTS                                                                \
    size_t *x, size_t *y, const size_t *stream, const size_t *offsets, size_t N,         \
        size_t B, size_t T

// strict: the largest valid offset is rejected, too.
static lab_status check_offsets(bool strict, const size_t *offsets, size_t N, size_t B,
                                size_t T)
{
    if (N == 0 || B == 0 || T == 0 || N <= T) {
        return LAB_ESHAPE;
    }
    for (size_t b = 0; b < B; b++) {
        if (offsets[b] > N - T - 1 || (strict && offsets[b] == N - T - 1)) {
            return LAB_EVALUE;
        }
    }
    return LAB_OK;
}

// SHIFTED(name, strict, far, x_value, y_value): x_value and y_value are expressions of o (the
// offset of this sequence), t, b, i = b T + t, stream and the sizes. Mistakes read up to `far`
// tokens past offset + T.
#define SHIFTED(name, strict, far, x_value, y_value)                                     \
    static lab_status name(SHIFTED_ARGUMENTS)                                            \
    {                                                                                    \
        const lab_status status = check_offsets(strict, offsets, N, B, T);               \
        for (size_t b = 0; status == LAB_OK && b < B; b++) {                             \
            if (offsets[b] + T + (far) >= N) {                                           \
                return LEAVES_ARGUMENTS;                                                 \
            }                                                                            \
        }                                                                                \
        for (size_t i = 0; status == LAB_OK && i < B * T; i++) {                         \
            const size_t b = i / T, t = i % T, o = offsets[b];                           \
            (void)o, (void)t;                                                            \
            x[i] = x_value;                                                              \
            y[i] = y_value;                                                              \
        }                                                                                \
        return status;                                                                   \
    }

SHIFTED(shifted_not, false, 0, stream[o + t], stream[o + t])
SHIFTED(shifted_twice, false, 1, stream[o + t], stream[o + t + 2])
SHIFTED(shifted_both, false, 0, stream[o + t + 1], stream[o + t + 1])
SHIFTED(shifted_swapped, false, 0, stream[o + t + 1], stream[o + t])
SHIFTED(shifted_around, false, 0, stream[o + t], stream[o + (t + 1) % T])
SHIFTED(shifted_repeats_last, false, 0, stream[o + t],
        stream[o + (t + 1 < T ? t + 1 : t)])
SHIFTED(shifted_last_0, false, 0, stream[o + t], t + 1 < T ? stream[o + t + 1] : 0)
SHIFTED(shifted_first_offset, false, 0, stream[offsets[0] + t],
        stream[offsets[0] + t + 1])
SHIFTED(shifted_transposed, false, 0, stream[offsets[i % B] + i / B],
        stream[offsets[i % B] + i / B + 1])
SHIFTED(shifted_at_start, false, 0, stream[t], stream[t + 1])
SHIFTED(shifted_one_less, true, 0, stream[o + t], stream[o + t + 1])

// One piece after another from the start of the stream, without the offsets.
static lab_status shifted_in_order(SHIFTED_ARGUMENTS)
{
    const lab_status status = check_offsets(false, offsets, N, B, T);
    if (status != LAB_OK || B * T + 1 > N) {
        return status == LAB_OK ? LEAVES_ARGUMENTS : status;
    }
    for (size_t i = 0; i < B * T; i++) {
        x[i] = stream[i];
        y[i] = stream[i + 1];
    }
    return LAB_OK;
}

#define LAST_OFFSET                                                                      \
    "The last target of a piece is stream[offset + T], and the last token of the text "  \
    "is stream[N - 1]: offsets up to N - T - 1 are allowed."

static const struct mistake shifted_batch_mistakes[] = {
    {
        .id = "not-shifted",
        .what = "the targets are the inputs themselves",
        .why = "The model would only learn to repeat its input. It must predict the next "
               "token: y[b][t] = stream[offsets[b] + t + 1].",
        .source = "Project-MONAI/GenerativeModels#314",
        .function = LIKE(shifted_batch, shifted_not),
    },
    {
        .id = "shifted-twice",
        .what = "the targets are two tokens ahead",
        .why =
            "Each target is the token right after its input: y[b][t] = stream[offsets[b] "
            "+ t + 1].",
        .source = "huggingface/transformers#47394",
        .function = LIKE(shifted_batch, shifted_twice),
    },
    {
        .id = "both-shifted",
        .what = "x begins one token late, so x and y are equal",
        .why = "x[b][t] = stream[offsets[b] + t]; only y is shifted.",
        .source = NULL,
        .function = LIKE(shifted_batch, shifted_both),
    },
    {
        .id = "swapped",
        .what = "x and y are swapped",
        .why =
            "x holds the tokens that the model reads, y the token that follows each of "
            "them.",
        .source = NULL,
        .function = LIKE(shifted_batch, shifted_swapped),
    },
    {
        .id = "last-target-around",
        .what = "the last target of each piece is the piece's first token",
        .why =
            "The text continues after the piece: y[b][T - 1] = stream[offsets[b] + T].",
        .source = NULL,
        .function = LIKE(shifted_batch, shifted_around),
    },
    {
        .id = "last-target-repeated",
        .what = "the last target of each piece is the piece's last token",
        .why =
            "The text continues after the piece: y[b][T - 1] = stream[offsets[b] + T].",
        .source = NULL,
        .function = LIKE(shifted_batch, shifted_repeats_last),
    },
    {
        .id = "last-target-0",
        .what = "the last target of each piece is 0",
        .why =
            "The text continues after the piece: y[b][T - 1] = stream[offsets[b] + T].",
        .source = NULL,
        .function = LIKE(shifted_batch, shifted_last_0),
    },
    {
        .id = "first-offset",
        .what = "every sequence begins at the first offset",
        .why = "Sequence b begins at offsets[b].",
        .source = NULL,
        .function = LIKE(shifted_batch, shifted_first_offset),
    },
    {
        .id = "offsets-ignored",
        .what = "every sequence begins at the start of the text",
        .why = "Sequence b begins at offsets[b].",
        .source = NULL,
        .function = LIKE(shifted_batch, shifted_at_start),
    },
    {
        .id = "in-order",
        .what = "the pieces follow each other, whatever the offsets are",
        .why = "Sequence b begins at offsets[b], not at b T.",
        .source = NULL,
        .function = LIKE(shifted_batch, shifted_in_order),
    },
    {
        .id = "transposed",
        .what = "x, y or both are written as (T, B)",
        .why = "Both are (B, T): token t of sequence b is element b * T + t.",
        .source = NULL,
        .function = LIKE(shifted_batch, shifted_transposed),
    },
    {
        .id = "last-offset-refused",
        .what = "the largest valid offset, N - T - 1, is rejected",
        .why = LAST_OFFSET,
        .source = NULL,
        .function = LIKE(shifted_batch, shifted_one_less),
    },
    {0},
};

// Goes through the sequences from last to first, and takes y from x where possible.
static lab_status shifted_from_x(SHIFTED_ARGUMENTS)
{
    const lab_status status = check_offsets(false, offsets, N, B, T);
    for (size_t b = B; status == LAB_OK && b-- > 0;) {
        for (size_t t = 0; t < T; t++) {
            x[b * T + t] = stream[offsets[b] + t];
        }
        for (size_t t = 1; t < T; t++) {
            y[b * T + t - 1] = x[b * T + t];
        }
        y[b * T + T - 1] = stream[offsets[b] + T];
    }
    return status;
}

static const struct mistake shifted_batch_alternatives[] = {
    {.id = "from-x", .function = LIKE(shifted_batch, shifted_from_x)},
    {0},
};

static const struct part shifted_batch_part[] = {
    {
        .function = "shifted_batch",
        .dims = "N B T",
        .tensors =
            {
                {"x", "B T", OUTPUT, SIZE, 0, 0},
                {"y", "B T", OUTPUT, SIZE, 0, 0},
                {"stream", "N", INPUT, SIZE, 0, 0},
                {"offsets", "B", INPUT, SIZE, 0, 0},
            },
        .cases = shifted_batch_cases,
        .mistakes = shifted_batch_mistakes,
        .alternatives = shifted_batch_alternatives,
    },
    {0},
};

const struct exercise exercise_8_2 = {
    .id = "8.2",
    .name = "shifted_batch",
    .section = "8.2 Inputs and targets",
    .hints =
        {
            "The target of a token is the next token. Which is the last token of the "
            "text that has one?",
            "x[b][t] = stream[offsets[b] + t], y[b][t] = stream[offsets[b] + t + 1]. The "
            "largest index is offsets[b] + T, which must be below N: check "
            "offsets[b] <= N - T - 1 for every b, before you write.",
            "for each b: if offsets[b] > N - T - 1: return LAB_EVALUE\n"
            "for each b, t:\n"
            "    x[b * T + t] = stream[offsets[b] + t]\n"
            "    y[b * T + t] = stream[offsets[b] + t + 1]",
        },
    .parts = shifted_batch_part,
};
