// rope_cases.c - see rope_cases.h.

#include "exercises/common/inputs.h"
#include "exercises/common/rope_cases.h"

#include <math.h>

#include "common/rng.h"

enum { NEAR = 40, FAR = 131072 }; // positions are below these

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

void rope_fill_gaps(struct test_case *test, struct lab_rng *rng)
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
    positions[case_count(test, "positions") - 1] = positions[0]; // occurs twice
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

// The first is in the upper half: as 16 bits with a sign it is negative.
static void fill_far(struct test_case *test, struct lab_rng *rng)
{
    size_t *positions = case_size(test, "positions");
    for (size_t t = 0; t < case_count(test, "positions"); t++) {
        positions[t] = (size_t)lab_rng_int(rng, t == 0 ? FAR / 4 * 3 : FAR / 2, FAR);
    }
}

// The first channel of the last row.
static void fill_nan(struct test_case *test, struct lab_rng *rng)
{
    const char *input = case_has(test, "x") ? "x" : "dy";
    rope_fill_gaps(test, rng);
    case_f32(test, input)[case_count(test, input) - case_dim(test, "hs")] = NAN;
}

// Code that limits its results must show.
static void fill_large(struct test_case *test, struct lab_rng *rng)
{
    rope_fill_gaps(test, rng);
    scale_input(test, case_has(test, "x") ? "x" : "dy",
                LARGE); // rope's, or rope_backward's
}

const struct case_spec rope_cases[] = {
    {.dims = "B=1 NH=1 T=2 hs=2", .fill = fill_from_zero, .note = "positions 0 and 1"},
    {.dims = "B=1 NH=1 T=3 hs=4", .fill = fill_from_zero},
    {.dims = "B=1 NH=2 T=3 hs=4", .fill = fill_from_zero},
    {.dims = "B=2 NH=2 T=2 hs=2", .fill = rope_fill_gaps, .note = "all sizes are 2"},
    {.dims = "B=1 NH=2 T=1 hs=6",
     .fill = fill_after_cache,
     .note = "one token after a cache: its position is not 0"},
    {.dims = "B=2 NH=3 T=4 hs=6",
     .fill = fill_after_cache,
     .note = "tokens after a cache: the first position is not 0"},
    {.dims = "B=2..3 NH=2..4 T=5..7 hs=8",
     .draws = 3,
     .fill = rope_fill_gaps,
     .note = "positions with gaps"},
    {.dims = "B=2 NH=2 T=5 hs=10",
     .fill = fill_any_order,
     .note = "positions in any order, one of them twice"},
    {.dims = "B=3 NH=1 T=4 hs=2", .fill = fill_any_order, .note = "one pair"},
    {.dims = "B=2 NH=3 T=4 hs=6",
     .draws = 2,
     .fill = fill_any_order,
     .note = "positions in any order, one of them twice"},
    {.dims = "B=1 NH=1 T=9 hs=4",
     .fill = fill_downwards,
     .note = "positions in descending order"},
    {.dims = "B=3 NH=5 T=2 hs=14", .fill = rope_fill_gaps, .note = "positions with gaps"},
    {.dims = "B=2 NH=2 T=259 hs=6",
     .fill = fill_any_order,
     .note = "positions in any order, most of them more than once"},
    {.dims = "B=257 NH=2 T=3 hs=2", .fill = fill_after_cache},
    {.dims = "B=2 NH=257 T=3 hs=4", .fill = fill_after_cache},
    {.dims = "B=1 NH=2 T=5 hs=1030", .fill = fill_any_order},
    {.dims = "B=17 NH=19 T=21 hs=22",
     .fill = fill_any_order,
     .note = "larger; positions in any order"},
    {.dims = "B=2 NH=3 T=67 hs=70", .fill = fill_any_order, .note = "larger"},
    {.dims = "B=2 NH=3 T=13 hs=128",
     .fill = fill_any_order,
     .note = "the width of LLaMA's heads"},
    {.dims = "B=1 NH=4 T=12 hs=128",
     .fill = fill_far,
     .note = "positions up to 131071: compute the angle in double"},
    {.dims = "B=3 NH=2 T=1 hs=6",
     .fill = fill_after_cache,
     .note = "one token in each sequence"},
    {.dims = "B=2 NH=2 T=256 hs=8", .fill = fill_any_order, .note = "exactly 256 tokens"},
    {.dims = "B=256 NH=2 T=3 hs=2",
     .fill = fill_after_cache,
     .note = "exactly 256 sequences"},
    {.dims = "B=2 NH=256 T=3 hs=4",
     .fill = fill_after_cache,
     .note = "exactly 256 heads"},
    {.dims = "B=1 NH=2 T=4 hs=256", .fill = fill_any_order, .note = "heads of width 256"},
    {.dims = "B=2 NH=4 T=64 hs=64", .fill = fill_any_order, .note = "T = hs = 64"},
    {.dims = "B=2 NH=1 T=3 hs=6", .fill = fill_large, .unit = LARGE, .note = LARGE_NOTE},
    {.dims = "B=2 NH=2 T=3 hs=5", .fill = fill_from_zero, .note = "hs is odd"},
    {.dims = "B=1 NH=2 T=3 hs=1", .fill = fill_from_zero, .note = "hs is odd"},
    {.dims = "B=2 NH=3 T=1 hs=2",
     .fill = rope_fill_gaps,
     .note = "one token of one pair, not at position 0"},
    {.dims = "B=0 NH=2 T=3 hs=4", .note = "a size of 0"},
    {.dims = "B=2 NH=0 T=3 hs=4", .fill = fill_from_zero, .note = "a size of 0"},
    {.dims = "B=2 NH=2 T=0 hs=4", .note = "a size of 0"},
    {.dims = "B=2 NH=2 T=3 hs=0", .fill = fill_from_zero, .note = "a size of 0"},
    // A grid has at most 65535 blocks along y: each size exceeds that once.
    {.dims = "B=65537 NH=1 T=1 hs=2",
     .fill = fill_after_cache,
     .note = "many sequences",
     .gpu_only = true},
    {.dims = "B=1 NH=65537 T=1 hs=2",
     .fill = fill_after_cache,
     .note = "many heads",
     .gpu_only = true},
    {.dims = "B=1 NH=1 T=65537 hs=2",
     .fill = fill_from_zero,
     .note = "many tokens",
     .gpu_only = true},
    {.dims = "B=1 NH=1 T=1 hs=65538",
     .fill = fill_after_cache,
     .note = "many channels",
     .gpu_only = true},
    {.dims = "B=1 NH=1 T=5003 hs=2",
     .fill = fill_from_zero,
     .note = "5003 tokens",
     .memory_only = true},
    {.dims = "B=1 NH=2 T=3 hs=4",
     .fill = fill_nan,
     .note = "the first number of the last row is NaN, and so is its pair",
     .nan = true},
    {0},
};
