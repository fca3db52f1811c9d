// 05_sliding_window.c - exercise 9.5, ring_append and sliding_window_attention: cases, known mistakes
// and hints.

#include "exercises/exercise.h"
#include "exercises/09/05_sliding_window.h"
#include "exercises/09/lengths.h"
#include "exercises/common/inputs.h"

#include <stdint.h>
#include <string.h>

#include "09_generation/generation.h"
#include "common/rng.h"

// ---- cases --------------------------------------------------------------------------------

static size_t last_sequence(const struct test_case *test)
{
    return case_count(test, "lengths") - 1;
}

// Nothing falls out of the ring, and nothing goes around. (With room for one row more.)
static void fill_not_full(struct test_case *test, struct lab_rng *rng)
{
    const size_t W = case_dim(test, "W"), n = case_dim(test, "n");
    draw_lengths(test, rng, 1, W > n ? W - n - 1 : 0);
}

// The rows go around the end of the ring if n > 1, or have gone around before.
static void fill_around(struct test_case *test, struct lab_rng *rng)
{
    const size_t W = case_dim(test, "W"), n = case_dim(test, "n");
    draw_lengths(test, rng, W, W + (W > n ? W - n : W));
}

static void fill_any(struct test_case *test, struct lab_rng *rng)
{
    draw_lengths(test, rng, 0, 4 * case_dim(test, "W"));
}

// The same in quarters, for larger sizes: the student archive need not store them.
static void fill_any_coarse(struct test_case *test, struct lab_rng *rng)
{
    fill_any(test, rng);
    case_coarse(test, "ring");
    case_coarse(test, "rows");
}

// The first sequence is not full, the last one has gone around several times.
static void fill_both(struct test_case *test, struct lab_rng *rng)
{
    fill_any(test, rng);
    set_length(test, 0, 1);
    set_length(test, last_sequence(test),
               3 * case_dim(test, "W") + (size_t)lab_rng_int(rng, 1, 3));
}

static void fill_every_size(struct test_case *test, struct lab_rng *rng)
{
    fill_any(test, rng);
    rows_of_every_size(test, "rows", 1);
}

static void fill_empty(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_lengths(test, 0);
}

static void fill_exactly_full(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_lengths(test, case_dim(test, "W"));
}

// Only sequence 0, so that a write past its ring is still in the tensor.
static void fill_first_full(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_lengths(test, 1);
    set_length(test, 0, case_dim(test, "W"));
}

static void fill_first_nearly_full(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    set_lengths(test, 1);
    set_length(test, 0, case_dim(test, "W") - 1);
}

static void fill_far(struct test_case *test, struct lab_rng *rng)
{
    draw_far_lengths(test, rng, case_dim(test, "W"));
}

