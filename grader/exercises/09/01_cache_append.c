// 01_cache_append.c - exercise 9.1, cache_append: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/09/lengths.h"
#include "exercises/common/inputs.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "09_generation/generation.h"

// ---- cases --------------------------------------------------------------------------------

static size_t last_sequence(const struct test_case *test)
{
    return case_count(test, "lengths") - 1;
}

// Room for n rows and one more, so that a row written one place too late stays in its head.
static void fill_room(struct test_case *test, struct lab_rng *rng)
{
    const size_t T_max = case_dim(test, "T_max"), n = case_dim(test, "n");
    draw_lengths(test, rng, 1, T_max > n ? T_max - n - 1 : 0);
}

// The same in quarters, for larger sizes: the student archive need not store them.
static void fill_room_coarse(struct test_case *test, struct lab_rng *rng)
{
    fill_room(test, rng);
    case_coarse(test, "cache");
    case_coarse(test, "rows");
}

static void fill_every_size(struct test_case *test, struct lab_rng *rng)
{
    fill_room(test, rng);
    rows_of_every_size(test, "rows", 1);
}

static void fill_nan(struct test_case *test, struct lab_rng *rng)
{
    fill_room(test, rng);
    set_all(test, "cache", NAN);
    case_f32(test, "rows")[case_count(test, "rows") - 1] = NAN;
}

static void fill_beyond_16_bits(struct test_case *test, struct lab_rng *rng)
{
    fill_room_coarse(test, rng);
    set_lengths(test, 65700);
}

static void fill_empty(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_lengths(test, 0);
}

// Sequence 1 is new, the others have tokens.
static void fill_one_empty(struct test_case *test, struct lab_rng *rng)
{
    fill_room(test, rng);
    set_length(test, 1, 0);
}

// The last new row is the last one of the cache.
static void fill_to_the_end(struct test_case *test, struct lab_rng *rng)
{
    fill_room(test, rng);
    set_length(test, last_sequence(test), case_dim(test, "T_max") - case_dim(test, "n"));
}

static void fill_all_to_the_end(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_lengths(test, case_dim(test, "T_max") - case_dim(test, "n"));
}

// Sequence b has room for n - 1 rows.
static void fill_too_long(struct test_case *test, struct lab_rng *rng, size_t b)
{
    fill_room(test, rng);
    set_length(test, b, case_dim(test, "T_max") - case_dim(test, "n") + 1);
}

static void fill_first_too_long(struct test_case *test, struct lab_rng *rng)
{
    fill_too_long(test, rng, 0);
}

static void fill_middle_too_long(struct test_case *test, struct lab_rng *rng)
{
    fill_too_long(test, rng, last_sequence(test) / 2);
}

static void fill_last_too_long(struct test_case *test, struct lab_rng *rng)
{
    fill_too_long(test, rng, last_sequence(test));
}

static void fill_second_full(struct test_case *test, struct lab_rng *rng)
{
    fill_room(test, rng);
    set_length(test, 1, case_dim(test, "T_max"));
}

static void fill_all_full(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_lengths(test, case_dim(test, "T_max"));
}

// Lengths to which n cannot be added: the sum is 0, and the sum is n - 1.
static void fill_around_to_0(struct test_case *test, struct lab_rng *rng)
{
    fill_room(test, rng);
    set_length(test, 1, SIZE_MAX - case_dim(test, "n") + 1);
}

static void fill_largest(struct test_case *test, struct lab_rng *rng)
{
    fill_room(test, rng);
    set_length(test, last_sequence(test), SIZE_MAX);
}

// Its low 32 bits are 0, so a smaller type takes this cache for an empty one.
static void fill_above_32_bits(struct test_case *test, struct lab_rng *rng)
{
    fill_room(test, rng);
    set_length(test, 1, (size_t)1 << 32);
}

