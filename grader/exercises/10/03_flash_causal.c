// 03_flash_causal.c - exercise 10.3, flash_attention_causal: cases, known mistakes and hints.
//
// out and logsumexp are those of 10.2 with causal = true. What is new is visited, and it must be exactly
// right.

#include "exercises/exercise.h"
#include "exercises/10/far_down.h"
#include "exercises/10/heads.h"
#include "exercises/10/tiles.h"
#include "exercises/common/inputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "10_flash_attention/flash_attention.h"

// ---- cases ----------------------------------------------------------------------------------

// So all sums are exact, of any number of keys.
static void fill_equal_scores(struct test_case *test, struct lab_rng *rng)
{
    fill_coarse(test, rng);
    scale_input(test, "q", 0.0f);
}

static const struct case_spec causal_cases[] = {
    {.dims = "B=1 NH=1 T=1 S=1 hs=1 Br=1 Bc=1", .note = "one query, one key"},
    {.dims = "B=1 NH=1 T=2 S=2 hs=2 Br=1 Bc=1", .note = "three of four tiles"},
    {.dims = "B=1 NH=1 T=4 S=4 hs=2 Br=2 Bc=2", .note = "T = S, square tiles"},
    {.dims = "B=1 NH=1 T=4 S=4 hs=3 Br=4 Bc=1", .note = "one tile of queries"},
    {.dims = "B=1 NH=1 T=4 S=4 hs=3 Br=1 Bc=4", .note = "one tile of keys"},
    {.dims = "B=1 NH=2 T=6 S=6 hs=3 Br=2 Bc=3", .note = "T = S, tall and wide tiles"},
    {.dims = "B=1 NH=2 T=6 S=6 hs=3 Br=3 Bc=2", .note = "T = S, tall and wide tiles"},
    {.dims = "B=1 NH=1 T=5 S=7 hs=2 Br=2 Bc=3", .note = "more keys than queries"},
    {.dims = "B=1 NH=2 T=3 S=9 hs=4 Br=2 Bc=2", .note = "more keys than queries"},
    {.dims = "B=1 NH=1 T=7 S=5 hs=2 Br=3 Bc=2",
     .note = "more queries than keys: the first see no key"},
    {.dims = "B=2 NH=3 T=9 S=4 hs=5 Br=2 Bc=3",
     .note = "more queries than keys: the first tiles of queries visit no tile"},
    {.dims = "B=2 NH=1 T=6 S=1 hs=3 Br=2 Bc=2",
     .note = "one key: only the last query sees it"},
    {.dims = "B=2 NH=3 T=5 S=7 hs=4 Br=8 Bc=9", .note = "tiles larger than T and S"},
    {.dims = "B=2 NH=3 T=8 S=8 hs=5 Br=3 Bc=3", .note = "the last tiles are smaller"},
    {.dims = "B=3 NH=2 T=7 S=7 hs=4 Br=2 Bc=5", .note = "the last tiles are smaller"},
    {.dims = "B=3 NH=3 T=3 S=3 hs=3 Br=3 Bc=3", .note = "all sizes are 3"},
    {.dims = "B=2 NH=2 T=8 S=6 hs=3 Br=1 Bc=1",
     .note = "every query and every key is a tile"},
    {.dims = "B=2..3 NH=2..4 T=5..9 S=6..12 hs=3..7 Br=2..4 Bc=2..5", .draws = 4},
    {.dims = "B=2 NH=2 T=9..12 S=4..8 hs=3..6 Br=2..5 Bc=2..5",
     .draws = 3,
     .note = "more queries than keys: the first see no key"},
    {.dims = "B=1 NH=2 T=12 S=12 hs=4 Br=2 Bc=3",
     .fill = fill_rising,
     .note = "every tile has a larger maximum than the one before"},
    {.dims = "B=2 NH=2 T=5 S=11 hs=7 Br=2 Bc=4",
     .fill = fill_large_scores,
     .note = "large scores"},
    {.dims = "B=2 NH=3 T=37 S=67 hs=9 Br=16 Bc=8",
     .fill = fill_quiet,
     .note = "larger, odd sizes"},
    {.dims = "B=1 NH=1 T=2 S=3 hs=1280 Br=2 Bc=3",
     .fill = fill_quiet,
     .note = "a very wide head"},
    {.dims = "B=1 NH=1 T=259 S=263 hs=3 Br=16 Bc=32",
     .fill = fill_coarse,
     .note = "many queries and keys"},
    {.dims = "B=1 NH=1 T=2053 S=5119 hs=1 Br=64 Bc=64",
     .fill = fill_coarse,
     .note = "many queries and keys: T S scores take 10 megabytes at a byte each",
     .unit = 4,
     .memory_only = true},
    {.dims = "B=1 NH=1 T=3 S=22013 hs=1 Br=1 Bc=1",
     .fill = fill_equal_scores,
     .note = "more tiles than 16 bits can count"},
    {.dims = "B=256 NH=2 T=2 S=3 hs=2 Br=2 Bc=2", .note = "256 sequences"},
    {.dims = "B=2 NH=256 T=2 S=3 hs=2 Br=2 Bc=2", .note = "256 heads"},
    {.dims = "B=1 NH=1 T=1282 S=3 hs=2 Br=1280 Bc=2", .note = "tiles of 1280 queries"},
    {.dims = "B=1 NH=1 T=3 S=1282 hs=2 Br=2 Bc=1280", .note = "tiles of 1280 keys"},
    {.dims = "B=3 NH=2 T=1 S=5 hs=4 Br=2 Bc=3", .note = "one query"},
    {.dims = "B=3 NH=2 T=4 S=1 hs=4 Br=2 Bc=3", .note = "one key"},
    {.dims = "B=2 NH=3 T=4 S=5 hs=1 Br=2 Bc=3", .note = "heads of width 1"},
    {.dims = "B=1 NH=1 T=256 S=256 hs=4 Br=64 Bc=64",
     .fill = fill_coarse,
     .note = "exactly four tiles of 64"},
    {.dims = "B=1 NH=2 T=64 S=64 hs=8 Br=16 Bc=32",
     .fill = fill_quiet,
     .note = "whole tiles"},
    {.dims = "B=1 NH=1 T=2 S=3 hs=2 Br=2 Bc=2",
     .fill = fill_two_sizes,
     .unit = TWO_SIZES_UNIT,
     .note = TWO_SIZES_NOTE},
    {.dims = "B=0 NH=2 T=3 S=4 hs=2 Br=2 Bc=3", .note = "a size of 0"},
    {.dims = "B=2 NH=0 T=3 S=4 hs=2 Br=2 Bc=3", .note = "a size of 0"},
    {.dims = "B=2 NH=2 T=0 S=4 hs=2 Br=2 Bc=3", .note = "a size of 0"},
    {.dims = "B=2 NH=2 T=3 S=0 hs=2 Br=2 Bc=3", .note = "a size of 0"},
    {.dims = "B=2 NH=2 T=3 S=4 hs=0 Br=2 Bc=3", .note = "a size of 0"},
    {.dims = "B=2 NH=2 T=3 S=4 hs=2 Br=0 Bc=3", .note = "a size of 0"},
    {.dims = "B=2 NH=2 T=3 S=4 hs=2 Br=2 Bc=0", .note = "a size of 0"},
    {.dims = "B=1 NH=3 T=1 S=6 hs=1 Br=1 Bc=3",
     .fill = fill_far_down,
     .note = FAR_DOWN_NOTE},
    {0},
};

