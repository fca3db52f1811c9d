// 04_grouped_query_attention.c - exercise 9.4, grouped_query_attention: cases and hints.

#include "exercises/exercise.h"
#include "exercises/09/04_grouped_query_attention.h"
#include "exercises/09/glance.h"
#include "exercises/common/inputs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/rng.h"

// ---- cases --------------------------------------------------------------------------------

static void fill_no_mask(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    case_absent(test, "mask");
}

// Every query has an allowed key and, with more than one key, a forbidden one.
static void fill_mask(struct test_case *test, struct lab_rng *rng)
{
    const size_t S = case_dim(test, "S");
    uint8_t *mask = case_u8(test, "mask");
    for (size_t n = 0; n < case_count(test, "mask") / S; n++) {
        const size_t may = lab_rng_next32(rng) % S;
        mask[n * S + (may + 1) % S] = 0;
        mask[n * S + may] = 1;
    }
}

// One query of every sequence sees nothing, another one in each.
static void fill_empty_rows(struct test_case *test, struct lab_rng *rng)
{
    fill_mask(test, rng);
    const size_t T = case_dim(test, "T"), S = case_dim(test, "S");
    for (size_t b = 0; b < case_dim(test, "B"); b++) {
        memset(case_u8(test, "mask") + (b * T + (b + 1) % T) * S, 0, S);
    }
}

static void fill_nothing_allowed(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    memset(case_u8(test, "mask"), 0, case_count(test, "mask"));
}

static void fill_large(struct test_case *test, struct lab_rng *rng)
{
    fill_mask(test, rng);
    scale_input(test, "q", 5.0f);
}

// Every score is 0, and so is the largest.
static void fill_zero_queries(struct test_case *test, struct lab_rng *rng)
{
    fill_empty_rows(test, rng);
    scale_input(test, "q", 0.0f);
}

// For wide heads: even scores that are wrongly multiplied stay small enough for a float.
static void fill_wide(struct test_case *test, struct lab_rng *rng)
{
    fill_empty_rows(test, rng);
    scale_input(test, "q", 0.1f);
}

static void fill_wide_no_mask(struct test_case *test, struct lab_rng *rng)
{
    fill_no_mask(test, rng);
    scale_input(test, "q", 0.1f);
}

enum { EXTREME_WIDTH = 16, EXTREME_KINDS = 4 };

// Exact scores: with hs = 16 the scale is 1/4, and query t selects one channel of the keys.
// Channel 0 holds whole numbers near 10000000, which every fifth query negates. In the others,
// the first, the last or a middle key is more than 100 ahead of the rest. With NH = 16 and NKV = 4
// most wrong scales are exact, too.
static void fill_extreme(struct test_case *test, struct lab_rng *rng)
{
    enum { WIDTH = EXTREME_WIDTH, KINDS = EXTREME_KINDS };
    fill_mask(test, rng);
    const size_t T = case_dim(test, "T"), S = case_dim(test, "S");
    const size_t ahead[KINDS] = {S, 0, S - 1, S / 2};
    float *q = case_f32(test, "q"), *k = case_f32(test, "k");
    memset(q, 0, case_count(test, "q") * sizeof *q);
    for (size_t row = 0; row < case_count(test, "q") / WIDTH; row++) {
        const size_t kind = row % T % (KINDS + 1);
        q[row * WIDTH + kind % KINDS] = kind == KINDS ? -4.0f : 4.0f;
    }
    for (size_t row = 0; row < case_count(test, "k") / WIDTH; row++) {
        k[row * WIDTH] = 1e7f + (float)lab_rng_int(rng, 0, 4);
        for (size_t c = 1; c < KINDS; c++) {
            k[row * WIDTH + c] =
                (float)lab_rng_int(rng, -3, 4) + (row % S == ahead[c] ? 107.0f : 0.0f);
        }
    }
    for (size_t i = 0; i < case_count(test, "mask"); i++) { // the key ahead is allowed
        uint8_t *may = case_u8(test, "mask") + i;
        *may = *may || i % S == 0 || i % S == S - 1 || i % S == S / 2;
    }
}

static void fill_extreme_no_mask(struct test_case *test, struct lab_rng *rng)
{
    fill_extreme(test, rng);
    case_absent(test, "mask");
}

static void fill_low(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    case_absent(test, "mask");
    fill_low_scores(test, "k", case_dim(test, "S"));
}

static void fill_many(struct test_case *test, struct lab_rng *rng)
{
    fill_mask(test, rng);
    case_coarse(test, "k");
    case_coarse(test, "v");
}

