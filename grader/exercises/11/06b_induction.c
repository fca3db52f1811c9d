// 06b_induction.c - exercise 11.6, induction_share: cases, known mistakes and another right solution.

#include "exercises/exercise.h"
#include "exercises/11/06_measures.h"
#include "exercises/11/maps.h"

#include "11_reading_attention/reading.h"
#include "common/rng.h"

static void fill_tokens(struct test_case *test, struct lab_rng *rng, size_t kinds)
{
    size_t *tokens = case_size(test, "tokens");
    for (size_t t = 0; t < case_count(test, "tokens"); t++) {
        tokens[t] = (size_t)lab_rng_int(rng, 0, (int)kinds) * 1000003;
    }
}

static void fill_often(struct test_case *test, struct lab_rng *rng)
{
    fill_weights(test, rng);
    fill_tokens(test, rng, 3);
}

static void fill_seldom(struct test_case *test, struct lab_rng *rng)
{
    fill_weights(test, rng);
    fill_tokens(test, rng, 2 * case_dim(test, "T"));
}

static void fill_causal_tokens(struct test_case *test, struct lab_rng *rng)
{
    fill_causal(test, rng);
    fill_tokens(test, rng, 4);
}

static void fill_same(struct test_case *test, struct lab_rng *rng)
{
    fill_weights(test, rng);
    fill_tokens(test, rng, 1);
}

static void fill_all_different(struct test_case *test, struct lab_rng *rng)
{
    fill_weights(test, rng);
    for (size_t t = 0; t < case_count(test, "tokens"); t++) {
        case_size(test, "tokens")[t] = 7 * t + 1;
    }
}

// Tokens that are alike in their lowest 8, 16 or 32 bits. Each occurs three times.
static void fill_alike_below(struct test_case *test, struct lab_rng *rng)
{
    const size_t differs[] = {0, (size_t)1 << 8, (size_t)1 << 16, (size_t)1 << 32};
    fill_weights(test, rng);
    for (size_t t = 0; t < case_count(test, "tokens"); t++) {
        case_size(test, "tokens")[t] = 5 + differs[t * t % 13 % 4];
    }
}

// A B A, and A A: the place after the last one is the query's own.
static void fill_neighbors(struct test_case *test, struct lab_rng *rng)
{
    fill_weights(test, rng);
    for (size_t t = 0; t < case_count(test, "tokens"); t++) {
        case_size(test, "tokens")[t] = t / 2;
    }
}

// The last 3 tokens are the first ones again.
static void fill_far_apart(struct test_case *test, struct lab_rng *rng)
{
    fill_weights(test, rng);
    for (size_t t = 0; t < case_count(test, "tokens"); t++) {
        case_size(test, "tokens")[t] = t % (case_count(test, "tokens") - 3);
    }
}

const struct case_spec induction_cases[] = {
    {.dims = "N=2 T=1", .fill = fill_same, .note = "one token: the share is 0"},
    {.dims = "N=1 T=3", .fill = fill_same, .note = "the same token three times"},
    {.dims = "N=2 T=6", .draws = 3, .fill = fill_often},
    {.dims = "N=3 T=5",
     .fill = fill_all_different,
     .note = "no token occurs twice: the share is 0"},
    {.dims = "N=1 T=2",
     .fill = fill_all_different,
     .note = "one head, two tokens that differ: the share is 0"},
    {.dims = "N=2 T=8", .fill = fill_neighbors, .note = "each token twice in a row"},
    {.dims = "N=5 T=9", .fill = fill_causal_tokens, .note = "no token sees a later one"},
    {.dims = "N=4 T=4", .fill = fill_often, .note = "as many heads as tokens"},
    {.dims = "N=3..9 T=10..19", .draws = 3, .fill = fill_often},
    {.dims = "N=3 T=21", .draws = 2, .fill = fill_seldom},
    {.dims = "N=2 T=131", .fill = fill_often, .note = "many tokens"},
    {.dims = "N=67 T=7", .fill = fill_often, .note = "many heads"},
    {.dims = "N=256 T=3", .fill = fill_often, .note = "256 heads"},
    {.dims = "N=2 T=64", .fill = fill_often, .note = "exactly 64 tokens"},
    {.dims = "N=64 T=7", .fill = fill_often, .note = "exactly 64 heads"},
    {.dims = "N=2 T=12",
     .fill = fill_alike_below,
     .note = "tokens that differ only above 8, 16 or 32 bits"},
    {.dims = "N=0 T=3", .fill = fill_same, .note = "a size of 0"},
    {.dims = "N=3 T=0", .note = "a size of 0"},
    {.dims = "N=1 T=260",
     .fill = fill_far_apart,
     .note = "equal tokens that are 257 apart"},
    {.dims = "N=1 T=256", .fill = fill_far_apart, .note = "256 tokens"},
    {0},
};

// What is looked for: the last earlier equal token unless first; -1 for none.
static ptrdiff_t earlier(const size_t *tokens, size_t t, bool first)
{
    ptrdiff_t found = -1;
    for (size_t s = 0; s < t; s++) {
        if (tokens[s] == tokens[t] && !(first && found >= 0)) {
            found = (ptrdiff_t)s;
        }
    }
    return found;
}

