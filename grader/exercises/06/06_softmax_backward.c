// 06_softmax_backward.c - exercise 6.6, softmax_backward: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/06/shared.h"
#include "exercises/common/inputs.h"

#include <string.h>

#include "06_copy_task/copy_task.h"

static void fill_weights(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    softmax_of(test, "weights", case_dim(test, "S"));
}

// Small gradients, because the rounding error in float is proportional to weights * dweights,
// and the tolerance is not.
static void fill_long_rows(struct test_case *test, struct lab_rng *rng)
{
    fill_weights(test, rng);
    scale_input(test, "dweights", 0.25f);
}

// Row n sees its first 1 + n mod S keys, as under a causal mask.
static void fill_masked_weights(struct test_case *test, struct lab_rng *rng)
{
    fill_weights(test, rng);
    const size_t S = case_dim(test, "S");
    float *weights = case_f32(test, "weights");
    for (size_t n = 0; n < case_dim(test, "N"); n++) {
        float *row = weights + n * S;
        double left = 0.0;
        for (size_t s = 0; s <= n % S; s++) {
            left += (double)row[s];
        }
        for (size_t s = 0; s < S; s++) {
            row[s] = s <= n % S ? (float)((double)row[s] / left) : 0.0f;
        }
    }
}

// Row n does not see its first n mod S keys, as with padding at the start.
static void fill_first_keys_masked(struct test_case *test, struct lab_rng *rng)
{
    fill_weights(test, rng);
    const size_t S = case_dim(test, "S");
    float *weights = case_f32(test, "weights");
    for (size_t n = 0; n < case_dim(test, "N"); n++) {
        float *row = weights + n * S;
        double left = 0.0;
        for (size_t s = n % S; s < S; s++) {
            left += (double)row[s];
        }
        for (size_t s = 0; s < S; s++) {
            row[s] = s < n % S ? 0.0f : (float)((double)row[s] / left);
        }
    }
}

// Two weights of a half; the others are small, but not 0. No dweights is the mean, where 0 would be expected and
// rounding would count.
static void fill_tiny(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    const size_t S = case_dim(test, "S");
    for (size_t i = 0; i < case_count(test, "weights"); i++) {
        case_f32(test, "dweights")[i] = (i < S ? 1.0f : -1.0f) * (float)(i % S + 1);
        case_f32(test, "weights")[i] = i % S < 2 ? 0.5f : TINY * TINY * (float)(i % S);
    }
}

static void fill_large(struct test_case *test, struct lab_rng *rng)
{
    fill_weights(test, rng);
    scale_input(test, "dweights", LARGE);
}

// As in a fully masked row.
static void fill_zero_row(struct test_case *test, struct lab_rng *rng)
{
    fill_masked_weights(test, rng);
    memset(case_f32(test, "weights"), 0, case_dim(test, "S") * sizeof(float));
}

