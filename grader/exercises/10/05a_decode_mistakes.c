// 05a_decode_mistakes.c - what goes wrong in 10.5, and other right ways.

#include "exercises/10/05_flash_decode.h"
#include "exercises/10/far_down.h"
#include "exercises/10/row.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "10_flash_attention/flash_attention.h"

// ---- combine_partials -----------------------------------------------------------------------

#define COMBINE_ARGUMENTS                                                                \
    float *out, float *logsumexp, const float *part_out, const float *part_logsumexp,    \
        size_t N, size_t P, size_t hs

// One query: the logsumexps of its parts are log[0], log[step], ...
struct combine {
    const float *log, *parts;
    size_t P, hs, step, part_step; // numbers from a part to the next
    double max, sum;               // of the exponentials
    double total;                  // the logsumexp that is stored
    bool empty;                    // no part has keys
    bool reads_empty;              // multiplies the content of parts without keys by 0
};

static double log_of(double x) // `log` is a name below
{
    return log(x);
}

static struct combine right_combine(const float *log, const float *parts, size_t P,
                                    size_t hs, size_t step, size_t part_step)
{
    struct combine c = {.log = log,
                        .parts = parts,
                        .P = P,
                        .hs = hs,
                        .step = step,
                        .part_step = part_step,
                        .max = -INFINITY};
    for (size_t p = 0; p < P; p++) {
        c.max = fmax(c.max, (double)log[p * step]);
    }
    c.empty = true;
    for (size_t p = 0; p < P; p++) { // a NaN is not empty
        if (log[p * step] != -INFINITY) {
            c.empty = false;
            c.sum += exp((double)log[p * step] - c.max);
        }
    }
    c.total = c.empty ? -INFINITY : c.max + log_of(c.sum);
    return c;
}

// COMBINE(name, share, change): right, with a change to c, and with share as the weight of part p,
// whose logsumexp is l.
#define COMBINE_WITH(name, setup, share, change)                                         \
    static lab_status name(COMBINE_ARGUMENTS)                                            \
    {                                                                                    \
        if (N == 0 || P == 0 || hs == 0) {                                               \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        for (size_t n = 0; n < N; n++) {                                                 \
            struct combine c = setup;                                                    \
            change;                                                                      \
            logsumexp[n] = (float)c.total;                                               \
            for (size_t i = 0; i < hs; i++) {                                            \
                double mix = 0;                                                          \
                for (size_t p = 0; p < c.P && !c.empty; p++) {                           \
                    const double l = (double)c.log[p * c.step];                          \
                    if (l != -INFINITY || c.reads_empty) {                               \
                        mix += (share) * (double)c.parts[p * c.part_step + i];           \
                    }                                                                    \
                }                                                                        \
                out[n * hs + i] = (float)mix;                                            \
            }                                                                            \
        }                                                                                \
        return LAB_OK;                                                                   \
    }
#define BY_QUERY                                                                         \
    right_combine(part_logsumexp + n * P, part_out + n * P * hs, P, hs, 1, hs)
#define COMBINE(name, share, change) COMBINE_WITH(name, BY_QUERY, share, change)
#define SHARE exp(l - c.max) / c.sum

// A single part is the result, whatever it holds.
static lab_status combine_copied(COMBINE_ARGUMENTS)
{
    lab_status status =
        combine_partials(out, logsumexp, part_out, part_logsumexp, N, P, hs);
    if (status == LAB_OK && P == 1) {
        memcpy(out, part_out, N * hs * sizeof *out);
    }
    return status;
}

static double with_keys(const struct combine *c)
{
    double count = 0;
    for (size_t p = 0; p < c->P; p++) {
        count += c->log[p * c->step] != -INFINITY;
    }
    return count;
}

static double sum_of_logs(const struct combine *c)
{
    double sum = 0;
    for (size_t p = 0; p < c->P; p++) {
        sum += c->log[p * c->step] != -INFINITY ? (double)c->log[p * c->step] : 0;
    }
    return sum;
}

static double largest_of(const float *logs, size_t count)
{
    double max = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        max = fmax(max, (double)logs[i]);
    }
    return max;
}

// Another number than the query's maximum is subtracted: in float, exponentials overflow or vanish.
static void subtract(struct combine *c, double max)
{
    c->max = max;
    c->sum = 0;
    for (size_t p = 0; p < c->P; p++) {
        c->sum += (double)expf((float)((double)c->log[p * c->step] - max));
    }
    c->total = c->empty ? -INFINITY : max + log_of((double)(float)c->sum);
}

