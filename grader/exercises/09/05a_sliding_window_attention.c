// 05a_sliding_window_attention.c - exercise 9.5, sliding_window_attention: cases and known mistakes.

#include "exercises/exercise.h"
#include "exercises/09/05_sliding_window.h"
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

static void set_unreached(struct test_case *test, float value)
{
    const size_t W = case_dim(test, "W");
    for (size_t b = 0; b < case_dim(test, "B"); b++) {
        set_rows(test, "keys", W, b, case_size(test, "lengths")[b], value);
        set_rows(test, "values", W, b, case_size(test, "lengths")[b], value);
    }
}

static void fill_not_full(struct test_case *test, struct lab_rng *rng)
{
    const size_t W = case_dim(test, "W");
    draw_lengths(test, rng, W > 2 ? 2 : 1, W > 1 ? W - 1 : 1);
}

static void fill_one_token(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_lengths(test, 1);
}

static void fill_exactly_full(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_lengths(test, case_dim(test, "W"));
}

static void fill_one_more(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_lengths(test, case_dim(test, "W") + 1);
}

// No length is a multiple of W, where the rows are in order.
static void fill_around(struct test_case *test, struct lab_rng *rng)
{
    const size_t W = case_dim(test, "W"), B = case_dim(test, "B");
    for (size_t b = 0; b < B && W > 1; b++) {
        const size_t times = (size_t)lab_rng_int(rng, 1, 4);
        const size_t past = 1 + lab_rng_next32(rng) % (W - 1);
        set_length(test, b, times * W + past);
    }
}

static void fill_any(struct test_case *test, struct lab_rng *rng)
{
    draw_lengths(test, rng, 1, 4 * case_dim(test, "W"));
}

// The first sequence is not full, the last one has gone around.
static void fill_both(struct test_case *test, struct lab_rng *rng)
{
    fill_around(test, rng);
    set_length(test, 0, 2);
}

static void fill_nan(struct test_case *test, struct lab_rng *rng)
{
    fill_both(test, rng);
    set_unreached(test, NAN);
}

static void fill_large(struct test_case *test, struct lab_rng *rng)
{
    fill_both(test, rng);
    scale_input(test, "q", 5.0f);
}

static void fill_wide(struct test_case *test, struct lab_rng *rng)
{
    fill_both(test, rng);
    scale_input(test, "q", 0.1f);
}

static void fill_far(struct test_case *test, struct lab_rng *rng)
{
    draw_far_lengths(test, rng, case_dim(test, "W"));
}

enum { EXTREME_WIDTH = 16, EXTREME_KINDS = 4 };

// As in 9.2: exact scores, near 10000000 and -10000000, or one key ahead of the others by 100.
static void fill_extreme(struct test_case *test, struct lab_rng *rng)
{
    enum { WIDTH = EXTREME_WIDTH, KINDS = EXTREME_KINDS };
    fill_both(test, rng);
    const size_t W = case_dim(test, "W");
    const size_t ahead[KINDS] = {W, 0, 1, W / 2};
    float *q = case_f32(test, "q"), *keys = case_f32(test, "keys");
    memset(q, 0, case_count(test, "q") * sizeof *q);
    for (size_t row = 0; row < case_count(test, "q") / WIDTH; row++) {
        const size_t kind = row % (KINDS + 1);
        q[row * WIDTH + kind % KINDS] = kind == KINDS ? -4.0f : 4.0f;
    }
    for (size_t row = 0; row < case_count(test, "keys") / WIDTH; row++) {
        keys[row * WIDTH] = 1e7f + (float)lab_rng_int(rng, 0, 4);
        for (size_t c = 1; c < KINDS; c++) {
            keys[row * WIDTH + c] =
                (float)lab_rng_int(rng, -3, 4) + (row % W == ahead[c] ? 107.0f : 0.0f);
        }
    }
}

static void fill_low(struct test_case *test, struct lab_rng *rng)
{
    fill_both(test, rng);
    fill_low_scores(test, "keys", case_dim(test, "W"));
}