static const struct case_spec softmax_backward_cases[] = {
    {.dims = "N=1 S=1", .fill = fill_weights, .note = "one key: nothing can change"},
    {.dims = "N=1 S=2", .fill = fill_weights},
    {.dims = "N=1 S=3", .fill = fill_weights},
    {.dims = "N=2 S=3", .fill = fill_weights},
    {.dims = "N=5 S=4",
     .fill = fill_masked_weights,
     .note = "masked: some weights are 0"},
    {.dims = "N=3 S=5", .fill = fill_zero_row, .note = "row 0 is completely masked"},
    {.dims = "N=4 S=3",
     .draws = 2,
     .fill = fill_first_keys_masked,
     .note = "the first keys are masked"},
    {.dims = "N=4 S=4", .fill = fill_weights, .note = "N = S"},
    {.dims = "N=7 S=6", .fill = fill_weights},
    {.dims = "N=3..9 S=10..17", .draws = 3, .fill = fill_masked_weights},
    {.dims = "N=13 S=67", .fill = fill_long_rows},
    {.dims = "N=3 S=1031", .fill = fill_weights},
    {.dims = "N=263 S=3", .fill = fill_first_keys_masked},
    {.dims = "N=4 S=1", .fill = fill_weights, .note = "one key: nothing can change"},
    {.dims = "N=256 S=3", .fill = fill_first_keys_masked, .note = "exactly 256 rows"},
    {.dims = "N=3 S=256", .fill = fill_weights, .note = "exactly 256 keys"},
    {.dims = "N=64 S=64", .fill = fill_long_rows, .note = "N = S = 64"},
    {.dims = "N=2 S=3",
     .fill = fill_tiny,
     .unit = TINY * TINY,
     .note = "weights near 1e-30, but not 0"},
    {.dims = "N=3 S=4", .fill = fill_large, .unit = LARGE, .note = LARGE_NOTE},
    {.dims = "N=0 S=3", .note = "a size of 0"},
    {.dims = "N=3 S=0", .note = "a size of 0"},
    // 48 KiB of shared memory hold 12288 floats.
    {.dims = "N=2 S=12301",
     .fill = fill_long_rows,
     .note = "more than 12288 keys",
     .gpu_only = true},
    {.dims = "N=1031 S=3",
     .fill = fill_first_keys_masked,
     .note = "more than 1024 rows",
     .gpu_only = true},
    // A grid ends at 65535 blocks along y and z.
    {.dims = "N=65537 S=1",
     .fill = fill_weights,
     .note = "65537 rows",
     .gpu_only = true,
     .launch_only = true},
    {MOST("N=2 S=1", "N")},
    {MOST("N=1 S=2", "S")},
    {0},
};

SOFTMAX(softmax_no_sum, w *dw)
SOFTMAX(softmax_plain_sum, w *(dw - sum))
SOFTMAX(softmax_mean, w *(dw - sum / (float)S))
SOFTMAX(softmax_dot_over_S, w *(dw - dot / (float)S))
SOFTMAX(softmax_no_weight, dw - dot)
SOFTMAX(softmax_plus, w *(dw + dot))
SOFTMAX(softmax_running_dot, w *(dw - dot - all_before))
SOFTMAX(softmax_sum_outside, w *dw - dot)
SOFTMAX(softmax_last_term, w *(dw - last))

static lab_status softmax_columns(float *dscores, const float *dweights,
                                  const float *weights, size_t N, size_t S)
{
    if (N == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t s = 0; s < S; s++) {
        float dot = 0.0f;
        for (size_t n = 0; n < N; n++) {
            dot += weights[n * S + s] * dweights[n * S + s];
        }
        for (size_t n = 0; n < N; n++) {
            dscores[n * S + s] = weights[n * S + s] * (dweights[n * S + s] - dot);
        }
    }
    return LAB_OK;
}

// The whole Jacobian, S by S, as the handout writes it down.
static lab_status softmax_jacobian(float *dscores, const float *dweights,
                                   const float *weights, size_t N, size_t S)
{
    if (N == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t n = 0; n < N; n++) {
        const float *w = weights + n * S, *dw = dweights + n * S;
        for (size_t i = 0; i < S; i++) {
            float sum = 0.0f;
            for (size_t j = 0; j < S; j++) {
                sum += dw[j] * w[j] * ((i == j ? 1.0f : 0.0f) - w[i]);
            }
            dscores[n * S + i] = sum;
        }
    }
    return LAB_OK;
}

// On a GPU: only so many neighboring lanes of a warp share their sums along a row.
static lab_status softmax_sharing(size_t lanes, float *dscores, const float *dweights,
                                  const float *weights, size_t N, size_t S)
{
    if (N == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t n = 0; n < N; n++) {
        const float *w = weights + n * S, *dw = dweights + n * S;
        for (size_t s = 0; s < S; s++) {
            float mean = 0.0f;
            for (size_t j = 0; j < S; j++) {
                mean += j % LANES / lanes == s % LANES / lanes ? dw[j] * w[j] : 0.0f;
            }
            dscores[n * S + s] = w[s] * (dw[s] - mean);
        }
    }
    return LAB_OK;
}