COMBINE(combine_mean, 1 / (double)P, (void)0)
COMBINE(combine_mean_of_full, 1 / with_keys(&c), (void)0)
COMBINE(combine_sum, 1.0, (void)0)
COMBINE(combine_no_max, (double)(expf((float)l) / expf((float)l)) * SHARE,
        c.total = (double)logf((float)exp(c.max) * (float)c.sum))
COMBINE(combine_not_divided, exp(l - c.max), (void)0)
COMBINE(combine_divided_twice, exp(l - c.total) / c.sum, (void)0)
COMBINE(combine_logs, l / sum_of_logs(&c), (void)0)
COMBINE(combine_inverted, c.sum / (double)(float)exp(l - c.max), (void)0)
COMBINE(combine_largest, l == c.max ? 1.0 : 0.0, (void)0)
COMBINE(combine_first, SHARE, c.P = 1)
COMBINE(combine_all_but_last, SHARE, c.P = P - 1)
COMBINE(combine_base_2, exp2(l - c.max) / c.sum, (void)0)
COMBINE(combine_max_only, SHARE, c.total = c.max)
COMBINE(combine_no_max_in_log, SHARE, c.total = c.empty ? -INFINITY : log_of(c.sum))
COMBINE(combine_no_log, SHARE, c.total = c.empty ? -INFINITY : c.max + c.sum)
COMBINE(combine_log_2, SHARE, c.total = c.empty ? -INFINITY : c.max + log2(c.sum))
COMBINE(combine_sum_of_logs, SHARE, c.total = sum_of_logs(&c))
COMBINE(combine_mean_log, SHARE,
        c.total = c.empty ? -INFINITY : c.total - log_of((double)P))
COMBINE(combine_reads_empty, SHARE, c.reads_empty = true)
COMBINE(combine_empty_nan, SHARE, c.total = c.empty ? (double)NAN : c.total)
COMBINE(combine_all_nan, c.sum == 0 ? (double)NAN : SHARE,
        c.total = c.empty ? (c.empty = false, c.reads_empty = true, (double)NAN)
                          : c.total)
#define SHARE_IN_FLOAT (double)expf((float)(l - c.max)) / c.sum
COMBINE(combine_from_0, SHARE_IN_FLOAT, subtract(&c, fmax(c.max, 0)))
// Then the query counts as one without keys.
COMBINE(combine_from_1e9, SHARE,
        c.total = c.max < -1e9 ? (c.empty = true, -INFINITY) : c.total)
COMBINE(combine_max_of_first, SHARE_IN_FLOAT, subtract(&c, largest_of(part_logsumexp, P)))
COMBINE(combine_max_kept, SHARE_IN_FLOAT,
        subtract(&c, largest_of(part_logsumexp, (n + 1) * P)))
COMBINE(combine_max_of_all, SHARE_IN_FLOAT,
        subtract(&c, largest_of(part_logsumexp, N *P)))
COMBINE_WITH(combine_first_query,
             right_combine(part_logsumexp, part_out + n * P * hs, P, hs, 1, hs), SHARE,
             (void)0)
COMBINE_WITH(combine_parts_first,
             right_combine(part_logsumexp + n, part_out + n * hs, P, hs, N, N *hs), SHARE,
             (void)0)

#define OWN_MAXIMUM                                                                      \
    "The logsumexps of two queries may be far apart, and exp then overflows or becomes " \
    "0. Subtract each query's own maximum."

