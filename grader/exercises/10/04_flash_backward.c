// 04_flash_backward.c - exercise 10.4, flash_attention_backward: cases and hints. 04a_ has the known
// mistakes.

#include "exercises/exercise.h"
#include "exercises/10/04_flash_backward.h"
#include "exercises/10/far_down.h"
#include "exercises/10/heads.h"
#include "exercises/common/inputs.h"
#include "exercises/common/own.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "10_flash_attention/flash_attention.h"

// ---- cases ----------------------------------------------------------------------------------

// out and logsumexp are those that q, k and v give: the reference computes them, in tiles of one
// query and all keys. From one query on, only where there is one head.
static void compute_forward(struct test_case *test, size_t from, size_t T)
{
    const size_t B = case_dim(test, "B"), NH = case_dim(test, "NH"),
                 S = case_dim(test, "S"), hs = case_dim(test, "hs");
    float *floats = borrow(S + 4 + 2 * hs);
    const struct flash_buffers z = {
        floats,         floats + S,     floats + S + 1,     floats + S + 4,
        floats + S + 2, floats + S + 3, floats + S + 4 + hs};
    must(flash_attention(
        case_f32(test, "out") + from * hs, case_f32(test, "logsumexp") + from, &z,
        case_f32(test, "q") + from * hs, case_f32(test, "k"), case_f32(test, "v"),
        case_dim(test, "causal") != 0, B, NH, T, S, hs, 1, S));
    free(floats);
}

static void fill_forward(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    compute_forward(test, 0, case_dim(test, "T"));
}

// The first key's value is 0. The second has a weight of 2e-9, and all gradients are as small.
static void fill_20_below(struct test_case *test, struct lab_rng *rng)
{
    set_all(test, "q", 1.0f);
    for (size_t s = 0; s < case_count(test, "k"); s++) {
        case_f32(test, "k")[s] = s == 0 ? 5.0f : -15.0f;
        case_f32(test, "v")[s] = (float)s;
    }
    fill_forward(test, rng);
}

static void fill_large(struct test_case *test, struct lab_rng *rng)
{
    fill_forward(test, rng);
    scale_input(test, "dout", LARGE);
}

static void fill_alike_forward(struct test_case *test, struct lab_rng *rng)
{
    fill_heads_alike(test, rng);
    set_all(test, "dout", 0.75f);
    fill_forward(test, rng);
}

// Sums of many terms; a smaller dout keeps them near 1.
static void fill_long_sums(struct test_case *test, struct lab_rng *rng)
{
    scale_input(test, "dout", 0.125f);
    fill_forward(test, rng);
}

// Quarters, which the student archive does not store. B, NH and hs are 1, so there are few different queries, and
// out and logsumexp of each are computed once.
static void fill_coarse_sums(struct test_case *test, struct lab_rng *rng)
{
    const size_t T = case_dim(test, "T");
    float *out = case_f32(test, "out"), *logsumexp = case_f32(test, "logsumexp");
    const float *q = case_f32(test, "q");
    fill_coarse(test, rng);
    case_coarse(test, "dout");
    scale_input(test, "dout", 0.125f);
    for (size_t t = 0; t < T; t++) {
        size_t same = 0;
        while (q[same] != q[t]) {
            same++;
        }
        if (same == t) {
            compute_forward(test, t, 1);
        } else {
            out[t] = out[same];
            logsumexp[t] = logsumexp[same];
        }
    }
}

// The same, with scores near 0: sums of wrong weights, too, stay small enough for a float.
static void fill_quiet_sums(struct test_case *test, struct lab_rng *rng)
{
    scale_input(test, "q", 0.1f);
    fill_long_sums(test, rng);
}

// Scores so far apart that almost all weight is on one key of each row. Then dweight and delta are nearly
// equal, so their difference is mostly rounding; a small dout keeps it below the tolerance.
static void fill_peaked(struct test_case *test, struct lab_rng *rng)
{
    scale_input(test, "q", 6.0f);
    scale_input(test, "dout", 0x1p-7f);
    fill_forward(test, rng);
}

