// 02_flash_attention.c - exercise 10.2, flash_attention: cases and hints. 02a_ has the known mistakes.
//
// A kernel chooses its own tiles, so its known mistakes can only be named if they are those of the cases:
// Br = 16 and Bc = 32, as flash.cu has them when it is handed out. Cases with other tiles are for the
// CPU.

#include "exercises/exercise.h"
#include "exercises/10/02_flash_attention.h"
#include "exercises/10/far_down.h"
#include "exercises/10/heads.h"
#include "exercises/common/inputs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "10_flash_attention/flash_attention.h"

// ---- cases --------------------------------------------------------------------------------

#define KERNEL_TILES " Br=16 Bc=32"

// Only the last key has a value, and its score is 20 below the others: its weight is 1e-9, and so is out.
static void fill_20_below(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    const size_t S = case_dim(test, "S");
    set_all(test, "q", 1.0f);
    for (size_t s = 0; s < S; s++) {
        case_f32(test, "k")[s] = s < S - 1 ? 5.0f : -15.0f;
        case_f32(test, "v")[s] = s < S - 1 ? 0.0f : 1.0f;
    }
}

static const struct case_spec flash_cases[] = {
    {.dims = "B=1 NH=1 T=1 S=1 hs=1 causal=0 Br=1 Bc=1",
     .note = "one query, one key",
     .cpu_only = true},
    {.dims = "B=1 NH=1 T=1 S=3 hs=2 causal=0 Br=1 Bc=1",
     .note = "one query, each key a tile",
     .cpu_only = true},
    {.dims = "B=1 NH=1 T=2 S=4 hs=3 causal=0 Br=1 Bc=2",
     .note = "two tiles of keys",
     .cpu_only = true},
    {.dims = "B=1 NH=1 T=3 S=5 hs=2 causal=0 Br=2 Bc=3",
     .note = "the last tiles are smaller",
     .cpu_only = true},
    {.dims = "B=1 NH=1 T=2 S=3 hs=2 causal=0 Br=5 Bc=4",
     .note = "tiles larger than T and S",
     .cpu_only = true},
    {.dims = "B=1 NH=1 T=4 S=4 hs=2 causal=1 Br=2 Bc=2",
     .note = "causal, T = S",
     .cpu_only = true},
    {.dims = "B=1 NH=1 T=3 S=8 hs=2 causal=1 Br=2 Bc=3",
     .note = "causal, more keys than queries",
     .cpu_only = true},
    {.dims = "B=1 NH=1 T=7 S=4 hs=3 causal=1 Br=3 Bc=2",
     .note = "causal, more queries than keys: the first see no key",
     .cpu_only = true},
    {.dims = "B=1 NH=2 T=5 S=1 hs=4 causal=1 Br=2 Bc=3",
     .note = "causal, one key: only the last query sees it",
     .cpu_only = true},
    {.dims = "B=1 NH=3 T=4 S=6 hs=2 causal=0 Br=2 Bc=3",
     .note = "whole tiles",
     .cpu_only = true},
    {.dims = "B=2 NH=3 T=5 S=7 hs=4 causal=0 Br=3 Bc=2", .cpu_only = true},
    {.dims = "B=3 NH=2 T=6 S=9 hs=5 causal=1 Br=4 Bc=2", .cpu_only = true},
    {.dims = "B=2 NH=3 T=9 S=9 hs=4 causal=1 Br=4 Bc=3",
     .note = "causal, T = S",
     .cpu_only = true},
    {.dims = "B=2 NH=2 T=8 S=6 hs=3 causal=1 Br=1 Bc=1",
     .note = "every query and every key is a tile",
     .cpu_only = true},
    {.dims = "B=3 NH=3 T=3 S=3 hs=3 causal=1 Br=3 Bc=3",
     .note = "all sizes are 3",
     .cpu_only = true},
    {.dims = "B=2..3 NH=2..4 T=5..9 S=6..12 hs=3..7 causal=0 Br=2..4 Bc=2..5",
     .draws = 3,
     .cpu_only = true},
    {.dims = "B=2..3 NH=2..4 T=5..9 S=6..12 hs=3..7 causal=1 Br=2..4 Bc=2..5",
     .draws = 3,
     .cpu_only = true},
    {.dims = "B=2 NH=2 T=9..12 S=4..8 hs=3..6 causal=1 Br=2..5 Bc=2..5",
     .draws = 2,
     .note = "causal, more queries than keys: the first see no key",
     .cpu_only = true},
    {.dims = "B=2 NH=1 T=5 S=12 hs=4 causal=0 Br=2 Bc=3",
     .fill = fill_rising,
     .note = "every tile has a larger maximum than the one before",
     .cpu_only = true},
    {.dims = "B=1 NH=2 T=5 S=12 hs=4 causal=0 Br=2 Bc=3",
     .fill = fill_falling,
     .note = "the first tile has the largest scores",
     .cpu_only = true},
    {.dims = "B=2 NH=2 T=5 S=11 hs=7 causal=1 Br=2 Bc=4",
     .fill = fill_large_scores,
     .note = "large scores",
     .cpu_only = true},
    {.dims = "B=1 NH=4 T=10 S=16 hs=16 causal=0 Br=4 Bc=4",
     .fill = fill_exact,
     .note = EXACT_NOTE,
     .cpu_only = true},
    {.dims = "B=2 NH=1 T=16 S=16 hs=16 causal=1 Br=4 Bc=4",
     .fill = fill_far_below,
     .note = "all scores are near -10000",
     .cpu_only = true},
    {.dims = "B=1 NH=1 T=5 S=517 hs=3 causal=0 Br=2 Bc=64",
     .note = "many keys",
     .cpu_only = true},
    {.dims = "B=1 NH=1 T=2 S=3 hs=1031 causal=0 Br=2 Bc=3",
     .fill = fill_quiet,
     .note = "a wide head",
     .cpu_only = true},
    {.dims = "B=2 NH=3 T=37 S=67 hs=33 causal=1 Br=16 Bc=8",
     .fill = fill_quiet,
     .note = "larger, odd sizes",
     .cpu_only = true},
    {.dims = "B=256 NH=2 T=2 S=3 hs=2 causal=1 Br=2 Bc=2",
     .note = "256 sequences",
     .cpu_only = true},
    {.dims = "B=2 NH=256 T=2 S=3 hs=2 causal=0 Br=2 Bc=2",
     .note = "256 heads",
     .cpu_only = true},
    {.dims = "B=1 NH=1 T=1282 S=3 hs=2 causal=0 Br=1280 Bc=2",
     .note = "tiles of 1280 queries",
     .cpu_only = true},
    {.dims = "B=1 NH=1 T=3 S=1282 hs=2 causal=0 Br=2 Bc=1280",
     .note = "tiles of 1280 keys",
     .cpu_only = true},
    {.dims = "B=3 NH=2 T=1 S=5 hs=4 causal=1 Br=2 Bc=3",
     .note = "one query",
     .cpu_only = true},
    {.dims = "B=3 NH=2 T=4 S=1 hs=4 causal=0 Br=2 Bc=3",
     .note = "one key",
     .cpu_only = true},
    {.dims = "B=2 NH=3 T=4 S=5 hs=1 causal=0 Br=2 Bc=3",
     .note = "heads of width 1",
     .cpu_only = true},
    {.dims = "B=2 NH=2 T=5 S=7 hs=3 causal=1 Br=3 Bc=1",
     .note = "tiles of one key",
     .cpu_only = true},
    {.dims = "B=1 NH=1 T=256 S=256 hs=4 causal=1 Br=64 Bc=64",
     .note = "exactly four tiles of 64",
     .cpu_only = true},
    {.dims = "B=1 NH=2 T=3 S=7 hs=256 causal=0 Br=2 Bc=3",
     .fill = fill_quiet,
     .note = "a head of width 256",
     .cpu_only = true},
    {.dims = "B=3 NH=2 T=1 S=5 hs=4 causal=1 Br=16 Bc=32", .note = "one query"},
    {.dims = "B=3 NH=2 T=4 S=1 hs=4 causal=0 Br=16 Bc=32", .note = "one key"},
    {.dims = "B=2 NH=3 T=4 S=5 hs=1 causal=0 Br=16 Bc=32", .note = "heads of width 1"},
    {.dims = "B=2 NH=3 T=4 S=5 hs=1 causal=1 Br=16 Bc=32",
     .note = "causal, heads of width 1"},
    {.dims = "B=2 NH=2 T=4 S=3 hs=3 causal=0 Br=3 Bc=1",
     .note = "tiles of one key, more queries than keys",
     .cpu_only = true},
    {.dims = "B=1 NH=2 T=64 S=64 hs=64 causal=1 Br=16 Bc=32",
     .fill = fill_quiet,
     .note = "T = S = hs = 64: whole tiles"},
    {.dims = "B=1 NH=1 T=6823 S=1543 hs=2 causal=0 Br=64 Bc=64",
     .fill = fill_coarse,
     .note = "many queries and keys: T S scores take 10 megabytes at a byte each",
     .unit = 4,
     .memory_only = true},
    // With the tiles of a kernel.
    {.dims = "B=1 NH=1 T=1 S=1 hs=1 causal=0" KERNEL_TILES, .note = "one query, one key"},
    {.dims = "B=1 NH=1 T=2 S=3 hs=2 causal=0" KERNEL_TILES},
    {.dims = "B=1 NH=2 T=4 S=4 hs=3 causal=1" KERNEL_TILES, .note = "causal, T = S"},
    {.dims = "B=2 NH=3 T=5 S=7 hs=4 causal=0" KERNEL_TILES},
    {.dims = "B=2 NH=3 T=5 S=7 hs=4 causal=1" KERNEL_TILES,
     .note = "causal, more keys than queries"},
    {.dims = "B=3 NH=2 T=7 S=5 hs=4 causal=1" KERNEL_TILES,
     .note = "causal, more queries than keys: the first see no key"},
    {.dims = "B=3 NH=3 T=2 S=3 hs=2 causal=1" KERNEL_TILES,
     .note = "causal, more heads than queries and keys together"},
    {.dims = "B=1 NH=2 T=16 S=32 hs=4 causal=0" KERNEL_TILES, .note = "whole tiles"},
    {.dims = "B=1 NH=1 T=17 S=33 hs=5 causal=0" KERNEL_TILES,
     .note = "a second tile with one row"},
    {.dims = "B=1 NH=2 T=31 S=63 hs=6 causal=1" KERNEL_TILES,
     .note = "a second tile with one row too few"},
    {.dims = "B=2 NH=1 T=37 S=70 hs=5 causal=0" KERNEL_TILES, .note = "three tiles"},
    {.dims = "B=1 NH=2 T=69 S=69 hs=3 causal=1" KERNEL_TILES, .note = "causal, T = S"},
    {.dims = "B=1 NH=2 T=70 S=41 hs=4 causal=1" KERNEL_TILES,
     .note = "causal, more queries than keys: the first tiles see no key"},
    {.dims = "B=1 NH=1 T=3 S=100 hs=4 causal=0" KERNEL_TILES,
     .fill = fill_rising,
     .note = "every tile has a larger maximum than the one before"},
    {.dims = "B=1 NH=1 T=4 S=99 hs=4 causal=0" KERNEL_TILES,
     .fill = fill_falling,
     .note = "the first tile has the largest scores"},
    {.dims = "B=1 NH=2 T=20 S=71 hs=7 causal=1" KERNEL_TILES,
     .fill = fill_large_scores,
     .note = "large scores"},
    {.dims = "B=1 NH=4 T=10 S=64 hs=16 causal=0" KERNEL_TILES,
     .fill = fill_exact,
     .note = EXACT_NOTE},
    {.dims = "B=1 NH=1 T=36 S=64 hs=16 causal=1" KERNEL_TILES,
     .fill = fill_far_below,
     .note = "all scores are near -10000"},
    {.dims = "B=1 NH=1 T=18 S=35 hs=128 causal=1" KERNEL_TILES,
     .fill = fill_quiet,
     .note = "the widest head of a kernel"},
    {.dims = "B=1 NH=2 T=9 S=34 hs=67 causal=0" KERNEL_TILES,
     .fill = fill_quiet,
     .note = "a wide head"},
    {.dims = "B=5 NH=7 T=3 S=4 hs=2 causal=0" KERNEL_TILES, .note = "many heads"},
    // A case with .nan is judged by the part's nan_call.
    {.dims = "B=1 NH=1 T=2 S=3 hs=129 causal=0" KERNEL_TILES,
     .note = "hs is 129: too wide for the kernel",
     .gpu_only = true,
     .nan = true},
    {.dims = "B=1 NH=1 T=1 S=3 hs=1 causal=0" KERNEL_TILES,
     .fill = fill_20_below,
     .unit = 1e-12f,
     .note = BELOW_20_NOTE},
    {.dims = "B=1 NH=1 T=1 S=3 hs=2 causal=0" KERNEL_TILES,
     .fill = fill_two_sizes,
     .unit = TWO_SIZES_UNIT,
     .note = TWO_SIZES_NOTE},
    // A grid ends at 65535 blocks along y and z.
    {.dims = "B=1 NH=65537 T=1 S=2 hs=1 causal=0 Br=16 Bc=32",
     .fill = fill_heads_alike,
     .note = MANY_HEADS_NOTE,
     .gpu_only = true,
     .launch_only = true},
    {.dims = "B=0 NH=2 T=3 S=4 hs=2 causal=1" KERNEL_TILES, .note = "a size of 0"},
    {.dims = "B=2 NH=0 T=3 S=4 hs=2 causal=0" KERNEL_TILES, .note = "a size of 0"},
    {.dims = "B=2 NH=2 T=0 S=4 hs=2 causal=1" KERNEL_TILES, .note = "a size of 0"},
    {.dims = "B=2 NH=2 T=3 S=0 hs=2 causal=0" KERNEL_TILES, .note = "a size of 0"},
    {.dims = "B=2 NH=2 T=3 S=4 hs=0 causal=1" KERNEL_TILES, .note = "a size of 0"},
    {.dims = "B=2 NH=2 T=3 S=4 hs=2 causal=0 Br=0 Bc=3",
     .note = "a size of 0",
     .cpu_only = true},
    {.dims = "B=2 NH=2 T=3 S=4 hs=2 causal=0 Br=2 Bc=0",
     .note = "a size of 0",
     .cpu_only = true},
    {.dims = "B=1 NH=3 T=2 S=64 hs=1 causal=0" KERNEL_TILES,
     .fill = fill_far_down,
     .note = FAR_DOWN_NOTE},
    {MOST("B=1 NH=1 T=2 S=2 hs=1 causal=0 Br=16 Bc=32", "T")},
    {MOST("B=1 NH=1 T=2 S=2 hs=1 causal=0 Br=16 Bc=32", "S")},
    {MOST_CALLS("B=2 NH=1 T=1 S=2 hs=1 causal=0 Br=16 Bc=32", "B")},
    {0},
};