static const struct case_spec append_cases[] = {
    {.dims = "B=1 NKV=1 n=1 T_max=4 hs=2", .fill = fill_room, .note = "one new row"},
    {.dims = "B=1 NKV=1 n=2 T_max=5 hs=3", .fill = fill_room, .note = "two new rows"},
    {.dims = "B=1 NKV=1 n=2 T_max=5 hs=1", .fill = fill_room, .note = "two new numbers"},
    {.dims = "B=1 NKV=2 n=1 T_max=3 hs=2",
     .fill = fill_empty,
     .note = "an empty cache",
     .apart = true},
    {.dims = "B=2 NKV=3 n=1 T_max=6 hs=4", .fill = fill_room},
    {.dims = "B=3 NKV=2 n=1 T_max=5 hs=2",
     .fill = fill_one_empty,
     .note = "sequence 1 is empty"},
    {.dims = "B=1 NKV=3 n=4 T_max=7 hs=2",
     .fill = fill_empty,
     .note = "a prompt",
     .apart = true},
    {.dims = "B=2 NKV=2 n=5 T_max=5 hs=3",
     .fill = fill_empty,
     .note = "n is T_max: a prompt that fills the cache",
     .apart = true},
    {.dims = "B=3 NKV=2 n=3 T_max=9 hs=5", .draws = 2, .fill = fill_room},
    {.dims = "B=2..4 NKV=2..3 n=2..4 T_max=8..11 hs=6", .draws = 3, .fill = fill_room},
    {.dims = "B=4 NKV=1 n=2 T_max=7 hs=3", .fill = fill_room, .note = "one head"},
    {.dims = "B=3 NKV=4 n=2 T_max=6 hs=1", .fill = fill_room, .note = "hs is 1"},
    {.dims = "B=5 NKV=3 n=31 T_max=67 hs=17", .fill = fill_room_coarse, .note = "larger"},
    {.dims = "B=256 NKV=2 n=1 T_max=3 hs=2",
     .fill = fill_room_coarse,
     .note = "256 sequences"},
    {.dims = "B=2 NKV=256 n=2 T_max=4 hs=3",
     .fill = fill_room_coarse,
     .note = "256 heads"},
    {.dims = "B=2 NKV=2 n=256 T_max=512 hs=3",
     .fill = fill_room_coarse,
     .note = "256 new rows"},
    {.dims = "B=2 NKV=2 n=2 T_max=5 hs=256",
     .fill = fill_room_coarse,
     .note = "wide rows"},
    {.dims = "B=1 NKV=1 n=1 T_max=1 hs=1",
     .fill = fill_empty,
     .note = "one number",
     .apart = true},
    {.dims = "B=3 NKV=2 n=1 T_max=4 hs=3",
     .fill = fill_to_the_end,
     .note = "the last row of a cache",
     .apart = true},
    {.dims = "B=2 NKV=3 n=3 T_max=7 hs=2",
     .fill = fill_to_the_end,
     .note = "the last three rows of a cache",
     .apart = true},
    {.dims = "B=3 NKV=2 n=2 T_max=5 hs=4",
     .fill = fill_all_to_the_end,
     .note = "the last rows of every sequence",
     .apart = true},
    {.dims = "B=4 NKV=2 n=16 T_max=64 hs=16",
     .fill = fill_room_coarse,
     .note = "n = hs = 16, T_max is 64"},
    {.dims = "B=3 NKV=2 n=1 T_max=4 hs=3",
     .fill = fill_first_too_long,
     .note = "the first sequence is full"},
    {.dims = "B=4 NKV=3 n=3 T_max=6 hs=2",
     .fill = fill_middle_too_long,
     .note = "sequence 1 has room for 2 rows, and 3 come"},
    {.dims = "B=4 NKV=2 n=3 T_max=7 hs=3",
     .fill = fill_second_full,
     .note = "sequence 1 is full, and 3 rows come"},
    {.dims = "B=3 NKV=2 n=1 T_max=4 hs=3",
     .fill = fill_last_too_long,
     .note = "the last sequence is full",
     .apart = true},
    {.dims = "B=2 NKV=2 n=4 T_max=9 hs=3",
     .fill = fill_last_too_long,
     .note = "the last sequence has room for 3 rows, and 4 come",
     .apart = true},
    {.dims = "B=2 NKV=2 n=1 T_max=3 hs=2",
     .fill = fill_all_full,
     .note = "every sequence is full",
     .apart = true},
    {.dims = "B=1 NKV=1 n=1 T_max=1 hs=1",
     .fill = fill_all_full,
     .note = "one number, and the cache is full",
     .apart = true},
    {.dims = "B=2 NKV=1 n=4 T_max=3 hs=2",
     .fill = fill_empty,
     .note = "n is T_max + 1",
     .apart = true},
    {.dims = "B=3 NKV=2 n=2 T_max=7 hs=3",
     .fill = fill_around_to_0,
     .note = "a length so large that adding n to it gives 0",
     .apart = true},
    {.dims = "B=2 NKV=2 n=3 T_max=7 hs=3",
     .fill = fill_largest,
     .note = "a length is the largest size_t",
     .apart = true},
    {.dims = "B=3 NKV=2 n=2 T_max=6 hs=3",
     .fill = fill_above_32_bits,
     .note = "a length is 4294967296",
     .apart = true},
    {.dims = "B=0 NKV=2 n=1 T_max=3 hs=2", .note = "a size of 0"},
    {.dims = "B=2 NKV=0 n=1 T_max=3 hs=2", .fill = fill_empty, .note = "a size of 0"},
    {.dims = "B=2 NKV=2 n=0 T_max=3 hs=2", .fill = fill_empty, .note = "a size of 0"},
    {.dims = "B=2 NKV=2 n=1 T_max=0 hs=2", .fill = fill_empty, .note = "a size of 0"},
    {.dims = "B=2 NKV=2 n=1 T_max=3 hs=0", .fill = fill_empty, .note = "a size of 0"},
    {.dims = "B=1 NKV=2 n=3 T_max=5 hs=7",
     .fill = fill_every_size,
     .note = EVERY_SIZE_NOTE},
    {.dims = "B=2 NKV=3 n=2 T_max=6 hs=4",
     .fill = fill_nan,
     .note = "the cache and the last new number are NaN: old rows stay as they are",
     .nan = true},
    {.dims = "B=1 NKV=1 n=1 T_max=65800 hs=1",
     .fill = fill_beyond_16_bits,
     .note = "a length that 16 bits do not hold"},
    {.dims = "B=3 NKV=2 n=1 T_max=1 hs=4",
     .fill = fill_empty,
     .note = "T_max is 1",
     .apart = true},
    {.dims = "B=3 NKV=1 n=1 T_max=5 hs=2",
     .fill = fill_room,
     .note = "one new row, one head"},
    {.dims = "B=1 NKV=2 n=2 T_max=4 hs=5003",
     .fill = fill_room_coarse,
     .note = "rows of 5003",
     .memory_only = true},
    {0},
};