// All scores of a query moved by the same amount, which changes no weight: exp(score) is 0 or
// infinite, exp(score - logsumexp) is not. Every key has a 1 in channel 0, and q a large number.
static void shift_scores(struct test_case *test, struct lab_rng *rng, float by)
{
    const size_t S = case_dim(test, "S"), T = case_dim(test, "T"),
                 hs = case_dim(test, "hs"),
                 heads = case_dim(test, "B") * case_dim(test, "NH");
    for (size_t n = 0; n < heads * S; n++) {
        case_f32(test, "k")[n * hs] = 1.0f;
    }
    for (size_t n = 0; n < heads * T; n++) {
        case_f32(test, "q")[n * hs] = by * sqrtf((float)hs);
    }
    scale_input(test, "dout", 0x1p-11f); // such scores are rounded to 1e-5
    fill_forward(test, rng);
}

static void fill_high(struct test_case *test, struct lab_rng *rng)
{
    shift_scores(test, rng, 128.0f);
}

static void fill_low(struct test_case *test, struct lab_rng *rng)
{
    shift_scores(test, rng, -128.0f);
}

// The only key with a weight gets all of it, so dq and dk are 0 and dv is dout.
static void fill_far_down_forward(struct test_case *test, struct lab_rng *rng)
{
    fill_far_down(test, rng);
    case_coarse(test, "v");
    case_coarse(test, "dout");
    fill_forward(test, rng);
}

#define BLIND_NOTE "causal, more queries than keys: the first see no key"

