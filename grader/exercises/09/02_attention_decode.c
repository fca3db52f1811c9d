// 02_attention_decode.c - exercise 9.2, attention_decode: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/09/glance.h"
#include "exercises/09/lengths.h"
#include "exercises/common/inputs.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "09_generation/generation.h"
#include "common/rng.h"

// ---- cases --------------------------------------------------------------------------------

// At least one row of each sequence holds what an earlier sequence left there.
static void fill_decode(struct test_case *test, struct lab_rng *rng)
{
    const size_t T_max = case_dim(test, "T_max");
    draw_lengths(test, rng, T_max > 2 ? 2 : 1, T_max > 1 ? T_max - 1 : 1);
}

static void fill_full(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_lengths(test, case_dim(test, "T_max"));
}

static void fill_one_full(struct test_case *test, struct lab_rng *rng)
{
    fill_decode(test, rng);
    set_length(test, case_count(test, "lengths") - 1, case_dim(test, "T_max"));
}

static void fill_one_token(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_lengths(test, 1);
}

// The first sequence has one token, the others more.
static void fill_first_token(struct test_case *test, struct lab_rng *rng)
{
    fill_decode(test, rng);
    set_length(test, 0, 1);
}

static void set_behind(struct test_case *test, float value)
{
    const size_t T_max = case_dim(test, "T_max");
    for (size_t b = 0; b < case_dim(test, "B"); b++) {
        set_rows(test, "keys", T_max, b, case_size(test, "lengths")[b], value);
        set_rows(test, "values", T_max, b, case_size(test, "lengths")[b], value);
    }
}

static void fill_nan_behind(struct test_case *test, struct lab_rng *rng)
{
    fill_decode(test, rng);
    set_behind(test, NAN);
}

static void fill_infinity_behind(struct test_case *test, struct lab_rng *rng)
{
    fill_decode(test, rng);
    set_behind(test, INFINITY);
}

static void fill_large(struct test_case *test, struct lab_rng *rng)
{
    fill_decode(test, rng);
    scale_input(test, "q", 5.0f);
}

// Every score is 0, and so is the largest.
static void fill_zero_queries(struct test_case *test, struct lab_rng *rng)
{
    fill_decode(test, rng);
    scale_input(test, "q", 0.0f);
}

// For wide heads: even scores that are wrongly multiplied stay small enough for a float.
static void fill_wide(struct test_case *test, struct lab_rng *rng)
{
    fill_decode(test, rng);
    scale_input(test, "q", 0.1f);
}

enum { EXTREME_WIDTH = 16, EXTREME_KINDS = 4 };

// Exact scores: with hs = 16 the scale is 1/4, and a query selects one channel of the keys. With
// NH = 4, T_max = 16 or 64 and these lengths, most wrong scales are exact, too.
// Channel 0 holds whole numbers near 10000000, which every fifth query negates. In the others,
// the oldest, the newest or a middle key is more than 100 ahead of the rest.
static void fill_extreme(struct test_case *test, struct lab_rng *rng)
{
    enum { WIDTH = EXTREME_WIDTH, KINDS = EXTREME_KINDS };
    for (size_t b = 0; b < case_dim(test, "B"); b++) {
        set_length(test, b, case_dim(test, "T_max") > 16 && b % 2 == 1 ? 16 : 4);
    }
    const size_t T_max = case_dim(test, "T_max"), NH = case_dim(test, "NH");
    float *q = case_f32(test, "q"), *keys = case_f32(test, "keys");
    memset(q, 0, case_count(test, "q") * sizeof *q);
    for (size_t row = 0; row < case_count(test, "q") / WIDTH; row++) {
        const size_t kind = row % (KINDS + 1);
        q[row * WIDTH + kind % KINDS] = kind == KINDS ? -4.0f : 4.0f;
    }
    for (size_t row = 0; row < case_count(test, "keys") / WIDTH; row++) {
        const size_t s = row % T_max, S = case_size(test, "lengths")[row / T_max / NH];
        const size_t ahead[KINDS] = {S, 0, S - 1, S / 2};
        keys[row * WIDTH] = 1e7f + (float)lab_rng_int(rng, 0, 4);
        for (size_t c = 1; c < KINDS; c++) {
            keys[row * WIDTH + c] =
                (float)lab_rng_int(rng, -3, 4) + (s == ahead[c] ? 107.0f : 0.0f);
        }
    }
}

static void fill_low(struct test_case *test, struct lab_rng *rng)
{
    fill_decode(test, rng);
    fill_low_scores(test, "keys", case_dim(test, "T_max"));
}