static const struct case_spec append_cases[] = {
    {.dims = "B=1 NH=1 n=1 W=3 hs=2", .fill = fill_not_full, .note = "one new row"},
    {.dims = "B=1 NH=1 n=2 W=5 hs=2", .fill = fill_not_full, .note = "two new rows"},
    {.dims = "B=1 NH=2 n=1 W=3 hs=2", .fill = fill_empty, .note = "an empty ring"},
    {.dims = "B=2 NH=3 n=1 W=5 hs=4", .fill = fill_not_full},
    {.dims = "B=2 NH=1 n=1 W=3 hs=2",
     .fill = fill_first_full,
     .note = "the first ring is full: position W replaces position 0"},
    {.dims = "B=2 NH=1 n=2 W=4 hs=2",
     .fill = fill_first_nearly_full,
     .note = "two rows wrap around the end of the first ring"},
    {.dims = "B=1 NH=2 n=1 W=4 hs=6",
     .fill = fill_exactly_full,
     .note = "a full ring: position W replaces position 0"},
    {.dims = "B=2 NH=3 n=1 W=5 hs=2", .fill = fill_around, .note = "full rings"},
    {.dims = "B=3 NH=2 n=3 W=7 hs=3",
     .fill = fill_around,
     .note = "full rings, three new rows"},
    {.dims = "B=3 NH=2 n=2 W=5 hs=4",
     .fill = fill_both,
     .note = "one sequence is not full, another has wrapped around"},
    {.dims = "B=2 NH=2 n=6 W=6 hs=3", .fill = fill_any, .note = "n is W"},
    {.dims = "B=2 NH=2 n=6 W=6 hs=2",
     .fill = fill_empty,
     .note = "n is W: a prompt that fills an empty ring"},
    {.dims = "B=2 NH=2 n=7 W=4 hs=3",
     .fill = fill_empty,
     .note = "n is larger than W: the last W rows stay"},
    {.dims = "B=3 NH=2 n=13 W=4 hs=2",
     .draws = 2,
     .fill = fill_any,
     .note = "n is larger than W: the last W rows stay"},
    {.dims = "B=2 NH=3 n=4 W=1 hs=3", .fill = fill_any, .note = "W is 1"},
    {.dims = "B=2..3 NH=2..4 n=2..5 W=6..9 hs=5", .draws = 4, .fill = fill_any},
    {.dims = "B=4 NH=3 n=3 W=7 hs=2",
     .fill = fill_far,
     .note = "positions above 8589934592"},
    {.dims = "B=5 NH=3 n=31 W=67 hs=17", .fill = fill_any_coarse, .note = "larger"},
    {.dims = "B=3 NH=5 n=67 W=31 hs=7",
     .fill = fill_any_coarse,
     .note = "larger, n is larger than W"},
    {.dims = "B=3 NH=2 n=3 W=7 hs=1", .draws = 2, .fill = fill_any, .note = "hs is 1"},
    {.dims = "B=256 NH=2 n=1 W=3 hs=2", .fill = fill_any_coarse, .note = "256 sequences"},
    {.dims = "B=2 NH=256 n=2 W=3 hs=2", .fill = fill_any_coarse, .note = "256 heads"},
    {.dims = "B=2 NH=2 n=256 W=256 hs=2",
     .fill = fill_any_coarse,
     .note = "256 new rows"},
    {.dims = "B=2 NH=2 n=2 W=3 hs=256", .fill = fill_any_coarse, .note = "wide rows"},
    {.dims = "B=2 NH=2 n=64 W=64 hs=16", .fill = fill_any_coarse, .note = "n is W, 64"},
    {.dims = "B=3 NH=2 n=16 W=64 hs=16",
     .fill = fill_any_coarse,
     .note = "n = hs = 16, W is 64"},
    {.dims = "B=0 NH=2 n=1 W=3 hs=2", .note = "a size of 0"},
    {.dims = "B=2 NH=0 n=1 W=3 hs=2", .fill = fill_empty, .note = "a size of 0"},
    {.dims = "B=2 NH=2 n=0 W=3 hs=2", .fill = fill_empty, .note = "a size of 0"},
    {.dims = "B=2 NH=2 n=1 W=0 hs=2", .fill = fill_empty, .note = "a size of 0"},
    {.dims = "B=2 NH=2 n=1 W=3 hs=0", .fill = fill_empty, .note = "a size of 0"},
    {.dims = "B=1 NH=2 n=3 W=5 hs=7", .fill = fill_every_size, .note = EVERY_SIZE_NOTE},
    {.dims = "B=1 NH=1 n=1031 W=1033 hs=2",
     .fill = fill_any_coarse,
     .note = "1031 new rows",
     .memory_only = true},
    {.dims = "B=1 NH=2 n=1 W=3 hs=5003",
     .fill = fill_any_coarse,
     .note = "rows of 5003",
     .memory_only = true},
    {0},
};

// ---- mistakes -----------------------------------------------------------------------------

#define RING_ARGUMENTS                                                                   \
    float *ring, const float *rows, const size_t *lengths, size_t B, size_t NH,          \
        size_t n, size_t W, size_t hs

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

// RING(name, refuses, used, place, from): row `from` of rows goes to row `place` of the ring, if
// `used`. Both are counted over all heads, in the order of i; all are expressions of b, h, i, length
// and the sizes.
#define RING(name, refuses, used, place, from)                                           \
    static lab_status name(RING_ARGUMENTS)                                               \
    {                                                                                    \
        bool refused = B == 0 || NH == 0 || n == 0 || W == 0 || hs == 0;                 \
        for (size_t b = 0; b < B; b++) {                                                 \
            const size_t length = lengths[b];                                            \
            (void)length;                                                                \
            refused = refused || (refuses);                                              \
        }                                                                                \
        for (size_t all = 0; !refused && all < B * NH * n; all++) {                      \
            const size_t head = all / n, b = head / NH, h = head % NH, i = all % n;      \
            const size_t length = lengths[b];                                            \
            (void)h, (void)i, (void)length;                                              \
            if (!(used)) {                                                               \
                continue;                                                                \
            }                                                                            \
            const size_t to = (place), source = (from);                                  \
            if (to >= B * NH * W || source >= B * NH * n) {                              \
                return LEAVES_ARGUMENTS;                                                 \
            }                                                                            \
            memcpy(ring + to * hs, rows + source * hs, hs * sizeof *ring);               \
        }                                                                                \
        return refused ? LAB_ESHAPE : LAB_OK;                                            \
    }