static void fill_many(struct test_case *test, struct lab_rng *rng)
{
    fill_around(test, rng);
    case_coarse(test, "keys");
    case_coarse(test, "values");
}

static void fill_many_channels(struct test_case *test, struct lab_rng *rng)
{
    fill_many(test, rng);
    scale_input(test, "q", 0.1f);
}

// A number of the last value, whose weight is not 0.
static void fill_nan_value(struct test_case *test, struct lab_rng *rng)
{
    fill_exactly_full(test, rng);
    case_f32(test, "values")[case_count(test, "values") - 1] = NAN;
}

static void fill_first_0(struct test_case *test, struct lab_rng *rng)
{
    fill_any(test, rng);
    set_length(test, 0, 0);
}

static void fill_last_0(struct test_case *test, struct lab_rng *rng)
{
    fill_any(test, rng);
    set_length(test, case_count(test, "lengths") - 1, 0);
}

// As in 9.2: without the newest key's score, the exponential overflows.
static void fill_newest_ahead(struct test_case *test, struct lab_rng *rng)
{
    const size_t W = case_dim(test, "W"), hs = case_dim(test, "hs");
    fill_exactly_full(test, rng);
    set_all(test, "q", 1.0f);
    set_all(test, "keys", 0.0f);
    set_channel(test, "keys", W * hs, (W - 1) * hs, 200.0f);
}

static void fill_20_below(struct test_case *test, struct lab_rng *rng)
{
    fill_exactly_full(test, rng);
    heads_below(test, "q", "keys", "values", 20.0f);
}

static void fill_80_below(struct test_case *test, struct lab_rng *rng)
{
    fill_exactly_full(test, rng);
    heads_below(test, "q", "keys", "values", 80.0f);
}