// ---- mistakes -------------------------------------------------------------------------------

#define CAUSAL_ARGUMENTS                                                                 \
    float *out, float *logsumexp, size_t *visited, const struct flash_buffers *z,        \
        const float *q, const float *k, const float *v, size_t B, size_t NH, size_t T,   \
        size_t S, size_t hs, size_t Br, size_t Bc

// The last query of the tile that begins at t0.
static size_t last_query(const struct tiles *x, size_t t0)
{
    return t0 + x->Br < x->T ? t0 + x->Br - 1 : x->T - 1;
}

static bool visits_needed(const struct tiles *x, size_t t0, size_t s0)
{
    return s0 + x->T <= last_query(x, t0) + x->S;
}

// VISITS(name, condition): which tiles are visited, by t0, s0 and t, the tile's last query.
#define VISITS(name, condition)                                                          \
    static bool name(const struct tiles *x, size_t t0, size_t s0)                        \
    {                                                                                    \
        const size_t T = x->T, S = x->S, Br = x->Br, Bc = x->Bc, t = last_query(x, t0);  \
        (void)T, (void)S, (void)Br, (void)Bc, (void)t;                                   \
        return condition;                                                                \
    }

VISITS(visits_first_query, s0 + T <= t0 + S)
VISITS(visits_strictly, s0 + T < t + S)
VISITS(visits_from_start, s0 <= t)
VISITS(visits_last_key, s0 + Bc - 1 + T <= t + S)
VISITS(visits_by_index, s0 / Bc <= t0 / Br)
VISITS(visits_below_diagonal, s0 + Bc - 1 + T <= t0 + S)
VISITS(visits_one_more, s0 == 0 || s0 + T <= t + S + Bc)
VISITS(visits_next_query, s0 + T <= t + 1 + S)
VISITS(visits_at_least_one, s0 == 0 || s0 + T <= t + S)
VISITS(visits_future, s0 + Bc + T > t0 + S)