// ---- mistakes -----------------------------------------------------------------------------

#define APPEND_ARGUMENTS                                                                 \
    float *cache, const float *rows, const size_t *lengths, size_t B, size_t NKV,        \
        size_t n, size_t T_max, size_t hs

static size_t longest(const size_t *lengths, size_t B)
{
    size_t most = 0;
    for (size_t b = 0; b < B; b++) {
        most = lengths[b] > most ? lengths[b] : most;
    }
    return most;
}

static bool has_room(size_t length, size_t n, size_t T_max)
{
    return n <= T_max && length <= T_max - n;
}

// APPEND(name, fits, place, from): row `from` of rows goes to row `place` of the cache. Both are
// counted over all heads and are expressions of b, h, i, length and the sizes. fits: is there room
// in sequence b?
#define APPEND(name, fits, place, from)                                                  \
    static lab_status name(APPEND_ARGUMENTS)                                             \
    {                                                                                    \
        for (size_t b = 0; b < B; b++) {                                                 \
            const size_t length = lengths[b];                                            \
            (void)length;                                                                \
            if (NKV == 0 || n == 0 || T_max == 0 || hs == 0 || !(fits)) {                \
                return LAB_ESHAPE;                                                       \
            }                                                                            \
        }                                                                                \
        for (size_t all = 0; all < B * NKV * n; all++) {                                 \
            const size_t b = all / n / NKV, h = all / n % NKV, i = all % n;              \
            const size_t length = lengths[b], to = (place), source = (from);             \
            (void)length, (void)i;                                                       \
            if (to >= B * NKV * T_max || source >= B * NKV * n) {                        \
                return LEAVES_ARGUMENTS;                                                 \
            }                                                                            \
            memcpy(cache + to * hs, rows + source * hs, hs * sizeof *cache);             \
        }                                                                                \
        return B == 0 ? LAB_ESHAPE : LAB_OK;                                             \
    }