static void fill_many_channels(struct test_case *test, struct lab_rng *rng)
{
    fill_no_mask(test, rng);
    case_coarse(test, "k");
    case_coarse(test, "v");
    scale_input(test, "q", 0.1f);
}

// Few different numbers, so that the student archive stores few.
static void fill_many_keys(struct test_case *test, struct lab_rng *rng)
{
    fill_no_mask(test, rng);
    case_coarse(test, "q");
    case_coarse(test, "k");
    case_coarse(test, "v");
}

// A number of the last value, whose weight is not 0.
static void fill_nan_value(struct test_case *test, struct lab_rng *rng)
{
    fill_no_mask(test, rng);
    case_f32(test, "v")[case_count(test, "v") - 1] = NAN;
}

static void fill_20_below(struct test_case *test, struct lab_rng *rng)
{
    fill_no_mask(test, rng);
    heads_below(test, "q", "k", "v", 20.0f);
}

static void fill_80_below(struct test_case *test, struct lab_rng *rng)
{
    fill_no_mask(test, rng);
    heads_below(test, "q", "k", "v", 80.0f);
}

// Without the last key's score, the maximum is 0, and the exponential overflows.
static void fill_last_ahead(struct test_case *test, struct lab_rng *rng)
{
    const size_t S = case_dim(test, "S"), hs = case_dim(test, "hs");
    fill_no_mask(test, rng);
    set_all(test, "q", 1.0f);
    set_all(test, "k", 0.0f);
    set_channel(test, "k", S * hs, (S - 1) * hs, 200.0f);
}

#define EXTREME_NOTE                                                                     \
    "scores near 10000000 and -10000000, or one key ahead of the others by 100"