// The same in quarters, for many keys that a hand-out's archive compresses well.
static void fill_many(struct test_case *test, struct lab_rng *rng)
{
    fill_decode(test, rng);
    case_coarse(test, "keys");
    case_coarse(test, "values");
}

// More than 1024 of them are valid in the last sequence.
static void fill_many_valid(struct test_case *test, struct lab_rng *rng)
{
    fill_many(test, rng);
    set_length(test, case_dim(test, "B") - 1, case_dim(test, "T_max") - 2);
}

static void fill_many_nan_behind(struct test_case *test, struct lab_rng *rng)
{
    fill_many(test, rng);
    scale_input(test, "q", 0.1f);
    set_behind(test, NAN);
}

static void fill_full_coarse(struct test_case *test, struct lab_rng *rng)
{
    fill_many(test, rng);
    fill_full(test, rng);
}

static void fill_bad_length(struct test_case *test, struct lab_rng *rng, size_t b,
                            size_t length)
{
    fill_decode(test, rng);
    set_length(test, b, length);
}

static void fill_first_0(struct test_case *test, struct lab_rng *rng)
{
    fill_bad_length(test, rng, 0, 0);
}

static void fill_last_0(struct test_case *test, struct lab_rng *rng)
{
    fill_bad_length(test, rng, case_count(test, "lengths") - 1, 0);
}

static void fill_first_above(struct test_case *test, struct lab_rng *rng)
{
    fill_bad_length(test, rng, 0, case_dim(test, "T_max") + 1);
}

static void fill_last_above(struct test_case *test, struct lab_rng *rng)
{
    fill_bad_length(test, rng, case_count(test, "lengths") - 1,
                    case_dim(test, "T_max") + 1);
}

static void fill_largest(struct test_case *test, struct lab_rng *rng)
{
    fill_bad_length(test, rng, 1, SIZE_MAX);
}

#define EXTREME_NOTE                                                                     \
    "scores near 10000000 and -10000000, or one key ahead of the others by 100"