#define ROOM has_room(length, n, T_max)
#define PLACE (((b * NKV + h) * T_max) + length + i)
#define FROM ((b * NKV + h) * n + i)

APPEND(append_at_0, ROOM, PLACE - length, FROM)
APPEND(append_one_late, ROOM, PLACE + 1, FROM)
APPEND(append_one_early, ROOM, PLACE - 1, FROM)
APPEND(append_n_late, ROOM, PLACE + n, FROM)
APPEND(append_at_end, ROOM, PLACE - length + T_max - n, FROM)
APPEND(append_as_first, ROOM, PLACE - length + lengths[0], FROM)
APPEND(append_at_longest, ROOM, PLACE - length + longest(lengths, B), FROM)
APPEND(append_of_next_head, ROOM, PLACE - length + lengths[h % B], FROM)
APPEND(append_first_row, ROOM, PLACE, FROM - i)
APPEND(append_to_one_row, ROOM, PLACE - i, FROM)
APPEND(append_backwards, ROOM, PLACE, (b * NKV + h) * n + n - 1 - i)
APPEND(append_cache_n, ROOM, (b * NKV + h) * n + length + i, FROM)
APPEND(append_only_first, ROOM, PLACE - i, FROM - i)
APPEND(append_cache_length, ROOM, (b * NKV + h) * length + length + i, FROM)
APPEND(append_cache_new_length, ROOM, (b * NKV + h) * (length + n) + length + i, FROM)
APPEND(append_rows_overlap, ROOM, PLACE, b *NKV + h + i)
APPEND(append_rows_token_major, ROOM, PLACE, (b * n + i) * NKV + h)
APPEND(append_cache_token_major, ROOM, (b * T_max + length + i) * NKV + h, FROM)
APPEND(append_both_token_major, ROOM, (b * T_max + length + i) * NKV + h,
       (b * n + i) * NKV + h)
APPEND(append_heads_first, ROOM, (h * B + b) * T_max + length + i, FROM)
APPEND(append_one_head, ROOM, PLACE, FROM - h * n)
APPEND(append_one_sequence, ROOM, PLACE, h *n + i)
APPEND(append_strict, n <= T_max && length < T_max - n, PLACE, FROM)
APPEND(append_unchecked, true, PLACE, FROM)
APPEND(append_sum_wraps, length + n <= T_max, PLACE, FROM)
APPEND(append_one_checked, has_room(lengths[0], n, T_max), PLACE, FROM)
APPEND(append_last_checked, has_room(lengths[B - 1], n, T_max), PLACE, FROM)
APPEND(append_one_more, has_room(length > 0 ? length - 1 : 0, n, T_max), PLACE, FROM)