static const struct case_spec gqa_cases[] = {
    {.dims = "B=1 NH=1 NKV=1 T=1 S=1 hs=1", .fill = fill_no_mask, .note = "one key"},
    {.dims = "B=1 NH=4 NKV=2 T=1 S=2 hs=2", .fill = fill_no_mask, .note = "no mask"},
    {.dims = "B=2 NH=4 NKV=2 T=1 S=5 hs=3",
     .fill = fill_no_mask,
     .note = "no mask, one query"},
    {.dims = "B=5 NH=4 NKV=2 T=1 S=5 hs=1",
     .fill = fill_mask,
     .note = "more sequences than heads"},
    {.dims = "B=1 NH=6 NKV=3 T=3 S=4 hs=4", .fill = fill_mask},
    {.dims = "B=2 NH=6 NKV=3 T=4 S=5 hs=3", .fill = fill_no_mask, .note = "no mask"},
    {.dims = "B=2 NH=4 NKV=4 T=3 S=5 hs=2",
     .fill = fill_mask,
     .note = "NKV is NH: every head has its own keys"},
    {.dims = "B=2 NH=3 NKV=3 T=3 S=5 hs=4",
     .fill = fill_no_mask,
     .note = "NKV is NH, no mask"},
    {.dims = "B=3 NH=4 NKV=2 T=5 S=5 hs=3", .fill = fill_mask, .note = "T = S"},
    {.dims = "B=2 NH=4 NKV=2 T=4 S=4 hs=5",
     .fill = fill_no_mask,
     .note = "T = S, no mask"},
    {.dims = "B=2 NH=6 NKV=3 T=4 S=7 hs=5", .draws = 2, .fill = fill_mask},
    {.dims = "B=3 NH=4 NKV=2 T=5 S=4 hs=3",
     .fill = fill_empty_rows,
     .note = "some queries have no allowed key"},
    {.dims = "B=2 NH=4 NKV=2 T=3 S=5 hs=2",
     .fill = fill_nothing_allowed,
     .note = "no query has an allowed key"},
    {.dims = "B=2 NH=4 NKV=2 T=5 S=9 hs=7", .fill = fill_large, .note = "large scores"},
    {.dims = "B=2 NH=4 NKV=2 T=3 S=5 hs=16", .fill = fill_low, .note = LOW_NOTE},
    {.dims = "B=2..3 NH=12 NKV=4 T=5..6 S=7..8 hs=3", .draws = 3, .fill = fill_mask},
    {.dims = "B=9 NH=6 NKV=3 T=2 S=4 hs=5",
     .fill = fill_mask,
     .note = "more sequences than heads"},
    {.dims = "B=2 NH=16 NKV=4 T=5 S=7 hs=16",
     .fill = fill_extreme_no_mask,
     .note = EXTREME_NOTE},
    {.dims = "B=3 NH=16 NKV=4 T=6 S=23 hs=16",
     .fill = fill_extreme,
     .note = EXTREME_NOTE},
    {.dims = "B=1 NH=4 NKV=2 T=3 S=1031 hs=5", .fill = fill_many, .note = "many keys"},
    {.dims = "B=1 NH=4 NKV=2 T=259 S=3 hs=7",
     .fill = fill_empty_rows,
     .note = "many queries"},
    {.dims = "B=1 NH=4 NKV=2 T=2 S=3 hs=1031", .fill = fill_wide, .note = "a wide head"},
    {.dims = "B=261 NH=4 NKV=2 T=2 S=3 hs=2",
     .fill = fill_mask,
     .note = "many sequences"},
    {.dims = "B=1 NH=258 NKV=129 T=3 S=2 hs=3", .fill = fill_mask, .note = "many heads"},
    {.dims = "B=1 NH=512 NKV=256 T=2 S=3 hs=2",
     .fill = fill_mask,
     .cpu_only = true,
     .note = "256 heads of keys"},
    {.dims = "B=2 NH=6 NKV=3 T=67 S=71 hs=65",
     .fill = fill_wide,
     .note = "larger, odd sizes"},
    {.dims = "B=1 NH=6 NKV=3 T=35 S=69 hs=67",
     .fill = fill_wide_no_mask,
     .note = "no mask; larger, odd sizes"},
    {.dims = "B=7 NH=20 NKV=5 T=23 S=21 hs=17",
     .fill = fill_mask,
     .cpu_only = true,
     .note = "larger, odd sizes"},
    // A head's group is its number divided by G. Divided by NKV it is outside of k here.
    {.dims = "B=3 NH=4 NKV=2 T=7 S=1 hs=4",
     .fill = fill_empty_rows,
     .note = "one key, which some queries may not see"},
    {.dims = "B=3 NH=6 NKV=3 T=5 S=7 hs=1",
     .fill = fill_mask,
     .note = "heads of width 1"},
    {.dims = "B=256 NH=4 NKV=2 T=2 S=3 hs=2",
     .fill = fill_mask,
     .note = "exactly 256 sequences"},
    {.dims = "B=1 NH=256 NKV=128 T=3 S=2 hs=3",
     .fill = fill_mask,
     .note = "exactly 256 heads"},
    {.dims = "B=1 NH=4 NKV=2 T=256 S=3 hs=7",
     .fill = fill_empty_rows,
     .note = "exactly 256 queries"},
    {.dims = "B=1 NH=4 NKV=2 T=3 S=1024 hs=5",
     .fill = fill_many,
     .note = "exactly 1024 keys"},
    {.dims = "B=2 NH=4 NKV=2 T=5 S=7 hs=256",
     .fill = fill_wide,
     .note = "a head of width 256"},
    {.dims = "B=1 NH=4 NKV=2 T=64 S=64 hs=64",
     .fill = fill_wide,
     .note = "T = S = hs = 64"},
    {.dims = "B=2 NH=3 NKV=1 T=4 S=5 hs=2",
     .fill = fill_mask,
     .note = "NKV is 1: all heads share their keys",
     .apart = true},
    {.dims = "B=1 NH=5 NKV=1 T=1 S=6 hs=3",
     .fill = fill_no_mask,
     .note = "NKV is 1, one query, no mask",
     .apart = true},
    {.dims = "B=2 NH=8 NKV=2 T=3 S=5 hs=4",
     .fill = fill_empty_rows,
     .note = "4 heads of queries share a head of keys",
     .apart = true},
    {.dims = "B=1 NH=32 NKV=8 T=2 S=9 hs=3",
     .fill = fill_mask,
     .note = "the heads of Llama 3 8B"},
    {.dims = "B=2 NH=5 NKV=2 T=3 S=4 hs=3",
     .fill = fill_no_mask,
     .note = "NKV does not divide NH"},
    {.dims = "B=2 NH=8 NKV=3 T=3 S=4 hs=3",
     .fill = fill_mask,
     .note = "NKV does not divide NH"},
    {.dims = "B=2 NH=2 NKV=4 T=3 S=4 hs=3",
     .fill = fill_mask,
     .note = "NKV is larger than NH"},
    {.dims = "B=5 NH=2 NKV=1 T=4 S=3 hs=1",
     .fill = fill_no_mask,
     .note = "more queries than keys, heads of width 1, no mask"},
    {.dims = "B=0 NH=4 NKV=2 T=3 S=4 hs=2", .note = "a size of 0"},
    {.dims = "B=2 NH=0 NKV=2 T=3 S=4 hs=2", .note = "a size of 0"},
    {.dims = "B=2 NH=4 NKV=0 T=3 S=4 hs=2", .note = "a size of 0"},
    {.dims = "B=2 NH=4 NKV=2 T=0 S=4 hs=2", .note = "a size of 0"},
    {.dims = "B=2 NH=4 NKV=2 T=3 S=0 hs=2", .note = "a size of 0"},
    {.dims = "B=2 NH=4 NKV=2 T=3 S=4 hs=0", .note = "a size of 0"},
    {.dims = "B=2 NH=4 NKV=2 T=3 S=5 hs=4",
     .fill = fill_zero_queries,
     .note = "queries of zeros: equal weights"},
    // 48 KiB of shared memory hold 12288 floats.
    {.dims = "B=1 NH=1 NKV=1 T=1 S=12301 hs=2",
     .fill = fill_many_keys,
     .note = "more than 12288 keys",
     .gpu_only = true},
    // A grid ends at 65535 blocks along y and z.
    {.dims = "B=65537 NH=1 NKV=1 T=1 S=1 hs=1",
     .fill = fill_no_mask,
     .note = "65537 sequences",
     .gpu_only = true,
     .launch_only = true},
    {.dims = "B=1 NH=65538 NKV=2 T=1 S=1 hs=1",
     .fill = fill_no_mask,
     .note = "65538 heads",
     .gpu_only = true,
     .launch_only = true},
    {.dims = "B=1 NH=1 NKV=1 T=65537 S=1 hs=1",
     .fill = fill_no_mask,
     .note = "65537 queries",
     .gpu_only = true,
     .launch_only = true},
    // A mask that is chosen by the head is that of sequence 0 here.
    {.dims = "B=3 NH=1 NKV=1 T=4 S=5 hs=3",
     .fill = fill_mask,
     .note = "one head",
     .apart = true},
    {.dims = "B=1 NH=1 NKV=1 T=2 S=3 hs=4",
     .fill = fill_20_below,
     .note = BELOW_20_NOTE,
     .unit = BELOW_20_UNIT},
    {.dims = "B=1 NH=1 NKV=1 T=2 S=3 hs=4",
     .fill = fill_80_below,
     .note = BELOW_80_NOTE,
     .unit = BELOW_80_UNIT},
    {.dims = "B=1 NH=2 NKV=1 T=1 S=131 hs=2",
     .fill = fill_last_ahead,
     .note = "the last of 131 keys is ahead by 141"},
    {.dims = "B=1 NH=2 NKV=1 T=1 S=3 hs=5003",
     .fill = fill_many_channels,
     .note = "a head of width 5003",
     .memory_only = true},
    {.dims = "B=2 NH=4 NKV=2 T=2 S=1 hs=4",
     .fill = fill_nan_value,
     .note = "the last number of v is NaN",
     .nan = true},
    {MOST("B=1 NH=1 NKV=1 T=2 S=2 hs=2", "T"), .fill = fill_no_mask},
    {MOST("B=1 NH=1 NKV=1 T=2 S=2 hs=2", "S"), .fill = fill_no_mask},
    {MOST("B=1 NH=1 NKV=1 T=2 S=2 hs=2", "hs"), .fill = fill_no_mask},
    {0},
};