// On a GPU: each of 32 lanes adds only one product to the sum.
static lab_status softmax_of_first(float *dscores, const float *dweights,
                                   const float *weights, size_t N, size_t S)
{
    if (N == 0 || S == 0) {
        return LAB_ESHAPE;
    }
    for (size_t n = 0; n < N; n++) {
        const float *w = weights + n * S, *dw = dweights + n * S;
        float mean = 0.0f;
        for (size_t s = 0; s < S && s < LANES; s++) {
            mean += dw[s] * w[s];
        }
        for (size_t s = 0; s < S; s++) {
            dscores[n * S + s] = w[s] * (dw[s] - mean);
        }
    }
    return LAB_OK;
}

static lab_status softmax_own_lane(float *dscores, const float *dweights,
                                   const float *weights, size_t N, size_t S)
{
    return softmax_sharing(1, dscores, dweights, weights, N, S);
}

static lab_status softmax_half_warp(float *dscores, const float *dweights,
                                    const float *weights, size_t N, size_t S)
{
    return softmax_sharing(LANES / 2, dscores, dweights, weights, N, S);
}

static const struct mistake softmax_backward_mistakes[] = {
    {
        .id = "diagonal-only",
        .what = "only the diagonal of the softmax's derivative is used: w (1 - w) dw",
        .why =
            "This is how a weight depends on its own score. It also depends on all other "
            "scores, through the sum of the exponentials: w (dw - sum_j dw_j w_j).",
        .source = "deeplearning4j/libnd4j#440",
        .function = LIKE(softmax_backward, softmax_diagonal),
    },
    {
        .id = "no-sum",
        .what = "the sum over the row is missing: w dw",
        .why = "Raising one score takes weight from all the others. That is the second "
               "term, - w sum_j dw_j w_j; with it the row sums to 0.",
        .source = "deeplearning4j/libnd4j#440",
        .function = LIKE(softmax_backward, softmax_no_sum),
    },
    {
        .id = "unweighted-sum",
        .what = "the sum is over dw, without the weights",
        .why = "Every term needs its weight: sum_j dw_j w_j.",
        .function = LIKE(softmax_backward, softmax_plain_sum),
    },
    {
        .id = "plain-mean",
        .what = "the plain mean of dw is subtracted",
        .why =
            "Subtract the mean that is weighted with the row's own weights: sum_j dw_j "
            "w_j. The two agree only if all weights are equal.",
        .function = LIKE(softmax_backward, softmax_mean),
    },
    {
        .id = "no-weight",
        .what = "the factor w is missing in front: dw - sum",
        .why =
            "A score with a small weight has little effect. Without the factor, even a "
            "masked score with weight 0 gets a gradient.",
        .function = LIKE(softmax_backward, softmax_no_weight),
    },
    {
        .id = "sum-outside",
        .what = "the sum is subtracted outside the product: w dw - sum",
        .why = "The weight multiplies both: w (dw - sum).",
        .function = LIKE(softmax_backward, softmax_sum_outside),
    },
    {
        .id = "plus",
        .what = "the sum is added instead of subtracted",
        .why = "Off the diagonal the derivative is -w_i w_j: the sum is subtracted.",
        .function = LIKE(softmax_backward, softmax_plus),
    },
    {
        .id = "sum-not-reset",
        .what = "the sum of a row still contains the previous rows",
        .why = "Declare the sum inside the loop over the rows, or reset it to 0 there.",
        .function = LIKE(softmax_backward, softmax_running_dot),
    },
    {
        .id = "sum-is-last",
        .what = "the sum over the row is only its last term",
        .why =
            "= replaces the sum with the newest product; += adds it: sum += dw[s] * w[s].",
        .function = LIKE(softmax_backward, softmax_last_term),
    },
    {
        .id = "columns",
        .what = "the sums run down the columns",
        .why = "The softmax runs along each row, over the keys; so does its backward.",
        .source = "nerminnuraydogan/vision-transformer#1",
        .function = LIKE(softmax_backward, softmax_columns),
    },
    {
        .id = "own-lane",
        .what = "every thread subtracts only its own part of the sum",
        .why =
            "A lane has summed only every 32nd element. __shfl_xor_sync with 16, 8, 4, 2 "
            "and 1 gives every lane the sum of all lanes.",
        .source = NULL,
        .function = LIKE(softmax_backward, softmax_own_lane),
        .gpu = true,
    },
    {
        .id = "half-warp",
        .what = "the sum is that of half a warp: 16 lanes of 32",
        .why =
            "The first step of __shfl_xor_sync is 16, then 8, 4, 2 and 1. If you start "
            "at 8, each lane gets the sums of only 16 lanes.",
        .source = NULL,
        .function = LIKE(softmax_backward, softmax_half_warp),
        .gpu = true,
    },
    {
        .id = "mean-over-S",
        .what = "the weighted sum is divided by S",
        .why =
            "The weights sum to 1, so sum_j dw[j] w[j] is their weighted mean already.",
        .function = LIKE(softmax_backward, softmax_dot_over_S),
    },
    {
        .id = "sum-of-first-keys",
        .what = "the sum covers only the first 32 keys of a row, one for each lane",
        .why =
            "A row may have more keys than the warp has lanes: lane l adds keys l, l + 32, "
            "... in a loop.",
        .function = LIKE(softmax_backward, softmax_of_first),
        .gpu = true,
    },
    {0},
};