// ---- properties ---------------------------------------------------------------------------

static const struct property flash_properties[] = {
    {
        .id = "keys-in-any-order",
        .claim = "the same keys and values in the opposite order give the same result",
        .dims = "B=1 NH=2 T=4 S=35 hs=3 causal=0" KERNEL_TILES,
        .change = change_order_of_keys,
        HOLDS(near_results),
    },
    {
        .id = "future-keys-do-not-matter",
        .claim = "changing the last key and value changes only the last query's result",
        .dims = "B=2 NH=1 T=17 S=34 hs=3 causal=1" KERNEL_TILES,
        .change = change_last_key,
        HOLDS(earlier_queries_stay),
    },
    {0},
};

// ---- tables -------------------------------------------------------------------------------

static const struct part flash_part[] = {
    {
        .function = "flash_attention",
        .dims = "B NH T S hs causal Br Bc",
        .cpu_dims = "Br Bc",
        .tensors =
            {
                {"out", "B NH T hs", OUTPUT, F32, OUT_TOLERANCE},
                {"logsumexp", "B NH T", OUTPUT, F32, LOGSUMEXP_TOLERANCE},
                FLASH_WORKSPACES,
                {"q", "B NH T hs", INPUT, F32, 0, 0},
                {"k", "B NH S hs", INPUT, F32, 0, 0},
                {"v", "B NH S hs", INPUT, F32, 0, 0},
            },
        .cases = flash_cases,
        .properties = flash_properties,
        .mistakes = flash_mistakes,
        .alternatives = flash_alternatives,
        .nan_call = refuse_wide_heads,
    },
    {0},
};

