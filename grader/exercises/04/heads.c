// heads.c - see heads.h.

#include "exercises/exercise.h"
#include "exercises/04/heads.h"
#include "exercises/common/inputs.h"

#include "04_multi_head/heads.h"

// The student archive need not store the numbers of large cases.
static void fill_even(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    case_even(test, "x");
}

static void fill_every_size(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    rows_of_every_size(test, "x", 1);
}

static void repeated(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    repeat_numbers(test, "x", 1);
}

const struct case_spec heads_cases[] = {
    {.dims = "B=1 T=1 C=1 NH=1 hs=1"},
    {.dims = "B=1 T=2 C=4 NH=2 hs=2"},
    {.dims = "B=1 T=3 C=2 NH=1 hs=2", .note = "one head"},
    {.dims = "B=1 T=2 C=3 NH=3 hs=1", .note = "one channel in each head"},
    {.dims = "B=2 T=3 C=6 NH=3 hs=2", .note = "T = NH"},
    {.dims = "B=2 T=2 C=4 NH=2 hs=2", .note = "B, T, NH and hs are 2"},
    {.dims = "B=2 T=3 C=6 NH=2 hs=3", .note = "T = hs"},
    {.dims = "B=2 T=4 C=6 NH=2 hs=3", .draws = 2},
    {.dims = "B=3 T=2 C=20 NH=4 hs=5"},
    {.dims = "B=2..4 T=5..9 C=24 NH=4 hs=6", .draws = 2},
    {.dims = "B=2..4 T=5..9 C=21 NH=3 hs=7", .draws = 2},
    {.dims = "B=2..4 T=2..3 C=35 NH=7 hs=5", .draws = 2},
    {.dims = "B=9 T=2 C=15 NH=3 hs=5"},
    {.dims = "B=5 T=7 C=6 NH=6 hs=1"},
    {.dims = "B=257 T=3 C=10 NH=5 hs=2", .fill = fill_even, .all_set = true},
    {.dims = "B=2 T=261 C=15 NH=3 hs=5", .fill = fill_even, .all_set = true},
    {.dims = "B=3 T=2 C=777 NH=259 hs=3", .fill = fill_even, .all_set = true},
    {.dims = "B=1 T=2 C=523 NH=523 hs=1", .fill = fill_even, .all_set = true},
    {.dims = "B=2 T=3 C=3093 NH=3 hs=1031", .fill = fill_even, .all_set = true},
    {.dims = "B=17 T=19 C=483 NH=21 hs=23",
     .fill = fill_even,
     .all_set = true,
     .note = "larger, odd sizes"},
    {.dims = "B=3 T=67 C=345 NH=5 hs=69",
     .fill = fill_even,
     .all_set = true,
     .note = "larger, odd sizes"},
    {.dims = "B=3 T=1 C=6 NH=2 hs=3", .note = "one token in each sequence"},
    {.dims = "B=3 T=4 C=5 NH=1 hs=5", .note = "one head"},
    {.dims = "B=3 T=2 C=1 NH=1 hs=1", .note = "one channel"},
    {.dims = "B=256 T=3 C=8 NH=4 hs=2",
     .fill = fill_even,
     .all_set = true,
     .note = "exactly 256 sequences"},
    {.dims = "B=2 T=256 C=12 NH=3 hs=4",
     .fill = fill_even,
     .all_set = true,
     .note = "exactly 256 tokens"},
    {.dims = "B=3 T=2 C=768 NH=256 hs=3",
     .fill = fill_even,
     .all_set = true,
     .note = "exactly 256 heads"},
    {.dims = "B=2 T=5 C=768 NH=3 hs=256",
     .fill = fill_even,
     .all_set = true,
     .note = "heads of width 256"},
    {.dims = "B=2 T=64 C=256 NH=4 hs=64",
     .fill = fill_even,
     .all_set = true,
     .note = "T = hs = 64"},
    {.dims = "B=2 T=3 C=7 NH=2 hs=3", .note = "NH does not divide C"},
    {.dims = "B=2 T=3 C=2 NH=3 hs=1", .note = "more heads than channels"},
    {.dims = "B=2 T=3 C=6 NH=0 hs=6", .note = "a size of 0"},
    {.dims = "B=0 T=3 C=6 NH=2 hs=3", .note = "a size of 0"},
    {.dims = "B=2 T=0 C=6 NH=2 hs=3", .note = "a size of 0"},
    {.dims = "B=2 T=3 C=0 NH=2 hs=0", .note = "a size of 0"},
    {.dims = "B=1 T=3 C=10 NH=2 hs=5", .fill = fill_every_size, .note = EVERY_SIZE_NOTE},
    // A grid ends at 65535 blocks along y and z.
    {.dims = "B=65537 T=1 C=1 NH=1 hs=1",
     .note = "65537 sequences",
     .gpu_only = true,
     .launch_only = true},
    // 327685 numbers: more than 1024 blocks of 256 threads.
    {.dims = "B=1 T=65537 C=5 NH=1 hs=5",
     .note = "65537 tokens",
     .gpu_only = true,
     .launch_only = true},
    {.dims = "B=1 T=1 C=65537 NH=65537 hs=1",
     .note = "65537 heads",
     .gpu_only = true,
     .launch_only = true},
    {MOST("B=1 T=2 C=2 NH=2 hs=1", "T")},
    {MORE_THAN_16_BITS("B=65543 T=1 C=1 NH=1 hs=1", repeated, "65543 sequences")},
    {MORE_THAN_16_BITS("B=1 T=65543 C=1 NH=1 hs=1", repeated, "65543 tokens")},
    {MORE_THAN_16_BITS("B=1 T=1 C=65543 NH=65543 hs=1", repeated, "65543 heads")},
    {0},
};