#define PLACE(position) (head * W + (position) % W)
#define RING_AT(name, position) RING(name, false, true, PLACE(position), all)

RING(ring_no_modulo, false, true, head *W + length + i, all)
RING(ring_begin_only, false, true, head *W + length % W + i, all)
RING_AT(ring_at_0, i)
RING_AT(ring_one_late, length + i + 1)
RING_AT(ring_one_early, length + i + W - 1)
RING_AT(ring_n_late, length + i + n)
RING_AT(ring_as_sequence_0, lengths[0] + i)
RING_AT(ring_as_head, lengths[h % B] + i)
RING_AT(ring_to_one_row, length)
RING_AT(ring_modulo_n, (length + i) % n)
RING_AT(ring_clamped, smaller(length + i, W - 1))
RING_AT(ring_in_32_bits, (size_t)(uint32_t)(length + i))
RING_AT(ring_in_float, (size_t)((float)length + (float)i))
RING(ring_first_kept, false, i < W, PLACE(length + i), all)
RING(ring_last_not_moved, false, n <= W || i >= n - W,
     PLACE(length + i - (n > W ? n - W : 0)), all)
RING(ring_long_refused, n > W, true, PLACE(length + i), all)
RING(ring_around_refused, length + n > W, true, PLACE(length + i), all)
RING(ring_full_left, false, length + i < W, PLACE(length + i), all)
RING(ring_first_row, false, true, PLACE(length + i), all - i)
RING(ring_backwards, false, true, PLACE(length + i), head *n + n - 1 - i)
RING(ring_rows_token_major, false, true, PLACE(length + i), (b * n + i) * NH + h)
RING(ring_token_major, false, true, (b * W + (length + i) % W) * NH + h, all)
RING(ring_heads_first, false, true, (h * B + b) * W + (length + i) % W, all)
RING(ring_rows_W, false, true, PLACE(length + i), head *W + i)
RING(ring_one_head, false, true, PLACE(length + i), all - h * n)
RING(ring_one_sequence, false, true, PLACE(length + i), h *n + i)

// The oldest rows leave at the beginning, and the rest moves up: row 0 is always the oldest one.
static lab_status ring_shifted(RING_ARGUMENTS)
{
    if (B == 0 || NH == 0 || n == 0 || W == 0 || hs == 0) {
        return LAB_ESHAPE;
    }
    for (size_t all = 0; all < B * NH * n; all++) {
        const size_t head = all / n, length = lengths[head / NH] + all % n;
        float *first = ring + head * W * hs;
        if (length >= W) {
            memmove(first, first + hs, (W - 1) * hs * sizeof *ring);
        }
        memcpy(first + smaller(length, W - 1) * hs, rows + all * hs, hs * sizeof *ring);
    }
    return LAB_OK;
}

#define RING_WHY                                                                         \
    "Position p is stored in row p % W: with W = 4, positions 0 to 5 use rows 0 1 2 3 "  \
    "0 1."

