// attention.h - an attention with one possible change, for the mistakes of 4.5 to 4.7.

#ifndef GRADER_04_ATTENTION_H
#define GRADER_04_ATTENTION_H

#include <stdio.h>

#include "exercises/exercise.h"

// The distances between the sequences, heads, tokens and channels of a tensor.
struct layout {
    size_t b, h, t, c;
};

// head_major is (B,NH,T,hs); token_major is (B,T,NH,hs), the same as (B,T,C). Reshaping (B,T,C)
// to (B,NH,T,hs) without transposing reads it as head_major: a common mistake.
struct layout head_major(size_t NH, size_t T, size_t hs);

struct layout token_major(size_t NH, size_t T, size_t hs);

struct plan;
typedef bool mask_rule(const struct plan *p, size_t b, size_t h, size_t t, size_t s);

enum softmax_kind {
    RIGHT,
    IN_FLOAT,     // right, all sums in float
    RENORMALIZED, // right: masked afterwards, divided again
    MASK_AFTER,
    MASK_MULTIPLIED,
    MASK_ADDED,
    EMPTY_ROW_NAN,
    EMPTY_ROW_UNIFORM,
    // forbidden scores become that number; with a guard, a row without an allowed key becomes zeros
    MINUS_10000,
    MINUS_10000_GUARDED,
    MINUS_1E9_GUARDED,
    ADDED_MINUS_10000, // the number is added to forbidden scores
    ADDED_MINUS_1E9,
    ADDED_MINUS_1E9_GUARDED,
    FROM_ZERO, // the search for the maximum starts there,
    FROM_1E9,  // or at -1e9
    DOWN_COLUMNS,
    // by way of the logarithm (log_softmax.h)
    BY_LOG_SUM_ROUNDED,
    BY_LOG_SUM_LOST,
};

enum order_of_k { PLAIN, ALL_AXES_TRANSPOSED, Q_AND_K_EXCHANGED };

// The plan of an attention: which numbers of each tensor it combines.
struct plan {
    float *out, *weights; // out as out_at says, weights (B,NH,T,S)
    const float *q, *k, *v;
    struct layout out_at, q_at, k_at, v_at;
    const uint8_t *mask; // (B,T,S) or NULL
    mask_rule *may;
    size_t B, NH, T, S, hs;
    double scale;        // what q . k is multiplied with
    size_t scaled;       // number of scores that are scaled; 0 means all
    bool scores_applied; // out is the scores times v
    enum softmax_kind softmax;
    enum order_of_k order;
};

lab_status attend(const struct plan *p);

// MAY(name, condition): whether query t of head h in sequence b may look at key s.
#define SHARED_MAY(name, condition)                                                      \
    bool name(const struct plan *p, size_t b, size_t h, size_t t, size_t s)              \
    {                                                                                    \
        const size_t T = p->T, S = p->S;                                                 \
        (void)b, (void)h, (void)t, (void)s, (void)T, (void)S;                            \
        return condition;                                                                \
    }
#define MAY(name, condition) static SHARED_MAY(name, condition)

mask_rule may_as_asked;
mask_rule may_all;
mask_rule may_inverted;

// Every row of the mask has an allowed key and, with more than one key, a forbidden key.
void fill_mixed_mask(struct test_case *test, struct lab_rng *rng);

// One query of every sequence sees nothing.
void fill_empty_rows(struct test_case *test, struct lab_rng *rng);

// BEGIN HANDED OUT
// Together below 1e-5, to reject a weight of 1 / (1 + 1e-5) instead of
// 1.
#define WEIGHTS_TOLERANCE 5e-6f, 4e-6f
#define OUT_TOLERANCE 1e-5f, 1e-4f

// A forbidden key's weight is exactly 0 in every head, also where a query has no allowed key.
static inline bool forbidden_weigh_nothing(const struct test_case *test, char *why,
                                           size_t why_size)
{
    const uint8_t *mask = case_u8((struct test_case *)test, "mask"); // only read
    const float *weights = case_got(test, "weights");
    const size_t NH = case_dim(test, "NH"), S = case_dim(test, "S");
    const size_t TS = case_dim(test, "T") * S;
    for (size_t i = 0; i < case_count(test, "weights"); i++) {
        const size_t b = i / (NH * TS);
        if (mask[b * TS + i % TS] == 0 && weights[i] != 0.0f) {
            snprintf(why, why_size,
                     "query %zu of sequence %zu may not see key %zu, but in head %zu its "
                     "weight is %.9g",
                     i / S % (TS / S), b, i % S, i / TS % NH, (double)weights[i]);
            return false;
        }
    }
    return true;
}

static inline bool forbidden_keys_weigh_nothing(const struct test_case *first,
                                                const struct test_case *second, char *why,
                                                size_t why_size)
{
    return forbidden_weigh_nothing(first, why, why_size) &&
           forbidden_weigh_nothing(second, why, why_size);
}
// END HANDED OUT

#define FORBIDDEN_KEYS_CLAIM                                                             \
    "a forbidden key has weight exactly 0, also where a query has no allowed key"

#define SQRT_C_WHY                                                                       \
    "Each head multiplies vectors of hs numbers, not of C, so its scores have "          \
    "standard deviation sqrt(hs). Divided by sqrt(C) they are too small, and the "       \
    "weights are too flat."

// y(rows,O) = x(rows,I) w(O,I)^T + bias, or with w read as (I,O).
void project(float *y, const float *x, const float *w, const float *bias, bool in_out,
             size_t rows, size_t I, size_t O);

mask_rule may_causal;

#define AS_IT_LIES head_major(NH, T, hs) // a reshape alone

#endif
