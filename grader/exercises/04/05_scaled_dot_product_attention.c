// 05_scaled_dot_product_attention.c - exercise 4.5: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/04/05_scaled_dot_product_attention.h"
#include "exercises/04/attention.h"
#include "exercises/common/inputs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "04_multi_head/heads.h"
#include "common/rng.h"

static void fill_no_mask(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    case_absent(test, "mask");
}

// Few different numbers, so that the student archive stores few.
static void fill_many_keys(struct test_case *test, struct lab_rng *rng)
{
    fill_no_mask(test, rng);
    case_coarse(test, "q");
    case_coarse(test, "k");
    case_coarse(test, "v");
}

static void fill_large_queries(struct test_case *test, struct lab_rng *rng)
{
    fill_mixed_mask(test, rng);
    float *q = case_f32(test, "q");
    for (size_t i = 0; i < case_count(test, "q"); i++) {
        q[i] *= 5.0f;
    }
}

static void fill_first_sees_all(struct test_case *test, struct lab_rng *rng)
{
    fill_mixed_mask(test, rng);
    memset(case_u8(test, "mask"), 1, case_dim(test, "T") * case_dim(test, "S"));
}

static void fill_last_sees_all(struct test_case *test, struct lab_rng *rng)
{
    fill_mixed_mask(test, rng);
    const size_t map = case_dim(test, "T") * case_dim(test, "S");
    memset(case_u8(test, "mask") + (case_dim(test, "B") - 1) * map, 1, map);
}

// For wide heads. Even scores that are wrongly multiplied stay small enough for a float.
static void make_quiet(struct test_case *test)
{
    float *q = case_f32(test, "q");
    for (size_t i = 0; i < case_count(test, "q"); i++) {
        q[i] *= 0.1f;
    }
}

static void fill_quiet_queries(struct test_case *test, struct lab_rng *rng)
{
    fill_empty_rows(test, rng);
    make_quiet(test);
}

static void fill_quiet_no_mask(struct test_case *test, struct lab_rng *rng)
{
    fill_no_mask(test, rng);
    make_quiet(test);
}

enum { EXTREME_WIDTH = 16, EXTREME_KINDS = 4 };

// Whether channel 1, 2 or 3 of an extreme case has key s far ahead of the others.
static bool is_ahead(size_t channel, size_t s, size_t S)
{
    return channel == 1 ? s == 0 : channel == 2 ? s == S - 1 : s == S / 2;
}

// Exact scores: with hs = 16 the scale is 1/4 and its root 1/2, and query t selects one
// channel of the keys. So every way to compute a score is exact (and most wrong ways,
// too, with NH = 4 and T = 16). Channel 0 holds whole numbers near 10000000, which every
// fifth query negates. In the other channels, the first, the last, or a middle key is
// more than 100 above the rest, so its weight is 1.
static void fill_extreme(struct test_case *test, struct lab_rng *rng)
{
    enum { WIDTH = EXTREME_WIDTH, KINDS = EXTREME_KINDS };
    const size_t T = case_dim(test, "T"), S = case_dim(test, "S");
    float *q = case_f32(test, "q"), *k = case_f32(test, "k");
    fill_mixed_mask(test, rng);
    memset(q, 0, case_count(test, "q") * sizeof *q);
    for (size_t row = 0; row < case_count(test, "q") / WIDTH; row++) {
        const size_t kind = row % T % (KINDS + 1);
        q[row * WIDTH + kind % KINDS] = kind == KINDS ? -4.0f : 4.0f;
    }
    for (size_t row = 0; row < case_count(test, "k") / WIDTH; row++) {
        const size_t s = row % S;
        k[row * WIDTH] = 1e7f + (float)lab_rng_int(rng, 0, 4);
        for (size_t c = 1; c < KINDS; c++) {
            k[row * WIDTH + c] =
                (float)lab_rng_int(rng, -3, 4) + (is_ahead(c, s, S) ? 107 : 0);
        }
    }
    uint8_t *mask = case_u8(test, "mask");
    for (size_t i = 0; i < case_count(test, "mask");
         i++) { // the largest score is allowed
        const size_t s = i % S;
        mask[i] = mask[i] || s == 0 || s == S - 1 || s == S / 2;
    }
}

static void fill_extreme_no_mask(struct test_case *test, struct lab_rng *rng)
{
    fill_extreme(test, rng);
    case_absent(test, "mask");
}

static void round_input(struct test_case *test, const char *name)
{
    float *numbers = case_f32(test, name);
    for (size_t i = 0, count = case_count(test, name); i < count; i++) {
        numbers[i] = roundf(4.0f * numbers[i]) / 4.0f;
    }
}