const struct case_spec window_cases[] = {
    {.dims = "B=1 NH=1 W=1 hs=1", .fill = fill_one_token, .note = "one token"},
    {.dims = "B=1 NH=1 W=4 hs=2", .fill = fill_not_full, .note = "not full yet"},
    {.dims = "B=1 NH=1 W=3 hs=2", .fill = fill_exactly_full, .note = "exactly full"},
    {.dims = "B=1 NH=1 W=3 hs=2",
     .fill = fill_one_more,
     .note = "W + 1 tokens: the oldest is in row 1"},
    {.dims = "B=2 NH=3 W=5 hs=4", .fill = fill_not_full, .note = "not full yet"},
    {.dims = "B=3 NH=2 W=4 hs=5",
     .fill = fill_one_token,
     .note = "every sequence has one token"},
    {.dims = "B=2 NH=3 W=5 hs=4", .fill = fill_around, .note = "gone around"},
    {.dims = "B=3 NH=2 W=6 hs=5",
     .fill = fill_both,
     .note = "one sequence is not full, the others have wrapped around"},
    {.dims = "B=3 NH=2 W=7 hs=4",
     .fill = fill_nan,
     .note = "NaN in the rows that no position has reached"},
    {.dims = "B=2 NH=2 W=1 hs=3", .fill = fill_any, .note = "W is 1"},
    {.dims = "B=2 NH=3 W=2 hs=3", .fill = fill_around, .note = "W is 2"},
    {.dims = "B=2..3 NH=4..5 W=6..8 hs=7", .draws = 4, .fill = fill_any},
    {.dims = "B=4 NH=3 W=7 hs=5", .fill = fill_far, .note = "positions above 8589934592"},
    {.dims = "B=3 NH=2 W=11 hs=7", .fill = fill_large, .note = "large scores"},
    {.dims = "B=4 NH=4 W=16 hs=16",
     .fill = fill_extreme,
     .note = "scores near 10000000 and -10000000, or one key ahead of the others by 100"},
    {.dims = "B=2 NH=3 W=5 hs=16", .fill = fill_low, .note = LOW_NOTE},
    {.dims = "B=2 NH=2 W=1031 hs=5", .fill = fill_many, .note = "many keys"},
    {.dims = "B=1 NH=2 W=3 hs=1031", .fill = fill_wide, .note = "a wide head"},
    {.dims = "B=11 NH=13 W=37 hs=23", .fill = fill_wide, .note = "larger, odd sizes"},
    {.dims = "B=256 NH=2 W=3 hs=2",
     .fill = fill_around,
     .cpu_only = true,
     .note = "256 sequences"},
    {.dims = "B=2 NH=256 W=3 hs=2",
     .fill = fill_around,
     .cpu_only = true,
     .note = "256 heads"},
    {.dims = "B=1 NH=3 W=5 hs=4", .fill = fill_around, .note = "one sequence"},
    {.dims = "B=3 NH=1 W=5 hs=4", .fill = fill_around, .note = "one head"},
    {.dims = "B=3 NH=2 W=5 hs=1", .fill = fill_around, .note = "heads of width 1"},
    {.dims = "B=2 NH=2 W=256 hs=5", .fill = fill_around, .note = "exactly 256 keys"},
    {.dims = "B=3 NH=2 W=7 hs=256", .fill = fill_wide, .note = "a head of width 256"},
    {.dims = "B=2 NH=2 W=64 hs=64", .fill = fill_around, .note = "W = hs = 64"},
    {.dims = "B=3 NH=2 W=4 hs=3", .fill = fill_first_0, .note = "the first length is 0"},
    {.dims = "B=3 NH=2 W=4 hs=3", .fill = fill_last_0, .note = "the last length is 0"},
    {.dims = "B=2 NH=3 W=2 hs=1",
     .fill = fill_one_token,
     .note = "W is 2, one token, hs is 1"},
    {.dims = "B=1 NH=2 W=131 hs=2",
     .fill = fill_not_full,
     .note = "W is 131, not full yet"},
    {.dims = "B=0 NH=2 W=3 hs=2", .note = "a size of 0"},
    {.dims = "B=2 NH=0 W=3 hs=2", .fill = fill_one_token, .note = "a size of 0"},
    {.dims = "B=2 NH=2 W=0 hs=2", .fill = fill_one_token, .note = "a size of 0"},
    {.dims = "B=2 NH=2 W=3 hs=0", .fill = fill_one_token, .note = "a size of 0"},
    {.dims = "B=1 NH=1 W=3 hs=4",
     .fill = fill_20_below,
     .note = BELOW_20_NOTE,
     .unit = BELOW_20_UNIT},
    {.dims = "B=1 NH=1 W=3 hs=4",
     .fill = fill_80_below,
     .note = BELOW_80_NOTE,
     .unit = BELOW_80_UNIT},
    {.dims = "B=1 NH=1 W=131 hs=2",
     .fill = fill_newest_ahead,
     .note = "the newest of 131 keys is ahead by 141"},
    {.dims = "B=1 NH=1 W=5003 hs=2",
     .fill = fill_many,
     .note = "5003 keys",
     .memory_only = true},
    {.dims = "B=1 NH=1 W=3 hs=5003",
     .fill = fill_many_channels,
     .note = "a head of width 5003",
     .memory_only = true},
    {.dims = "B=2 NH=2 W=3 hs=4",
     .fill = fill_nan_value,
     .note = "the last number of values is NaN",
     .nan = true},
    {0},
};

// ---- properties ---------------------------------------------------------------------------

// Every position is in the same row as W positions before.
static void change_to_W_later(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    for (size_t b = 0; b < case_count(second, "lengths"); b++) {
        case_size(second, "lengths")[b] += case_dim(second, "W");
    }
}

static void change_unreached(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    set_unreached(second, NAN);
}

// BEGIN HANDED OUT
static bool window_output_stays(const struct test_case *first,
                                const struct test_case *second, const char *output,
                                char *why, size_t why_size)
{
    const float *before = case_got(first, output), *after = case_got(second, output);
    const size_t NH = case_dim(first, "NH");
    const size_t width = case_count(first, output) / (case_dim(first, "B") * NH);
    for (size_t i = 0; i < case_count(first, output); i++) {
        if (memcmp(before + i, after + i, sizeof *before) != 0) {
            snprintf(why, why_size, "%s of sequence %zu, head %zu went from %.9g to %.9g",
                     output, i / width / NH, i / width % NH, (double)before[i],
                     (double)after[i]);
            return false;
        }
    }
    return true;
}

