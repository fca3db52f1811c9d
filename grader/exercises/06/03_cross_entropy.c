// 03_cross_entropy.c - exercise 6.3, cross_entropy: cases and hints.

#include "exercises/exercise.h"
#include "exercises/06/03_cross_entropy.h"
#include "exercises/06/shared.h"
#include "exercises/common/inputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void fill_targets(struct test_case *test, struct lab_rng *rng)
{
    draw_tokens(test, rng, "targets");
    scale_input(test, "logits", 2.0f);
    case_absent(test, "isnan(loss)");
}

static void fill_large_logits(struct test_case *test, struct lab_rng *rng)
{
    fill_targets(test, rng);
    float *logits = case_f32(test, "logits");
    for (size_t i = 0; i < case_count(test, "logits"); i++) {
        logits[i] = fminf(fmaxf(logits[i] * 2500.0f, -10000.0f), 10000.0f);
    }
    // row 0 gives a wrong token a high probability
    const size_t target = case_size(test, "targets")[0];
    logits[target] = -10000.0f;
    logits[(target + 1) % case_dim(test, "V")] = 10000.0f;
}

static void shift_logits(struct test_case *test, struct lab_rng *rng, float by)
{
    fill_targets(test, rng);
    float *logits = case_f32(test, "logits");
    for (size_t i = 0; i < case_count(test, "logits"); i++) {
        logits[i] += by;
    }
}

static void fill_logits_above(struct test_case *test, struct lab_rng *rng)
{
    shift_logits(test, rng, 120.0f);
}

// Row 0 is 300 above the other rows, in which logit 1 is 200 above its neighbors.
static void fill_rows_apart(struct test_case *test, struct lab_rng *rng)
{
    fill_targets(test, rng);
    const size_t N = case_dim(test, "N"), V = case_dim(test, "V");
    float *logits = case_f32(test, "logits");
    for (size_t i = 0; i < V; i++) {
        logits[i] += 300.0f;
    }
    for (size_t n = 1; n < N; n++) {
        logits[n * V + 1] += 200.0f;
    }
}

static void fill_logits_below(struct test_case *test, struct lab_rng *rng)
{
    shift_logits(test, rng, -200.0f);
}

static void fill_limits(struct test_case *test, struct lab_rng *rng)
{
    fill_targets(test, rng);
    rows_at_limits(test, "logits", case_dim(test, "V"));
}

// All logits are near -10000, in steps of 30. The loss of a row is then a multiple of 30, even
// if computed from max + log sum, which is rounded at that magnitude.
static void fill_logits_far_below(struct test_case *test, struct lab_rng *rng)
{
    fill_targets(test, rng);
    const size_t V = case_dim(test, "V");
    float *logits = case_f32(test, "logits");
    for (size_t i = 0; i < case_count(test, "logits"); i++) {
        logits[i] = -9900.0f - 30.0f * (float)((i / V + i % V) % V);
    }
}

// The target is the token that is 40 below: the loss is 40, so that only its relative tolerance counts.
static void fill_40_below(struct test_case *test, struct lab_rng *rng)
{
    const size_t V = case_dim(test, "V");
    fill_targets(test, rng);
    set_all(test, "logits", 0.0f);
    for (size_t n = 0; n < case_dim(test, "N"); n++) {
        case_size(test, "targets")[n] = (n + 1) % V;
        case_f32(test, "logits")[n * V + (n + 1) % V] = -40.0f;
    }
}

// Near 10^10, in steps of 8192: no int holds the largest.
static void fill_logits_beyond_int(struct test_case *test, struct lab_rng *rng)
{
    fill_targets(test, rng);
    const size_t V = case_dim(test, "V");
    float *logits = case_f32(test, "logits");
    for (size_t i = 0; i < case_count(test, "logits"); i++) {
        logits[i] = 1e10f - 8192.0f * (float)((i / V + i % V) % V);
    }
}

static void fill_lowest(struct test_case *test, struct lab_rng *rng)
{
    fill_targets(test, rng);
    rows_far_below(test, "logits", case_dim(test, "V"));
}