// What does not fit is dropped.
static lab_status append_cut(APPEND_ARGUMENTS)
{
    if (B == 0 || NKV == 0 || n == 0 || T_max == 0 || hs == 0) {
        return LAB_ESHAPE;
    }
    for (size_t all = 0; all < B * NKV * n; all++) {
        const size_t head = all / n, i = all % n, length = lengths[head / NKV];
        if (length < T_max && i < T_max - length) {
            memcpy(cache + (head * T_max + length + i) * hs, rows + all * hs,
                   hs * sizeof *cache);
        }
    }
    return LAB_OK;
}

// memcpy counts bytes.
static lab_status append_bytes(APPEND_ARGUMENTS)
{
    for (size_t b = 0; b < B; b++) {
        if (!has_room(lengths[b], n, T_max)) {
            return LAB_ESHAPE;
        }
    }
    for (size_t head = 0; head < B * NKV; head++) {
        memcpy(cache + (head * T_max + lengths[head / NKV]) * hs, rows + head * n * hs,
               n * hs);
    }
    return B * NKV * n * T_max * hs == 0 ? LAB_ESHAPE : LAB_OK;
}

#define HEADS_BEFORE_ROWS                                                                \
    "Head h of sequence b starts at row (b * NKV + h) * T_max of the cache and at row "  \
    "(b * NKV + h) * n of rows."
#define EVERY_SEQUENCE                                                                   \
    "Check every sequence before you write the first row: n <= T_max and lengths[b] <= " \
    "T_max - n."