// BEGIN HANDED OUT
enum { CHANGED_HEAD = 1 }; // the head of keys and values whose numbers change
// END HANDED OUT

static void change_one_head(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    static const char *const names[] = {"k", "v"};
    const size_t heads = case_dim(second, "B") * case_dim(second, "NKV");
    for (size_t n = 0; n < 2; n++) {
        const size_t width = case_count(second, names[n]) / heads;
        for (size_t i = 0; i < heads * width; i++) {
            const bool changed = i / width % case_dim(second, "NKV") == CHANGED_HEAD;
            case_f32(second, names[n])[i] *= changed ? -2.0f : 1.0f;
        }
    }
}

// BEGIN HANDED OUT
static bool other_groups_stay(const struct test_case *first,
                              const struct test_case *second, const char *output,
                              char *why, size_t why_size)
{
    const size_t NH = case_dim(first, "NH"), G = NH / case_dim(first, "NKV");
    const size_t width = case_count(first, output) / (case_dim(first, "B") * NH);
    const float *before = case_got(first, output), *after = case_got(second, output);
    for (size_t i = 0; i < case_count(first, output); i++) {
        const size_t h = i / width % NH;
        if (h / G != CHANGED_HEAD && memcmp(before + i, after + i, sizeof *before) != 0) {
            snprintf(why, why_size,
                     "keys and values of head %d changed, for query heads %zu to %zu, "
                     "and %s of query head %zu went from %.9g to %.9g",
                     CHANGED_HEAD, CHANGED_HEAD * G, (CHANGED_HEAD + 1) * G - 1, output,
                     h, (double)before[i], (double)after[i]);
            return false;
        }
    }
    return true;
}