static const struct case_spec decode_cases[] = {
    {.dims = "B=1 NH=1 T_max=2 hs=1", .fill = fill_one_token, .note = "one token"},
    {.dims = "B=1 NH=1 T_max=4 hs=2", .fill = fill_decode},
    {.dims = "B=1 NH=2 T_max=5 hs=3", .fill = fill_decode},
    {.dims = "B=2 NH=1 T_max=6 hs=4", .fill = fill_decode, .note = "one head"},
    {.dims = "B=2 NH=3 T_max=6 hs=4", .fill = fill_decode},
    {.dims = "B=3 NH=2 T_max=4 hs=5",
     .fill = fill_one_token,
     .note = "every sequence has one token"},
    {.dims = "B=3 NH=2 T_max=5 hs=4",
     .fill = fill_first_token,
     .note = "the first sequence has one token"},
    {.dims = "B=3 NH=2 T_max=7 hs=5", .draws = 2, .fill = fill_decode},
    {.dims = "B=2..3 NH=4..5 T_max=8..9 hs=6", .draws = 3, .fill = fill_decode},
    {.dims = "B=3 NH=3 T_max=3 hs=3", .fill = fill_decode, .note = "all sizes are 3"},
    {.dims = "B=3 NH=2 T_max=8 hs=7",
     .fill = fill_nan_behind,
     .note = "NaN in the rows past each length"},
    {.dims = "B=2 NH=3 T_max=9 hs=5",
     .fill = fill_infinity_behind,
     .note = "infinity in the rows past each length"},
    {.dims = "B=2 NH=2 T_max=11 hs=7", .fill = fill_large, .note = "large scores"},
    {.dims = "B=3 NH=4 T_max=16 hs=16", .fill = fill_extreme, .note = EXTREME_NOTE},
    {.dims = "B=4 NH=4 T_max=64 hs=16", .fill = fill_extreme, .note = EXTREME_NOTE},
    {.dims = "B=2 NH=3 T_max=5 hs=16", .fill = fill_low, .note = LOW_NOTE},
    {.dims = "B=2 NH=2 T_max=1031 hs=5", .fill = fill_many_valid, .note = "many keys"},
    {.dims = "B=2 NH=1 T_max=7 hs=1031", .fill = fill_wide, .note = "a wide head"},
    {.dims = "B=261 NH=1 T_max=4 hs=2", .fill = fill_decode, .note = "many sequences"},
    {.dims = "B=2 NH=257 T_max=5 hs=3", .fill = fill_decode, .note = "many heads"},
    {.dims = "B=3 NH=4 T_max=67 hs=65",
     .fill = fill_many_nan_behind,
     .note = "NaN in the rows past each length; larger, odd sizes"},
    {.dims = "B=17 NH=19 T_max=37 hs=23",
     .fill = fill_wide,
     .cpu_only = true,
     .note = "larger, odd sizes"},
    {.dims = "B=1 NH=1 T_max=1 hs=1",
     .fill = fill_full,
     .note = "one number",
     .apart = true},
    {.dims = "B=1 NH=2 T_max=3 hs=2",
     .fill = fill_full,
     .note = "a full cache",
     .apart = true},
    {.dims = "B=3 NH=5 T_max=17 hs=1", .fill = fill_decode, .note = "heads of width 1"},
    {.dims = "B=256 NH=1 T_max=4 hs=2",
     .fill = fill_decode,
     .note = "exactly 256 sequences"},
    {.dims = "B=2 NH=256 T_max=5 hs=3", .fill = fill_decode, .note = "exactly 256 heads"},
    {.dims = "B=2 NH=2 T_max=7 hs=256", .fill = fill_wide, .note = "a head of width 256"},
    {.dims = "B=3 NH=2 T_max=6 hs=5",
     .fill = fill_one_full,
     .note = "the last sequence is full",
     .apart = true},
    {.dims = "B=2 NH=3 T_max=33 hs=8",
     .fill = fill_full,
     .note = "a full cache",
     .apart = true},
    // The content of device memory is not checked there.
    {.dims = "B=3 NH=2 T_max=4 hs=3",
     .fill = fill_first_0,
     .note = "the first length is 0",
     .cpu_only = true},
    {.dims = "B=3 NH=2 T_max=4 hs=3",
     .fill = fill_last_0,
     .note = "the last length is 0",
     .cpu_only = true},
    {.dims = "B=3 NH=2 T_max=4 hs=3",
     .fill = fill_first_above,
     .note = "the first length is T_max + 1",
     .cpu_only = true},
    {.dims = "B=3 NH=2 T_max=4 hs=3",
     .fill = fill_last_above,
     .note = "the last length is T_max + 1",
     .cpu_only = true,
     .apart = true},
    {.dims = "B=3 NH=2 T_max=4 hs=3",
     .fill = fill_largest,
     .note = "a length is the largest size_t",
     .cpu_only = true,
     .apart = true},
    {.dims = "B=0 NH=2 T_max=3 hs=2", .note = "a size of 0"},
    {.dims = "B=2 NH=0 T_max=3 hs=2", .fill = fill_one_token, .note = "a size of 0"},
    {.dims = "B=2 NH=2 T_max=0 hs=2", .fill = fill_one_token, .note = "a size of 0"},
    {.dims = "B=2 NH=2 T_max=3 hs=0", .fill = fill_one_token, .note = "a size of 0"},
    {.dims = "B=2 NH=3 T_max=5 hs=4",
     .fill = fill_zero_queries,
     .note = "queries of zeros: equal weights"},
    // 48 KiB of shared memory hold 12288 floats.
    {.dims = "B=1 NH=2 T_max=12301 hs=2",
     .fill = fill_full_coarse,
     .note = "more than 12288 keys",
     .gpu_only = true},
    // A grid ends at 65535 blocks along y and z.
    {.dims = "B=65537 NH=1 T_max=1 hs=1",
     .fill = fill_one_token,
     .note = "65537 sequences",
     .gpu_only = true,
     .launch_only = true},
    {.dims = "B=1 NH=65537 T_max=1 hs=1",
     .fill = fill_one_token,
     .note = "65537 heads",
     .gpu_only = true,
     .launch_only = true},
    {.dims = "B=3 NH=2 T_max=1 hs=4",
     .fill = fill_full,
     .note = "T_max is 1",
     .apart = true},
    {.dims = "B=2 NH=2 T_max=64 hs=64",
     .fill = fill_full,
     .note = "a full cache of 64 keys, hs is 64",
     .apart = true},
    {.dims = "B=2 NH=2 T_max=1024 hs=5",
     .fill = fill_full_coarse,
     .note = "a full cache of 1024 keys",
     .apart = true},
    {0},
};

// Other numbers in all rows past the lengths.
static void change_behind(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    set_behind(second, NAN);
}

// BEGIN HANDED OUT
static bool same_bits(const struct test_case *first, const struct test_case *second,
                      const char *output, char *why, size_t why_size)
{
    const float *before = case_got(first, output), *after = case_got(second, output);
    const size_t rows = case_dim(first, "B") * case_dim(first, "NH");
    for (size_t i = 0; i < case_count(first, output); i++) {
        if (memcmp(before + i, after + i, sizeof *before) != 0) {
            const size_t row = i / (case_count(first, output) / rows);
            snprintf(why, why_size, "%s of sequence %zu, head %zu went from %.9g to %.9g",
                     output, row / case_dim(first, "NH"), row % case_dim(first, "NH"),
                     (double)before[i], (double)after[i]);
            return false;
        }
    }
    return true;
}