const struct mistake combine_mistakes[] = {
    {
        .id = "mean",
        .what = "out is the mean of the parts",
        .why =
            "A part with larger scores or more keys has a larger share: weight each part "
            "with exp(part_logsumexp - logsumexp).",
        .source = NULL,
        .function = LIKE(combine_partials, combine_mean),
    },
    {
        .id = "mean-of-parts-with-keys",
        .what = "out is the mean of the parts that have keys",
        .why =
            "A part with larger scores or more keys has a larger share: weight each part "
            "with exp(part_logsumexp - logsumexp).",
        .source = NULL,
        .function = LIKE(combine_partials, combine_mean_of_full),
    },
    {
        .id = "sum",
        .what = "out is the sum of the parts, without weights",
        .why = "Each part is already divided by its own sum. Weight it with "
               "exp(part_logsumexp - logsumexp).",
        .source = NULL,
        .function = LIKE(combine_partials, combine_sum),
    },
    {
        .id = "no-max",
        .what = "exp of the logsumexps themselves overflows, or becomes 0",
        .why = "Subtract the largest logsumexp of the query first, as in every softmax.",
        .source = NULL,
        .function = LIKE(combine_partials, combine_no_max),
    },
    {
        .id = "max-of-first-query",
        .what = "the maximum of the first query is subtracted in every query",
        .why = OWN_MAXIMUM,
        .source = NULL,
        .function = LIKE(combine_partials, combine_max_of_first),
    },
    {
        .id = "max-of-all",
        .what = "the maximum of all queries is subtracted, not each query's own",
        .why = OWN_MAXIMUM,
        .source = NULL,
        .function = LIKE(combine_partials, combine_max_of_all),
    },
    {
        .id = "max-not-reset",
        .what = "the maximum is not reset: it is kept from earlier queries",
        .why = OWN_MAXIMUM,
        .source = NULL,
        .function = LIKE(combine_partials, combine_max_kept),
    },
    {
        .id = "shares-not-divided",
        .what = "the shares of the parts do not sum to 1",
        .why = "Divide exp(part_logsumexp - max) by the sum of these, or subtract the "
               "whole logsumexp instead of max.",
        .source = NULL,
        .function = LIKE(combine_partials, combine_not_divided),
    },
    {
        .id = "divided-twice",
        .what = "the shares are divided by the sum twice",
        .why =
            "exp(part_logsumexp - logsumexp) is divided already: logsumexp is max + log "
            "sum.",
        .source = NULL,
        .function = LIKE(combine_partials, combine_divided_twice),
    },
    {
        .id = "shares-of-logs",
        .what = "the parts are weighted with their logsumexps, not with exp of them",
        .why =
            "exp(part_logsumexp) is the sum of the part's exponentials, and that is its "
            "weight.",
        .source = NULL,
        .function = LIKE(combine_partials, combine_logs),
    },
    {
        .id = "inverted",
        .what = "the sign in the exponent of the shares is wrong",
        .why = "The share is exp(part_logsumexp - logsumexp), at most 1.",
        .source = NULL,
        .function = LIKE(combine_partials, combine_inverted),
    },
    {
        .id = "largest-part",
        .what = "only the part with the largest logsumexp counts",
        .why = "Every part with keys has a share.",
        .source = NULL,
        .function = LIKE(combine_partials, combine_largest),
    },
    {
        .id = "first-part",
        .what = "out contains only the first part",
        .why = "Add up all P parts.",
        .source = NULL,
        .function = LIKE(combine_partials, combine_first),
    },
    {
        .id = "all-but-last",
        .what = "out contains all parts but the last",
        .why = "p runs from 0 to P - 1.",
        .source = NULL,
        .function = LIKE(combine_partials, combine_all_but_last),
    },
    {
        .id = "base-2",
        .what = "the shares are powers of 2",
        .why = "logsumexp is a natural logarithm: use expf.",
        .source = NULL,
        .function = LIKE(combine_partials, combine_base_2),
    },
    {
        .id = "largest-as-logsumexp",
        .what = "logsumexp is the largest of the parts'",
        .why = "logsumexp = max + log(sum of exp(part_logsumexp - max)).",
        .source = NULL,
        .function = LIKE(combine_partials, combine_max_only),
    },
    {
        .id = "max-not-added",
        .what = "logsumexp lacks the maximum that was subtracted",
        .why = "logsumexp = max + log(sum of exp(part_logsumexp - max)).",
        .source = NULL,
        .function = LIKE(combine_partials, combine_no_max_in_log),
    },
    {
        .id = "no-log",
        .what = "logsumexp adds the sum, not its logarithm",
        .why = "logsumexp = max + log(sum of exp(part_logsumexp - max)).",
        .source = NULL,
        .function = LIKE(combine_partials, combine_no_log),
    },
    {
        .id = "log-2",
        .what = "logsumexp has the logarithm to base 2",
        .why = "Use logf, the natural logarithm.",
        .source = NULL,
        .function = LIKE(combine_partials, combine_log_2),
    },
    {
        .id = "sum-of-logs",
        .what = "logsumexp is the sum of the parts'",
        .why = "Add the sums of exponentials, not their logarithms.",
        .source = NULL,
        .function = LIKE(combine_partials, combine_sum_of_logs),
    },
    {
        .id = "mean-in-log",
        .what = "logsumexp is of the mean, not of the sum",
        .why = "Do not divide by P: logsumexp is the log of the sum over all keys.",
        .source = NULL,
        .function = LIKE(combine_partials, combine_mean_log),
    },
    {
        .id = "empty-parts-read",
        .what =
            "a part without keys is multiplied by its share 0, and 0 times NaN is NaN",
        .why = "Skip parts whose logsumexp is -INFINITY.",
        .source = NULL,
        .function = LIKE(combine_partials, combine_reads_empty),
    },
    {
        .id = "one-part-copied",
        .what = "a single part is copied to out, even if it has no keys",
        .why = "A part without keys may have anything in part_out. Its query gets out 0.",
        .source = NULL,
        .function = LIKE(combine_partials, combine_copied),
    },
    {
        .id = "empty-nan",
        .what = "a query without any key gets logsumexp NaN",
        .why =
            "-INFINITY - -INFINITY is NaN. If the largest logsumexp is -INFINITY, out is 0 "
            "and logsumexp is -INFINITY.",
        .source = NULL,
        .function = LIKE(combine_partials, combine_empty_nan),
    },
    {
        .id = "empty-nan-in-out",
        .what = "a query without any key gets NaN in out and logsumexp",
        .why =
            "-INFINITY - -INFINITY is NaN. If the largest logsumexp is -INFINITY, out is 0 "
            "and logsumexp is -INFINITY.",
        .source = NULL,
        .function = LIKE(combine_partials, combine_all_nan),
    },
    {
        .id = "maximum-from-0",
        .what = "the search for the largest logsumexp starts at 0",
        .why = "All of them may be far below 0, and then every exponential becomes 0. "
               "Start at -INFINITY.",
        .source = NULL,
        .function = LIKE(combine_partials, combine_from_0),
    },
    {
        .id = "max-from-minus-1e9",
        .what = "the search for the largest logsumexp starts at a number such as -1e9, "
                "and a query with only smaller ones counts as one without keys",
        .why = "A logsumexp may be as low as -3e38. Start at -INFINITY.",
        .source = NULL,
        .function = LIKE(combine_partials, combine_from_1e9),
    },
    {
        .id = "first-query",
        .what = "every query gets the shares of query 0",
        .why = "part_logsumexp is (N, P): those of query n begin at n P.",
        .source = NULL,
        .function = LIKE(combine_partials, combine_first_query),
    },
    {
        .id = "parts-first",
        .what = "the parts are read as (P, N)",
        .why = "part_out is (N, P, hs) and part_logsumexp (N, P): the parts of a query "
               "are contiguous.",
        .source = NULL,
        .function = LIKE(combine_partials, combine_parts_first),
    },
    {0},
};