static bool window_stays(const struct test_case *first, const struct test_case *second,
                         char *why, size_t why_size)
{
    return window_output_stays(first, second, "weights", why, why_size) &&
           window_output_stays(first, second, "out", why, why_size) &&
           zero_behind(second, case_dim(second, "W"), why, why_size);
}
// END HANDED OUT

const struct property window_properties[] = {
    {
        .id = "only-the-window-counts",
        .claim = "W tokens later, with the same rows in the ring, every bit is the same",
        .dims = "B=3 NH=2 W=5 hs=4",
        .fill = fill_around,
        .change = change_to_W_later,
        HOLDS(window_stays),
    },
    {
        .id = "unreached-rows-do-not-matter",
        .claim = "NaN in rows that no position has reached does not change any bit, and "
                 "the weights from lengths[b] on are exactly 0",
        .dims = "B=3 NH=2 W=6 hs=4",
        .fill = fill_both,
        .change = change_unreached,
        HOLDS(window_stays),
    },
    {0},
};

// ---- mistakes -----------------------------------------------------------------------------

#define WINDOW_ARGUMENTS                                                                 \
    float *out, float *weights, float *scores, const float *q, const float *keys,        \
        const float *values, const size_t *lengths, size_t B, size_t NH, size_t W,       \
        size_t hs

static bool window_refuses(const size_t *lengths, size_t B, size_t NH, size_t W,
                           size_t hs)
{
    bool refused = B == 0 || NH == 0 || W == 0 || hs == 0;
    for (size_t b = 0; b < B; b++) {
        refused = refused || lengths[b] == 0;
    }
    return refused;
}

static size_t oldest(size_t length, size_t W)
{
    return length > W ? length - W : 0;
}

static void see_from(struct glance *g, size_t first, size_t S)
{
    g->key_shift = g->value_shift = first;
    g->S = S;
}

