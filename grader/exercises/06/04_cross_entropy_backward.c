// 04_cross_entropy_backward.c - exercise 6.4: cases, known mistakes and hints.

#include "exercises/exercise.h"
#include "exercises/06/shared.h"
#include "exercises/common/inputs.h"

#include "06_copy_task/copy_task.h"

static void fill_probabilities(struct test_case *test, struct lab_rng *rng)
{
    draw_tokens(test, rng, "targets");
    softmax_of(test, "probabilities", case_dim(test, "V"));
}

static void fill_tiny(struct test_case *test, struct lab_rng *rng)
{
    fill_probabilities(test, rng);
    scale_input(test, "probabilities", TINY * TINY);
}

// Certain rows, right and wrong: probabilities of exactly 1 and 0, also at the target.
static void fill_certain(struct test_case *test, struct lab_rng *rng)
{
    draw_tokens(test, rng, "targets");
    set_all(test, "probabilities", 0.0f);
    const size_t V = case_dim(test, "V");
    for (size_t n = 0; n < case_dim(test, "N"); n++) {
        const size_t likely = case_size(test, "targets")[n] + n % 2;
        case_f32(test, "probabilities")[n * V + likely % V] = 1.0f;
    }
}

static void fill_wide(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    last_tokens(test, "targets");
    set_all(test, "probabilities", 0x1p-16f);
}

static void repeated(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    repeat_tokens(test, "targets");
    repeat_rows(test, "probabilities", 1, 1, 0.0f, 1.0f / 16);
}

static const struct case_spec cross_entropy_backward_cases[] = {
    {.dims = "N=1 V=2", .fill = fill_probabilities},
    {.dims = "N=1 V=3", .fill = fill_probabilities},
    {.dims = "N=2 V=3", .fill = fill_probabilities},
    {.dims = "N=4 V=4", .fill = fill_probabilities, .note = "N = V"},
    {.dims = "N=5 V=4", .draws = 2, .fill = fill_probabilities},
    {.dims = "N=3 V=1", .fill = fill_probabilities, .note = "one token in all"},
    {.dims = "N=4 V=3",
     .fill = fill_certain,
     .note = "certain rows: probabilities of 1 and 0"},
    {.dims = "N=6..9 V=10..13", .draws = 3, .fill = fill_probabilities},
    {.dims = "N=37 V=10", .fill = fill_probabilities},
    {.dims = "N=3 V=1031", .fill = fill_probabilities, .note = "many tokens"},
    {.dims = "N=261 V=4", .fill = fill_probabilities},
    {.dims = "N=256 V=4", .fill = fill_probabilities, .note = "exactly 256 rows"},
    {.dims = "N=1 V=65540", .fill = fill_wide, .note = WIDE_NOTE},
    {.dims = "N=3 V=256", .fill = fill_probabilities, .note = "V is 256"},
    {.dims = "N=64 V=64", .fill = fill_probabilities, .note = "N = V = 64"},
    {.dims = "N=3 V=4",
     .fill = fill_bad_target,
     .note = "the last target is V, which is not below V"},
    {.dims = "N=3 V=4",
     .fill = fill_bad_first_target,
     .note = "the first target is V, which is not below V"},
    {.dims = "N=3 V=4",
     .fill = fill_bad_middle_target,
     .note = "the middle target is V + 1000"},
    {.dims = "N=2 V=3",
     .fill = fill_tiny,
     .unit = TINY * TINY,
     .note = "probabilities near 1e-30, but not 0"},
    {.dims = "N=0 V=4", .note = "a size of 0"},
    {.dims = "N=3 V=0", .note = "a size of 0"},
    {MORE_THAN_16_BITS("N=65543 V=1", repeated, "65543 rows")},
    {0},
};

// DLOGITS(name, value): an expression of p and y (1 for the target, else 0), dot (the sum over
// the row of p times p - y), N and V.
#define DLOGITS(name, value)                                                             \
    static lab_status name(float *dlogits, const float *probabilities,                   \
                           const size_t *targets, size_t N, size_t V)                    \
    {                                                                                    \
        lab_status status =                                                              \
            cross_entropy_backward(dlogits, probabilities, targets, N, V);               \
        for (size_t n = 0; status == LAB_OK && n < N; n++) {                             \
            const float *p_n = probabilities + n * V;                                    \
            float dot = 0.0f;                                                            \
            for (size_t i = 0; i < V; i++) {                                             \
                dot += p_n[i] * (p_n[i] - (i == targets[n] ? 1.0f : 0.0f));              \
            }                                                                            \
            (void)dot;                                                                   \
            for (size_t i = 0; i < V; i++) {                                             \
                const float p = p_n[i], y = i == targets[n] ? 1.0f : 0.0f;               \
                (void)y;                                                                 \
                dlogits[n * V + i] = value;                                              \
            }                                                                            \
        }                                                                                \
        return status;                                                                   \
    }