COMBINE(combine_in_double, SHARE, (void)0)
COMBINE(combine_formula, (double)expf((float)l - logsumexp[n]), (void)0) // the contract's
static lab_status combine_one_by_one(COMBINE_ARGUMENTS)
{
    if (N == 0 || P == 0 || hs == 0) {
        return LAB_ESHAPE;
    }
    for (size_t n = 0; n < N; n++) {
        float max = -INFINITY, sum = 0;
        for (size_t i = 0; i < hs; i++) {
            out[n * hs + i] = 0;
        }
        for (size_t p = 0; p < P; p++) { // online: rescale whenever the largest grows
            const float l = part_logsumexp[n * P + p], m = fmaxf(max, l);
            if (l == -INFINITY) {
                continue;
            }
            const float a = expf(max - m), b = expf(l - m);
            for (size_t i = 0; i < hs; i++) {
                out[n * hs + i] =
                    a * out[n * hs + i] + b * part_out[(n * P + p) * hs + i];
            }
            sum = a * sum + b;
            max = m;
        }
        for (size_t i = 0; sum > 0 && i < hs; i++) {
            out[n * hs + i] /= sum;
        }
        logsumexp[n] = sum > 0 ? max + logf(sum) : -INFINITY;
    }
    return LAB_OK;
}