static const struct mistake append_mistakes[] = {
    {
        .id = "no-modulo",
        .what = "position p is written to row p, not to row p % W",
        .why = "After W tokens, this writes past the head. " RING_WHY,
        .source = "ollama/ollama#14912",
        .function = LIKE(ring_append, ring_no_modulo),
    },
    {
        .id = "begins-around",
        .what = "the first new row is at lengths[b] % W, but the next ones do not wrap "
                "around at the end",
        .why = "Take % W for each row, or copy twice: up to the end of the ring, and "
               "from row 0 on. " RING_WHY,
        .source = NULL,
        .function = LIKE(ring_append, ring_begin_only),
    },
    {
        .id = "at-0",
        .what = "the new rows are written from row 0 on",
        .why = "Row i has position lengths[b] + i. " RING_WHY,
        .source = NULL,
        .function = LIKE(ring_append, ring_at_0),
    },
    {
        .id = "one-too-late",
        .what = "every new row is written one place too late",
        .why = "The tokens before have the positions 0 to lengths[b] - 1, so the first "
               "new one has position lengths[b]. " RING_WHY,
        .source = "huggingface/transformers#47708",
        .function = LIKE(ring_append, ring_one_late),
    },
    {
        .id = "one-too-early",
        .what = "every new row is written one place too early",
        .why = "This overwrites the newest token. The first new row has position "
               "lengths[b]. " RING_WHY,
        .source = NULL,
        .function = LIKE(ring_append, ring_one_early),
    },
    {
        .id = "n-too-late",
        .what = "the new rows are written n places too late",
        .why = "lengths[b] does not count the new rows yet: the caller adds n after keys "
               "and values are stored.",
        .source = NULL,
        .function = LIKE(ring_append, ring_n_late),
    },
    {
        .id = "length-of-sequence-0",
        .what = "every sequence is continued from the length of sequence 0",
        .why = "The sequences of a batch differ in length: use lengths[b].",
        .source = NULL,
        .function = LIKE(ring_append, ring_as_sequence_0),
    },
    {
        .id = "length-of-the-head",
        .what = "the length is indexed by the head, not by the sequence",
        .why = "If one loop counts all heads, j = b * NH + h, the sequence is j / NH.",
        .source = NULL,
        .function = LIKE(ring_append, ring_as_head),
    },
    {
        .id = "all-in-one-row",
        .what = "all n rows are written to row lengths[b] % W, so the last one stays",
        .why = "Row i has position lengths[b] + i. " RING_WHY,
        .source = NULL,
        .function = LIKE(ring_append, ring_to_one_row),
    },
    {
        .id = "modulo-n",
        .what = "the rows are written to (lengths[b] + i) % n",
        .why = "The ring has W rows, however many come at once. " RING_WHY,
        .source = NULL,
        .function = LIKE(ring_append, ring_modulo_n),
    },
    {
        .id = "last-row-again",
        .what = "positions from W on are all written to row W - 1",
        .why = RING_WHY,
        .source = NULL,
        .function = LIKE(ring_append, ring_clamped),
    },
    {
        .id = "position-in-32-bits",
        .what = "the position is counted in 32 bits",
        .why = "A sequence may have more tokens than 32 bits can count. lengths holds "
               "size_t; use it.",
        .source = NULL,
        .function = LIKE(ring_append, ring_in_32_bits),
    },
    {
        .id = "position-in-float",
        .what = "the position is computed in float",
        .why = "A float counts exactly only up to 16777216. lengths holds size_t; use "
               "it.",
        .source = NULL,
        .function = LIKE(ring_append, ring_in_float),
    },
    {
        .id = "first-rows-kept",
        .what = "of more than W rows, the first W stay in the ring",
        .why = "Later rows replace earlier ones: write them in order, or only the last "
               "W.",
        .source = NULL,
        .function = LIKE(ring_append, ring_first_kept),
    },
    {
        .id = "skipped-not-counted",
        .what = "of more than W rows, the last W are written, but starting in row "
                "lengths[b] % W",
        .why = "Skipped rows still count: row i has position lengths[b] + i, and the "
               "first one written is row n - W.",
        .source = NULL,
        .function = LIKE(ring_append, ring_last_not_moved),
    },
    {
        .id = "long-refused",
        .what = "an n above W is refused",
        .why = "A prompt may be longer than the window. Its last W rows stay.",
        .source = NULL,
        .function = LIKE(ring_append, ring_long_refused),
    },
    {
        .id = "full-refused",
        .what = "rows are refused if lengths[b] + n is above W",
        .why = "That is the rule of cache_append. A ring always has room: new rows "
               "replace the oldest.",
        .source = NULL,
        .function = LIKE(ring_append, ring_around_refused),
    },
    {
        .id = "dropped-when-full",
        .what = "a full ring keeps its old rows, and new ones are dropped",
        .why = "New rows replace the oldest. " RING_WHY,
        .source = NULL,
        .function = LIKE(ring_append, ring_full_left),
    },
    {
        .id = "shifted",
        .what = "the old rows move up, so that row 0 is always the oldest",
        .why =
            "In a ring, nothing moves: the new row replaces the oldest in place. " RING_WHY,
        .source = "huggingface/transformers#37574",
        .function = LIKE(ring_append, ring_shifted),
        .convention = true,
    },
    {
        .id = "first-row-repeated",
        .what = "the first new row of each head is stored n times",
        .why = "Row i of rows goes to position lengths[b] + i.",
        .source = NULL,
        .function = LIKE(ring_append, ring_first_row),
    },
    {
        .id = "backwards",
        .what = "the new rows are stored in reverse order",
        .why = "rows[b][h][0] is the oldest of them and has position lengths[b].",
        .source = NULL,
        .function = LIKE(ring_append, ring_backwards),
    },
    {
        .id = "rows-not-in-heads",
        .what = "rows is read as (B,n,NH,hs): its heads and tokens are swapped",
        .why =
            "rows is (B,NH,n,hs): head h of sequence b starts at row (b * NH + h) * n.",
        .source = NULL,
        .function = LIKE(ring_append, ring_rows_token_major),
    },
    {
        .id = "ring-not-in-heads",
        .what = "the ring is written as (B,W,NH,hs): its heads and tokens are swapped",
        .why = "The ring is (B,NH,W,hs): head h of sequence b starts at row (b * NH + h) "
               "* W.",
        .source = NULL,
        .function = LIKE(ring_append, ring_token_major),
    },
    {
        .id = "heads-first",
        .what = "the ring is written as (NH,B,W,hs): sequences and heads are swapped",
        .why = "The heads of one sequence are contiguous: head h of sequence b starts "
               "at row (b * NH + h) * W.",
        .source = NULL,
        .function = LIKE(ring_append, ring_heads_first),
    },
    {
        .id = "rows-as-ring",
        .what = "rows is read as if every head had W rows in it",
        .why =
            "rows is (B,NH,n,hs): head h of sequence b starts at row (b * NH + h) * n.",
        .source = NULL,
        .function = LIKE(ring_append, ring_rows_W),
    },
    {
        .id = "rows-of-head-0",
        .what = "every head of a sequence gets the rows of its head 0",
        .why = "Each head has its own keys: head h of sequence b starts at row (b * NH + "
               "h) * n of rows.",
        .source = NULL,
        .function = LIKE(ring_append, ring_one_head),
    },
    {
        .id = "rows-of-sequence-0",
        .what = "every sequence gets the rows of sequence 0",
        .why = "Each sequence has its own keys: head h of sequence b starts at row (b * "
               "NH + h) * n of rows.",
        .source = NULL,
        .function = LIKE(ring_append, ring_one_sequence),
    },
    {0},
};