static const struct case_spec backward_cases[] = {
    {.dims = "B=1 NH=1 T=1 S=2 hs=1 causal=0 Br=1 Bc=1", .fill = fill_forward},
    {.dims = "B=1 NH=1 T=2 S=3 hs=2 causal=0 Br=1 Bc=2", .fill = fill_forward},
    {.dims = "B=1 NH=1 T=3 S=3 hs=2 causal=1 Br=2 Bc=2",
     .fill = fill_forward,
     .note = "causal, T = S"},
    {.dims = "B=1 NH=2 T=3 S=5 hs=4 causal=1 Br=2 Bc=3",
     .fill = fill_forward,
     .note = "causal, more keys than queries"},
    {.dims = "B=1 NH=1 T=5 S=3 hs=2 causal=1 Br=2 Bc=2",
     .fill = fill_forward,
     .note = BLIND_NOTE},
    {.dims = "B=2 NH=3 T=4 S=7 hs=5 causal=0 Br=3 Bc=2", .fill = fill_forward},
    {.dims = "B=2 NH=3 T=4 S=6 hs=3 causal=0 Br=2 Bc=3",
     .fill = fill_forward,
     .note = "whole tiles"},
    {.dims = "B=3 NH=2 T=5 S=8 hs=4 causal=1 Br=2 Bc=3",
     .fill = fill_forward,
     .note = "causal, more keys than queries"},
    {.dims = "B=2 NH=2 T=9 S=5 hs=3 causal=1 Br=4 Bc=2",
     .fill = fill_forward,
     .note = BLIND_NOTE},
    {.dims = "B=2 NH=3 T=5 S=4 hs=7 causal=0 Br=8 Bc=8",
     .fill = fill_forward,
     .note = "tiles larger than T and S"},
    {.dims = "B=3 NH=3 T=3 S=3 hs=3 causal=1 Br=3 Bc=3",
     .fill = fill_forward,
     .note = "all sizes are 3"},
    {.dims = "B=2 NH=2 T=6 S=7 hs=4 causal=0 Br=1 Bc=1",
     .fill = fill_forward,
     .note = "every query and every key is a tile"},
    {.dims = "B=2..3 NH=2..3 T=4..6 S=7..9 hs=5..8 causal=1 Br=2..3 Bc=2..4",
     .draws = 3,
     .fill = fill_forward},
    {.dims = "B=2..3 NH=2..3 T=7..9 S=4..6 hs=3..5 causal=0 Br=2..4 Bc=2..3",
     .draws = 2,
     .fill = fill_forward},
    {.dims = "B=2 NH=2 T=5 S=6 hs=3 causal=1 Br=2 Bc=4",
     .fill = fill_peaked,
     .note = "large scores: nearly all weight on one key"},
    {.dims = "B=1 NH=2 T=5 S=6 hs=4 causal=0 Br=2 Bc=3",
     .fill = fill_high,
     .note = "scores near 128"},
    {.dims = "B=1 NH=2 T=5 S=6 hs=4 causal=1 Br=2 Bc=3",
     .fill = fill_low,
     .note = "scores near -128"},
    {.dims = "B=1 NH=2 T=6 S=7 hs=4 causal=0 Br=2 Bc=3",
     .fill = fill_low,
     .note = "scores near -128; a score of 0 would outweigh them"},
    {.dims = "B=1 NH=2 T=20 S=45 hs=3 causal=1 Br=8 Bc=32",
     .fill = fill_long_sums,
     .note = "of the first eight queries, only the last sees a second tile of keys"},
    {.dims = "B=1 NH=2 T=3 S=45 hs=3 causal=1 Br=8 Bc=32",
     .fill = fill_long_sums,
     .note = "fewer queries than tiles of keys"},
    {.dims = "B=1 NH=2 T=20 S=21 hs=3 causal=1 Br=8 Bc=32",
     .fill = fill_long_sums,
     .note = "causal, one key more than queries"},
    {.dims = "B=1 NH=2 T=35 S=67 hs=6 causal=1 Br=16 Bc=32",
     .fill = fill_long_sums,
     .note = "several tiles of a kernel"},
    {.dims = "B=1 NH=1 T=66 S=33 hs=5 causal=0 Br=16 Bc=32",
     .fill = fill_long_sums,
     .note = "several tiles of a kernel, the last with one key"},
    {.dims = "B=1 NH=1 T=3 S=1031 hs=2 causal=0 Br=2 Bc=64",
     .fill = fill_long_sums,
     .note = "many keys"},
    {.dims = "B=1 NH=2 T=3 S=4 hs=127 causal=0 Br=2 Bc=3",
     .fill = fill_long_sums,
     .note = "a wide head"},
    {.dims = "B=1 NH=1 T=2 S=3 hs=1031 causal=1 Br=2 Bc=3",
     .fill = fill_long_sums,
     .note = "a head too wide for a kernel",
     .cpu_only = true},
    {.dims = "B=5 NH=7 T=3 S=4 hs=2 causal=1 Br=2 Bc=2",
     .fill = fill_forward,
     .note = "many heads"},
    {.dims = "B=256 NH=2 T=2 S=3 hs=2 causal=1 Br=2 Bc=2",
     .fill = fill_long_sums,
     .cpu_only = true,
     .note = "256 sequences"},
    {.dims = "B=2 NH=256 T=2 S=3 hs=2 causal=0 Br=2 Bc=2",
     .fill = fill_long_sums,
     .cpu_only = true,
     .note = "256 heads"},
    {.dims = "B=1 NH=1 T=3 S=1282 hs=2 causal=0 Br=2 Bc=1280",
     .fill = fill_long_sums,
     .cpu_only = true,
     .note = "tiles of 1280 keys"},
    {.dims = "B=3 NH=1 T=4 S=5 hs=2 causal=1 Br=2 Bc=3",
     .fill = fill_forward,
     .note = "one head"},
    {.dims = "B=3 NH=2 T=1 S=5 hs=4 causal=0 Br=2 Bc=3",
     .fill = fill_forward,
     .note = "one query"},
    {.dims = "B=2 NH=3 T=4 S=5 hs=1 causal=0 Br=2 Bc=3",
     .fill = fill_forward,
     .note = "heads of width 1"},
    {.dims = "B=2 NH=2 T=4 S=5 hs=3 causal=1 Br=3 Bc=1",
     .fill = fill_forward,
     .note = "tiles of one key"},
    {.dims = "B=1 NH=2 T=64 S=64 hs=64 causal=1 Br=16 Bc=32",
     .fill = fill_long_sums,
     .note = "T = S = hs = 64: whole tiles"},
    {.dims = "B=1 NH=1 T=256 S=256 hs=2 causal=0 Br=16 Bc=32",
     .fill = fill_quiet_sums,
     .note = "exactly 256 queries and keys"},
    {.dims = "B=1 NH=2 T=3 S=4 hs=256 causal=1 Br=2 Bc=3",
     .fill = fill_long_sums,
     .note = "a head of width 256",
     .cpu_only = true},
    {.dims = "B=1 NH=2 T=70 S=41 hs=4 causal=1 Br=16 Bc=32",
     .fill = fill_long_sums,
     .note = "causal, more queries than keys: the first tiles of a kernel see no key",
     .gpu_only = true},
    {.dims = "B=1 NH=1 T=263 S=257 hs=2 causal=0 Br=16 Bc=32",
     .fill = fill_quiet_sums,
     .note = "many queries and keys: T S weights take 264 kilobytes",
     .cpu_only = true},
    {.dims = "B=1 NH=1 T=1031 S=10211 hs=1 causal=0 Br=64 Bc=64",
     .fill = fill_coarse_sums,
     .note = "many queries and keys: T S weights take 10 megabytes at a byte each",
     .memory_only = true},
    {.dims = "B=1 NH=1 T=1 S=2 hs=1 causal=0 Br=1 Bc=2",
     .fill = fill_20_below,
     .unit = 1e-12f,
     .note = "a weight near 2e-9, but not 0"},
    {.dims = "B=1 NH=2 T=3 S=4 hs=2 causal=1 Br=2 Bc=2",
     .fill = fill_large,
     .unit = LARGE,
     .note = LARGE_NOTE},
    // dq and dk need delta, so all blocks must run: no more than that takes a few seconds.
    {.dims = "B=1 NH=5003 T=1 S=2 hs=1 causal=0 Br=16 Bc=32",
     .fill = fill_alike_forward,
     .note = "5003 heads",
     .gpu_only = true,
     .launch_only = true},
    // A grid ends at 65535 blocks along y and z.
    {.dims = "B=1 NH=65537 T=1 S=2 hs=1 causal=0 Br=16 Bc=32",
     .fill = fill_alike_forward,
     .note = MANY_HEADS_NOTE,
     .gpu_only = true,
     .launch_only = true},
    {.dims = "B=0 NH=2 T=3 S=3 hs=2 causal=0 Br=2 Bc=2", .note = "a size of 0"},
    {.dims = "B=2 NH=0 T=3 S=3 hs=2 causal=0 Br=2 Bc=2", .note = "a size of 0"},
    {.dims = "B=2 NH=3 T=4 S=1 hs=3 causal=1 Br=5 Bc=2",
     .fill = fill_forward,
     .note = "causal, one key: only the last query sees it"},
    {.dims = "B=2 NH=2 T=5 S=3 hs=1 causal=1 Br=1 Bc=2",
     .fill = fill_forward,
     .note = "causal, more queries than keys, heads of width 1"},
    {.dims = "B=2 NH=2 T=0 S=3 hs=2 causal=1 Br=2 Bc=2", .note = "a size of 0"},
    {.dims = "B=2 NH=2 T=3 S=0 hs=2 causal=0 Br=2 Bc=2", .note = "a size of 0"},
    {.dims = "B=2 NH=2 T=3 S=3 hs=0 causal=1 Br=2 Bc=2", .note = "a size of 0"},
    {.dims = "B=2 NH=2 T=3 S=4 hs=2 causal=0 Br=0 Bc=2",
     .note = "a size of 0",
     .cpu_only = true},
    {.dims = "B=2 NH=2 T=3 S=4 hs=2 causal=0 Br=2 Bc=0",
     .note = "a size of 0",
     .cpu_only = true},
    {.dims = "B=1 NH=1 T=3 S=4 hs=128 causal=0 Br=2 Bc=3",
     .fill = fill_long_sums,
     .note = "the widest head of a kernel",
     .gpu_only = true},
    // A case with .nan is judged by the part's nan_call.
    {.dims = "B=1 NH=1 T=2 S=3 hs=129 causal=0 Br=2 Bc=3",
     .note = "hs is 129: too wide for the kernel",
     .gpu_only = true,
     .nan = true},
    // With more queries than keys, code that uses k instead of q reads past the end of k.
    {.dims = "B=1 NH=1 T=131 S=3 hs=2 causal=0 Br=16 Bc=2",
     .fill = fill_long_sums,
     .note = "many queries",
     .apart = true},
    {.dims = "B=1 NH=1 T=1282 S=3 hs=2 causal=0 Br=1280 Bc=2",
     .fill = fill_long_sums,
     .cpu_only = true,
     .note = "tiles of 1280 queries",
     .apart = true},
    {.dims = "B=2 NH=3 T=4 S=1 hs=5 causal=0 Br=2 Bc=2",
     .fill = fill_forward,
     .note = "one key",
     .apart = true},
    {.dims = "B=1 NH=3 T=2 S=6 hs=1 causal=0 Br=2 Bc=3",
     .fill = fill_far_down_forward,
     .note = FAR_DOWN_NOTE},
    {MOST("B=1 NH=1 T=2 S=2 hs=1 causal=0 Br=16 Bc=32", "T")},
    {MOST("B=1 NH=1 T=2 S=2 hs=1 causal=0 Br=16 Bc=32", "S")},
    {MOST_CALLS("B=2 NH=1 T=1 S=2 hs=1 causal=0 Br=16 Bc=32", "B")},
    {0},
};

