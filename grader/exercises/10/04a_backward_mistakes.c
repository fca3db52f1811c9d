// 04a_backward_mistakes.c - what goes wrong in 10.4, and other right ways.

#include "exercises/10/04_flash_backward.h"
#include "exercises/10/far_down.h"
#include "exercises/common/own.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "10_flash_attention/flash_attention.h"

#define BACKWARD_ARGUMENTS                                                               \
    float *dq, float *dk, float *dv, const struct flash_backward_buffers *z,             \
        const float *dout, const float *out, const float *logsumexp, const float *q,     \
        const float *k, const float *v, bool causal, size_t B, size_t NH, size_t T,      \
        size_t S, size_t hs, size_t Br, size_t Bc

// One pair of a query and a key. A mistake changes one of these.
struct pair {
    const float *dout, *out, *q, *k, *v; // rows of hs numbers
    const float *dq_from, *dk_from, *dv_from;
    double logsumexp, delta;
    double scale, dq_scale, dk_scale, dv_scale;
    bool seen;
    bool times_0;   // a key that is not seen has weight 0 times what exp gives
    bool base_2;    // 2^x instead of e^x
    bool no_weight; // dscore without the weight
    bool added;     // dweight + delta
    bool dv_dscore; // dv from the dscores
    bool dk_weight; // dk from the weights
    bool for_dq, for_dk, for_dv; // counts in this gradient
};

static double dot(const float *a, const float *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (double)a[i] * (double)b[i];
    }
    return sum;
}

// Of a warp whose lanes exchange their sums only within each half: what lane 0 has.
static double dot_of_half(const float *a, const float *b, size_t n)
{
    enum { WARP = 32, HALF = WARP / 2 };
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += i % WARP < HALF ? (double)a[i] * (double)b[i] : 0;
    }
    return sum;
}

static void add(double *y, double factor, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        y[i] += factor * (double)x[i];
    }
}

static void add_pair(double *dq, double *dk, double *dv, const struct pair *x, size_t hs)
{
    if (!x->seen && !x->times_0) {
        return;
    }
    const double y = dot(x->q, x->k, hs) * x->scale - x->logsumexp;
    const double e = x->base_2 ? exp2(y) : exp(y);
    // as a float, which is infinite from 89 on
    const double weight = (x->seen ? 1 : 0) * (double)(float)e;
    const double dweight = dot(x->dout, x->v, hs);
    const double dscore = (x->no_weight ? 1 : weight) *
                          (x->added ? dweight + x->delta : dweight - x->delta);
    if (x->for_dq) {
        add(dq, dscore * x->dq_scale, x->dq_from, hs);
    }
    if (x->for_dk) {
        add(dk, (x->dk_weight ? weight : dscore) * x->dk_scale, x->dk_from, hs);
    }
    if (x->for_dv) {
        add(dv, (x->dv_dscore ? dscore : weight) * x->dv_scale, x->dv_from, hs);
    }
}

static struct pair right_pair(const float *dout, const float *out, const float *q,
                              const float *k, const float *v, size_t hs)
{
    const double scale = 1 / sqrt((double)hs);
    return (struct pair){.dout = dout,
                         .out = out,
                         .q = q,
                         .k = k,
                         .v = v,
                         .dq_from = k,
                         .dk_from = q,
                         .dv_from = dout,
                         .delta = dot(dout, out, hs),
                         .scale = scale,
                         .dq_scale = scale,
                         .dk_scale = scale,
                         .dv_scale = 1,
                         .for_dq = true,
                         .for_dk = true,
                         .for_dv = true};
}

static void round_all(float *to, const double *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        to[i] = (float)from[i];
    }
}

static double *doubles(size_t count)
{
    double *all = calloc(count + 1, sizeof *all);
    if (all == NULL) {
        abort();
    }
    return all;
}