static bool sees_from_start(const struct tiles *x, size_t t, size_t s)
{
    (void)x;
    return s <= t;
}

static bool sees_all(const struct tiles *x, size_t t, size_t s)
{
    (void)x, (void)t, (void)s;
    return true;
}

// CAUSAL(name, change, count): right, with a change to x; count is what visited is.
#define CAUSAL(name, change, count)                                                      \
    static lab_status name(CAUSAL_ARGUMENTS)                                             \
    {                                                                                    \
        (void)z;                                                                         \
        struct tiles x =                                                                 \
            right_tiles(out, logsumexp, q, k, v, true, B, NH, T, S, hs, Br, Bc);         \
        x.visits = visits_needed;                                                        \
        if (T > 0 && S > 0 && Br > 0 && Bc > 0) {                                        \
            change;                                                                      \
        }                                                                                \
        LAB_TRY(run_tiles(&x));                                                          \
        const size_t all = count_visited(&x);                                            \
        (void)all;                                                                       \
        *visited = (count);                                                              \
        return LAB_OK;                                                                   \
    }

// How many tiles are visited under another rule than the one that the result follows.
static size_t count_by(struct tiles x, visits_rule *rule)
{
    x.visits = rule;
    return count_visited(&x);
}

static size_t rounded_up(size_t a, size_t b)
{
    return (a + b - 1) / b;
}

CAUSAL(causal_all_tiles, x.visits = visits_every_tile, all)
CAUSAL(causal_first_query, x.visits = visits_first_query, all)
CAUSAL(causal_strictly, x.visits = visits_strictly, all)
CAUSAL(causal_from_start, x.visits = visits_from_start, all)
CAUSAL(causal_from_start_and_sees,
       (x.visits = visits_from_start, x.sees = sees_from_start), all)
CAUSAL(causal_last_key, x.visits = visits_last_key, all)
CAUSAL(causal_by_index, x.visits = visits_by_index, all)
CAUSAL(causal_below_diagonal, x.visits = visits_below_diagonal, all)
CAUSAL(causal_one_more, (void)0, count_by(x, visits_one_more))
CAUSAL(causal_next_query, (void)0, count_by(x, visits_next_query))
CAUSAL(causal_at_least_one, (void)0, count_by(x, visits_at_least_one))
CAUSAL(causal_future, x.visits = visits_future, all)
CAUSAL(causal_no_mask, x.sees = sees_all, all)
CAUSAL(causal_from_1e9, x.merging = MAXIMUM_FROM_1E9, all)
CAUSAL(causal_one_head, (void)0, all / (B * NH))
CAUSAL(causal_one_sequence, (void)0, all / B)
CAUSAL(causal_skipped, (void)0, B *NH *rounded_up(T, Br) * rounded_up(S, Bc) - all)
CAUSAL(causal_scores, (void)0, all *Br *Bc)
CAUSAL(causal_merged, (void)0, all + B * NH * rounded_up(T, Br))
CAUSAL(causal_last_row, (void)0, rounded_up(S, Bc))