// ---- the exercise ---------------------------------------------------------------------------

#define GRADIENT_TOLERANCE 3e-5f, 6e-5f

static const struct part backward_parts[] = {
    {
        .function = "flash_attention_backward",
        .dims = "B NH T S hs causal Br Bc",
        .cpu_dims = "Br Bc",
        .tensors =
            {
                {"dq", "B NH T hs", OUTPUT, F32, GRADIENT_TOLERANCE},
                {"dk", "B NH S hs", OUTPUT, F32, GRADIENT_TOLERANCE},
                {"dv", "B NH S hs", OUTPUT, F32, GRADIENT_TOLERANCE},
                {"z.delta", "T", WORKSPACE, F32, 0, 0},
                {"z.weights", "Br Bc", WORKSPACE, F32, 0, 0},
                {"z.dscores", "Br Bc", WORKSPACE, F32, 0, 0},
                {"dout", "B NH T hs", INPUT, F32, 0, 0},
                {"out", "B NH T hs", INPUT, F32, 0, 0},
                {"logsumexp", "B NH T", INPUT, F32, 0, 0},
                {"q", "B NH T hs", INPUT, F32, 0, 0},
                {"k", "B NH S hs", INPUT, F32, 0, 0},
                {"v", "B NH S hs", INPUT, F32, 0, 0},
            },
        .cases = backward_cases,
        .mistakes = backward_mistakes,
        .alternatives = backward_alternatives,
        .nan_call = refuse_wide_heads,
    },
    {0},
};

