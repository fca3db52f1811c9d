// 08_published_scores.c - exercise 4.8, published_scores: cases, known mistakes and hints.

#include "exercises/exercise.h"

#include <math.h>

#include "04_multi_head/heads.h"
#include "exercises/common/inputs.h"

// Sums of products of quarters are exact in every order. Sums with 261 normals are not.
static void in_quarters(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    case_coarse(test, "q");
    case_coarse(test, "k");
}

static void fill_scaled(struct test_case *test, float by)
{
    static const char *const inputs[] = {"q", "k"};
    for (size_t i = 0; i < 2; i++) {
        make_whole(test, inputs[i]);
        scale_input(test, inputs[i], by);
    }
}

static void fill_tiny(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    fill_scaled(test, TINY);
}

static void fill_large(struct test_case *test, struct lab_rng *rng)
{
    (void)rng;
    fill_scaled(test, LARGE);
}

static const struct case_spec published_cases[] = {
    {.dims = "B=1 T=1 C=2 NH=1"},
    {.dims = "B=1 T=2 C=2 NH=2"},
    {.dims = "B=1 T=2 C=6 NH=2"},
    {.dims = "B=2 T=3 C=6 NH=3", .note = "the sizes of the trace"},
    {.dims = "B=3 T=4 C=12 NH=4", .draws = 2},
    {.dims = "B=2 T=5 C=35 NH=5"},
    {.dims = "B=7 T=2 C=10 NH=2"},
    {.dims = "B=1 T=3 C=783 NH=3", .note = "wide heads", .fill = in_quarters},
    {.dims = "B=257 T=2 C=6 NH=2"},
    {.dims = "B=17 T=19 C=437 NH=19", .note = "larger, odd sizes"},
    {.dims = "B=1 T=65 C=195 NH=65", .note = "larger, odd sizes"},
    {.dims = "B=2 T=4 C=6 NH=3", .note = "sizes with which the notebook itself fails"},
    {.dims = "B=1 T=3 C=6 NH=2", .note = "sizes with which the notebook itself fails"},
    {.dims = "B=2 T=4 C=6 NH=2", .note = "T is 2 NH: the notebook itself fails"},
    {.dims = "B=2 T=2 C=8 NH=4", .note = "NH is 2 T: the notebook itself fails"},
    {.dims = "B=3 T=1 C=4 NH=1", .note = "one token, one head"},
    {.dims = "B=3 T=1 C=1 NH=1", .note = "one channel"},
    {.dims = "B=256 T=2 C=6 NH=2", .note = "exactly 256 sequences"},
    {.dims = "B=1 T=64 C=192 NH=64", .note = "exactly 64 heads"},
    {.dims = "B=1 T=4 C=256 NH=4", .fill = in_quarters, .note = "heads of width 64"},
    {.dims = "B=1 T=2 C=6 NH=2",
     .fill = fill_tiny,
     .unit = TINY * TINY,
     .note = TINY_NOTE},
    {.dims = "B=1 T=2 C=6 NH=2", .fill = fill_large, .note = LARGE_NOTE},
    {.dims = "B=2 T=3 C=7 NH=3", .note = "NH does not divide C"},
    {.dims = "B=2 T=3 C=6 NH=0", .note = "a size of 0"},
    {.dims = "B=0 T=3 C=6 NH=3", .note = "a size of 0"},
    {.dims = "B=2 T=0 C=6 NH=3", .note = "a size of 0"},
    {.dims = "B=2 T=3 C=0 NH=3", .note = "a size of 0"},
    {.dims = "B=2 T=2 C=6 NH=3",
     .note = "sizes with which the notebook itself fails",
     .apart = true},
    {0},
};

// PUBLISHED(name, row_q, row_k, divisor): the rows of hs numbers whose product is
// scores[b][i][j][s]. PUBLISHED_FROM: the product begins with number `first`.
#define PUBLISHED(name, row_q, row_k, divisor)                                           \
    PUBLISHED_FROM(name, row_q, row_k, divisor, 0)