static const struct mistake append_mistakes[] = {
    {
        .id = "at-0",
        .what = "the new rows are written at the beginning of the cache",
        .why = "They overwrite the oldest tokens. Row i goes to lengths[b] + i.",
        .source = NULL,
        .function = LIKE(cache_append, append_at_0),
    },
    {
        .id = "one-too-late",
        .what = "every new row is written one place too late",
        .why = "lengths[b] tokens use rows 0 to lengths[b] - 1, so the next row is "
               "lengths[b]. If you start one later, row lengths[b] stays empty.",
        .source = NULL,
        .function = LIKE(cache_append, append_one_late),
    },
    {
        .id = "one-too-early",
        .what = "every new row is written one place too early",
        .why = "This overwrites the newest token. lengths[b] counts the tokens before "
               "the new ones, and row lengths[b] is the next.",
        .source = NULL,
        .function = LIKE(cache_append, append_one_early),
    },
    {
        .id = "n-too-late",
        .what = "the new rows are written n places too late",
        .why = "lengths[b] does not count the new rows yet: the caller adds n after keys "
               "and values are stored.",
        .source = NULL,
        .function = LIKE(cache_append, append_n_late),
    },
    {
        .id = "at-the-end",
        .what = "the new rows are written to the last n rows of the cache",
        .why = "T_max is the capacity of a cache, and lengths[b] is the number of rows "
               "that it holds. The new rows go after these.",
        .source = NULL,
        .function = LIKE(cache_append, append_at_end),
    },
    {
        .id = "length-of-sequence-0",
        .what = "every sequence is continued from the length of sequence 0",
        .why = "The sequences of a batch differ in length: use lengths[b].",
        .source = "Dao-AILab/flash-attention#772",
        .function = LIKE(cache_append, append_as_first),
    },
    {
        .id = "length-of-the-longest",
        .what = "every sequence is continued from the length of the longest one",
        .why = "Shorter sequences then have unwritten rows in between. Use lengths[b].",
        .source = "jundot/omlx#2201",
        .function = LIKE(cache_append, append_at_longest),
    },
    {
        .id = "length-of-the-head",
        .what = "the length is indexed by the head, not by the sequence",
        .why = "All heads of sequence b have lengths[b] tokens. If one loop counts all "
               "heads, i = b * NKV + h, the sequence is i / NKV.",
        .source = NULL,
        .function = LIKE(cache_append, append_of_next_head),
    },
    {
        .id = "first-row-repeated",
        .what = "the first new row of each head is stored n times",
        .why = "Row i of the cache's new part is row i of rows.",
        .source = NULL,
        .function = LIKE(cache_append, append_first_row),
    },
    {
        .id = "all-in-one-row",
        .what = "all n rows are written to row lengths[b], so the last one stays",
        .why = "Row i goes to lengths[b] + i.",
        .source = NULL,
        .function = LIKE(cache_append, append_to_one_row),
    },
    {
        .id = "only-the-first-row",
        .what = "only the first of the n new rows of each head is stored",
        .why = "Copy n rows of hs numbers: n * hs of them.",
        .source = NULL,
        .function = LIKE(cache_append, append_only_first),
    },
    {
        .id = "backwards",
        .what = "the new rows are stored in reverse order",
        .why = "rows[b][h][0] is the oldest of them and goes to row lengths[b].",
        .source = NULL,
        .function = LIKE(cache_append, append_backwards),
    },
    {
        .id = "cache-as-rows",
        .what = "the cache is written as if every head had n rows in it",
        .why = "The cache is (B,NKV,T_max,hs). " HEADS_BEFORE_ROWS,
        .source = NULL,
        .function = LIKE(cache_append, append_cache_n),
    },
    {
        .id = "cache-as-length",
        .what = "the heads in the cache are lengths[b] rows apart, not T_max",
        .why =
            "Each head has room for T_max rows, however many it holds. " HEADS_BEFORE_ROWS,
        .source = NULL,
        .function = LIKE(cache_append, append_cache_length),
    },
    {
        .id = "cache-as-new-length",
        .what = "the heads in the cache are lengths[b] + n rows apart, not T_max",
        .why =
            "Each head has room for T_max rows, however many it holds. " HEADS_BEFORE_ROWS,
        .source = NULL,
        .function = LIKE(cache_append, append_cache_new_length),
    },
    {
        .id = "rows-overlap",
        .what = "the heads in rows are read one row apart, not n rows apart",
        .why = "Each head has n new rows. " HEADS_BEFORE_ROWS,
        .source = NULL,
        .function = LIKE(cache_append, append_rows_overlap),
    },
    {
        .id = "rows-not-in-heads",
        .what = "rows is read as (B,n,NKV,hs): its heads and tokens are swapped",
        .why = "rows is (B,NKV,n,hs). " HEADS_BEFORE_ROWS,
        .source = "ByteDance-Seed/VeOmni#162",
        .function = LIKE(cache_append, append_rows_token_major),
    },
    {
        .id = "cache-not-in-heads",
        .what = "the cache is written as (B,T_max,NKV,hs): its heads and tokens are "
                "swapped",
        .why = "The cache is (B,NKV,T_max,hs). " HEADS_BEFORE_ROWS,
        .source = NULL,
        .function = LIKE(cache_append, append_cache_token_major),
    },
    {
        .id = "none-in-heads",
        .what = "cache and rows are read as (B,T_max,NKV,hs) and (B,n,NKV,hs)",
        .why = "In both, the heads come before the tokens. " HEADS_BEFORE_ROWS,
        .source = NULL,
        .function = LIKE(cache_append, append_both_token_major),
    },
    {
        .id = "heads-first",
        .what = "the cache is written as (NKV,B,T_max,hs): sequences and heads are "
                "swapped",
        .why = "The heads of one sequence are contiguous. " HEADS_BEFORE_ROWS,
        .source = NULL,
        .function = LIKE(cache_append, append_heads_first),
    },
    {
        .id = "rows-of-head-0",
        .what = "every head of a sequence gets the rows of its head 0",
        .why = "Each head has its own keys. " HEADS_BEFORE_ROWS,
        .source = NULL,
        .function = LIKE(cache_append, append_one_head),
    },
    {
        .id = "rows-of-sequence-0",
        .what = "every sequence gets the rows of sequence 0",
        .why = "Each sequence has its own keys. " HEADS_BEFORE_ROWS,
        .source = NULL,
        .function = LIKE(cache_append, append_one_sequence),
    },
    {
        .id = "last-row-refused",
        .what = "a cache that would be exactly full is refused",
        .why = "lengths[b] + n may be T_max: the last new row is then row T_max - 1.",
        .source = NULL,
        .function = LIKE(cache_append, append_strict),
    },
    {
        .id = "not-refused",
        .what = "a sequence without room is not refused: the rows are written into the "
                "next head",
        .why = EVERY_SEQUENCE,
        .source = "google/gemma.cpp#266",
        .function = LIKE(cache_append, append_unchecked),
    },
    {
        .id = "one-row-too-many",
        .what = "a sequence with room for n - 1 rows is not refused",
        .why = "The last row is then in the next head. " EVERY_SEQUENCE,
        .source = NULL,
        .function = LIKE(cache_append, append_one_more),
    },
    {
        .id = "sum-overflows",
        .what = "a length so large that adding n to it overflows is not refused",
        .why = "lengths[b] + n is then a small number. Compare with T_max - n "
               "instead. " EVERY_SEQUENCE,
        .source = NULL,
        .function = LIKE(cache_append, append_sum_wraps),
    },
    {
        .id = "first-sequence-checked",
        .what = "only sequence 0 is checked for room",
        .why = EVERY_SEQUENCE,
        .source = NULL,
        .function = LIKE(cache_append, append_one_checked),
    },
    {
        .id = "last-sequence-checked",
        .what = "only the last sequence is checked for room",
        .why = EVERY_SEQUENCE,
        .source = NULL,
        .function = LIKE(cache_append, append_last_checked),
    },
    {
        .id = "cut-off",
        .what = "rows without room are dropped, and LAB_OK is returned",
        .why = "The caller would add n to the length and read unwritten rows. Return "
               "LAB_ESHAPE. " EVERY_SEQUENCE,
        .source = NULL,
        .function = LIKE(cache_append, append_cut),
    },
    {
        .id = "bytes-for-numbers",
        .what = "only a quarter of the rows' numbers is copied",
        .why = "memcpy counts bytes: n * hs * sizeof(float) of them.",
        .source = NULL,
        .function = LIKE(cache_append, append_bytes),
    },
    {0},
};