// Only the last W rows, from the last one to the first.
RING(ring_last_only, false, n <= W || i >= n - W, PLACE(length + i), all)

static const struct mistake append_alternatives[] = {
    {.id = "last-rows-only", .function = LIKE(ring_append, ring_last_only)},
    {0},
};

// ---- tables -------------------------------------------------------------------------------

static const struct part window_part[] = {
    {
        .function = "ring_append",
        .dims = "B NH n W hs",
        .tensors =
            {
                {"ring", "B NH W hs", UPDATED, F32, 0, 0},
                {"rows", "B NH n hs", INPUT, F32, 0, 0},
                {"lengths", "B", INPUT, SIZE, 0, 0},
            },
        .cases = append_cases,
        .mistakes = append_mistakes,
        .alternatives = append_alternatives,
    },
    {
        .function = "sliding_window_attention",
        .dims = "B NH W hs",
        .tensors =
            {
                {"out", "B NH hs", OUTPUT, F32, OUT_TOLERANCE},
                {"weights", "B NH W", OUTPUT, F32, WEIGHTS_TOLERANCE},
                {"scores", "B NH W", WORKSPACE, F32, 0, 0},
                {"q", "B NH hs", INPUT, F32, 0, 0},
                {"keys", "B NH W hs", INPUT, F32, 0, 0},
                {"values", "B NH W hs", INPUT, F32, 0, 0},
                {"lengths", "B", INPUT, SIZE, 0, 0},
            },
        .cases = window_cases,
        .properties = window_properties,
        .mistakes = window_mistakes,
        .alternatives = window_alternatives,
    },
    {0},
};

const struct exercise exercise_9_5 = {
    .id = "9.5",
    .name = "ring_append and sliding_window_attention",
    .section = "9.5 A window",
    .uses = {"2.1", "2.4"},
    .hints =
        {
            "With W = 4, in which rows are positions 0 to 9 stored? After ten tokens, "
            "which positions are in the ring, and in which row is the oldest?",
            "ring_append: position p = lengths[b] + i goes to row p % W, for i = 0, 1, "
            "... in order. sliding_window_attention: first = lengths[b] > W ? lengths[b] "
            "- W : 0, and S = lengths[b] - first keys. Key i of them is in row (first + "
            "i) % W; its score and weight are number i.",
            "ring_append: for j below B*NH, for i below n:\n"
            "    row = (lengths[j/NH] + i) % W\n"
            "    memcpy(ring + (j*W + row)*hs, rows + (j*n + i)*hs, hs*sizeof(float))\n"
            "sliding_window_attention: for j below B*NH:\n"
            "    first = lengths[j/NH] > W ? lengths[j/NH] - W : 0\n"
            "    S = lengths[j/NH] - first\n"
            "    for i below S: row = (first + i) % W\n"
            "        scores[j*W + i] = q[j] . keys[j*W + row] / sqrtf(hs)\n"
            "    batched_softmax(weights + j*W, scores + j*W, 1, 1, S); zeros after "
            "them\n"
            "    out[j] = sum over i of weights[j*W + i] values[j*W + row of i]",
        },
    .parts = window_part,
};