#define RULE_WHY                                                                               \
    "A tile is needed if its last query sees its first key: s0 <= t + S - T for t = min(t0 + " \
    "Br, T) - 1."
#define COUNT_WHY                                                                        \
    "visited counts the tiles of scores that were computed, over all sequences and heads."

static const struct mistake causal_mistakes[] = {
    {
        .id = "all-tiles",
        .what = "every tile is visited, even those in the future",
        .why = RULE_WHY,
        .source = NULL,
        .function = LIKE(flash_attention_causal, causal_all_tiles),
    },
    {
        .id = "first-query-asked",
        .what = "a tile is visited only if its first query sees its first key",
        .why = RULE_WHY,
        .source = NULL,
        .function = LIKE(flash_attention_causal, causal_first_query),
    },
    {
        .id = "strictly",
        .what = "a tile is not visited if only its last query sees its first key",
        .why = RULE_WHY " Compare with <=.",
        .source = NULL,
        .function = LIKE(flash_attention_causal, causal_strictly),
    },
    {
        .id = "tiles-aligned-at-the-start",
        .what = "tiles are chosen by s0 <= t, also where T and S differ",
        .why = RULE_WHY " The term S - T is missing.",
        .source = NULL,
        .function = LIKE(flash_attention_causal, causal_from_start),
    },
    {
        .id = "aligned-at-the-start",
        .what = "tiles and keys are chosen by s <= t, also where T and S differ",
        .why = "Query t sees key s if s <= t + S - T, so the last query sees every key.",
        .source = NULL,
        .function = LIKE(flash_attention_causal, causal_from_start_and_sees),
    },
    {
        .id = "last-key-asked",
        .what = "a tile is visited only if its last query sees its last key",
        .why = RULE_WHY,
        .source = NULL,
        .function = LIKE(flash_attention_causal, causal_last_key),
    },
    {
        .id = "by-number-of-tile",
        .what = "tile j of keys is visited by tile i of queries if j <= i",
        .why = RULE_WHY " Tile indices can be compared only if Br = Bc and T = S.",
        .source = NULL,
        .function = LIKE(flash_attention_causal, causal_by_index),
    },
    {
        .id = "diagonal-left-out",
        .what = "tiles on the diagonal are left out",
        .why = RULE_WHY " Some queries of such a tile see some of its keys.",
        .source = NULL,
        .function = LIKE(flash_attention_causal, causal_below_diagonal),
    },
    {
        .id = "one-tile-more",
        .what = "the first tile that is not needed is counted, too",
        .why = COUNT_WHY " Leave the loop before you compute it.",
        .source = NULL,
        .function = LIKE(flash_attention_causal, causal_one_more),
    },
    {
        .id = "at-least-one-tile",
        .what =
            "every tile of queries visits the first tile of keys, even if it sees no key",
        .why = RULE_WHY
        " With more queries than keys, the first tiles of queries visit none.",
        .source = NULL,
        .function = LIKE(flash_attention_causal, causal_at_least_one),
    },
    {
        .id = "future-only",
        .what = "the tiles in the past are left out",
        .why = RULE_WHY,
        .source = NULL,
        .function = LIKE(flash_attention_causal, causal_future),
    },
    {
        .id = "no-mask-in-tiles",
        .what = "in a tile that is visited, every query sees every key",
        .why =
            "On the diagonal some keys of a tile are in the future: pass the diagonal to "
            "partial_attention.",
        .source = NULL,
        .function = LIKE(flash_attention_causal, causal_no_mask),
    },
    {
        .id = "maximum-from-1e9",
        .what = "the maximum of a query starts at a number such as -1e9",
        .why = FAR_DOWN_WHY,
        .function = LIKE(flash_attention_causal, causal_from_1e9),
    },
    {
        .id = "visited-of-one-head",
        .what = "visited is that of one head",
        .why = COUNT_WHY " Set it to 0 once, before all loops.",
        .source = NULL,
        .function = LIKE(flash_attention_causal, causal_one_head),
    },
    {
        .id = "visited-of-one-sequence",
        .what = "visited is that of one sequence",
        .why = COUNT_WHY " Set it to 0 once, before all loops.",
        .source = NULL,
        .function = LIKE(flash_attention_causal, causal_one_sequence),
    },
    {
        .id = "skipped-counted",
        .what = "visited counts the tiles that were skipped",
        .why = COUNT_WHY,
        .source = NULL,
        .function = LIKE(flash_attention_causal, causal_skipped),
    },
    {
        .id = "scores-counted",
        .what = "visited counts scores, not tiles",
        .why = COUNT_WHY,
        .source = NULL,
        .function = LIKE(flash_attention_causal, causal_scores),
    },
    {
        .id = "one-more-for-each-row",
        .what = "visited counts one tile too many for each tile of queries",
        .why = COUNT_WHY,
        .source = NULL,
        .function = LIKE(flash_attention_causal, causal_merged),
    },
    {
        .id = "next-query-asked",
        .what = "a tile of keys is visited although only the next tile of queries sees "
                "its first key",
        .why =
            "The last query of the tile is t0 + rows - 1, and it sees key s if s + T <= "
            "t0 + rows - 1 + S.",
        .source = NULL,
        .function = LIKE(flash_attention_causal, causal_next_query),
    },
    {
        .id = "visited-of-last-queries",
        .what = "visited is that of the last tile of queries",
        .why = COUNT_WHY " Set it to 0 once, before all loops.",
        .source = NULL,
        .function = LIKE(flash_attention_causal, causal_last_row),
    },
    {0},
};