const struct mistake combine_alternatives[] = {
    {.id = "in-double", .function = LIKE(combine_partials, combine_in_double)},
    {.id = "formula-in-float", .function = LIKE(combine_partials, combine_formula)},
    {.id = "online", .function = LIKE(combine_partials, combine_one_by_one)},
    {0},
};

// ---- flash_decode ---------------------------------------------------------------------------

#define DECODE_ARGUMENTS                                                                 \
    float *out, float *logsumexp, float *part_out, float *part_logsumexp, float *scores, \
        const float *q, const float *keys, const float *values, const size_t *lengths,   \
        size_t B, size_t NH, size_t T_max, size_t hs, size_t chunk

static bool decode_refuses(const size_t *lengths, size_t B, size_t NH, size_t T_max,
                           size_t hs, size_t chunk)
{
    bool refused = B == 0 || NH == 0 || T_max == 0 || hs == 0 || chunk == 0;
    for (size_t b = 0; b < B; b++) {
        refused = refused || lengths[b] == 0 || lengths[b] > T_max;
    }
    return refused;
}

static size_t rounded_up(size_t a, size_t b)
{
    return (a - 1) / b + 1;
}

// One part: chunk p of head i. Keys [first, last) of the head at row `place`.
struct part_of_keys {
    struct row row;
    size_t first, last, head;      // head: whose keys
    double log_factor, max_factor; // logsumexp = max_factor max + log_factor log(sum)
    bool not_divided;
    float empty_log;
    bool low_is_empty; // a maximum below -1e9 means no keys
};

static void compute_part(float *out, float *log, const struct part_of_keys *x,
                         const float *keys, const float *values, size_t T_max)
{
    const size_t hs = x->row.hs;
    struct row row = x->row;
    float max, sum;
    for (size_t i = 0; i < hs; i++) {
        out[i] = 0;
    }
    *log = x->empty_log;
    if (x->first >= x->last) {
        return;
    }
    row.keys = keys + (x->head * T_max + x->first) * hs;
    row.values = values + (x->head * T_max + x->first) * hs;
    row.N = row.seen = x->last - x->first;
    compute_row(&row, &max, &sum, out);
    if (x->low_is_empty && max < -1e9f) {
        memset(out, 0, hs * sizeof *out);
        return;
    }
    for (size_t i = 0; i < hs && !x->not_divided; i++) {
        out[i] /= sum;
    }
    *log = (float)(x->max_factor * (double)max + x->log_factor * log_of((double)sum));
}

// DECODE(name, change): right, with a change to x, chunk p of head h of sequence b.
#define DECODE_THEN(name, change, combine)                                               \
    static lab_status name(DECODE_ARGUMENTS)                                             \
    {                                                                                    \
        (void)scores;                                                                    \
        if (decode_refuses(lengths, B, NH, T_max, hs, chunk)) {                          \
            return LAB_ESHAPE;                                                           \
        }                                                                                \
        const size_t P = rounded_up(T_max, chunk);                                       \
        for (size_t n = 0; n < B * NH * P; n++) {                                        \
            const size_t i = n / P, p = n % P, b = i / NH, h = i % NH;                   \
            const size_t length = lengths[b], end = (p + 1) * chunk;                     \
            struct part_of_keys x = {right_row(q + i * hs, NULL, NULL, 0, hs, 0),        \
                                     p * chunk,                                          \
                                     end < length ? end : length,                        \
                                     i,                                                  \
                                     1,                                                  \
                                     1,                                                  \
                                     false,                                              \
                                     -INFINITY,                                          \
                                     false};                                             \
            (void)h;                                                                     \
            change;                                                                      \
            if (x.last > T_max) {                                                        \
                return LEAVES_ARGUMENTS;                                                 \
            }                                                                            \
            compute_part(part_out + n * hs, part_logsumexp + n, &x, keys, values,        \
                         T_max);                                                         \
        }                                                                                \
        return combine(out, logsumexp, part_out, part_logsumexp, B * NH, P, hs);         \
    }
#define DECODE(name, change) DECODE_THEN(name, change, combine_in_double)