// WINDOW(name, change): the right attention with a change to g, what head h of sequence b does.
// first is the oldest position in its ring, S the number of positions there.
#define WINDOW(name, change)                                                             \
    static lab_status name(WINDOW_ARGUMENTS)                                             \
    {                                                                                    \
        (void)scores;                                                                    \
        if (window_refuses(lengths, B, NH, W, hs)) {                                     \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        for (size_t j = 0; j < B * NH; j++) {                                            \
            const size_t b = j / NH, h = j % NH, length = lengths[b];                    \
            const size_t first = oldest(length, W), S = length - first;                  \
            (void)h;                                                                     \
            struct glance g =                                                            \
                right_glance(out + j * hs, weights + j * W, q + j * hs,                  \
                             keys + j * W * hs, values + j * W * hs, S, W, hs);          \
            g.ring = W;                                                                  \
            see_from(&g, first, S);                                                      \
            change;                                                                      \
            if (g.S > W) {                                                               \
                return LEAVES_ARGUMENTS;                                                 \
            }                                                                            \
            LAB_TRY(glance(&g));                                                         \
        }                                                                                \
        return LAB_OK;                                                                   \
    }

WINDOW(window_row_order, see_from(&g, 0, S))
WINDOW(window_keys_in_rows, g.key_shift = 0)
WINDOW(window_values_in_rows, g.value_shift = 0)
WINDOW(window_all_rows, see_from(&g, first, W))
WINDOW(window_all_in_rows, see_from(&g, 0, W))
WINDOW(window_one_late, see_from(&g, length > W ? first + 1 : 0, length > W ? W - 1 : S))
WINDOW(window_one_early, see_from(&g, length > W ? first - 1 : 0, S))
WINDOW(window_without_newest, see_from(&g, first, S - 1))
WINDOW(window_before_newest,
       see_from(&g, oldest(length + 1, W), length + 1 - oldest(length + 1, W)))
WINDOW(window_from_length, see_from(&g, length, S))
WINDOW(window_as_sequence_0,
       see_from(&g, oldest(lengths[0], W), lengths[0] - oldest(lengths[0], W)))
WINDOW(window_as_head, see_from(&g, oldest(lengths[h % B], W),
                                lengths[h % B] - oldest(lengths[h % B], W)))
WINDOW(window_in_32_bits, see_from(&g, (size_t)(uint32_t)first, S))
WINDOW(window_in_float,
       see_from(&g, length > W ? (size_t)((float)length - (float)W) : 0, S))
WINDOW(window_newest_only, see_from(&g, length - 1, 1))
WINDOW(window_oldest_only, see_from(&g, first, 1))
WINDOW(window_newest_first, (see_from(&g, first, S), g.reversed = true))
WINDOW(window_tail_left, g.tail_left = true)
WINDOW(window_no_scale, g.scale = 1)
WINDOW(window_over_hs, g.scale = 1 / (double)hs)
WINDOW(window_multiplied, g.scale = sqrt((double)hs))
WINDOW(window_sqrt_C, g.scale = 1 / sqrt((double)(NH * hs)))
WINDOW(window_sqrt_W, g.scale = 1 / sqrt((double)W))
WINDOW(window_root_cut_off, g.scale = 1 / floor(sqrt((double)hs)))
WINDOW(window_integer_scale, g.scale = (double)(1 / (size_t)sqrt((double)hs)))
WINDOW(window_base_2, g.softmax = BASE_2)
WINDOW(window_no_maximum, g.softmax = NO_MAXIMUM)
WINDOW(window_maximum_from_0, g.softmax = MAXIMUM_FROM_0)
WINDOW(window_maximum_from_1e4, g.softmax = MAXIMUM_FROM_1E4)
WINDOW(window_maximum_from_1e9, g.softmax = MAXIMUM_FROM_1E9)
WINDOW(window_not_divided, g.softmax = NOT_DIVIDED)
WINDOW(window_scores_applied, g.scores_applied = true)
WINDOW(window_values_are_keys, g.values = g.keys)
WINDOW(window_head_0,
       (g.keys = keys + b * NH * W * hs, g.values = values + b * NH * W * hs))
WINDOW(window_sequence_0, (g.keys = keys + h * W * hs, g.values = values + h * W * hs))
WINDOW(window_token_major,
       (g.keys = keys + (b * W * NH + h) * hs, g.values = values + (b * W * NH + h) * hs,
        g.key_stride = g.value_stride = NH * hs))

// attention_decode itself, to which a length above W is an error.
static lab_status window_refused(WINDOW_ARGUMENTS)
{
    return attention_decode(out, weights, scores, q, keys, values, lengths, B, NH, W, hs);
}

// The sums continue with what out held.
static lab_status window_added(WINDOW_ARGUMENTS)
{
    float before[4096];
    const size_t count = B * NH * hs;
    if (count > sizeof before / sizeof *before) {
        return LEAVES_ARGUMENTS;
    }
    memcpy(before, out, count * sizeof *out);
    LAB_TRY(sliding_window_attention(out, weights, scores, q, keys, values, lengths, B,
                                     NH, W, hs));
    for (size_t i = 0; i < count; i++) {
        out[i] += before[i];
    }
    return LAB_OK;
}

#define IN_ORDER                                                                         \
    "Position p is stored in row p % W. Weight i belongs to position first + i, so "     \
    "its key and its value are in row (first + i) % W."
#define THE_WINDOW                                                                       \
    "The positions from first = max(0, lengths[b] - W) to lengths[b] - 1 are seen: the " \
    "newest, and up to W - 1 before it."

const struct mistake window_mistakes[] = {
    {
        .id = "in-row-order",
        .what = "weight i is that of row i, not of position first + i",
        .why = "out is right, because it does not depend on the order of the keys. But "
               "the contract puts the oldest weight first. " IN_ORDER,
        .source = NULL,
        .function = LIKE(sliding_window_attention, window_row_order),
    },
    {
        .id = "keys-in-row-order",
        .what = "the keys are read in the order of rows, the values in that of positions",
        .why = "Each weight then multiplies another token's value. " IN_ORDER,
        .source = NULL,
        .function = LIKE(sliding_window_attention, window_keys_in_rows),
    },
    {
        .id = "values-in-row-order",
        .what = "the values are read in the order of rows, the keys in that of positions",
        .why = "Each weight then multiplies another token's value. " IN_ORDER,
        .source = NULL,
        .function = LIKE(sliding_window_attention, window_values_in_rows),
    },
    {
        .id = "all-rows",
        .what = "the query sees all W rows, even of a ring that is not full",
        .why = "Rows that no position has reached are unwritten. There are min(W, "
               "lengths[b]) keys. " THE_WINDOW,
        .source = "rajveer43/VeloxQuant-MLX#274",
        .function = LIKE(sliding_window_attention, window_all_rows),
    },
    {
        .id = "all-rows-in-row-order",
        .what = "the query sees all W rows, in the order of rows",
        .why = "Rows that no position has reached are unwritten. There are min(W, "
               "lengths[b]) keys. " IN_ORDER,
        .source = NULL,
        .function = LIKE(sliding_window_attention, window_all_in_rows),
    },
    {
        .id = "first-too-late",
        .what = "a full window begins one position too late: it has W - 1 keys",
        .why = THE_WINDOW,
        .source = "huggingface/transformers#47708",
        .function = LIKE(sliding_window_attention, window_one_late),
    },
    {
        .id = "first-too-early",
        .what = "a full window begins one position too early, in the row of the newest",
        .why = "Position lengths[b] - W - 1 is no longer in the ring: the newest has "
               "replaced it. " THE_WINDOW,
        .source = NULL,
        .function = LIKE(sliding_window_attention, window_one_early),
    },
    {
        .id = "newest-not-seen",
        .what = "the query does not see the newest key, its own",
        .why = THE_WINDOW,
        .source = NULL,
        .function = LIKE(sliding_window_attention, window_without_newest),
    },
    {
        .id = "newest-counted-twice",
        .what = "the window ends one position past the newest",
        .why = "lengths[b] already counts the newest token, whose position is lengths[b] "
               "- 1. " THE_WINDOW,
        .source = NULL,
        .function = LIKE(sliding_window_attention, window_before_newest),
    },
    {
        .id = "oldest-at-length",
        .what = "the oldest key is taken to be in row lengths[b] % W, even before the "
                "ring is full",
        .why =
            "That is right for a full ring. Before, the oldest key is in row 0. " THE_WINDOW,
        .source = "huggingface/transformers#47708",
        .function = LIKE(sliding_window_attention, window_from_length),
    },
    {
        .id = "length-of-sequence-0",
        .what = "every sequence uses the length of sequence 0",
        .why = "The sequences of a batch differ in length: use lengths[b].",
        .source = NULL,
        .function = LIKE(sliding_window_attention, window_as_sequence_0),
    },
    {
        .id = "length-of-the-head",
        .what = "the length is indexed by the head, not by the sequence",
        .why = "If one loop counts all heads, j = b * NH + h, the sequence is j / NH.",
        .source = NULL,
        .function = LIKE(sliding_window_attention, window_as_head),
    },
    {
        .id = "position-in-32-bits",
        .what = "the position is counted in 32 bits",
        .why = "A sequence may have more tokens than 32 bits can count. lengths holds "
               "size_t; use it.",
        .source = NULL,
        .function = LIKE(sliding_window_attention, window_in_32_bits),
    },
    {
        .id = "position-in-float",
        .what = "the position is computed in float",
        .why = "A float counts exactly only up to 16777216. lengths holds size_t; use "
               "it.",
        .source = NULL,
        .function = LIKE(sliding_window_attention, window_in_float),
    },
    {
        .id = "newest-only",
        .what = "the query sees only the newest key",
        .why = THE_WINDOW,
        .source = NULL,
        .function = LIKE(sliding_window_attention, window_newest_only),
    },
    {
        .id = "oldest-only",
        .what = "the query sees only the oldest key",
        .why = "In a causal mask of one row, the query has number 0 and sees only key "
               "0. But this query belongs to the newest token: no mask is needed.",
        .source = "pytorch/pytorch#108108",
        .function = LIKE(sliding_window_attention, window_oldest_only),
    },
    {
        .id = "newest-first",
        .what = "the weights are in reverse order: the newest first",
        .why = "The contract puts the oldest first. " IN_ORDER,
        .source = NULL,
        .function = LIKE(sliding_window_attention, window_newest_first),
    },
    {
        .id = "longer-refused",
        .what = "a length above W is refused",
        .why = "That is the rule of attention_decode. Here lengths[b] counts all tokens "
               "since the beginning of the sequence. " THE_WINDOW,
        .source = NULL,
        .function = LIKE(sliding_window_attention, window_refused),
    },
    {
        .id = "added-to-out",
        .what = "out is not set to 0 before the values are added",
        .why = "out may hold anything before the call. Start each sum at 0.",
        .source = NULL,
        .function = LIKE(sliding_window_attention, window_added),
    },
    {
        .id = "tail-not-written",
        .what = "the weights from lengths[b] on are not written",
        .why = "A row of weights has W numbers. Set the weights past the length to 0.",
        .source = NULL,
        .function = LIKE(sliding_window_attention, window_tail_left),
    },
    SCALE_MISTAKES(sliding_window_attention, window),
    {
        .id = "sqrt-W",
        .what = "the scores are divided by sqrt(W) instead of sqrt(hs)",
        .why = "The scores grow with the width hs of a key, not with that of the window.",
        .source = NULL,
        .function = LIKE(sliding_window_attention, window_sqrt_W),
    },
    {
        .id = "no-maximum",
        .what = "the softmax does not subtract the largest score",
        .why = "exp overflows above 88. Subtract the largest score of the row first, "
               "as batched_softmax does.",
        .source = "pytorch/executorch#18407, NVIDIA/FasterTransformer#43",
        .function = LIKE(sliding_window_attention, window_no_maximum),
    },
    {
        .id = "maximum-from-0",
        .what = "the search for the largest score starts at 0",
        .why = "If all scores are below -100, exp(score - 0) is 0 for all of them. Start "
               "with the first score, or with -INFINITY.",
        .source = NULL,
        .function = LIKE(sliding_window_attention, window_maximum_from_0),
    },
    LOW_START_MISTAKES(sliding_window_attention, window),
    {
        .id = "not-divided",
        .what = "out is not divided by the sum of the exponentials",
        .why = "out mixes the values with the weights, whose sum is 1.",
        .source = NULL,
        .function = LIKE(sliding_window_attention, window_not_divided),
    },
    {
        .id = "scores-applied",
        .what = "out is computed from the scores, not from the weights",
        .why = "The last product is weights times values.",
        .source = NULL,
        .function = LIKE(sliding_window_attention, window_scores_applied),
    },
    {
        .id = "values-are-keys",
        .what = "the weights are applied to the keys, not to the values",
        .why = "The keys determine the weights, and the weights mix the values.",
        .source = NULL,
        .function = LIKE(sliding_window_attention, window_values_are_keys),
    },
    {
        .id = "keys-of-head-0",
        .what = "all heads of a sequence use the keys and values of its head 0",
        .why = "Head h of sequence b starts (b * NH + h) * W * hs after the first one.",
        .source = NULL,
        .function = LIKE(sliding_window_attention, window_head_0),
    },
    {
        .id = "keys-of-sequence-0",
        .what = "every sequence uses the keys and values of sequence 0",
        .why = "Head h of sequence b starts (b * NH + h) * W * hs after the first one.",
        .source = NULL,
        .function = LIKE(sliding_window_attention, window_sequence_0),
    },
    {
        .id = "ring-not-in-heads",
        .what = "keys and values are read as (B,W,NH,hs)",
        .why = "They are (B,NH,W,hs): the rows of one head are contiguous.",
        .source = NULL,
        .function = LIKE(sliding_window_attention, window_token_major),
    },
    {0},
};

WINDOW(window_plain, (void)g)
WINDOW(window_in_float_sums, g.softmax = IN_FLOAT)

const struct mistake window_alternatives[] = {
    {.id = "in-double", .function = LIKE(sliding_window_attention, window_plain)},
    {.id = "in-float", .function = LIKE(sliding_window_attention, window_in_float_sums)},
    {0},
};