// The same with scores beyond any int, of both signs, in channel 0. They are powers of two,
// exact like the rest. A row allows only one of the three keys, the one it needs, so the mask
// of another row gives another largest score.
static void fill_huge(struct test_case *test, struct lab_rng *rng)
{
    fill_extreme(test, rng);
    const size_t T = case_dim(test, "T"), S = case_dim(test, "S");
    float *k = case_f32(test, "k");
    for (size_t row = 0; row < case_count(test, "k") / EXTREME_WIDTH; row++) {
        const size_t s = row % S;
        const float small = (float)lab_rng_int(rng, -1, 2);
        const float size = s == 0 ? 2.0f : s == S - 1 ? -2.0f : small;
        k[row * EXTREME_WIDTH] = ldexpf(size, 100);
    }
    static const size_t needed[] = {1, 1, 2, 3, 2}; // by kind of query: as is_ahead
    uint8_t *mask = case_u8(test, "mask");
    for (size_t i = 0; i < case_count(test, "mask"); i++) {
        const size_t s = i % S, kind = i / S % T % (EXTREME_KINDS + 1);
        if (s == 0 || s == S - 1 || s == S / 2) {
            mask[i] = is_ahead(needed[kind], s, S);
        }
    }
    round_input(test, "k");
    round_input(test, "v");
}