// One logit is 60 above the others and is never the target, whose probability is then near
// 1e-26.
static void fill_confident_and_wrong(struct test_case *test, struct lab_rng *rng)
{
    fill_targets(test, rng);
    const size_t N = case_dim(test, "N"), V = case_dim(test, "V");
    for (size_t n = 0; n < N; n++) {
        case_f32(test, "logits")[n * V + (case_size(test, "targets")[n] + 1) % V] +=
            60.0f;
    }
}

// In each row one logit, not always the same, is 2000 above the others: exp overflows, even in
// double, if the maximum misses it.
static void fill_one_far_above(struct test_case *test, struct lab_rng *rng)
{
    fill_targets(test, rng);
    const size_t N = case_dim(test, "N"), V = case_dim(test, "V");
    for (size_t n = 0; n < N; n++) {
        case_f32(test, "logits")[n * V + (n + 1 < N ? 41 * n % V : V - 1)] += 2000.0f;
    }
}

static void fill_last_too_large(struct test_case *test, struct lab_rng *rng)
{
    fill_targets(test, rng);
    last_token_too_large(test, "targets");
}

static void fill_first_too_large(struct test_case *test, struct lab_rng *rng)
{
    fill_targets(test, rng);
    first_token_too_large(test, "targets");
}

static void fill_middle_far_too_large(struct test_case *test, struct lab_rng *rng)
{
    fill_targets(test, rng);
    middle_token_far_too_large(test, "targets");
}

// As an int it is 1.
static void fill_beyond_32_bits(struct test_case *test, struct lab_rng *rng)
{
    fill_targets(test, rng);
    case_size(test, "targets")[1] = ((size_t)1 << 32) + 1;
}

// Logit i of the last row is NaN. This shows in the loss, not in the status.
static void set_nan(struct test_case *test, size_t i)
{
    case_f32(test, "logits")[(case_dim(test, "N") - 1) * case_dim(test, "V") + i] = NAN;
}

static void fill_nan_first(struct test_case *test, struct lab_rng *rng)
{
    draw_tokens(test, rng, "targets");
    set_nan(test, 0);
}

static void fill_nan_last(struct test_case *test, struct lab_rng *rng)
{
    draw_tokens(test, rng, "targets");
    set_nan(test, case_dim(test, "V") - 1);
}

static void fill_nan_target(struct test_case *test, struct lab_rng *rng)
{
    draw_tokens(test, rng, "targets");
    set_nan(test, case_size(test, "targets")[case_dim(test, "N") - 1]);
}

static void fill_nan_other(struct test_case *test, struct lab_rng *rng)
{
    draw_tokens(test, rng, "targets");
    const size_t target = case_size(test, "targets")[case_dim(test, "N") - 1];
    set_nan(test, (target + 1) % case_dim(test, "V"));
}

// Two logits far above the others, one of them the target's. So the many others do not count.
static void fill_wide(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    const size_t V = case_dim(test, "V");
    last_tokens(test, "targets");
    case_absent(test, "isnan(loss)");
    set_all(test, "logits", -60.0f);
    case_f32(test, "logits")[V - 1] = 1.5f;
    case_f32(test, "logits")[V / 2] = 2.0f;
}

// Nearly all rows cost nothing, so that a sum in float, in any order, stays exact enough.
static void fill_mostly_sure(struct test_case *test, struct lab_rng *rng)
{
    fill_targets(test, rng);
    const size_t N = case_dim(test, "N"), V = case_dim(test, "V");
    set_all(test, "logits", 0.0f);
    for (size_t n = 0; n < N; n++) {
        const bool sure = n % 1024 != 0 && n + 8 < N;
        case_f32(test, "logits")[n * V + case_size(test, "targets")[n]] =
            sure ? 40.0f : 0.0f;
    }
}