DECODE(decode_no_scale, x.row.scale = 1)
DECODE(decode_over_hs, x.row.scale = 1 / (double)hs)
DECODE(decode_scale_by_chunk, x.row.scale = 1 / sqrt((double)chunk))
DECODE(decode_not_divided, x.not_divided = true)
DECODE(decode_log_is_max, x.log_factor = 0)
DECODE(decode_log_of_sum, x.max_factor = 0)
DECODE(decode_rest_of_chunk, x.last = x.first < length ? end : x.last)
DECODE(decode_to_T_max, x.last = end < T_max ? end : T_max)
DECODE(decode_full_chunks, x.last = end <= length ? end : x.first)
DECODE(decode_last_key_left, x.last = x.last > x.first ? x.last - 1 : x.last)
DECODE(decode_first_chunk_always,
       (x.last -= x.last > x.first ? x.first : x.last, x.first = 0))
DECODE(decode_first_length, x.last = end < lengths[0] ? end : lengths[0])
DECODE(decode_first_head, x.head = b * NH)
DECODE(decode_first_sequence, x.head = h)
DECODE(decode_heads_first, x.head = h * B + b)
DECODE(decode_empty_is_0, x.empty_log = 0)
DECODE(decode_low_empty, x.low_is_empty = true)
DECODE(decode_first_query, x.row.q = q)
DECODE(decode_keys_are_values, values = keys)
DECODE_THEN(decode_mean, (void)0, combine_mean)
DECODE_THEN(decode_first_part, (void)0, combine_first)

static lab_status decode_parts_of_length(DECODE_ARGUMENTS)
{
    (void)scores;
    if (decode_refuses(lengths, B, NH, T_max, hs, chunk)) {
        return LAB_ESHAPE;
    }
    const size_t P = rounded_up(T_max, chunk);
    for (size_t i = 0; i < B * NH * P * hs; i++) {
        part_out[i] = 0;
    }
    for (size_t i = 0; i < B * NH * P; i++) {
        part_logsumexp[i] = -INFINITY;
    }
    size_t n = 0; // the parts of all heads, one after the other, without gaps
    for (size_t i = 0; i < B * NH; i++) {
        const size_t length = lengths[i / NH], count = rounded_up(length, chunk);
        for (size_t p = 0; p < count; p++) {
            const size_t end = (p + 1) * chunk;
            const struct part_of_keys x = {right_row(q + i * hs, NULL, NULL, 0, hs, 0),
                                           p * chunk,
                                           end < length ? end : length,
                                           i,
                                           1,
                                           1,
                                           false,
                                           -INFINITY};
            compute_part(part_out + (n + p) * hs, part_logsumexp + n + p, &x, keys,
                         values, T_max);
        }
        LAB_TRY(combine_in_double(out + i * hs, logsumexp + i, part_out + n * hs,
                                  part_logsumexp + n, 1, count, hs));
        n += count;
    }
    return LAB_OK;
}

#define OF_CHUNK                                                                         \
    "Chunk p of a sequence has keys p chunk ... min(lengths[b], (p + 1) chunk) - 1. "