const struct exercise exercise_10_4 = {
    .id = "10.4",
    .name = "flash_attention_backward",
    .section = "10.4 The backward pass without the weights",
    .hints =
        {
            "Exercises 6.6 and 6.7 have the formulas. Which of their inputs were "
            "stored there, and how can you compute each of these again for one tile?",
            "delta[t] = dout[t] . out[t]. For each tile, weights[t][s] = exp(q[t].k[s]/sqrt(hs) "
            "- logsumexp[t]), 0 where t does not see s, and dscores = weights (dout[t].v[s] - "
            "delta[t]). dq, dk and dv start at 0; every tile adds to them. 1/sqrt(hs) is in the "
            "score, in dq and in dk, not in dv.",
            "dq = dk = dv = 0\n"
            "for i < B*NH: delta[t] = dout[t] . out[t]\n"
            "    for each tile of queries, each tile of keys, each pair t, s in them:\n"
            "        if causal and s + T > t + S: weight 0, dscore 0\n"
            "        weight = expf(q[t] . k[s] / sqrtf(hs) - logsumexp[t])\n"
            "        dscore = weight * (dout[t] . v[s] - delta[t])\n"
            "        dq[t] += dscore / sqrtf(hs) * k[s]\n"
            "        dk[s] += dscore / sqrtf(hs) * q[t]\n"
            "        dv[s] += weight * dout[t]",
        },
    .gpu_hints =
        {
            "dq of a query is a sum over keys, dk and dv of a key are sums over "
            "queries. If one block adds up such a sum, no other block may add to it.",
            "Three kernels: delta, a warp for each query; dq, a block for each tile of "
            "queries, with a loop over the tiles of keys; dk and dv, a block for each "
            "tile of keys, with a loop over the tiles of queries. Both compute the "
            "weights from logsumexp. You need a barrier after a tile is loaded into "
            "shared memory, and one before the next tile replaces it.",
            "dq kernel: own rows q, dout; for s0 = 0; s0 < S; s0 += tile:\n"
            "    all threads load k and v (0 past S); __syncthreads()\n"
            "    weight = sees ? expf(score - logsumexp[t]) : 0\n"
            "    dscore = weight * (dout . v - delta[t]); dq += dscore * k; "
            "__syncthreads()\n"
            "dk, dv kernel: own rows k, v; the loop is over t0, and loads q and dout;\n"
            "    dk += dscore * q, dv += weight * dout\n"
            "dq and dk times 1 / sqrtf(hs) at the end",
        },
    .parts = backward_parts,
    .heap_kilobytes = HEAP_KILOBYTES,
    .heap_reason = HEAP_REASON,
};