static bool groups_do_not_talk(const struct test_case *first,
                               const struct test_case *second, char *why, size_t why_size)
{
    return other_groups_stay(first, second, "weights", why, why_size) &&
           other_groups_stay(first, second, "out", why, why_size);
}
// END HANDED OUT

static const struct property gqa_properties[] = {
    {
        .id = "groups-do-not-talk",
        .claim = "changing one head of keys and values does not change any bit of the "
                 "query heads outside its group",
        .dims = "B=2 NH=6 NKV=3 T=4 S=5 hs=2",
        .fill = fill_mask,
        .change = change_one_head,
        HOLDS(groups_do_not_talk),
    },
    {0},
};

// ---- tables -------------------------------------------------------------------------------

static const struct part gqa_part[] = {
    {
        .function = "grouped_query_attention",
        .passes_status_on = true,
        .dims = "B NH NKV T S hs",
        .tensors =
            {
                {"out", "B NH T hs", OUTPUT, F32, OUT_TOLERANCE},
                {"weights", "B NH T S", OUTPUT, F32, WEIGHTS_TOLERANCE},
                {"scores", "B NH T S", WORKSPACE, F32, 0, 0},
                {"q", "B NH T hs", INPUT, F32, 0, 0},
                {"k", "B NKV S hs", INPUT, F32, 0, 0},
                {"v", "B NKV S hs", INPUT, F32, 0, 0},
                {"mask", "B T S", INPUT, U8, 0, 0},
            },
        .cases = gqa_cases,
        .properties = gqa_properties,
        .mistakes = gqa_mistakes,
        .alternatives = gqa_alternatives,
    },
    {0},
};

const struct exercise exercise_9_4 = {
    .id = "9.4",
    .name = "grouped_query_attention",
    .section = "9.4 Grouped queries",
    .uses = {"2.2", "2.4", "3.3"},
    .hints =
        {
            "Begin with your scaled_dot_product_attention of lab 4. Only the index of "
            "the key head differs. Which query heads share a key head?",
            "G = NH / NKV. Query heads g*G to g*G + G - 1 are contiguous, so their "
            "queries form one matrix (G*T,hs) against key head g, (S,hs): "
            "batched_matmul_nt with B*NKV matrices of these sizes. Then the scale and "
            "the softmax as in 4.5, and batched_matmul with the same sizes.",
            "G = NH / NKV\n"
            "batched_matmul_nt(scores, q, k, B*NKV, G*T, S, hs)\n"
            "each of the B*NH*T*S scores times 1/sqrtf(hs)\n"
            "mask == NULL: batched_softmax(weights, scores, B*NH, T, S)\n"
            "otherwise for each i below B*NH, from i*T*S on:\n"
            "    masked_softmax(weights, scores, mask + i/NH*T*S, T, S)\n"
            "batched_matmul(out, weights, v, B*NKV, G*T, hs, S)",
        },
    .gpu_hints =
        {
            "Use the block of 9.2, once for each query. Compute sequence, head and "
            "query from the block's index. Whose keys does it read?",
            "Block n = (b*NH + h)*T + t reads key head h / G of sequence b, which "
            "starts at (b*NKV + h/G)*S*hs, and row b*T + t of the mask. A forbidden "
            "key counts neither in the maximum nor in the sum. If no key is allowed, "
            "the maximum is -INFINITY: subtract 0 instead, and multiply by 0 instead "
            "of 1/sum.",
            "move 9.2's passes into a __device__ function with mask (or NULL) as an argument\n"
            "n = blockIdx.x; t = n % T; h = n / T % NH; b = n / T / NH\n"
            "first = (b * (NH / G) + h / G) * S * hs\n"
            "mask = mask_dev == NULL ? NULL : mask_dev + (b * T + t) * S\n"
            "score = mask == NULL || mask[s] != 0 ? dot * scale : -INFINITY\n"
            "shift = max == -INFINITY ? 0 : max; factor = sum == 0 ? 0 : 1 / sum",
        },
    .parts = gqa_part,
};