const struct exercise exercise_10_2 = {
    .id = "10.2",
    .name = "flash_attention",
    .section = "10.2 Tiles",
    .uses = {"10.1"},
    .gpu_uses = {NULL},
    .hints =
        {
            "A tile of queries takes the tiles of keys one after another. What does it start "
            "with, what does it do with the part of each tile, and what is left for the end?",
            "For each head, for each t0 = 0, Br, ...: rows = min(Br, T - t0); max "
            "-INFINITY, sum 0, weighted 0. For each s0 = 0, Bc, ...: partial_attention "
            "over min(Bc, S - s0) keys with diagonal = t0 + S - T - s0 (as ptrdiff_t; "
            "at least the number of keys if causal is false), then "
            "online_softmax_merge. After that loop: out = weighted / sum, logsumexp = "
            "max + log(sum).",
            "for i < B*NH: for t0 = 0; t0 < T; t0 += Br:\n"
            "    rows = min(Br, T - t0)\n"
            "    max[r] = -INFINITY, sum[r] = 0, weighted[r] = 0 for r < rows\n"
            "    for s0 = 0; s0 < S; s0 += Bc:\n"
            "        keys = min(Bc, S - s0)\n"
            "        diagonal = causal ? (ptrdiff_t)(t0 + S) - (ptrdiff_t)(s0 + T) : keys\n"
            "        partial_attention(tile_max, tile_sum, tile_weighted, scores,\n"
            "            q + (i*T + t0)*hs, k + (i*S + s0)*hs, v + (i*S + s0)*hs, rows, keys, "
            "hs, diagonal)\n"
            "        online_softmax_merge(max, sum, weighted, tile_max, tile_sum, "
            "tile_weighted, rows, hs)\n"
            "    out = weighted / sum (0 where sum is 0); logsumexp = max + logf(sum)",
        },
    .gpu_hints =
        {
            "Which numbers does every thread of the block need, and which only the warp that works "
            "on a query? Where must all threads wait for each other in the loop over the tiles of "
            "keys?",
            "Shared memory holds a tile of queries, of keys and of values. You need a "
            "barrier after the keys and values are loaded, and another before the next "
            "ones overwrite them; every thread reaches both. In between, a warp works "
            "on its queries. A lane computes the score of its key (-INFINITY if the "
            "query does not see it); shuffles give the largest score and the sum. "
            "Multiply the old sum and weighted values by exp(old maximum - new one).",
            "for s0 = 0; s0 < keys that the tile's last query sees; s0 += Bc:\n"
            "    all threads load k and v, rows past S as 0; __syncthreads()\n"
            "    for each query r of the warp that exists:\n"
            "        score = s0 + lane is seen ? q[r] . k[lane] * scale : -INFINITY\n"
            "        m = max(max[r], warp maximum of score); shift = m == -INFINITY "
            "? 0 : m\n"
            "        weight = expf(score - shift); factor = expf(max[r] - shift)\n"
            "        sum[r] = factor*sum[r] + warp sum of weight\n"
            "        weighted[r] *= factor; for each seen key s: weighted[r] += "
            "weight of lane s (by shuffle) * v[s]\n"
            "    __syncthreads()\n"
            "out = weighted / sum (0 where sum is 0), logsumexp = max + logf(sum) by "
            "one lane",
        },
    .parts = flash_part,
    .heap_kilobytes = HEAP_KILOBYTES,
    .heap_reason = HEAP_REASON,
};