const struct mistake decode_mistakes[] = {
    {
        .id = "no-scale",
        .what = "the scores are not divided by sqrt(hs)",
        .why = "10.1's partial_attention divides them.",
        .source = NULL,
        .function = LIKE(flash_decode, decode_no_scale),
    },
    {
        .id = "over-hs",
        .what = "the scores are divided by hs: by sqrt(hs) twice",
        .why = "10.1's partial_attention divides them already.",
        .source = NULL,
        .function = LIKE(flash_decode, decode_over_hs),
    },
    {
        .id = "scale-by-chunk",
        .what = "the scores are divided by sqrt(chunk)",
        .why = "The scale depends on the width of a head, not on the number of keys.",
        .source = NULL,
        .function = LIKE(flash_decode, decode_scale_by_chunk),
    },
    {
        .id = "parts-not-divided",
        .what = "the parts are not divided by their sums",
        .why = "Each part is finished: part_out is weighted / sum.",
        .source = NULL,
        .function = LIKE(flash_decode, decode_not_divided),
    },
    {
        .id = "max-as-logsumexp",
        .what = "part_logsumexp is the largest score",
        .why = "part_logsumexp = max + log(sum).",
        .source = NULL,
        .function = LIKE(flash_decode, decode_log_is_max),
    },
    {
        .id = "max-not-added",
        .what = "part_logsumexp lacks the largest score",
        .why = "part_logsumexp = max + log(sum).",
        .source = NULL,
        .function = LIKE(flash_decode, decode_log_of_sum),
    },
    {
        .id = "whole-chunk",
        .what = "the last chunk reads keys past the length",
        .why = OF_CHUNK "The rows past the length may hold anything.",
        .source = NULL,
        .function = LIKE(flash_decode, decode_rest_of_chunk),
    },
    {
        .id = "to-T_max",
        .what = "every sequence has T_max keys",
        .why = OF_CHUNK "The rows past the length may hold anything.",
        .source = NULL,
        .function = LIKE(flash_decode, decode_to_T_max),
    },
    {
        .id = "full-chunks-only",
        .what = "a chunk that is not full is left out",
        .why = OF_CHUNK,
        .source = NULL,
        .function = LIKE(flash_decode, decode_full_chunks),
    },
    {
        .id = "last-key-left-out",
        .what = "the last key of each chunk is left out",
        .why = OF_CHUNK,
        .source = NULL,
        .function = LIKE(flash_decode, decode_last_key_left),
    },
    {
        .id = "first-keys-always",
        .what = "every chunk reads the keys of the first",
        .why = "Chunk p begins at row p chunk of the head's keys and values.",
        .source = NULL,
        .function = LIKE(flash_decode, decode_first_chunk_always),
    },
    {
        .id = "first-length",
        .what = "every sequence has the length of sequence 0",
        .why = "lengths has one number for each sequence.",
        .source = NULL,
        .function = LIKE(flash_decode, decode_first_length),
    },
    {
        .id = "first-head",
        .what = "every head reads the keys of head 0",
        .why =
            "The caches are (B, NH, T_max, hs): head h of sequence b begins at (b NH + h) "
            "T_max hs.",
        .source = NULL,
        .function = LIKE(flash_decode, decode_first_head),
    },
    {
        .id = "first-sequence",
        .what = "every sequence reads the keys of sequence 0",
        .why =
            "The caches are (B, NH, T_max, hs): head h of sequence b begins at (b NH + h) "
            "T_max hs.",
        .source = NULL,
        .function = LIKE(flash_decode, decode_first_sequence),
    },
    {
        .id = "heads-first",
        .what = "the caches are read as (NH, B, T_max, hs)",
        .why =
            "They are (B, NH, T_max, hs): head h of sequence b begins at (b NH + h) T_max "
            "hs.",
        .source = NULL,
        .function = LIKE(flash_decode, decode_heads_first),
    },
    {
        .id = "low-is-empty",
        .what = "a part whose scores are below a number such as -1e9 counts as a part "
                "without keys",
        .why = FAR_DOWN_WHY,
        .source = NULL,
        .function = LIKE(flash_decode, decode_low_empty),
    },
    {
        .id = "empty-part-0",
        .what = "a part without keys has logsumexp 0, which gives it a share",
        .why = "The sum over no keys is 0, and its logarithm is -INFINITY.",
        .source = NULL,
        .function = LIKE(flash_decode, decode_empty_is_0),
    },
    {
        .id = "first-query",
        .what = "every head uses the query of head 0 of sequence 0",
        .why = "q is (B, NH, hs): the query of head i begins at i hs.",
        .source = NULL,
        .function = LIKE(flash_decode, decode_first_query),
    },
    {
        .id = "keys-are-values",
        .what = "the keys are summed, not the values",
        .why = "The weights come from the keys; they multiply the values.",
        .source = NULL,
        .function = LIKE(flash_decode, decode_keys_are_values),
    },
    {
        .id = "mean",
        .what = "out is the mean of the parts",
        .why = "combine_partials weights each part with exp(part_logsumexp - logsumexp).",
        .source = NULL,
        .function = LIKE(flash_decode, decode_mean),
    },
    {
        .id = "first-part",
        .what = "out contains only the first part",
        .why = "combine_partials adds up all P parts.",
        .source = NULL,
        .function = LIKE(flash_decode, decode_first_part),
    },
    {
        .id = "parts-without-gaps",
        .what = "the parts of a head directly follow those of the previous head, instead "
                "of being P apart",
        .why = "P = T_max / chunk, rounded up, for every sequence. Parts past the length "
               "have no keys.",
        .source = NULL,
        .function = LIKE(flash_decode, decode_parts_of_length),
    },
    {0},
};

DECODE(decode_in_double, (void)0)

const struct mistake decode_alternatives[] = {
    {.id = "in-double", .function = LIKE(flash_decode, decode_in_double)},
    {0},
};