CAUSAL(causal_in_double, (void)0, all)

static const struct mistake causal_alternatives[] = {
    {.id = "in-double", .function = LIKE(flash_attention_causal, causal_in_double)},
    {0},
};

// ---- the exercise ---------------------------------------------------------------------------

static const struct part causal_parts[] = {
    {
        .function = "flash_attention_causal",
        .dims = "B NH T S hs Br Bc",
        .tensors =
            {
                {"out", "B NH T hs", OUTPUT, F32, OUT_TOLERANCE},
                {"logsumexp", "B NH T", OUTPUT, F32, LOGSUMEXP_TOLERANCE},
                {"visited", "1", OUTPUT, SIZE, 0, 0},
                FLASH_WORKSPACES,
                {"q", "B NH T hs", INPUT, F32, 0, 0},
                {"k", "B NH S hs", INPUT, F32, 0, 0},
                {"v", "B NH S hs", INPUT, F32, 0, 0},
            },
        .cases = causal_cases,
        .mistakes = causal_mistakes,
        .alternatives = causal_alternatives,
    },
    {0},
};

const struct exercise exercise_10_3 = {
    .id = "10.3",
    .name = "flash_attention_causal",
    .section = "10.3 Skipping tiles",
    .uses = {"10.1"},
    .hints =
        {
            "Draw T = 6, S = 6 with tiles of 2 x 3 and mark the keys that each query sees. Which "
            "query of a tile decides whether the tile is needed?",
            "Copy 10.2's loops. For the tile of queries t0 ... t0 + rows - 1, the last "
            "one sees the keys s <= t0 + rows - 1 + S - T: end the loop over s0 there. "
            "Without negative numbers: while s0 < S and s0 + T < t0 + rows + S. Count "
            "each tile that you compute.",
            "*visited = 0\n"
            "as in 10.2, but\n"
            "    for s0 = 0; s0 < S && s0 + T < t0 + rows + S; s0 += Bc:\n"
            "        partial_attention with diagonal = t0 + S - (s0 + T); merge\n"
            "        ++*visited",
        },
    .parts = causal_parts,
    .heap_kilobytes = HEAP_KILOBYTES,
    .heap_reason = HEAP_REASON,
};