// The last query sees every key, and its scores are below -2.5e30, which shows where a search for the largest
// starts. Those of the others are above 2.5e30, and the highest forbidden score may equal the highest allowed
// one: a number that is added to it is lost in rounding. A number in its place is low enough, and a mask
// after the softmax loses nothing. The scores of query 2 are 25 for one key, and -400. All scores are exact.
static void fill_far_from_0(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    const size_t T = case_dim(test, "T"), S = case_dim(test, "S"), hs = EXTREME_WIDTH;
    set_all(test, "q", 0.0f);
    for (size_t row = 0; row < case_count(test, "q") / hs; row++) {
        const size_t t = row % T;
        case_f32(test, "q")[row * hs] = t + 1 == T ? -0x1p52f : t == 2 ? 0.0f : 0x1p52f;
        case_f32(test, "q")[row * hs + 1] = t == 2 ? 4.0f : 0.0f;
    }
    for (size_t row = 0; row < case_count(test, "k") / hs; row++) {
        const size_t rank = (row + row / S) % S;
        case_f32(test, "k")[row * hs] = 0x1p51f * (float)(S - rank / 2);
        case_f32(test, "k")[row * hs + 1] = rank == 0 ? 25.0f : -400.0f;
    }
    for (size_t i = 0; i < case_count(test, "mask"); i++) {
        const size_t b = i / S / T, t = i / S % T, rank = (i % S + b * S + b) % S;
        case_u8(test, "mask")[i] = rank <= t % (S - 1) || t + 1 == T;
    }
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

#define HUGE_NOTE "scores near 2e30 and -2e30, or one key ahead of the others by 100"
#define EXTREME_NOTE                                                                     \
    "scores near 10000000 and -10000000, or one key ahead of the others by 100"

static const struct case_spec sdpa_cases[] = {
    {.dims = "B=1 NH=1 T=1 S=1 hs=1", .fill = fill_no_mask, .note = "one key"},
    {.dims = "B=1 NH=1 T=2 S=3 hs=2", .fill = fill_no_mask, .note = "no mask"},
    {.dims = "B=1 NH=2 T=3 S=2 hs=3", .fill = fill_no_mask, .note = "no mask"},
    {.dims = "B=1 NH=3 T=2 S=4 hs=2", .fill = fill_mixed_mask},
    {.dims = "B=2 NH=3 T=4 S=5 hs=2", .fill = fill_no_mask, .note = "no mask"},
    {.dims = "B=2 NH=3 T=3 S=3 hs=2", .fill = fill_mixed_mask, .note = "T = S = NH"},
    {.dims = "B=1 NH=1 T=3 S=3 hs=2", .fill = fill_no_mask, .note = "no mask, T = S"},
    {.dims = "B=2 NH=2 T=2 S=2 hs=2", .fill = fill_mixed_mask, .note = "all sizes are 2"},
    {.dims = "B=1 NH=2 T=2 S=11 hs=3",
     .fill = fill_no_mask,
     .note = "no mask, many keys for a query"},
    {.dims = "B=2 NH=3 T=4 S=4 hs=5", .fill = fill_no_mask, .note = "no mask, T = S"},
    {.dims = "B=2 NH=2 T=5 S=5 hs=3", .fill = fill_mixed_mask, .note = "T = S"},
    {.dims = "B=2 NH=3 T=4 S=5 hs=6", .draws = 2, .fill = fill_mixed_mask},
    {.dims = "B=3 NH=2 T=5 S=4 hs=3",
     .fill = fill_empty_rows,
     .note = "some queries have no allowed key"},
    {.dims = "B=2 NH=2 T=5 S=9 hs=7", .fill = fill_large_queries, .note = "large scores"},
    {.dims = "B=2..3 NH=4..5 T=6..7 S=8..9 hs=3", .draws = 3, .fill = fill_mixed_mask},
    {.dims = "B=2 NH=3 T=13 S=17 hs=16", .fill = fill_empty_rows},
    {.dims = "B=1 NH=1 T=5 S=1 hs=3", .fill = fill_no_mask, .note = "one key"},
    {.dims = "B=2 NH=1 T=1 S=6 hs=4", .fill = fill_mixed_mask, .note = "one query"},
    {.dims = "B=3 NH=2 T=9 S=5 hs=11",
     .fill = fill_first_sees_all,
     .note = "every key of sequence 0 is allowed"},
    {.dims = "B=1 NH=2 T=7 S=3 hs=2", .fill = fill_empty_rows},
    {.dims = "B=2 NH=4 T=16 S=7 hs=16",
     .fill = fill_extreme_no_mask,
     .note = EXTREME_NOTE},
    {.dims = "B=3 NH=4 T=16 S=25 hs=16", .fill = fill_extreme, .note = EXTREME_NOTE},
    {.dims = "B=1 NH=1 T=4 S=5 hs=16", .fill = fill_huge, .note = HUGE_NOTE},
    {.dims = "B=1 NH=4 T=16 S=261 hs=16", .fill = fill_huge, .note = HUGE_NOTE},
    {.dims = "B=3 NH=1 T=4 S=5 hs=16",
     .fill = fill_far_from_0,
     .note = "scores above 2.5e30, and below -2.5e30"},
    {.dims = "B=1 NH=2 T=3 S=1031 hs=5", .fill = fill_mixed_mask, .note = "many keys"},
    {.dims = "B=1 NH=2 T=1033 S=3 hs=7", .fill = fill_empty_rows, .note = "many queries"},
    {.dims = "B=2 NH=1 T=3 S=5 hs=1031",
     .fill = fill_quiet_queries,
     .note = "a wide head"},
    {.dims = "B=261 NH=1 T=2 S=3 hs=2", .fill = fill_mixed_mask},
    {.dims = "B=1 NH=257 T=3 S=2 hs=3", .fill = fill_mixed_mask},
    {.dims = "B=31 NH=17 T=1 S=2 hs=1",
     .fill = fill_mixed_mask,
     .note = "more than 512 heads in all sequences"},
    {.dims = "B=2 NH=3 T=67 S=71 hs=65",
     .fill = fill_quiet_queries,
     .note = "larger, odd sizes"},
    {.dims = "B=1 NH=3 T=73 S=69 hs=67", .fill = fill_quiet_no_mask, .note = "no mask"},
    {.dims = "B=17 NH=19 T=23 S=21 hs=17",
     .fill = fill_mixed_mask,
     .cpu_only = true,
     .note = "larger, odd sizes"},
    {.dims = "B=3 NH=2 T=1 S=5 hs=4", .fill = fill_mixed_mask, .note = "one query"},
    {.dims = "B=2 NH=3 T=4 S=1 hs=5",
     .fill = fill_empty_rows,
     .note = "one key, which some queries may not see"},
    {.dims = "B=2 NH=3 T=7 S=5 hs=1",
     .fill = fill_mixed_mask,
     .note = "heads of width 1"},
    {.dims = "B=256 NH=1 T=2 S=3 hs=2",
     .fill = fill_mixed_mask,
     .note = "exactly 256 sequences"},
    {.dims = "B=1 NH=256 T=3 S=2 hs=3",
     .fill = fill_mixed_mask,
     .note = "exactly 256 heads"},
    {.dims = "B=1 NH=2 T=256 S=3 hs=8",
     .fill = fill_empty_rows,
     .note = "exactly 256 queries"},
    {.dims = "B=1 NH=2 T=3 S=1024 hs=5",
     .fill = fill_mixed_mask,
     .note = "exactly 1024 keys"},
    {.dims = "B=2 NH=1 T=5 S=7 hs=256",
     .fill = fill_quiet_queries,
     .note = "a head of width 256"},
    {.dims = "B=1 NH=2 T=64 S=64 hs=64",
     .fill = fill_quiet_queries,
     .note = "T = S = hs = 64"},
    {.dims = "B=0 NH=2 T=3 S=4 hs=2", .note = "a size of 0"},
    {.dims = "B=2 NH=0 T=3 S=4 hs=2", .note = "a size of 0"},
    {.dims = "B=2 NH=2 T=0 S=4 hs=2", .note = "a size of 0"},
    {.dims = "B=2 NH=2 T=3 S=0 hs=2", .note = "a size of 0"},
    {.dims = "B=2 NH=2 T=3 S=4 hs=0", .note = "a size of 0"},
    // 48 KiB of shared memory hold 12288 floats.
    {.dims = "B=1 NH=1 T=1 S=12301 hs=2",
     .fill = fill_many_keys,
     .note = "more than 12288 keys",
     .gpu_only = true},
    // A grid ends at 65535 blocks along y and z.
    {.dims = "B=65537 NH=1 T=1 S=1 hs=1",
     .fill = fill_no_mask,
     .note = "65537 sequences",
     .gpu_only = true,
     .launch_only = true},
    {.dims = "B=1 NH=65537 T=1 S=1 hs=1",
     .fill = fill_no_mask,
     .note = "65537 heads",
     .gpu_only = true,
     .launch_only = true},
    {.dims = "B=1 NH=1 T=65537 S=1 hs=1",
     .fill = fill_no_mask,
     .note = "65537 queries",
     .gpu_only = true,
     .launch_only = true},
    {TOO_LARGE("B=2 NH=3 T=4 S=5 hs=2", "T", "T"), .fill = fill_no_mask},
    {TOO_LARGE("B=2 NH=3 T=4 S=5 hs=2", "S", "S"), .fill = fill_no_mask},
    {TOO_LARGE("B=2 NH=3 T=4 S=5 hs=2", "hs", "hs"), .fill = fill_no_mask},
    {TOO_LARGE("B=2 NH=3 T=1 S=5 hs=2", "B NH", "B * NH"), .fill = fill_no_mask},
    {TOO_LARGE("B=1 NH=3 T=4 S=5 hs=2", "NH T", "NH * T"), .fill = fill_no_mask},
    {.dims = "B=3 NH=2 T=9 S=5 hs=7",
     .fill = fill_last_sees_all,
     .note = "every key of the last sequence is allowed"},
    {.dims = "B=1 NH=1 T=2 S=3 hs=4",
     .fill = fill_20_below,
     .note = BELOW_20_NOTE,
     .unit = BELOW_20_UNIT},
    {.dims = "B=1 NH=1 T=2 S=3 hs=4",
     .fill = fill_80_below,
     .note = BELOW_80_NOTE,
     .unit = BELOW_80_UNIT},
    {MOST("B=1 NH=1 T=2 S=2 hs=2", "T"), .fill = fill_no_mask},
    {MOST("B=1 NH=1 T=2 S=2 hs=2", "S"), .fill = fill_no_mask},
    {MOST("B=1 NH=1 T=2 S=2 hs=2", "hs"), .fill = fill_no_mask},
    {0},
};

// Another q, k and v for head 1 of every sequence.
static void change_head_1(struct test_case *second, struct lab_rng *rng)
{
    (void)rng;
    static const char *const names[] = {"q", "k", "v"};
    const size_t B = case_dim(second, "B"), NH = case_dim(second, "NH");
    for (size_t n = 0; n < 3; n++) {
        float *values = case_f32(second, names[n]);
        const size_t width = case_count(second, names[n]) / (B * NH);
        for (size_t i = 0; i < B * NH * width; i++) {
            values[i] *= i / width % NH == 1 ? -2.0f : 1.0f;
        }
    }
}

// BEGIN HANDED OUT
static bool same_but_head_1(const struct test_case *first, const struct test_case *second,
                            const char *output, char *why, size_t why_size)
{
    const size_t NH = case_dim(first, "NH");
    const size_t width = case_count(first, output) / (case_dim(first, "B") * NH);
    const float *before = case_got(first, output), *after = case_got(second, output);
    for (size_t i = 0; i < case_count(first, output); i++) {
        if (i / width % NH != 1 && memcmp(before + i, after + i, sizeof *before) != 0) {
            snprintf(why, why_size,
                     "head 1 changed, and %s of sequence %zu, head %zu went from %.9g "
                     "to %.9g",
                     output, i / width / NH, i / width % NH, (double)before[i],
                     (double)after[i]);
            return false;
        }
    }
    return true;
}

static bool heads_do_not_talk(const struct test_case *first,
                              const struct test_case *second, char *why, size_t why_size)
{
    return same_but_head_1(first, second, "weights", why, why_size) &&
           same_but_head_1(first, second, "out", why, why_size);
}
// END HANDED OUT

static const struct property sdpa_properties[] = {
    {
        .id = "heads-do-not-talk",
        .claim = "changing q, k and v of one head does not change any bit of the "
                 "other heads",
        .dims = "B=2 NH=3 T=4 S=5 hs=2",
        .change = change_head_1,
        HOLDS(heads_do_not_talk),
    },
    {
        .id = "forbidden-keys",
        .claim = FORBIDDEN_KEYS_CLAIM,
        .dims = "B=2 NH=3 T=4 S=5 hs=2",
        .change = change_head_1,
        HOLDS(forbidden_keys_weigh_nothing),
        .fill = fill_empty_rows,
    },
    {0},
};

static const struct part sdpa_part[] = {
    {
        .function = "scaled_dot_product_attention",
        .passes_status_on = true,
        .dims = "B NH T S hs",
        .tensors =
            {
                {"out", "B NH T hs", OUTPUT, F32, OUT_TOLERANCE},
                {"weights", "B NH T S", OUTPUT, F32, WEIGHTS_TOLERANCE},
                {"scores", "B NH T S", WORKSPACE, F32, 0, 0},
                {"q", "B NH T hs", INPUT, F32, 0, 0},
                {"k", "B NH S hs", INPUT, F32, 0, 0},
                {"v", "B NH S hs", INPUT, F32, 0, 0},
                {"mask", "B T S", INPUT, U8, 0, 0},
            },
        .cases = sdpa_cases,
        .properties = sdpa_properties,
        .mistakes = sdpa_mistakes,
        .alternatives = sdpa_alternatives,
    },
    {0},
};

const struct exercise exercise_4_5 = {
    .id = "4.5",
    .name = "scaled_dot_product_attention",
    .section = "4.5 Attention in each head",
    .uses = {"2.2", "2.4", "3.3"},
    .hints =
        {
            "The products treat a head as lab 2 treated a sequence, and there are B * NH "
            "heads. Only the mask is per sequence.",
            "scores of all B * NH heads by batched_matmul_nt, divided by sqrt(hs); "
            "weights by batched_softmax if mask is NULL, else for each head by "
            "masked_softmax with the mask of its sequence; out by batched_matmul.",
            "batched_matmul_nt(scores, q, k, B*NH, T, S, hs)\n"
            "each of the B*NH*T*S scores times 1/sqrtf(hs)\n"
            "mask == NULL: batched_softmax(weights, scores, B*NH, T, S)\n"
            "otherwise for each i below B*NH, from i*T*S on:\n"
            "    masked_softmax(weights, scores, mask + i/NH*T*S, T, S)\n"
            "batched_matmul(out, weights, v, B*NH, T, hs, S)",
        },
    .gpu_hints =
        {
            "Call cublasSgemmStridedBatched twice, each time for all B*NH heads, "
            "with your masked softmax in between. cuBLAS sees your row-major "
            "matrices transposed.",
            "scores^T (S,T) = k q^T: op(A) = T of k, op(B) = N of q, m = S, n = T, k = "
            "hs, alpha = 1/sqrt(hs). out^T (hs,T) = v^T weights^T: N and N, m = hs, n = "
            "T, k = S. A leading dimension is the row length of the row-major matrix, "
            "and a stride is the number of elements of one head. The softmax of row n "
            "needs the mask of sequence n / T / NH, query n % T.",
            "cublasSgemmStridedBatched(cublas, CUBLAS_OP_T, CUBLAS_OP_N, S, T, hs, &scale,\n"
            "    k_dev, hs, S*hs, q_dev, hs, T*hs, &zero, scores_dev, S, T*S, B*NH)\n"
            "kernel<<<rows / WARPS rounded up, dim3(WARP, WARPS), 0, stream>>>\n"
            "    n = blockIdx.x * WARPS + threadIdx.y; if (n >= rows) return\n"
            "    lane threadIdx.x has s = lane, lane + 32, ...: max over allowed, all lanes by\n"
            "    __shfl_xor_sync; exp(score - max) or 0, their sum likewise; times 1 / sum, or 0\n"
            "cublasSgemmStridedBatched(cublas, CUBLAS_OP_N, CUBLAS_OP_N, hs, T, S, &one,\n"
            "    v_dev, hs, S*hs, weights_dev, S, T*S, &zero, out_dev, hs, T*hs, B*NH)",
        },
    .parts = sdpa_part,
};
