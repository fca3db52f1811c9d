// 06_measures.c - exercise 11.6, measures of a head: cases, known mistakes and hints.
//
// A measure is a sum over the cells (t, s) of a map, divided by a count. MEASURE makes one from
// the term of a cell; w is its weight.

#include "exercises/exercise.h"
#include "exercises/11/maps.h"

#include <math.h>

#include "11_reading_attention/reading.h"
#include "common/rng.h"

#define MEASURE(name, least_T, term, count)                                              \
    static lab_status name(float *y, const float *weights, size_t N, size_t T)           \
    {                                                                                    \
        if (N == 0 || T < (least_T)) {                                                   \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        for (size_t n = 0; n < N; n++) {                                                 \
            double sum = 0.0;                                                            \
            for (size_t t = 0; t < T; t++) {                                             \
                for (size_t s = 0; s < T; s++) {                                         \
                    const double w = (double)weights[(n * T + t) * T + s];               \
                    (void)w;                                                             \
                    sum += term;                                                         \
                }                                                                        \
            }                                                                            \
            y[n] = (float)(sum / (double)(count));                                       \
        }                                                                                \
        return LAB_OK;                                                                   \
    }

// The same with sums in float, as another student's right code may have them.
#define MEASURE_IN_FLOAT(name, least_T, term, count)                                     \
    static lab_status name(float *y, const float *weights, size_t N, size_t T)           \
    {                                                                                    \
        if (N == 0 || T < (least_T)) {                                                   \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        for (size_t n = 0; n < N; n++) {                                                 \
            float sum = 0.0f;                                                            \
            for (size_t t = 0; t < T; t++) {                                             \
                for (size_t s = 0; s < T; s++) {                                         \
                    const float w = weights[(n * T + t) * T + s];                        \
                    sum += term;                                                         \
                }                                                                        \
            }                                                                            \
            y[n] = sum / (float)(count);                                                 \
        }                                                                                \
        return LAB_OK;                                                                   \
    }

// w where the condition holds, else 0; the same for the first head's weight.
#define WHERE(condition) ((condition) ? w : 0)
#define OF_HEAD_0(condition) ((condition) ? (double)weights[t * T + s] : 0.0)
#define ROWS (T > 1 ? T - 1 : 1)

// Each query has one key, before it by 3 or after it by T - 3.
static void fill_far(struct test_case *test, struct lab_rng *rng)
{
    const size_t T = case_dim(test, "T");
    float *weights = case_f32(test, "weights");
    (void)rng;
    for (size_t i = 0; i < case_count(test, "weights"); i++) {
        weights[i] = i % T == (i / T + T - 3) % T ? 1.0f : 0.0f;
    }
}

#define MEASURE_CASES(name, smallest, last)                                              \
    static const struct case_spec name[] = {                                             \
        smallest,                                                                        \
        {.dims = "N=1 T=3", .fill = fill_weights},                                       \
        {.dims = "N=2 T=5", .draws = 2, .fill = fill_weights},                           \
        {.dims = "N=3 T=3", .fill = fill_weights, .note = "as many heads as tokens"},    \
        {.dims = "N=5 T=4", .fill = fill_causal, .note = "no token sees a later one"},   \
        {.dims = "N=4 T=6", .fill = fill_one_key, .note = "each query has one key"},     \
        {.dims = "N=2 T=7", .fill = fill_alike, .note = "all weights are equal"},        \
        {.dims = "N=3..9 T=8..19", .draws = 3, .fill = fill_weights},                    \
        {.dims = "N=13 T=2", .fill = fill_weights, .note = "two tokens"},                \
        {.dims = "N=2 T=131", .fill = fill_weights, .note = "many tokens"},              \
        {.dims = "N=67 T=5", .fill = fill_causal, .note = "many heads"},                 \
        {.dims = "N=256 T=2", .fill = fill_causal, .note = "256 heads"},                 \
        {.dims = "N=1 T=256", .fill = fill_one_key, .note = "256 tokens"},               \
        {.dims = "N=3 T=64", .fill = fill_weights, .note = "exactly 64 tokens"},         \
        {.dims = "N=64 T=3", .fill = fill_weights, .note = "exactly 64 heads"},          \
        {.dims = "N=0 T=3", .fill = fill_weights, .note = "a size of 0"},                \
        {.dims = "N=3 T=0", .note = "a size of 0"},                                      \
        last,                                                                            \
        {0},                                                                             \
    }

#define ONE_TOKEN                                                                        \
    {                                                                                    \
        .dims = "N=2 T=1", .fill = fill_alike, .note = "one token"                       \
    }
#define ONE_TOKEN_ALONE                                                                  \
    {                                                                                    \
        .dims = "N=2 T=1", .fill = fill_alike,                                           \
        .note = "one token: LAB_ESHAPE, because it has no neighbour"                     \
    }

#define ONE_TOKEN_AND_TINY                                                               \
    ONE_TOKEN,                                                                           \
    {                                                                                    \
        .dims = "N=2 T=67", .fill = fill_tiny, .note = "many weights of 9e-7"            \
    }

#define NO_MORE                                                                          \
    {                                                                                    \
        0                                                                                \
    }
#define KEYS_257_AWAY                                                                    \
    {                                                                                    \
        .dims = "N=1 T=260", .fill = fill_far, .note = "keys up to 257 tokens away"      \
    }

MEASURE_CASES(neighbour_cases, ONE_TOKEN_ALONE, NO_MORE);
MEASURE_CASES(measure_cases, ONE_TOKEN, NO_MORE);
MEASURE_CASES(entropy_cases, ONE_TOKEN_AND_TINY, NO_MORE);
MEASURE_CASES(distance_cases, ONE_TOKEN, KEYS_257_AWAY);

#define NOT_A_MEAN "A measure is a mean over queries: divide the sum by their number."
#define ROW_IS_QUERY "A row is a query, a column is a key: weights[t * T + s]."
#define EACH_HEAD "Head n has its own map: weights + n * T * T."

// ---- previous_token_share -------------------------------------------------------------------

#define LEFT (s + 1 == t)
#define RIGHT (s == t + 1)
MEASURE(previous_over_T, 2, WHERE(LEFT), T)
MEASURE(previous_next, 2, WHERE(RIGHT), T - 1)
MEASURE(previous_itself, 2, WHERE(s == t), T)
MEASURE(previous_all, 2, WHERE(s < t), T - 1)
MEASURE(previous_sum, 2, WHERE(LEFT), 1)
MEASURE(previous_cells, 2, WHERE(LEFT), T *T)
MEASURE(previous_head_0, 2, OF_HEAD_0(LEFT), T - 1)
MEASURE(previous_both, 2, WHERE(LEFT || RIGHT), T - 1)
MEASURE(previous_around, 2, WHERE(LEFT || (t == 0 && s == T - 1)), T)
MEASURE(previous_from_2, 2, WHERE(LEFT &&t > 1), T - 1)
MEASURE(previous_without_last, 2, WHERE(LEFT &&t + 1 < T), T - 1)
MEASURE(previous_one_token, 1, WHERE(LEFT), ROWS)
MEASURE_IN_FLOAT(previous_in_float, 2, WHERE(LEFT), T - 1)

static const struct mistake previous_mistakes[] = {
    {
        .id = "over-T",
        .what = "the sum is divided by T",
        .why = "Query 0 has no token before it, so T - 1 queries count.",
        .source = NULL,
        .function = LIKE(previous_token_share, previous_over_T),
    },
    {
        .id = "next-token",
        .what = "these are the weights of the token after the query",
        .why = "The token before query t is key t - 1. " ROW_IS_QUERY,
        .source = NULL,
        .function = LIKE(previous_token_share, previous_next),
    },
    {
        .id = "itself",
        .what = "these are the weights of the query's own token",
        .why = "The token before query t is key t - 1.",
        .source = NULL,
        .function = LIKE(previous_token_share, previous_itself),
    },
    {
        .id = "all-before",
        .what = "all tokens before the query count, not only the last one",
        .why = "Only key t - 1 counts.",
        .source = NULL,
        .function = LIKE(previous_token_share, previous_all),
    },
    {
        .id = "sum",
        .what = "the sum is not divided",
        .why = NOT_A_MEAN,
        .source = NULL,
        .function = LIKE(previous_token_share, previous_sum),
    },
    {
        .id = "over-all-cells",
        .what = "the sum is divided by T T",
        .why = NOT_A_MEAN,
        .source = NULL,
        .function = LIKE(previous_token_share, previous_cells),
    },
    {
        .id = "head-0",
        .what = "every head gets the number of head 0",
        .why = EACH_HEAD,
        .source = NULL,
        .function = LIKE(previous_token_share, previous_head_0),
    },
    {
        .id = "both-sides",
        .what = "the token after the query counts, too",
        .why = "Only key t - 1 counts.",
        .source = NULL,
        .function = LIKE(previous_token_share, previous_both),
    },
    {
        .id = "around",
        .what = "the last token counts as the one before the first",
        .why = "Query 0 has no token before it: begin with t = 1 and divide by T - 1.",
        .source = NULL,
        .function = LIKE(previous_token_share, previous_around),
    },
    {
        .id = "from-2",
        .what = "query 1 is left out",
        .why = "The first query with a token before it is query 1.",
        .source = NULL,
        .function = LIKE(previous_token_share, previous_from_2),
    },
    {
        .id = "without-the-last",
        .what = "the last query is left out",
        .why = "t goes from 1 to T - 1.",
        .source = NULL,
        .function = LIKE(previous_token_share, previous_without_last),
    },
    {
        .id = "one-token",
        .what = "a text of one token gives 0",
        .why = "Then no query has a token before it: return LAB_ESHAPE.",
        .source = NULL,
        .function = LIKE(previous_token_share, previous_one_token),
    },
    {0},
};

static const struct mistake previous_alternatives[] = {
    {.id = "in-float", .function = LIKE(previous_token_share, previous_in_float)},
    {0},
};

// ---- next_token_share -----------------------------------------------------------------------

MEASURE(next_over_T, 2, WHERE(RIGHT), T)
MEASURE(next_previous, 2, WHERE(LEFT), T - 1)
MEASURE(next_all, 2, WHERE(s > t), T - 1)
MEASURE(next_sum, 2, WHERE(RIGHT), 1)
MEASURE(next_cells, 2, WHERE(RIGHT), T *T)
MEASURE(next_head_0, 2, OF_HEAD_0(RIGHT), T - 1)
MEASURE(next_around, 2, WHERE(RIGHT || (t == T - 1 && s == 0)), T)
MEASURE(next_from_1, 2, WHERE(RIGHT &&t > 0), T - 1)
MEASURE(next_without_last, 2, WHERE(RIGHT &&t + 2 < T), T - 1)
MEASURE(next_one_token, 1, WHERE(RIGHT), ROWS)
MEASURE_IN_FLOAT(next_in_float, 2, WHERE(RIGHT), T - 1)

static const struct mistake next_mistakes[] = {
    {
        .id = "over-T",
        .what = "the sum is divided by T",
        .why = "The last query has no token after it, so T - 1 queries count.",
        .source = NULL,
        .function = LIKE(next_token_share, next_over_T),
    },
    {
        .id = "previous-token",
        .what = "these are the weights of the token before the query",
        .why = "The token after query t is key t + 1. " ROW_IS_QUERY,
        .source = NULL,
        .function = LIKE(next_token_share, next_previous),
    },
    {
        .id = "all-after",
        .what = "all tokens after the query count, not only the first one",
        .why = "Only key t + 1 counts.",
        .source = NULL,
        .function = LIKE(next_token_share, next_all),
    },
    {
        .id = "sum",
        .what = "the sum is not divided",
        .why = NOT_A_MEAN,
        .source = NULL,
        .function = LIKE(next_token_share, next_sum),
    },
    {
        .id = "over-all-cells",
        .what = "the sum is divided by T T",
        .why = NOT_A_MEAN,
        .source = NULL,
        .function = LIKE(next_token_share, next_cells),
    },
    {
        .id = "head-0",
        .what = "every head gets the number of head 0",
        .why = EACH_HEAD,
        .source = NULL,
        .function = LIKE(next_token_share, next_head_0),
    },
    {
        .id = "around",
        .what = "the first token counts as the one after the last",
        .why = "The last query has no token after it: end with t = T - 2.",
        .source = NULL,
        .function = LIKE(next_token_share, next_around),
    },
    {
        .id = "from-1",
        .what = "query 0 is left out",
        .why = "t goes from 0 to T - 2.",
        .source = NULL,
        .function = LIKE(next_token_share, next_from_1),
    },
    {
        .id = "without-the-last",
        .what = "the last query that has a token after it is left out",
        .why = "t goes from 0 to T - 2.",
        .source = NULL,
        .function = LIKE(next_token_share, next_without_last),
    },
    {
        .id = "one-token",
        .what = "a text of one token gives 0",
        .why = "Then no query has a token after it: return LAB_ESHAPE.",
        .source = NULL,
        .function = LIKE(next_token_share, next_one_token),
    },
    {0},
};

static const struct mistake next_alternatives[] = {
    {.id = "in-float", .function = LIKE(next_token_share, next_in_float)},
    {0},
};

// ---- first_token_share ----------------------------------------------------------------------

MEASURE(first_without_itself, 1, WHERE(s == 0 && t > 0), ROWS)
MEASURE(first_without_itself_over_T, 1, WHERE(s == 0 && t > 0), T)
MEASURE(first_row, 1, WHERE(t == 0), T)
MEASURE(first_last, 1, WHERE(s == T - 1), T)
MEASURE(first_second, 1, WHERE(s == 1), T)
MEASURE(first_token_sum, 1, WHERE(s == 0), 1)
MEASURE(first_cells, 1, WHERE(s == 0), T *T)
MEASURE(first_head_0, 1, OF_HEAD_0(s == 0), T)
MEASURE(first_two_tokens, 2, WHERE(s == 0), T)
MEASURE_IN_FLOAT(first_in_float, 1, WHERE(s == 0), T)

static const struct mistake first_mistakes[] = {
    {
        .id = "without-itself",
        .what = "the first query is left out",
        .why = "All T queries count here, the first token's own weight, too.",
        .source = NULL,
        .function = LIKE(first_token_share, first_without_itself),
        .convention = true,
    },
    {
        .id = "without-itself-over-T",
        .what = "the first query is left out of the sum, but not of the count",
        .why = "All T queries count here, the first token's own weight, too.",
        .source = NULL,
        .function = LIKE(first_token_share, first_without_itself_over_T),
    },
    {
        .id = "first-query",
        .what = "these are the weights of the first query, not of the first key",
        .why = ROW_IS_QUERY " The first key is column 0.",
        .source = NULL,
        .function = LIKE(first_token_share, first_row),
    },
    {
        .id = "last-token",
        .what = "these are the weights of the last token",
        .why = "The first key is column 0.",
        .source = NULL,
        .function = LIKE(first_token_share, first_last),
    },
    {
        .id = "second-token",
        .what = "these are the weights of the second token",
        .why = "The first key is column 0.",
        .source = NULL,
        .function = LIKE(first_token_share, first_second),
    },
    {
        .id = "sum",
        .what = "the sum is not divided",
        .why = NOT_A_MEAN,
        .source = NULL,
        .function = LIKE(first_token_share, first_token_sum),
    },
    {
        .id = "over-all-cells",
        .what = "the sum is divided by T T",
        .why = NOT_A_MEAN,
        .source = NULL,
        .function = LIKE(first_token_share, first_cells),
    },
    {
        .id = "head-0",
        .what = "every head gets the number of head 0",
        .why = EACH_HEAD,
        .source = NULL,
        .function = LIKE(first_token_share, first_head_0),
    },
    {
        .id = "one-token-refused",
        .what = "a text of one token is refused",
        .why = "It has a first token: the share is the weight of its only cell.",
        .source = NULL,
        .function = LIKE(first_token_share, first_two_tokens),
    },
    {0},
};

static const struct mistake first_alternatives[] = {
    {.id = "in-float", .function = LIKE(first_token_share, first_in_float)},
    {0},
};

// ---- attention_entropy ----------------------------------------------------------------------

#define NATS (w > 0 ? -w * log(w) : 0)
MEASURE(entropy_bits, 1, (w > 0 ? -w * log2(w) : 0), T)
MEASURE(entropy_log10, 1, (w > 0 ? -w * log10(w) : 0), T)
MEASURE(entropy_negative, 1, -NATS, T)
MEASURE(entropy_nan, 1, -w *log(w), T)
MEASURE(entropy_sum, 1, NATS, 1)
MEASURE(entropy_cells, 1, NATS, T *T)
MEASURE(entropy_share, 1, NATS / (T > 1 ? log((double)T) : 1), T)
MEASURE(entropy_surprise, 1, (w > 0 ? -log(w) : 0), T)
MEASURE(entropy_less_itself, 1, WHERE(s != t) > 0 ? -w * log(w) : 0, T)
MEASURE(entropy_head_0, 1,
        (weights[t * T + s] > 0
             ? -(double)weights[t * T + s] * log((double)weights[t * T + s])
             : 0),
        T)
MEASURE_IN_FLOAT(entropy_in_float, 1, (w > 0.0f ? -w * logf(w) : 0.0f), T)
MEASURE(entropy_with_tiny, 1, -w *log(w + 1e-12), T)

static const struct mistake entropy_mistakes[] = {
    {
        .id = "bits",
        .what = "the entropy is in bits: log2 instead of log",
        .why = "This lab asks for nats: the natural logarithm, log or logf.",
        .source = NULL,
        .function = LIKE(attention_entropy, entropy_bits),
        .convention = true,
    },
    {
        .id = "log10",
        .what = "the logarithm has base 10",
        .why = "This lab asks for nats: the natural logarithm, log or logf.",
        .source = NULL,
        .function = LIKE(attention_entropy, entropy_log10),
    },
    {
        .id = "no-minus",
        .what = "the sign is missing",
        .why = "The logarithm of a weight is negative, but an entropy is not: -w ln w.",
        .source = NULL,
        .function = LIKE(attention_entropy, entropy_negative),
    },
    {
        .id = "nan-at-0",
        .what = "a weight of 0 gives NaN",
        .why = "0 * log(0) is 0 * -inf, which is NaN. A weight of 0 adds 0: skip it.",
        .source = NULL,
        .function = LIKE(attention_entropy, entropy_nan),
    },
    {
        .id = "sum",
        .what = "the entropies of the queries are added, not averaged",
        .why = NOT_A_MEAN,
        .source = NULL,
        .function = LIKE(attention_entropy, entropy_sum),
    },
    {
        .id = "over-all-cells",
        .what = "the sum is divided by T T",
        .why = "The entropy of a query is the sum over its keys; only the T queries "
               "are averaged.",
        .source = NULL,
        .function = LIKE(attention_entropy, entropy_cells),
    },
    {
        .id = "over-ln-T",
        .what = "the entropy is divided by ln T, its largest value",
        .why = "That is a share from 0 to 1. This lab asks for nats.",
        .source = NULL,
        .function = LIKE(attention_entropy, entropy_share),
        .convention = true,
    },
    {
        .id = "not-weighted",
        .what = "the logarithms are added without the weight in front",
        .why = "Each key adds -w ln w.",
        .source = NULL,
        .function = LIKE(attention_entropy, entropy_surprise),
    },
    {
        .id = "without-itself",
        .what = "the query's own token is left out",
        .why = "All T keys of a query count.",
        .source = NULL,
        .function = LIKE(attention_entropy, entropy_less_itself),
    },
    {
        .id = "head-0",
        .what = "every head gets the number of head 0",
        .why = EACH_HEAD,
        .source = NULL,
        .function = LIKE(attention_entropy, entropy_head_0),
    },
    {0},
};

static const struct mistake entropy_alternatives[] = {
    {.id = "in-float", .function = LIKE(attention_entropy, entropy_in_float)},
    {.id = "with-a-tiny-number", .function = LIKE(attention_entropy, entropy_with_tiny)},
    {0},
};

// ---- attention_distance ---------------------------------------------------------------------

#define STEPS ((double)t - (double)s)
MEASURE(distance_signed, 1, w *STEPS, T)
MEASURE(distance_negative, 1, -w *STEPS, T)
MEASURE(distance_size_t, 1, w *(double)(t - s), T)
MEASURE(distance_squared, 1, w *STEPS *STEPS, T)
MEASURE(distance_back, 1, (s < t ? w * STEPS : 0), T)
MEASURE(distance_plus_1, 1, w *(fabs(STEPS) + 1), T)
MEASURE(distance_sum, 1, w *fabs(STEPS), 1)
MEASURE(distance_cells, 1, w *fabs(STEPS), T *T)
MEASURE(distance_unweighted, 1, fabs(STEPS), T)
MEASURE(distance_head_0, 1, (double)weights[t * T + s] * fabs(STEPS), T)
MEASURE_IN_FLOAT(distance_in_float, 1, w *fabsf((float)STEPS), T)

static const struct mistake distance_mistakes[] = {
    {
        .id = "signed",
        .what = "keys after the query count as negative distances",
        .why = "A distance has no sign: |t - s|.",
        .source = NULL,
        .function = LIKE(attention_distance, distance_signed),
    },
    {
        .id = "signed-other-way",
        .what = "keys before the query count as negative distances",
        .why = "A distance has no sign: |t - s|.",
        .source = NULL,
        .function = LIKE(attention_distance, distance_negative),
    },
    {
        .id = "wraps-around",
        .what = "t - s wraps around where the key is after the query",
        .why = "A size_t is never negative. Subtract the smaller from the larger, or "
               "convert both to double first.",
        .source = NULL,
        .function = LIKE(attention_distance, distance_size_t),
    },
    {
        .id = "squared",
        .what = "the distances are squared",
        .why = "The distance is |t - s|.",
        .source = NULL,
        .function = LIKE(attention_distance, distance_squared),
    },
    {
        .id = "back-only",
        .what = "only keys before the query count",
        .why = "In BERT, a query may also look ahead: |t - s|.",
        .source = NULL,
        .function = LIKE(attention_distance, distance_back),
    },
    {
        .id = "plus-1",
        .what = "every distance is one too large",
        .why = "A token is 0 steps from itself.",
        .source = NULL,
        .function = LIKE(attention_distance, distance_plus_1),
    },
    {
        .id = "sum",
        .what = "the distances of the queries are added, not averaged",
        .why = NOT_A_MEAN,
        .source = NULL,
        .function = LIKE(attention_distance, distance_sum),
    },
    {
        .id = "over-all-cells",
        .what = "the sum is divided by T T, or the distance by T",
        .why = "The weights of a query already sum to 1; only the T queries are "
               "averaged.",
        .source = NULL,
        .function = LIKE(attention_distance, distance_cells),
    },
    {
        .id = "not-weighted",
        .what = "all keys count equally, whatever their weight",
        .why = "Each key adds w |t - s|.",
        .source = NULL,
        .function = LIKE(attention_distance, distance_unweighted),
    },
    {
        .id = "head-0",
        .what = "every head gets the number of head 0",
        .why = EACH_HEAD,
        .source = NULL,
        .function = LIKE(attention_distance, distance_head_0),
    },
    {0},
};

static const struct mistake distance_alternatives[] = {
    {.id = "in-float", .function = LIKE(attention_distance, distance_in_float)},
    {0},
};

// ---- induction_share ------------------------------------------------------------------------

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
static void fill_neighbours(struct test_case *test, struct lab_rng *rng)
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

static const struct case_spec induction_cases[] = {
    {.dims = "N=2 T=1", .fill = fill_same, .note = "one token: the share is 0"},
    {.dims = "N=1 T=3", .fill = fill_same, .note = "the same token three times"},
    {.dims = "N=2 T=6", .draws = 3, .fill = fill_often},
    {.dims = "N=3 T=5",
     .fill = fill_all_different,
     .note = "no token occurs twice: the share is 0"},
    {.dims = "N=2 T=8", .fill = fill_neighbours, .note = "each token twice in a row"},
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

static const struct mistake induction_mistakes[] = {
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

static const struct mistake induction_alternatives[] = {
    {.id = "forwards", .function = LIKE(induction_share, induction_right)},
    {0},
};

// ---- the exercise ---------------------------------------------------------------------------

#define MEASURE_PART(name, output, part_cases, part_mistakes, part_alternatives)         \
    {                                                                                    \
        .function = name, .dims = "N T",                                                 \
        .tensors = {{output, "N", OUTPUT, F32, 4e-6f, 5e-5f},                            \
                    {"weights", "N T T", INPUT, F32, 0, 0}},                             \
        .cases = part_cases, .mistakes = part_mistakes,                                  \
        .alternatives = part_alternatives,                                               \
    }

static const struct part measures_parts[] = {
    MEASURE_PART("previous_token_share", "share", neighbour_cases, previous_mistakes,
                 previous_alternatives),
    MEASURE_PART("next_token_share", "share", neighbour_cases, next_mistakes,
                 next_alternatives),
    MEASURE_PART("first_token_share", "share", measure_cases, first_mistakes,
                 first_alternatives),
    MEASURE_PART("attention_entropy", "entropy", entropy_cases, entropy_mistakes,
                 entropy_alternatives),
    MEASURE_PART("attention_distance", "distance", distance_cases, distance_mistakes,
                 distance_alternatives),
    {
        .function = "induction_share",
        .dims = "N T",
        .tensors = {{"share", "N", OUTPUT, F32, 4e-6f, 5e-5f},
                    {"weights", "N T T", INPUT, F32, 0, 0},
                    {"tokens", "T", INPUT, SIZE, 0, 0}},
        .cases = induction_cases,
        .mistakes = induction_mistakes,
        .alternatives = induction_alternatives,
    },
    {0},
};

const struct exercise exercise_11_6 = {
    .id = "11.6",
    .name = "measures of a head",
    .section = "11.6 Measures of a head",
    .hints =
        {
            "Draw a map of five tokens, a row for each query, and mark the cells that a "
            "measure looks at. Which queries have such a cell?",
            "previous: cells (t, t - 1) for t = 1 ... T - 1, divided by T - 1. next: (t, "
            "t + 1) for t = 0 ... T - 2. first: (t, 0) for all t. Entropy: -w ln w over "
            "all cells, divided by T. Distance: w |t - s|, divided by T. Induction: (t, s "
            "+ 1), where s is the last place before t with the same token.",
            "for each head n, with map = weights + n * T * T:\n"
            "    sum = 0 (double)\n"
            "    previous: for t = 1 ... T - 1: sum += map[t * T + t - 1];  / (T - 1)\n"
            "    entropy:  for each cell with w > 0: sum -= w * log(w);     / T\n"
            "    distance: sum += w * (s < t ? t - s : s - t);              / T\n"
            "    induction: for each t: for s = t - 1 down to 0:\n"
            "        if tokens[s] == tokens[t]: sum += map[t * T + s + 1], count++, stop\n"
            "        / count, or 0",
        },
    .parts = measures_parts,
};