#define PUBLISHED_FROM(name, row_q, row_k, divisor, first)                               \
    static lab_status name(float *scores, const float *q, const float *k, size_t B,      \
                           size_t T, size_t C, size_t NH)                                \
    {                                                                                    \
        if (B == 0 || T == 0 || C == 0 || NH == 0 || C % NH != 0 || T != NH) {           \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        const size_t hs = C / NH;                                                        \
        for (size_t n = 0; n < B * T * T * T; n++) {                                     \
            const size_t b = n / (T * T * T), i = n / (T * T) % T, j = n / T % T;        \
            const size_t s = n % T;                                                      \
            double sum = 0;                                                              \
            for (size_t c = first; c < hs; c++) {                                        \
                sum += (double)q[(b * T * T + (row_q)) * hs + c] *                       \
                       (double)k[(b * T * T + (row_k)) * hs + c];                        \
            }                                                                            \
            scores[n] = (float)(sum / (divisor));                                        \
        }                                                                                \
        return LAB_OK;                                                                   \
    }

// row i * T + j is token i, head j
PUBLISHED(published_in_double, i *T + j, s *T + i, 1)
PUBLISHED(published_right, j *T + i, s *T + i, 1)
PUBLISHED(published_k_instead, j *T + i, i *T + s, 1)
PUBLISHED(published_both, i *T + j, i *T + s, 1)
PUBLISHED(published_scaled, i *T + j, s *T + i, sqrt((double)hs))
PUBLISHED(published_k_not_transposed, i *T + j, s *T + j, 1)
PUBLISHED_FROM(published_last_term, i *T + j, s *T + i, 1, hs - 1)

static const struct mistake published_mistakes[] = {
    {
        .id = "the-right-scores",
        .what = "these are the right scores, not the notebook's",
        .why = "Compare them with the published scores. The notebook treated q or "
               "k differently.",
        .source = NULL,
        .function = LIKE(published_scores, published_right),
    },
    {
        .id = "k-instead",
        .what = "the bug is in k instead of q",
        .why = "Take scores[0][0][1][0] of the trace, 0.4702, and find the two rows "
               "whose product it is.",
        .source = NULL,
        .function = LIKE(published_scores, published_k_instead),
    },
    {
        .id = "both",
        .what = "the bug is in both q and k",
        .why = "The notebook transposed one of the two correctly. Take "
               "scores[0][0][0][1] of the trace, -0.2818, and find the two rows whose "
               "product it is.",
        .source = NULL,
        .function = LIKE(published_scores, published_both),
    },
    {
        .id = "other-head-of-k",
        .what = "in scores[b][i][j], the keys come from head j, not from head i",
        .why = "The notebook multiplied matrix i of q by matrix i of k. It transposed k "
               "correctly, so matrix i of k is head i.",
        .source = NULL,
        .function = LIKE(published_scores, published_k_not_transposed),
    },
    {
        .id = "scaled",
        .what = "the scores are divided by sqrt(hs)",
        .why = "The notebook printed them before the division.",
        .source = NULL,
        .function = LIKE(published_scores, published_scaled),
    },
    {
        .id = "last-term",
        .what = "only the last product of every sum is kept",
        .why = "= replaces the sum with the newest product; += adds it.",
        .source = NULL,
        .function = LIKE(published_scores, published_last_term),
    },
    {0},
};

static const struct mistake published_alternatives[] = {
    {.id = "in-double", .function = LIKE(published_scores, published_in_double)},
    {0},
};

static const struct part published_part[] = {
    {
        .function = "published_scores",
        .dims = "B T C NH",
        .tensors =
            {
                {"scores", "B NH T T", OUTPUT, F32, 4e-5f, 1e-5f},
                {"q", "B T C", INPUT, F32, 0, 0},
                {"k", "B T C", INPUT, F32, 0, 0},
            },
        .cases = published_cases,
        .mistakes = published_mistakes,
        .alternatives = published_alternatives,
    },
    {0},
};

const struct exercise exercise_4_8 = {
    .id = "4.8",
    .name = "published_scores",
    .section = "4.8 A bug in a published trace",
    .hints =
        {
            "Compute the right scores of sequence 0 from the printed q and k, and "
            "compare them with the printed scores. Which ones agree? What do their heads "
            "and tokens have in common?",
            "Scores [i][i][s] agree: there it does not matter which index of q is the "
            "head and which is the token. In all other scores these two indices are "
            "swapped, but only for q.",
            "for each b, i, j, s:\n"
            "    scores[b][i][j][s] = sum over c of\n"
            "        q[b][token i][head j][c] * k[b][token s][head i][c]\n"
            "where [token t][head h][c] of q and k (B,T,C) is (b*T + t)*C + h*hs + c.\n"
            "i is a token and a head, and so is j: LAB_ESHAPE unless T = NH.",
        },
    .parts = published_part,
};