// term: what query t adds if an equal token is at s; again: the number of queries that count.
#define INDUCTION(name, first, term, count)                                              \
    static lab_status name(float *share, const float *weights, const size_t *tokens,     \
                           size_t N, size_t T)                                           \
    {                                                                                    \
        if (N == 0 || T == 0) {                                                          \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        for (size_t n = 0; n < N; n++) {                                                 \
            const float *map = weights + n * T * T;                                      \
            double sum = 0.0;                                                            \
            size_t again = 0;                                                            \
            for (size_t t = 0; t < T; t++) {                                             \
                const ptrdiff_t found = earlier(tokens, t, first);                       \
                const size_t s = (size_t)found;                                          \
                (void)map;                                                               \
                (void)s;                                                                 \
                sum += found < 0 ? 0.0 : (double)(term);                                 \
                again += found >= 0;                                                     \
            }                                                                            \
            (void)again;                                                                 \
            share[n] = (float)(count);                                                   \
        }                                                                                \
        return LAB_OK;                                                                   \
    }
#define MEAN (again == 0 ? 0.0 : sum / (double)again)

INDUCTION(induction_first, true, map[t * T + s + 1], MEAN)
INDUCTION(induction_itself, false, map[t * T + s], MEAN)
INDUCTION(induction_before, false, (s == 0 ? 0.0f : map[t * T + s - 1]), MEAN)
INDUCTION(induction_own_next, false, (t + 1 == T ? 0.0f : map[t * T + t + 1]), MEAN)
INDUCTION(induction_transposed, false, map[(s + 1) * T + t], MEAN)
INDUCTION(induction_over_T, false, map[t * T + s + 1], sum / (double)T)
INDUCTION(induction_over_T_1, false, map[t * T + s + 1],
          sum / (double)(T > 1 ? T - 1 : 1))
INDUCTION(induction_sum, false, map[t * T + s + 1], sum)
INDUCTION(induction_nan, false, map[t * T + s + 1], sum / (double)again)
INDUCTION(induction_head_0, false, weights[t * T + s + 1], MEAN)
INDUCTION(induction_right, false, map[t * T + s + 1], MEAN)

// Every earlier equal token counts.
static lab_status induction_every(float *share, const float *weights,
                                  const size_t *tokens, size_t N, size_t T)
{
    if (N == 0 || T == 0) {
        return LAB_ESHAPE;
    }
    for (size_t n = 0; n < N; n++) {
        double sum = 0.0;
        size_t again = 0;
        for (size_t t = 0; t < T; t++) {
            for (size_t s = 0; s < t; s++) {
                if (tokens[s] == tokens[t]) {
                    sum += (double)weights[(n * T + t) * T + s + 1];
                    again++;
                }
            }
        }
        share[n] = again == 0 ? 0.0f : (float)(sum / (double)again);
    }
    return LAB_OK;
}

const struct mistake induction_mistakes[] = {
    {
        .id = "first-of-all",
        .what = "the first earlier token counts, not the last",
        .why = "Search backwards from t - 1 and stop at the first token that is equal.",
        .source = NULL,
        .function = LIKE(induction_share, induction_first),
    },
    {
        .id = "every-earlier",
        .what = "every earlier equal token counts",
        .why = "Only the last one before t counts: stop the search there.",
        .source = NULL,
        .function = LIKE(induction_share, induction_every),
    },
    {
        .id = "the-token-itself",
        .what = "these are the weights of the earlier token itself",
        .why = "An induction head looks at the token AFTER it: key s + 1.",
        .source = NULL,
        .function = LIKE(induction_share, induction_itself),
    },
    {
        .id = "the-token-before",
        .what = "these are the weights of the token before the earlier one",
        .why = "An induction head looks at the token AFTER it: key s + 1.",
        .source = NULL,
        .function = LIKE(induction_share, induction_before),
    },
    {
        .id = "own-next",
        .what = "these are the weights of the token after the query",
        .why = "The key is s + 1, where s is the last earlier token equal to token t.",
        .source = NULL,
        .function = LIKE(induction_share, induction_own_next),
    },
    {
        .id = "transposed",
        .what = "rows and columns are swapped",
        .why = ROW_IS_QUERY,
        .source = NULL,
        .function = LIKE(induction_share, induction_transposed),
    },
    {
        .id = "over-T",
        .what = "the sum is divided by T",
        .why = "Only queries whose token occurred before count: divide by their number.",
        .source = NULL,
        .function = LIKE(induction_share, induction_over_T),
    },
    {
        .id = "over-T-1",
        .what = "the sum is divided by T - 1",
        .why = "Only queries whose token occurred before count: divide by their number.",
        .source = NULL,
        .function = LIKE(induction_share, induction_over_T_1),
    },
    {
        .id = "sum",
        .what = "the sum is not divided",
        .why = "Divide by the number of queries whose token occurred before.",
        .source = NULL,
        .function = LIKE(induction_share, induction_sum),
    },
    {
        .id = "nan-without-repeats",
        .what = "0 / 0 gives NaN if no token occurs twice",
        .why = "Then the share is 0.",
        .source = NULL,
        .function = LIKE(induction_share, induction_nan),
    },
    {
        .id = "head-0",
        .what = "every head gets the number of head 0",
        .why = EACH_HEAD,
        .source = NULL,
        .function = LIKE(induction_share, induction_head_0),
    },
    {0},
};

const struct mistake induction_alternatives[] = {
    {.id = "forwards", .function = LIKE(induction_share, induction_right)},
    {0},
};
