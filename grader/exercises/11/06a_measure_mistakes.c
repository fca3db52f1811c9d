// 06a_measure_mistakes.c - exercise 11.6, all measures but induction_share: known mistakes and other right
// solutions.
//
// A measure is a sum over the cells (t, s) of a map, divided by a count. MEASURE makes one from
// the term of a cell; w is its weight.

#include "exercises/exercise.h"
#include "exercises/11/06_measures.h"

#include <math.h>

#include "11_reading_attention/reading.h"

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

#define NOT_A_MEAN "A measure is a mean over queries: divide the sum by their number."

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

const struct mistake previous_mistakes[] = {
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

const struct mistake previous_alternatives[] = {
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

const struct mistake next_mistakes[] = {
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

const struct mistake next_alternatives[] = {
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

const struct mistake first_mistakes[] = {
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

const struct mistake first_alternatives[] = {
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
// Stops at the first weight 0: of the row, or of the whole map.
static lab_status entropy_up_to_0(bool map, float *entropy, const float *weights,
                                  size_t N, size_t T)
{
    if (N == 0 || T == 0) {
        return LAB_ESHAPE;
    }
    for (size_t n = 0; n < N; n++) {
        double sum = 0.0;
        bool ended = false;
        for (size_t i = 0; i < T * T; i++) {
            const double w = (double)weights[n * T * T + i];
            ended = (ended && (map || i % T != 0)) || w == 0;
            sum += ended ? 0 : NATS;
        }
        entropy[n] = (float)(sum / (double)T);
    }
    return LAB_OK;
}

static lab_status entropy_row_up_to_0(float *entropy, const float *weights, size_t N,
                                      size_t T)
{
    return entropy_up_to_0(false, entropy, weights, N, T);
}

static lab_status entropy_map_up_to_0(float *entropy, const float *weights, size_t N,
                                      size_t T)
{
    return entropy_up_to_0(true, entropy, weights, N, T);
}

// The entropy of the mean row: the queries are averaged before the logarithm.
static lab_status entropy_of_mean(float *entropy, const float *weights, size_t N,
                                  size_t T)
{
    if (N == 0 || T == 0) {
        return LAB_ESHAPE;
    }
    for (size_t n = 0; n < N; n++) {
        double sum = 0.0;
        for (size_t s = 0; s < T; s++) {
            double w = 0.0;
            for (size_t t = 0; t < T; t++) {
                w += (double)weights[(n * T + t) * T + s] / (double)T;
            }
            sum += NATS;
        }
        entropy[n] = (float)sum;
    }
    return LAB_OK;
}

MEASURE(entropy_rows_less_1, 1, NATS, ROWS)
MEASURE_IN_FLOAT(entropy_in_float, 1, (w > 0.0f ? -w * logf(w) : 0.0f), T)
MEASURE(entropy_with_tiny, 1, -w *log(w + 1e-12), T)

const struct mistake entropy_mistakes[] = {
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
    {
        .id = "row-ends-at-0",
        .what = "the first weight 0 ends its row",
        .why = "A weight of 0 adds 0, but weights may follow it: skip it alone, with "
               "continue instead of break.",
        .source = NULL,
        .function = LIKE(attention_entropy, entropy_row_up_to_0),
    },
    {
        .id = "map-ends-at-0",
        .what = "the first weight 0 ends the sum",
        .why = "A weight of 0 adds 0, but weights follow it: skip it alone, with "
               "continue instead of break.",
        .source = NULL,
        .function = LIKE(attention_entropy, entropy_map_up_to_0),
    },
    {
        .id = "of-the-mean-row",
        .what = "this is the entropy of the mean over the queries",
        .why = "First the entropy of each query, then their mean. If every query "
               "attends to a token of its own, each entropy is 0, but the entropy of "
               "their mean is not.",
        .source = NULL,
        .function = LIKE(attention_entropy, entropy_of_mean),
    },
    {
        .id = "over-T-1",
        .what = "the sum is divided by T - 1",
        .why = "All T queries count, also the first.",
        .source = NULL,
        .function = LIKE(attention_entropy, entropy_rows_less_1),
    },
    {0},
};

const struct mistake entropy_alternatives[] = {
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
MEASURE(distance_rows_less_1, 1, w *fabs(STEPS), ROWS)
MEASURE(distance_unweighted, 1, fabs(STEPS), T)
MEASURE(distance_head_0, 1, (double)weights[t * T + s] * fabs(STEPS), T)
MEASURE_IN_FLOAT(distance_in_float, 1, w *fabsf((float)STEPS), T)

const struct mistake distance_mistakes[] = {
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
        .id = "over-T-1",
        .what = "the sum is divided by T - 1",
        .why = "All T queries count, also the first.",
        .source = NULL,
        .function = LIKE(attention_distance, distance_rows_less_1),
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

const struct mistake distance_alternatives[] = {
    {.id = "in-float", .function = LIKE(attention_distance, distance_in_float)},
    {0},
};