// BACKWARD(name, change): right, with a change to x, the pair of query t and key s of head i.
#define BACKWARD(name, change)                                                           \
    static lab_status name(BACKWARD_ARGUMENTS)                                           \
    {                                                                                    \
        (void)z;                                                                         \
        if (B == 0 || NH == 0 || T == 0 || S == 0 || hs == 0 || Br == 0 || Bc == 0) {    \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        const size_t rows = B * NH;                                                      \
        double *a = doubles(rows * T * hs), *b = doubles(rows * S * hs),                 \
               *c = doubles(rows * S * hs);                                              \
        for (size_t n = 0; n < rows * T * S; n++) {                                      \
            const size_t s = n % S, t = n / S % T, i = n / S / T, at = (i * T + t) * hs, \
                         key = (i * S + s) * hs;                                         \
            struct pair x =                                                              \
                right_pair(dout + at, out + at, q + at, k + key, v + key, hs);           \
            x.logsumexp = (double)logsumexp[i * T + t];                                  \
            x.seen = !causal || s + T <= t + S;                                          \
            change;                                                                      \
            add_pair(a + at, b + key, c + key, &x, hs);                                  \
        }                                                                                \
        round_all(dq, a, rows *T *hs);                                                   \
        round_all(dk, b, rows *S *hs);                                                   \
        round_all(dv, c, rows *S *hs);                                                   \
        free(a);                                                                         \
        free(b);                                                                         \
        free(c);                                                                         \
        return LAB_OK;                                                                   \
    }

// A gradient that is assigned, not added to, keeps the last pair's part.
BACKWARD(backward_dq_assigned, x.for_dq = causal ? s + T == t + S : s + 1 == S)
BACKWARD(backward_dk_assigned, x.for_dk = t + 1 == T)
BACKWARD(backward_dv_assigned, x.for_dv = t + 1 == T)
BACKWARD(backward_no_scale, x.scale = x.dq_scale = x.dk_scale = 1)
BACKWARD(backward_score_no_scale, x.scale = 1)
BACKWARD(backward_gradients_no_scale, x.dq_scale = x.dk_scale = 1)
BACKWARD(backward_dq_no_scale, x.dq_scale = 1)
BACKWARD(backward_dk_no_scale, x.dk_scale = 1)
BACKWARD(backward_dv_scaled, x.dv_scale = x.scale)
BACKWARD(backward_scale_twice, (x.dq_scale *= x.scale, x.dk_scale *= x.scale))
BACKWARD(backward_no_delta, x.delta = 0)
BACKWARD(backward_delta_added, x.added = true)
BACKWARD(backward_delta_dout, x.delta = dot(x.dout, x.dout, hs))
BACKWARD(backward_delta_out, x.delta = dot(x.out, x.out, hs))
BACKWARD(backward_delta_half_warp, x.delta = dot_of_half(x.dout, x.out, hs))
BACKWARD(backward_delta_first_head, x.delta = dot(dout + t * hs, out + t * hs, hs))
BACKWARD(backward_delta_by_row,
         x.delta = dot(dout + (i * T + t % Br) * hs, out + (i * T + t % Br) * hs, hs))
BACKWARD(backward_log_by_row, x.logsumexp = (double)logsumexp[i * T + t % Br])
BACKWARD(backward_log_first_head, x.logsumexp = (double)logsumexp[t])
BACKWARD(backward_log_added, x.logsumexp = -x.logsumexp)
BACKWARD(backward_no_log, x.logsumexp = 0)
BACKWARD(backward_base_2, x.base_2 = true)
BACKWARD(backward_no_weight, x.no_weight = true)
BACKWARD(backward_dv_dscores, x.dv_dscore = true)
BACKWARD(backward_dk_weights, x.dk_weight = true)
BACKWARD(backward_dv_of_out, x.dv_from = x.out)
BACKWARD(backward_swapped, (x.dq_from = x.q, x.dk_from = x.k))
BACKWARD(backward_dk_of_k, x.dk_from = x.k)
BACKWARD(backward_dq_of_q, x.dq_from = x.q)
BACKWARD(backward_no_mask, x.seen = true)
BACKWARD(backward_from_start, x.seen = !causal || s <= t)
BACKWARD(backward_before_itself, x.seen = !causal || s + T < t + S)
BACKWARD(backward_one_more, x.seen = !causal || s + T <= t + S + 1)
BACKWARD(backward_always_causal, x.seen = s + T <= t + S)
BACKWARD(backward_low_empty, x.seen = x.seen && x.logsumexp > -1e9)
BACKWARD(backward_times_0, x.times_0 = true)
BACKWARD(backward_last_key_tile, x.for_dq = s / Bc == (S - 1) / Bc)
BACKWARD(backward_last_query_tile, x.for_dk = x.for_dv = t / Br == (T - 1) / Br)
BACKWARD(backward_last_tiles, (x.for_dq = s / Bc == (S - 1) / Bc,
                               x.for_dk = x.for_dv = t / Br == (T - 1) / Br))
BACKWARD(backward_ragged_keys, x.seen = x.seen && s < S / Bc * Bc)
BACKWARD(backward_ragged_queries, x.seen = x.seen && t < T / Br * Br)
BACKWARD(backward_ragged, x.seen = x.seen && s < S / Bc * Bc && t < T / Br * Br)
BACKWARD(backward_first_head, (x.k = k + s * hs, x.v = v + s * hs, x.dq_from = x.k))
BACKWARD(backward_first_sequence, (x.k = k + (i % NH * S + s) * hs,
                                   x.v = v + (i % NH * S + s) * hs, x.dq_from = x.k))

#define SCALE_WHY                                                                        \
    "The score is divided by sqrt(hs), so its derivative is, too: the factor "           \
    "1/sqrt(hs) is in the score, in dq and in dk, and nowhere else."
#define DELTA_WHY                                                                        \
    "dscores = weights (dout . v - delta), with delta[t] = dout[t] . out[t], a dot "     \
    "product over hs. It equals what 6.6 subtracts, but needs no row of weights."
#define RULE_WHY "Query t sees key s if s <= t + S - T, as in the forward pass."
#define ADD_WHY                                                                            \
    "Set all gradients to 0 once, and let every tile add to them: dq is a sum over keys, " \
    "dk and dv are sums over queries."

const struct mistake backward_mistakes[] = {
    {
        .id = "low-is-empty",
        .what = "a query whose logsumexp is below a number such as -1e9 counts as one "
                "that saw no key",
        .why = FAR_DOWN_WHY,
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_low_empty),
    },
    {
        .id = "dq-assigned",
        .what = "dq is assigned for each pair, so only the last key counts",
        .why = "dq is a sum over the keys: set it to 0 first, then add with +=.",
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_dq_assigned),
    },
    {
        .id = "dk-assigned",
        .what = "dk is assigned for each pair, so only the last query counts",
        .why = "dk is a sum over the queries: set it to 0 first, then add with +=.",
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_dk_assigned),
    },
    {
        .id = "dv-assigned",
        .what = "dv is assigned for each pair, so only the last query counts",
        .why = "dv is a sum over the queries: set it to 0 first, then add with +=.",
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_dv_assigned),
    },
    {
        .id = "no-scale",
        .what = "nothing is divided by sqrt(hs)",
        .why = SCALE_WHY,
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_no_scale),
    },
    {
        .id = "score-no-scale",
        .what = "the scores are not divided by sqrt(hs), so the weights are wrong",
        .why = SCALE_WHY,
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_score_no_scale),
    },
    {
        .id = "gradients-no-scale",
        .what = "dq and dk are not divided by sqrt(hs)",
        .why = SCALE_WHY,
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_gradients_no_scale),
    },
    {
        .id = "dq-no-scale",
        .what = "dq is not divided by sqrt(hs)",
        .why = SCALE_WHY,
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_dq_no_scale),
    },
    {
        .id = "dk-no-scale",
        .what = "dk is not divided by sqrt(hs)",
        .why = SCALE_WHY,
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_dk_no_scale),
    },
    {
        .id = "dv-scaled",
        .what = "dv is divided by sqrt(hs)",
        .why = SCALE_WHY,
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_dv_scaled),
    },
    {
        .id = "scale-twice",
        .what = "dq, dk or both are divided by sqrt(hs) twice",
        .why = SCALE_WHY,
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_scale_twice),
    },
    {
        .id = "no-delta",
        .what = "delta is not subtracted",
        .why = DELTA_WHY,
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_no_delta),
    },
    {
        .id = "delta-added",
        .what = "delta is added, not subtracted",
        .why = DELTA_WHY,
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_delta_added),
    },
    {
        .id = "delta-of-dout",
        .what = "delta is dout . dout",
        .why = DELTA_WHY,
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_delta_dout),
    },
    {
        .id = "delta-of-out",
        .what = "delta is out . out",
        .why = DELTA_WHY,
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_delta_out),
    },
    {
        .id = "delta-of-first-head",
        .what = "every head gets the delta of the first head",
        .why = "Compute delta again for each head and sequence. " DELTA_WHY,
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_delta_first_head),
    },
    {
        .id = "delta-by-row-of-tile",
        .what = "delta is read at the query's row in its tile",
        .why =
            "delta has a number for each of the T queries: read it at t0 + r, not at r.",
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_delta_by_row),
    },
    {
        .id = "logsumexp-by-row-of-tile",
        .what = "logsumexp is read at the query's row in its tile",
        .why =
            "logsumexp has a number for each of the T queries: read it at t0 + r, not at "
            "r.",
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_log_by_row),
    },
    {
        .id = "logsumexp-of-first-head",
        .what = "every head reads the logsumexp of the first head",
        .why = "logsumexp is (B, NH, T): that of head i begins at i T.",
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_log_first_head),
    },
    {
        .id = "logsumexp-added",
        .what = "the weights are exp(score + logsumexp)",
        .why =
            "Subtracting the logarithm of the sum divides by the sum: exp(score - logsumexp).",
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_log_added),
    },
    {
        .id = "no-logsumexp",
        .what = "the weights are exp(score), without the logsumexp",
        .why = "exp(score - logsumexp) is already divided by the row's sum.",
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_no_log),
    },
    {
        .id = "base-2",
        .what = "the weights are powers of 2",
        .why = "logsumexp is a natural logarithm: use expf.",
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_base_2),
    },
    {
        .id = "dscores-no-weights",
        .what = "dscores is not multiplied by the weights",
        .why = DELTA_WHY,
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_no_weight),
    },
    {
        .id = "dv-of-dscores",
        .what = "dv is computed with dscores, not with the weights",
        .why = "out = weights v, so dv = weights^T dout.",
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_dv_dscores),
    },
    {
        .id = "dk-of-weights",
        .what = "dk is computed with the weights, not with dscores",
        .why = "scores = q k^T / sqrt(hs), so dk = dscores^T q / sqrt(hs).",
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_dk_weights),
    },
    {
        .id = "dv-of-out",
        .what = "dv is computed with out, not with dout",
        .why = "out = weights v, so dv = weights^T dout.",
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_dv_of_out),
    },
    {
        .id = "q-and-k-swapped",
        .what = "dq is computed with q, and dk with k",
        .why = "scores = q k^T / sqrt(hs): dq takes the keys, and dk the queries.",
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_swapped),
    },
    {
        .id = "dk-of-k",
        .what = "dk is computed with k, not with q",
        .why = "scores = q k^T / sqrt(hs), so dk = dscores^T q / sqrt(hs).",
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_dk_of_k),
    },
    {
        .id = "dq-of-q",
        .what = "dq is computed with q, not with k",
        .why = "scores = q k^T / sqrt(hs), so dq = dscores k / sqrt(hs).",
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_dq_of_q),
    },
    {
        .id = "no-mask",
        .what = "causal is ignored: every query sees every key",
        .why = RULE_WHY,
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_no_mask),
    },
    {
        .id = "aligned-at-start",
        .what = "query t sees keys s <= t, also where T and S differ",
        .why = RULE_WHY,
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_from_start),
    },
    {
        .id = "before-itself",
        .what = "a query does not see the last key that it may see",
        .why = RULE_WHY,
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_before_itself),
    },
    {
        .id = "one-key-more",
        .what = "a query sees one key more than it may",
        .why = RULE_WHY,
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_one_more),
    },
    {
        .id = "always-causal",
        .what = "the causal rule holds even if causal is false",
        .why = "If causal is false, every query sees every key.",
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_always_causal),
    },
    {
        .id = "unseen-times-0",
        .what =
            "the weight of an unseen key is exp(score - logsumexp) times 0, which is NaN "
            "where exp is infinite",
        .why = "A query that sees no key has logsumexp -INFINITY. Check whether t sees s "
               "before you compute the weight.",
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_times_0),
    },
    {
        .id = "dq-of-last-tile",
        .what = "dq contains only the last tile of keys",
        .why = ADD_WHY,
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_last_key_tile),
    },
    {
        .id = "dk-dv-of-last-tile",
        .what = "dk, dv or both contain only the last tile of queries",
        .why = ADD_WHY,
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_last_query_tile),
    },
    {
        .id = "last-tiles",
        .what = "each gradient contains only the last tile",
        .why = ADD_WHY,
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_last_tiles),
    },
    {
        .id = "last-keys-dropped",
        .what = "the last tile of keys is left out if it is not full",
        .why = "The last tile may have fewer rows: min(Bc, S - s0).",
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_ragged_keys),
    },
    {
        .id = "last-queries-dropped",
        .what = "the last tile of queries is left out if it is not full",
        .why = "The last tile may have fewer rows: min(Br, T - t0).",
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_ragged_queries),
    },
    {
        .id = "last-tiles-dropped",
        .what = "the last tiles are left out if they are not full",
        .why = "The last tiles may have fewer rows: min(Br, T - t0) and min(Bc, S - s0).",
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_ragged),
    },
    {
        .id = "keys-of-first-head",
        .what = "every head reads the keys and values of the first",
        .why = "k and v are (B, NH, S, hs): those of head i begin at i S hs.",
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_first_head),
    },
    {
        .id = "keys-of-first-sequence",
        .what = "every sequence reads the keys and values of the first",
        .why =
            "k and v are (B, NH, S, hs): head h of sequence b begins at (b NH + h) S hs.",
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_first_sequence),
    },
    {
        .id = "half-warp",
        .what = "delta is the sum of half a warp: 16 lanes of 32",
        .why =
            "The first step of __shfl_xor_sync is 16, then 8, 4, 2 and 1. If you start "
            "at 8, each lane gets the numbers of only 16 lanes.",
        .source = NULL,
        .function = LIKE(flash_attention_backward, backward_delta_half_warp),
        .gpu = true,
    },
    {0},
};

BACKWARD(backward_in_double, (void)0)
// delta as 6.6 computes it: the mean of the row's dweights.
static double delta_of_row(const float *dout, const float *q, const float *k,
                           const float *v, double logsumexp, size_t seen, size_t hs)
{
    double sum = 0;
    for (size_t s = 0; s < seen; s++) {
        sum += exp(dot(q, k + s * hs, hs) / sqrt((double)hs) - logsumexp) *
               dot(dout, v + s * hs, hs);
    }
    return sum;
}
// The pairs of a row come one after another: the first one's delta serves all of them.
static _Thread_local double row_delta;
BACKWARD(backward_delta_of_weights,
         x.delta = row_delta =
             s > 0
                 ? row_delta
                 : delta_of_row(x.dout, x.q, k + i * S * hs, v + i * S * hs, x.logsumexp,
                                causal ? (t + S + 1 > T ? t + S + 1 - T : 0) : S, hs))

const struct mistake backward_alternatives[] = {
    {.id = "in-double", .function = LIKE(flash_attention_backward, backward_in_double)},
    {.id = "delta-of-weights",
     .function = LIKE(flash_attention_backward, backward_delta_of_weights)},
    {0},
};