static bool nothing_changes(const struct test_case *first, const struct test_case *second,
                            char *why, size_t why_size)
{
    return same_bits(first, second, "weights", why, why_size) &&
           same_bits(first, second, "out", why, why_size) &&
           zero_behind(second, case_dim(second, "T_max"), why, why_size);
}
// END HANDED OUT

static const struct property decode_properties[] = {
    {
        .id = "rows-behind-do-not-matter",
        .claim = "NaN in the rows from lengths[b] on does not change any bit, and the "
                 "weights from there on are exactly 0",
        .dims = "B=3 NH=2 T_max=6 hs=4",
        .fill = fill_decode,
        .change = change_behind,
        HOLDS(nothing_changes),
    },
    {0},
};

// ---- mistakes -----------------------------------------------------------------------------

#define DECODE_ARGUMENTS                                                                 \
    float *out, float *weights, float *scores, const float *q, const float *keys,        \
        const float *values, const size_t *lengths, size_t B, size_t NH, size_t T_max,   \
        size_t hs

static bool decode_refuses(const size_t *lengths, size_t B, size_t NH, size_t T_max,
                           size_t hs)
{
    bool refused = B == 0 || NH == 0 || T_max == 0 || hs == 0;
    for (size_t b = 0; b < B; b++) {
        refused = refused || lengths[b] == 0 || lengths[b] > T_max;
    }
    return refused;
}