static const struct case_spec cross_entropy_cases[] = {
    {.dims = "N=1 V=2", .fill = fill_targets},
    {.dims = "N=1 V=3", .fill = fill_targets},
    {.dims = "N=2 V=3", .fill = fill_targets},
    {.dims = "N=2 V=1",
     .fill = fill_targets,
     .note = "a vocabulary of one token: the loss is 0"},
    {.dims = "N=4 V=4", .fill = fill_targets, .note = "N = V"},
    {.dims = "N=5 V=3", .draws = 2, .fill = fill_targets},
    {.dims = "N=3 V=4", .fill = fill_logits_above, .note = "logits near 120"},
    {.dims = "N=3 V=4",
     .fill = fill_rows_apart,
     .note = "row 0 is 300 above the other rows, and their logit 1 is 200 above the "
             "rest"},
    {.dims = "N=1 V=5", .fill = fill_limits, .note = "logits near 95"},
    {.dims = "N=4 V=3", .fill = fill_logits_below, .note = "logits near -200"},
    {.dims = "N=2 V=3", .fill = fill_logits_far_below, .note = "logits near -10000"},
    {.dims = "N=3 V=5",
     .fill = fill_confident_and_wrong,
     .note = "certain but wrong: the target's probability is near 1e-26"},
    {.dims = "N=4 V=6", .fill = fill_large_logits, .note = "logits of up to +-10000"},
    {.dims = "N=4..9 V=10..13", .draws = 3, .fill = fill_targets},
    {.dims = "N=37 V=10", .fill = fill_targets},
    {.dims = "N=3 V=1031", .fill = fill_targets, .note = "many tokens"},
    {.dims = "N=261 V=4", .fill = fill_targets},
    // On the CPU these are errors; a kernel makes the loss NaN.
    {.dims = "N=3 V=4",
     .fill = fill_last_too_large,
     .cpu_only = true,
     .note = "the last target is V, which is not below V"},
    {.dims = "N=3 V=4",
     .fill = fill_first_too_large,
     .cpu_only = true,
     .note = "the first target is V, which is not below V"},
    {.dims = "N=3 V=4",
     .fill = fill_middle_far_too_large,
     .cpu_only = true,
     .note = "the middle target is V + 1000"},
    {.dims = "N=256 V=4", .fill = fill_targets, .note = "exactly 256 rows"},
    {.dims = "N=1 V=65540", .fill = fill_wide, .note = WIDE_NOTE},
    {.dims = "N=3 V=256", .fill = fill_targets, .note = "V is 256"},
    {.dims = "N=64 V=64", .fill = fill_targets, .note = "N = V = 64"},
    {.dims = "N=3 V=4",
     .fill = fill_last_too_large,
     .gpu_only = true,
     .nan = true,
     .note = "the last target is V, which is not below V: the loss must be NaN"},
    {.dims = "N=3 V=4",
     .fill = fill_first_too_large,
     .gpu_only = true,
     .nan = true,
     .note = "the first target is V, which is not below V: the loss must be NaN"},
    {.dims = "N=3 V=4",
     .fill = fill_middle_far_too_large,
     .gpu_only = true,
     .nan = true,
     .note = "the middle target is V + 1000: the loss must be NaN"},
    {.dims = "N=3 V=4",
     .fill = fill_beyond_32_bits,
     .gpu_only = true,
     .nan = true,
     .note = "target 1 is 4294967297: the loss must be NaN"},
    {.dims = "N=1 V=3",
     .fill = fill_nan_first,
     .cpu_only = true, // on a GPU the host does not see the loss
     .note = "the first logit is NaN"},
    {.dims = "N=3 V=4",
     .fill = fill_nan_last,
     .cpu_only = true,
     .note = "the last logit is NaN"},
    {.dims = "N=2 V=5",
     .fill = fill_nan_target,
     .cpu_only = true,
     .note = "the logit of the last row's target is NaN"},
    {.dims = "N=2 V=5",
     .fill = fill_nan_other,
     .cpu_only = true,
     .note = "a logit of the last row is NaN, not that of its target"},
    {.dims = "N=19 V=131",
     .fill = fill_one_far_above,
     .note = "one logit of each row 2000 above the others"},
    {.dims = "N=2 V=3", .fill = fill_logits_beyond_int, .note = "logits near 1e10"},
    {.dims = "N=2 V=4",
     .fill = fill_lowest,
     .note = "all logits below -3.402823e38, one of each row 2e31 larger"},
    {.dims = "N=2 V=3",
     .fill = fill_40_below,
     .unit = 1e-16f,
     .note = "the target is 40 below the largest logit: a small probability, but not 0"},
    {.dims = "N=0 V=4", .note = "a size of 0"},
    {.dims = "N=3 V=0", .note = "a size of 0"},
    // 48 KiB of shared memory hold 12288 floats.
    {.dims = "N=2 V=12301",
     .fill = fill_targets,
     .note = "a vocabulary of more than 12288 tokens",
     .gpu_only = true},
    {.dims = "N=1031 V=2",
     .fill = fill_targets,
     .note = "more than 1024 rows",
     .gpu_only = true},
    // A grid ends at 65535 blocks along y and z.
    {.dims = "N=65537 V=2",
     .fill = fill_mostly_sure,
     .note = "65537 tokens",
     .gpu_only = true,
     .launch_only = true},
    {MOST("N=2 V=2", "N"), .fill = fill_targets},
    {MOST("N=1 V=2", "V"), .fill = fill_targets},
    {0},
};