DLOGITS(dlogits_no_minus_one, p / (float)N)
DLOGITS(dlogits_undivided, p - y)
DLOGITS(dlogits_whole_number, (p - y) * (float)(1 / N))
DLOGITS(dlogits_over_V, (p - y) / (float)V)
DLOGITS(dlogits_over_NV, (p - y) / (float)(N * V))
DLOGITS(dlogits_p_divided_only, p / (float)N - y)
DLOGITS(dlogits_sign, (y - p) / (float)N)
DLOGITS(dlogits_softmax_again, p *(p - y - dot) / (float)N)
DLOGITS(dlogits_target_only, y *(p - 1.0f) / (float)N)
DLOGITS(dlogits_of_probability, y > 0.0f ? -1.0f / p / (float)N : 0.0f)
DLOGITS(dlogits_diagonal, y > 0.0f ? (p - 1.0f) / (float)N : p)
DLOGITS(dlogits_in_double, (float)(((double)p - (double)y) / (double)N))
DLOGITS(dlogits_divided_first, p / (float)N - y / (float)N)

static const struct mistake cross_entropy_backward_mistakes[] = {
    {
        .id = "no-minus-one",
        .what = "the 1 is not subtracted at the target",
        .why = "The gradient is the model's probabilities minus the right ones: p - 1 at "
               "the target, p elsewhere. Each row of the gradient sums to 0.",
        .function = LIKE(cross_entropy_backward, dlogits_no_minus_one),
    },
    {
        .id = "whole-number-division",
        .what = "1 / N is a whole-number division, and 0 for N > 1",
        .why = "N is a size_t: 1 / N drops the fraction. Convert it first: "
               "1.0f / (float)N.",
        .function = LIKE(cross_entropy_backward, dlogits_whole_number),
    },
    {
        .id = "not-divided",
        .what = "the gradient is not divided by N",
        .why = "The loss is a mean over N rows, so each row's share of it is 1/N.",
        .source = "tracel-ai/burn#5568",
        .function = LIKE(cross_entropy_backward, dlogits_undivided),
    },
    {
        .id = "divided-by-V",
        .what = "the gradient is divided by V",
        .why = "The loss is a mean over N rows, not over V tokens.",
        .function = LIKE(cross_entropy_backward, dlogits_over_V),
    },
    {
        .id = "divided-by-NV",
        .what = "the gradient is divided by N V",
        .why = "The loss is a mean over N rows: divide by N alone.",
        .source = "tracel-ai/burn#5568",
        .function = LIKE(cross_entropy_backward, dlogits_over_NV),
    },
    {
        .id = "divided-at-target-only",
        .what = "only the target's gradient is divided by N",
        .why = "Every gradient of the row has the factor 1/N: move the division out of "
               "the if.",
        .function = LIKE(cross_entropy_backward, dlogits_diagonal),
    },
    {
        .id = "sign",
        .what = "the gradient has the wrong sign",
        .why = "The gradient points to where the loss GROWS. A larger logit of the "
               "target lowers the loss, so its gradient is negative: p - 1.",
        .function = LIKE(cross_entropy_backward, dlogits_sign),
    },
    {
        .id = "softmax-again",
        .what = "p - y was passed through softmax_backward as well",
        .why = "p - y is already the gradient of the logits; it includes the softmax.",
        .source = "ariecattan/SciCo#2",
        .function = LIKE(cross_entropy_backward, dlogits_softmax_again),
    },
    {
        .id = "target-only",
        .what = "only the target's logit gets a gradient",
        .why = "Every logit of the row is in the sum of the exponentials, so the others "
               "get p.",
        .function = LIKE(cross_entropy_backward, dlogits_target_only),
    },
    {
        .id = "of-probability",
        .what = "this is the gradient of the probabilities, -1/p at the target",
        .why = "The softmax is between probabilities and logits. Its backward turns -1/p "
               "into p - y.",
        .function = LIKE(cross_entropy_backward, dlogits_of_probability),
    },
    {
        .id = "p-divided-only",
        .what = "the 1 at the target is not divided by N; p is",
        .why =
            "The 1 is one of the right probabilities, and each row's share of the loss is 1/N: "
            "(p - 1) / N.",
        .function = LIKE(cross_entropy_backward, dlogits_p_divided_only),
    },
    {0},
};

static const struct mistake cross_entropy_backward_alternatives[] = {
    {.id = "in-double", .function = LIKE(cross_entropy_backward, dlogits_in_double)},
    {.id = "divided-first",
     .function = LIKE(cross_entropy_backward, dlogits_divided_first)},
    {0},
};

static const struct part cross_entropy_backward_part[] = {
    {
        .function = "cross_entropy_backward",
        .dims = "N V",
        .tensors =
            {
                {"dlogits", "N V", OUTPUT, F32, 4e-7f, 1e-5f},
                {"probabilities", "N V", INPUT, F32, 0, 0},
                {"targets", "N", INPUT, SIZE, 0, 0},
            },
        .cases = cross_entropy_backward_cases,
        .mistakes = cross_entropy_backward_mistakes,
        .alternatives = cross_entropy_backward_alternatives,
    },
    {0},
};

const struct exercise exercise_6_4 = {
    .id = "6.4",
    .name = "cross_entropy_backward",
    .section = "6.4 Cross entropy, backward",
    .uses = {"6.3"},
    .hints =
        {
            "The model's probabilities minus the right ones.",
            "dlogits[n][i] = (p[n][i] - [i is the target]) / N. Each row sums to 0.",
            "for each n, for each i:\n"
            "    dlogits[n * V + i] = (p[n * V + i] - (i == targets[n])) / N",
        },
    .parts = cross_entropy_backward_part,
};