// DECODE(name, change): the right attention with a change to g, what head h of sequence b does.
#define DECODE(name, change)                                                             \
    static lab_status name(DECODE_ARGUMENTS)                                             \
    {                                                                                    \
        (void)scores;                                                                    \
        if (decode_refuses(lengths, B, NH, T_max, hs)) {                                 \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        for (size_t i = 0; i < B * NH; i++) {                                            \
            const size_t b = i / NH, h = i % NH, length = lengths[b];                    \
            (void)h;                                                                     \
            struct glance g = right_glance(out + i * hs, weights + i * T_max,            \
                                           q + i * hs, keys + i * T_max * hs,            \
                                           values + i * T_max * hs, length, T_max, hs);  \
            change;                                                                      \
            if (g.S > T_max) {                                                           \
                return LEAVES_ARGUMENTS;                                                 \
            }                                                                            \
            LAB_TRY(glance(&g));                                                         \
        }                                                                                \
        return LAB_OK;                                                                   \
    }

DECODE(decode_no_scale, g.scale = 1)
DECODE(decode_over_hs, g.scale = 1 / (double)hs)
DECODE(decode_multiplied, g.scale = sqrt((double)hs))
DECODE(decode_sqrt_C, g.scale = 1 / sqrt((double)(NH * hs)))
DECODE(decode_sqrt_NH, g.scale = 1 / sqrt((double)NH))
DECODE(decode_sqrt_length, g.scale = 1 / sqrt((double)length))
DECODE(decode_sqrt_T_max, g.scale = 1 / sqrt((double)T_max))
DECODE(decode_all_rows, g.S = T_max)
DECODE(decode_score_0, (g.S = T_max, g.no_score = length))
DECODE(decode_without_newest, g.S = length - 1)
DECODE(decode_one_more, g.S = length + 1)
DECODE(decode_first_key, g.S = 1)
DECODE(decode_as_sequence_0, g.S = lengths[0])
DECODE(decode_as_head, g.S = lengths[h % B])
DECODE(decode_i_mod_B, g.S = lengths[i % B])
DECODE(decode_no_maximum, g.softmax = NO_MAXIMUM)
DECODE(decode_maximum_from_0, g.softmax = MAXIMUM_FROM_0)
DECODE(decode_maximum_from_1e4, g.softmax = MAXIMUM_FROM_1E4)
DECODE(decode_maximum_from_1e9, g.softmax = MAXIMUM_FROM_1E9)
DECODE(decode_guarded_from_0, (g.softmax = MAXIMUM_FROM_0, g.guarded = true))
DECODE(decode_guarded_from_1e4, (g.softmax = MAXIMUM_FROM_1E4, g.guarded = true))
DECODE(decode_guarded_from_1e9, (g.softmax = MAXIMUM_FROM_1E9, g.guarded = true))
DECODE(decode_not_divided, g.softmax = NOT_DIVIDED)
DECODE(decode_powers_kept, g.powers_kept = true)
DECODE(decode_scores_applied, g.scores_applied = true)
DECODE(decode_tail_left, g.tail_left = true)
DECODE(decode_values_are_keys, g.values = g.keys)
DECODE(decode_keys_are_values, g.keys = g.values)
DECODE(decode_head_0,
       (g.keys = keys + b * NH * T_max * hs, g.values = values + b * NH * T_max * hs))
DECODE(decode_sequence_0,
       (g.keys = keys + h * T_max * hs, g.values = values + h * T_max * hs))
DECODE(decode_packed,
       (g.keys = keys + i * length * hs, g.values = values + i * length * hs))
DECODE(decode_k_not_transposed, (g.key_stride = 1, g.channel_stride = length))
DECODE(decode_token_major, (g.keys = keys + (b * T_max * NH + h) * hs,
                            g.values = values + (b * T_max * NH + h) * hs,
                            g.key_stride = g.value_stride = NH * hs))
DECODE(decode_values_token_major,
       (g.values = values + (b * T_max * NH + h) * hs, g.value_stride = NH * hs))
DECODE(decode_heads_first, (g.keys = keys + (h * B + b) * T_max * hs,
                            g.values = values + (h * B + b) * T_max * hs))
DECODE(decode_out_heads_first, g.out = out + (h * B + b) * hs)
DECODE(decode_weights_packed, g.weights = weights + i * length)
DECODE(decode_own_maximum, g.softmax = OWN_MAXIMUM)
DECODE(decode_own_sum, g.softmax = OWN_SUM)
DECODE(decode_own_row, g.softmax = OWN_ROW)
DECODE(decode_half_warp, g.softmax = HALF_WARP)

// The rows past the length get weight 0, but are multiplied by it.
static lab_status decode_0_times_nan(DECODE_ARGUMENTS)
{
    LAB_TRY(attention_decode(out, weights, scores, q, keys, values, lengths, B, NH, T_max,
                             hs));
    for (size_t j = 0; j < B * NH * hs; j++) {
        const size_t i = j / hs, c = j % hs;
        for (size_t s = lengths[i / NH]; s < T_max; s++) {
            out[j] += 0.0f * values[(i * T_max + s) * hs + c];
        }
    }
    return LAB_OK;
}

#define BEHIND_MEANS_NOTHING                                                             \
    "Rows from lengths[b] on are unwritten, or left over from an earlier text. "
#define LANES_WHY                                                                        \
    "Each thread of a block reads only every BLOCK-th key. Shuffles within each warp, "  \
    "then shared memory between the warps, bring "

static const struct mistake decode_mistakes[] = {
    {
        .id = "no-scale",
        .what = "the scores are not divided by sqrt(hs)",
        .why = "Their standard deviation is then sqrt(hs), and the weights are too "
               "peaked.",
        .source = "PAIR-code/tiny-transformers#71, mlc-ai/mlc-llm#3426",
        .function = LIKE(attention_decode, decode_no_scale),
    },
    {
        .id = "over-hs",
        .what = "the scores are divided by hs instead of sqrt(hs)",
        .why = "The standard deviation of q . k is sqrt(hs). Divide only once.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_over_hs),
    },
    {
        .id = "multiplied",
        .what = "the scores are multiplied by sqrt(hs)",
        .why = "Divide by it: multiply by 1 / sqrt(hs).",
        .source = "esceptico/perceiver-io#9",
        .function = LIKE(attention_decode, decode_multiplied),
    },
    {
        .id = "sqrt-C",
        .what = "the scores are divided by sqrt(C) = sqrt(NH * hs) instead of sqrt(hs)",
        .why = "A head multiplies vectors of hs numbers, not of C.",
        .source = "Graylab/DL4Proteins-notebooks#12",
        .function = LIKE(attention_decode, decode_sqrt_C),
    },
    {
        .id = "sqrt-NH",
        .what = "the scores are divided by sqrt(NH) instead of sqrt(hs)",
        .why = "The scores of one head don't depend on the number of heads. They grow "
               "with the width of a head.",
        .source = "tenstorrent/tt-metal#56789",
        .function = LIKE(attention_decode, decode_sqrt_NH),
    },
    {
        .id = "sqrt-length",
        .what = "the scores are divided by the root of the sequence's length",
        .why = "The scores grow with the width hs of a key, not with the number of keys.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_sqrt_length),
    },
    {
        .id = "sqrt-T",
        .what = "the scores are divided by sqrt(T_max) instead of sqrt(hs)",
        .why = "The scores grow with the width hs of a key, not with the room in the "
               "cache.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_sqrt_T_max),
    },
    {
        .id = "all-rows",
        .what = "the query sees all T_max rows of the cache",
        .why = BEHIND_MEANS_NOTHING "Go through s < lengths[b].",
        .source = "rajveer43/VeloxQuant-MLX#274",
        .function = LIKE(attention_decode, decode_all_rows),
    },
    {
        .id = "newest-not-seen",
        .what = "the query does not see the newest key, its own",
        .why = "Its row is lengths[b] - 1, and s < lengths[b] includes it: a token sees "
               "itself.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_without_newest),
    },
    {
        .id = "one-row-too-many",
        .what = "the query sees one row past the newest",
        .why = "lengths[b] already counts the newest token. " BEHIND_MEANS_NOTHING
               "Go through s < lengths[b].",
        .source = "EricLBuehler/mistral.rs#143",
        .function = LIKE(attention_decode, decode_one_more),
    },
    {
        .id = "oldest-only",
        .what = "the query sees only the oldest key",
        .why = "A causal mask of one row gives its query, number 0, only key 0. But this "
               "query belongs to the newest token and sees every key: no mask is needed.",
        .source = "pytorch/pytorch#108108, pytorch/pytorch#144858",
        .function = LIKE(attention_decode, decode_first_key),
    },
    {
        .id = "length-of-sequence-0",
        .what = "every sequence uses the length of sequence 0",
        .why = "The sequences of a batch differ in length: use lengths[b].",
        .source = NULL,
        .function = LIKE(attention_decode, decode_as_sequence_0),
    },
    {
        .id = "length-of-the-head",
        .what = "the length is indexed by the head, not by the sequence",
        .why = "If one loop counts all heads, i = b * NH + h, the sequence is i / NH.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_as_head),
    },
    {
        .id = "length-of-i-mod-B",
        .what = "row i = b * NH + h takes the length of sequence i % B",
        .why = "The heads of a sequence are contiguous: the sequence of row i is i / NH.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_i_mod_B),
    },
    {
        .id = "no-maximum",
        .what = "the softmax does not subtract the largest score",
        .why = "exp overflows above 88. Subtract the largest score of the row first, "
               "as batched_softmax does.",
        .source = "pytorch/executorch#18407, NVIDIA/FasterTransformer#43",
        .function = LIKE(attention_decode, decode_no_maximum),
    },
    {
        .id = "maximum-from-0",
        .what = "the search for the largest score starts at 0",
        .why = "If all scores are below -100, exp(score - 0) is 0 for all of them. Start "
               "with the first score, or with -INFINITY.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_maximum_from_0),
    },
    {
        .id = "maximum-from-1e4",
        .what = "the search for the largest score starts at a number such as -10000",
        .why = "A row of scores far below it has only exponentials of 0. Start with "
               "-INFINITY.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_maximum_from_1e4),
    },
    {
        .id = "maximum-from-1e9",
        .what = "the search for the largest score starts at a number such as -1e9",
        .why = "A row of scores far below it has only exponentials of 0. Start with "
               "-INFINITY.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_maximum_from_1e9),
    },
    {
        .id = "maximum-from-0-guarded",
        .what = "the search for the largest score starts at 0 (and a sum of 0 gives "
                "zeros)",
        .why = "If all scores are below -100, exp(score - 0) is 0 for all of them. Start "
               "with the first score, or with -INFINITY.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_guarded_from_0),
    },
    {
        .id = "maximum-from-1e4-guarded",
        .what = "the search for the largest score starts at a number such as -10000 (and "
                "a sum of 0 gives zeros)",
        .why = "A row of scores far below it has only exponentials of 0. Start with "
               "-INFINITY.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_guarded_from_1e4),
    },
    {
        .id = "maximum-from-1e9-guarded",
        .what = "the search for the largest score starts at a number such as -1e9 (and a "
                "sum of 0 gives zeros)",
        .why = "A row of scores far below it has only exponentials of 0. Start with "
               "-INFINITY.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_guarded_from_1e9),
    },
    {
        .id = "not-divided",
        .what = "out is not divided by the sum of the exponentials",
        .why = "out mixes the values with the weights, whose sum is 1.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_not_divided),
    },
    {
        .id = "weights-not-divided",
        .what = "weights holds the exponentials, not divided by their sum",
        .why =
            "The weights of a head sum to 1. Divide them, then mix the values with them.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_powers_kept),
    },
    {
        .id = "scores-applied",
        .what = "out is computed from the scores, not from the weights",
        .why = "The last product is weights times values.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_scores_applied),
    },
    {
        .id = "tail-not-written",
        .what = "the weights from lengths[b] on are not written",
        .why = "A row of weights has T_max numbers. Set the weights past the length to "
               "0.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_tail_left),
    },
    {
        .id = "values-are-keys",
        .what = "the weights are applied to the keys, not to the values",
        .why = "The keys determine the weights, and the weights mix the values.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_values_are_keys),
    },
    {
        .id = "keys-are-values",
        .what = "the query is compared with the values, not with the keys",
        .why = "The keys determine the weights, and the weights mix the values.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_keys_are_values),
    },
    {
        .id = "keys-of-head-0",
        .what = "all heads of a sequence use the keys and values of its head 0",
        .why = "Head h of sequence b starts (b * NH + h) * T_max * hs after the first "
               "one.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_head_0),
    },
    {
        .id = "keys-of-sequence-0",
        .what = "every sequence uses the keys and values of sequence 0",
        .why = "Head h of sequence b starts (b * NH + h) * T_max * hs after the first "
               "one.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_sequence_0),
    },
    {
        .id = "cache-packed",
        .what = "the cache is read as if each head had only lengths[b] rows",
        .why = "Every head has room for T_max rows, however many it holds: head i starts "
               "at i * T_max * hs.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_packed),
    },
    {
        .id = "k-not-transposed",
        .what = "the keys are not transposed: their numbers are read as (hs,lengths[b])",
        .why = "Use matmul_nt, which reads each key as a row, in the order in which it "
               "is stored.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_k_not_transposed),
    },
    {
        .id = "cache-not-in-heads",
        .what = "keys and values are read as (B,T_max,NH,hs)",
        .why = "They are (B,NH,T_max,hs): the rows of one head are contiguous.",
        .source = "hyunwoongko/transformer#15",
        .function = LIKE(attention_decode, decode_token_major),
    },
    {
        .id = "values-not-in-heads",
        .what = "only the values are read as (B,T_max,NH,hs)",
        .why = "They are (B,NH,T_max,hs), like the keys.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_values_token_major),
    },
    {
        .id = "heads-first",
        .what = "keys and values are read as (NH,B,T_max,hs)",
        .why = "The heads of one sequence are contiguous: head i = b * NH + h.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_heads_first),
    },
    {
        .id = "out-heads-first",
        .what = "out is written as (NH,B,hs)",
        .why = "The heads of one sequence are contiguous: out is (B,NH,hs).",
        .source = NULL,
        .function = LIKE(attention_decode, decode_out_heads_first),
    },
    {
        .id = "weights-packed",
        .what = "the weights are written as if each head had only lengths[b] of them",
        .why = "Every row of weights has T_max numbers: head i starts at i * T_max.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_weights_packed),
    },
    {
        .id = "zero-times-nan",
        .what = "rows past the length are multiplied by weight 0 and added to out",
        .why = "0 times NaN is NaN. " BEHIND_MEANS_NOTHING "End the sum at lengths[b].",
        .source = NULL,
        .function = LIKE(attention_decode, decode_0_times_nan),
    },
    {
        .id = "score-0-behind",
        .what = "rows past the length count as keys with the score 0",
        .why = "exp(0) is not 0, so they get weight. End the softmax at lengths[b], or "
               "give them -INFINITY.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_score_0),
    },
    {
        .id = "own-maximum",
        .what = "every thread subtracts the largest score of its own keys, not of all",
        .why = LANES_WHY "the largest score of all threads to each of them.",
        .source = "Infatoshi/cuda-course#10",
        .function = LIKE(attention_decode, decode_own_maximum),
        .gpu = true,
    },
    {
        .id = "own-sum",
        .what = "every thread divides by the sum of its own exponentials",
        .why = LANES_WHY "the sum of all threads to each of them.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_own_sum),
        .gpu = true,
    },
    {
        .id = "own-row",
        .what = "every thread uses the maximum and the sum of its own keys, not of all",
        .why = LANES_WHY
        "the largest score, and then the sum, of all threads to each of them.",
        .source = "Infatoshi/cuda-course#10",
        .function = LIKE(attention_decode, decode_own_row),
        .gpu = true,
    },
    {
        .id = "half-warp",
        .what = "the maximum and the sum have only 16 lanes of each warp",
        .why =
            "The first step of __shfl_xor_sync is 16, then 8, 4, 2 and 1. From 8 on, only 16 "
            "lanes share what they have.",
        .source = NULL,
        .function = LIKE(attention_decode, decode_half_warp),
        .gpu = true,
    },
    {0},
};

DECODE(decode_plain, (void)g)
DECODE(decode_in_float, g.softmax = IN_FLOAT)

// One key after another. When a larger score comes, it rescales the sums.
static lab_status decode_online(DECODE_ARGUMENTS)
{
    if (decode_refuses(lengths, B, NH, T_max, hs)) {
        return LAB_ESHAPE;
    }
    const float scale = 1.0f / sqrtf((float)hs);
    for (size_t i = 0; i < B * NH; i++) {
        float max = -INFINITY, sum = 0.0f, *out_i = out + i * hs;
        memset(out_i, 0, hs * sizeof *out);
        memset(weights + i * T_max, 0, T_max * sizeof *weights);
        for (size_t s = 0; s < lengths[i / NH]; s++) {
            const size_t row = i * T_max + s;
            float dot = 0.0f;
            for (size_t c = 0; c < hs; c++) {
                dot += scale * q[i * hs + c] * keys[row * hs + c];
            }
            const float larger = fmaxf(max, dot), old = expf(max - larger),
                        new = expf(dot - larger);
            scores[row] = dot;
            sum = sum * old + new;
            for (size_t c = 0; c < hs; c++) {
                out_i[c] = out_i[c] * old + new *values[row * hs + c];
            }
            max = larger;
        }
        for (size_t c = 0; c < hs; c++) {
            out_i[c] /= sum;
        }
        for (size_t s = 0; s < lengths[i / NH]; s++) {
            weights[i * T_max + s] = expf(scores[i * T_max + s] - max) / sum;
        }
    }
    return LAB_OK;
}

static const struct mistake decode_alternatives[] = {
    {.id = "in-double", .function = LIKE(attention_decode, decode_plain)},
    {.id = "in-float", .function = LIKE(attention_decode, decode_in_float)},
    {.id = "online", .function = LIKE(attention_decode, decode_online)},
    {0},
};

// ---- tables -------------------------------------------------------------------------------

static const struct part decode_part[] = {
    {
        .function = "attention_decode",
        .dims = "B NH T_max hs",
        .tensors =
            {
                {"out", "B NH hs", OUTPUT, F32, OUT_TOLERANCE},
                {"weights", "B NH T_max", OUTPUT, F32, WEIGHTS_TOLERANCE},
                {"scores", "B NH T_max", WORKSPACE, F32, 0, 0},
                {"q", "B NH hs", INPUT, F32, 0, 0},
                {"keys", "B NH T_max hs", INPUT, F32, 0, 0},
                {"values", "B NH T_max hs", INPUT, F32, 0, 0},
                {"lengths", "B", INPUT, SIZE, 0, 0},
            },
        .cases = decode_cases,
        .properties = decode_properties,
        .mistakes = decode_mistakes,
        .alternatives = decode_alternatives,
    },
    {0},
};

const struct exercise exercise_9_2 = {
    .id = "9.2",
    .name = "attention_decode",
    .section = "9.2 One query",
    .uses = {"2.1", "2.4"},
    .hints =
        {
            "For one head this is attention with a single query. Which of the "
            "T_max rows take part?",
            "For head i = b*NH + h: S = lengths[b]; S scores by matmul_nt with the sizes "
            "1, S, hs, divided by sqrt(hs); softmax of these S; 0 in the other T_max - S "
            "weights; out by matmul with the sizes 1, hs, S. Head i's keys start at "
            "i*T_max*hs, its weights at i*T_max.",
            "for i below B*NH:\n"
            "    S = lengths[i/NH]\n"
            "    matmul_nt(scores + i*T_max, q + i*hs, keys + i*T_max*hs, 1, S, hs)\n"
            "    each of the S scores times 1/sqrtf(hs)\n"
            "    batched_softmax(weights + i*T_max, scores + i*T_max, 1, 1, S)\n"
            "    weights[i*T_max + s] = 0 for s from S to T_max - 1\n"
            "    matmul(out + i*hs, weights + i*T_max, values + i*T_max*hs, 1, hs, S)",
        },
    .gpu_hints =
        {
            "A block for each sequence and head works like lab 1's "
            "softmax_rows_kernel, with a dot product before it and a sum over the "
            "values after it. Which pass reads numbers that other threads have written?",
            "Thread x computes the scores of keys x, x + BLOCK, ... and the block's largest; "
            "their exponentials and the block's sum; their weights. Then a barrier, and "
            "thread x adds up channels x, x + BLOCK, ... over all keys. The length of "
            "sequence i / NH is in lengths_dev; only the kernel may read it.",
            "i = blockIdx.x, S = lengths_dev[i / NH]; head i's keys start at i*T_max*hs\n"
            "for s = threadIdx.x; s < S; s += BLOCK: scores[s] = q . keys[s] / sqrtf(hs)\n"
            "max of the block (shuffles, shared memory, barrier)\n"
            "for the same s: weights[s] = expf(scores[s] - max); sum of the block\n"
            "for the same s: weights[s] /= sum; for s from S to T_max - 1: weights[s] = 0\n"
            "__syncthreads()\n"
            "for c = threadIdx.x; c < hs; c += BLOCK:\n"
            "    out[c] = sum over s < S of weights[s] * values[s*hs + c]",
        },
    .parts = decode_part,
};