APPEND(append_plain, ROOM, PLACE, FROM)

static const struct mistake append_alternatives[] = {
    {.id = "row-by-row", .function = LIKE(cache_append, append_plain)},
    {0},
};

// ---- tables -------------------------------------------------------------------------------

static const struct part append_part[] = {
    {
        .function = "cache_append",
        .dims = "B NKV n T_max hs",
        .tensors =
            {
                {"cache", "B NKV T_max hs", UPDATED, F32, 0, 0},
                {"rows", "B NKV n hs", INPUT, F32, 0, 0},
                {"lengths", "B", INPUT, SIZE, 0, 0},
            },
        .cases = append_cases,
        .mistakes = append_mistakes,
        .alternatives = append_alternatives,
    },
    {0},
};

const struct exercise exercise_9_1 = {
    .id = "9.1",
    .name = "cache_append",
    .section = "9.1 A place for every key",
    .hints =
        {
            "A head has T_max rows in the cache, but only n in rows. Where does each "
            "head begin in each of them? And what must happen if a sequence has no room?",
            "First, for every b, return LAB_ESHAPE if n > T_max or lengths[b] > T_max "
            "- n. Then, for each b and h, n * hs numbers go from rows + (b*NKV + "
            "h)*n*hs to cache + ((b*NKV + h)*T_max + lengths[b])*hs.",
            "for each b: if n > T_max or lengths[b] > T_max - n: return LAB_ESHAPE\n"
            "for each b, for each h below NKV:\n"
            "    i = b*NKV + h\n"
            "    memcpy(cache + (i*T_max + lengths[b])*hs, rows + i*n*hs,\n"
            "           n*hs*sizeof(float))",
        },
    .parts = append_part,
};