// On the GPU: a target that is not below V makes the loss NaN.
static lab_status cross_entropy_with_nan(adaptor *call, any_function f, void *const *t,
                                         const size_t *n)
{
    const size_t *targets = t[3], N = n[0], V = n[1];
    size_t *valid = tokens_made_valid(targets, N, V);
    void *argument[] = {t[0], t[1], t[2], valid, NULL};
    const lab_status status = call(f, argument, n);
    if (status == LAB_OK && memcmp(valid, targets, N * sizeof *valid) != 0) {
        *(float *)t[0] = NAN;
    }
    free(valid);
    return status;
}

static const struct part cross_entropy_part[] = {
    {
        .function = "cross_entropy",
        .dims = "N V",
        .tensors =
            {
                {"loss", "1", OUTPUT, F32, 1e-5f, 1e-5f},
                {"probabilities", "N V", OUTPUT, F32, 1e-6f, 1e-5f},
                {"logits", "N V", INPUT, F32, 0, 0},
                {"targets", "N", INPUT, SIZE, 0, 0},
                {"isnan(loss)", "1", OUTPUT, SIZE, 0,
                 0}, // correct for a logit that is NaN
            },
        .cases = cross_entropy_cases,
        .nan_call = cross_entropy_with_nan,
        .mistakes = cross_entropy_mistakes,
        .alternatives = cross_entropy_alternatives,
    },
    {0},
};

const struct exercise exercise_6_3 = {
    .id = "6.3",
    .name = "cross_entropy",
    .section = "6.3 Cross entropy",
    .gpu_section = "Across blocks",
    .hints =
        {
            "It is the softmax of lab 1 plus one line. What is log(exp(a) / sum)?",
            "Per row: max, sum of exp(logit - max), probabilities = exp / sum. The "
            "row costs log(sum) - (logit[target] - max); the loss is the mean.",
            "for each n:\n"
            "    max over i of logits[n][i], starting with logits[n][0]\n"
            "    p[i] = expf(logit[i] - max), sum += p[i]; then p[i] /= sum\n"
            "    total += log(sum) - (logit[targets[n]] - max)\n"
            "*loss = total / N",
        },
    .gpu_hints =
        {
            "First compute the rows, each with a warp, as in 4.5. Then sum all rows into "
            "one number. You can only be sure that all rows are done after the kernel, "
            "so write two kernels.",
            "Kernel 1: a warp per row: max, exponentials, sum, probabilities; lane 0 "
            "writes row_losses[n] = logf(sum) - (logits[n][target] - max). Kernel 2: one "
            "block; each thread sums every BLOCK-th row. Then halve the number of sums "
            "again and again, with a barrier after each step.",
            "kernel 1: n = blockIdx.x * WARPS + threadIdx.y; if (n >= N) return\n"
            "    max by __shfl_xor_sync; e = expf(logit - max), sum likewise; "
            "probabilities = e / sum\n"
            "    if (threadIdx.x == 0) row_losses_dev[n] = logf(sum) - (chosen - max)\n"
            "kernel 2: __shared__ double sums[BLOCK]; sums[threadIdx.x] = own rows' sum\n"
            "    __syncthreads()\n"
            "    for half = BLOCK / 2 ... 1: if (threadIdx.x < half) sums[x] += sums[x +"
            " half]\n"
            "                                __syncthreads()\n"
            "    if (threadIdx.x == 0) *loss_dev = (float)(sums[0] / N)",
        },
    .parts = cross_entropy_part,
};