static const struct mistake softmax_backward_alternatives[] = {
    {.id = "jacobian", .function = LIKE(softmax_backward, softmax_jacobian)},
    {.id = "opened-bracket", .function = LIKE(softmax_backward, softmax_opened)},
    {0},
};

static const struct part softmax_backward_part[] = {
    {
        .function = "softmax_backward",
        .dims = "N S",
        .tensors =
            {
                {"dscores", "N S", OUTPUT, F32, 4e-6f, 1e-5f},
                {"dweights", "N S", INPUT, F32, 0, 0},
                {"weights", "N S", INPUT, F32, 0, 0},
            },
        .cases = softmax_backward_cases,
        .mistakes = softmax_backward_mistakes,
        .alternatives = softmax_backward_alternatives,
    },
    {0},
};

const struct exercise exercise_6_6 = {
    .id = "6.6",
    .name = "softmax_backward",
    .section = "6.6 Softmax, backward",
    .hints =
        {
            "A score that rises takes weight from all the others of its row. The sum "
            "of a row of dscores is 0.",
            "dscores[s] = w[s] (dw[s] - mean), where mean = sum over j of dw[j] w[j]: "
            "the mean of dw, weighted with w.",
            "for each row n:\n"
            "    mean = 0; for each s: mean += dw[s] * w[s]\n"
            "    for each s: dscores[s] = w[s] * (dw[s] - mean)",
        },
    .gpu_hints =
        {
            "Use a warp for each row: one sum over its lanes, then each lane writes its "
            "own elements.",
            "mean = sum over s of dweights[s] weights[s], by __shfl_xor_sync in "
            "every lane; dscores[s] = weights[s] (dweights[s] - mean).",
            "n = (size_t)blockIdx.x * WARPS + threadIdx.y; if (n >= N) return\n"
            "mean = 0; for (s = threadIdx.x; s < S; s += 32) mean += dweights_n[s] * weights_n[s]\n"
            "for step = 16, 8, 4, 2, 1: mean += __shfl_xor_sync(0xffffffffu, mean, step)\n"
            "for (s = threadIdx.x; s < S; s += 32)\n"
            "    dscores_dev[n*S + s] = weights_n[s] * (dweights_n[s] - mean)",
        },
    .parts = softmax_backward_part,
};
