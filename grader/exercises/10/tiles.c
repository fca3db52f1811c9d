// tiles.c - see tiles.h.

#include "exercises/10/tiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SCORES = 1 << 20, MOST_WIDTH = 512 };

struct layout in_heads(size_t heads, size_t rows, size_t hs)
{
    return (struct layout){heads * rows * hs, rows * hs, hs};
}

struct layout in_tokens(size_t heads, size_t rows, size_t hs)
{
    return (struct layout){heads * rows * hs, hs, heads * hs};
}

struct tiles right_tiles(float *out, float *logsumexp, const float *q, const float *k,
                         const float *v, bool causal, size_t B, size_t NH, size_t T,
                         size_t S, size_t hs, size_t Br, size_t Bc)
{
    return (struct tiles){
        .out = out,
        .logsumexp = logsumexp,
        .q = q,
        .k = k,
        .v = v,
        .causal = causal,
        .B = B,
        .NH = NH,
        .T = T,
        .S = S,
        .hs = hs,
        .Br = Br,
        .Bc = Bc,
        .q_at = in_heads(NH, T, hs),
        .k_at = in_heads(NH, S, hs),
        .v_at = in_heads(NH, S, hs),
        .out_at = in_heads(NH, T, hs),
        .channel_step = 1,
        .sees = sees_as_asked,
        .visits = visits_every_tile,
        .scale = 1 / sqrt((double)hs),
        .keys_to = S,
    };
}

bool sees_as_asked(const struct tiles *x, size_t t, size_t s)
{
    return !x->causal || s + x->T <= t + x->S;
}

bool visits_every_tile(const struct tiles *x, size_t t0, size_t s0)
{
    (void)x, (void)t0, (void)s0;
    return true;
}

// What a query has of the keys so far.
struct partial {
    double max, sum, weighted[MOST_WIDTH];
    double tile_max, tile_sum; // of the last tile that was visited
    size_t tiles;
};

// A query of head h of sequence b, and the first key of its tile.
struct place {
    size_t b, h, t, s0;
};

static double score(const struct tiles *x, const struct place *at, size_t s)
{
    if (s >= x->S || (x->score_0 && !x->sees(x, at->t, s))) {
        return 0; // padding, or a forbidden key that counts
    }
    const size_t t = x->first_tile_q ? at->t % x->Br : at->t;
    const size_t row = x->first_tile_k ? s - at->s0 : s;
    const float *q = x->q + at->b * x->q_at.b + at->h * x->q_at.h + t * x->q_at.t;
    const float *k = x->k + at->b * x->k_at.b + at->h * x->k_at.h;
    double dot = 0;
    for (size_t i = 0; i < x->hs; i++) {
        dot += (double)q[i] * (double)k[row * x->k_at.t + i * x->channel_step];
    }
    return dot * x->scale;
}

static bool counts(const struct tiles *x, const struct place *at, size_t s)
{
    return s >= x->S ? !x->causal
                     : x->keys_from <= s && s < x->keys_to &&
                           (x->score_0 || x->sees(x, at->t, s));
}

// As a float, which is infinite from 89 on.
static double power(const struct tiles *x, double y)
{
    return (double)(float)(x->merging == BASE_2 ? exp2(y) : exp(y));
}

// The part of the keys of one tile.
static struct partial part_of(const struct tiles *x, const struct place *at)
{
    struct partial part = {.max = -INFINITY};
    const size_t S = x->S + x->padded;
    const size_t end = at->s0 + x->Bc < S ? at->s0 + x->Bc : S;
    for (size_t s = at->s0; s < end; s++) {
        part.max = counts(x, at, s) ? fmax(part.max, score(x, at, s)) : part.max;
    }
    for (size_t s = at->s0; s < end; s++) {
        if (!counts(x, at, s)) {
            continue;
        }
        const double shift = x->merging == NO_MAXIMUM ? 0 : part.max;
        const double e = power(x, score(x, at, s) - shift);
        const size_t row = x->first_tile_v ? s - at->s0 : s;
        const float *v = x->v + at->b * x->v_at.b + at->h * x->v_at.h + row * x->v_at.t;
        part.sum += e;
        for (size_t i = 0; s < x->S && i < x->hs; i++) {
            part.weighted[i] += e * (double)v[i];
        }
    }
    return part;
}

// new = old_factor old + part_factor part, for sum and weighted, which are floats.
static void add_up(const struct tiles *x, struct partial *row, const struct partial *part,
                   double old_sum, double old_weighted, double part_factor)
{
    row->sum = (double)(float)(old_sum * row->sum + part_factor * part->sum);
    for (size_t i = 0; i < x->hs; i++) {
        row->weighted[i] = (double)(float)(old_weighted * row->weighted[i] +
                                           part_factor * part->weighted[i]);
    }
}

static void merge(const struct tiles *x, struct partial *row, const struct partial *part)
{
    const double larger = fmax(row->max, part->max);
    const double m = x->merging == LAST_MAXIMUM       ? part->max
                     : x->merging == MAXIMUM_FROM_0   ? fmax(larger, 0)
                     : x->merging == MAXIMUM_FROM_1E9 ? fmax(larger, -1e9)
                                                      : larger;
    if (m == -INFINITY && x->merging != REPLACED) {
        return;
    }
    const double a = row->max == -INFINITY ? 0 : power(x, row->max - m);
    const double b = part->max == -INFINITY ? 0 : power(x, part->max - m);
    const double inverted = row->max == -INFINITY ? 0 : power(x, m - row->max);
    switch (x->merging) {
    case OLD_LEFT:
        add_up(x, row, part, 1, 1, b);
        break;
    case OLD_SUM_LEFT:
        add_up(x, row, part, 1, a, b);
        break;
    case OLD_WEIGHTED_LEFT:
        add_up(x, row, part, a, 1, b);
        break;
    case TILE_LEFT:
        add_up(x, row, part, a, a, 1);
        break;
    case OLD_INVERTED:
        add_up(x, row, part, inverted, inverted, b);
        break;
    case REPLACED:
        add_up(x, row, part, 0, 0, 1);
        break;
    case NO_MAXIMUM:
        add_up(x, row, part, 1, 1, 1);
        break;
    case SOFTMAX_OF_TILE:
        for (size_t i = 0; part->sum > 0 && i < x->hs; i++) {
            row->weighted[i] += part->weighted[i] / part->sum;
        }
        row->sum = a * row->sum + b * part->sum;
        break;
    default:
        add_up(x, row, part, a, a, b);
        break;
    }
    for (size_t i = 0; x->merging == DIVIDED_EACH_TIME && i < x->hs; i++) {
        row->weighted[i] /= row->sum;
    }
    row->max = x->merging == REPLACED ? part->max : m;
}

static double final_logsumexp(const struct tiles *x, const struct partial *row)
{
    if (row->sum == 0) {
        return x->log == EMPTY_0 ? 0 : x->log == EMPTY_MAX ? row->max : -INFINITY;
    }
    const double log_sum = log(row->sum);
    switch (x->log) {
    case LOG_SUM:
        return log_sum;
    case MAX_ONLY:
        return row->max;
    case MAX_AND_SUM:
        return row->max + row->sum;
    case IN_BASE_2:
        return (row->max + log_sum) / log(2.0);
    case LAST_MAX_AND_LOG_SUM:
        return row->tile_max + log_sum;
    case LOG_SUM_MINUS_MAX:
        return log_sum - row->max;
    case MAX_MINUS_LOG_SUM:
        return row->max - log_sum;
    case UNSCALED:
        return row->max / x->scale + log_sum;
    case MAX_AND_LOG_SUM:
    case EMPTY_0:
    case EMPTY_MAX:
        break;
    }
    return x->merging == NO_MAXIMUM ? log_sum : row->max + log_sum;
}

static void end_row(const struct tiles *x, const struct place *at,
                    const struct partial *row)
{
    double by = row->sum;
    by = x->ending == NOT_DIVIDED        ? 1
         : x->ending == DIVIDED_BY_TILES ? (double)row->tiles
         : x->ending == DIVIDED_BY_LAST  ? row->tile_sum
                                         : by;
    by = by == 0 && x->ending != EMPTY_NAN ? 1 : by;
    float *out = x->out + at->b * x->out_at.b + at->h * x->out_at.h + at->t * x->out_at.t;
    for (size_t i = 0; i < x->hs; i++) {
        out[i] = (float)(row->weighted[i] / by);
    }
    x->logsumexp[(at->b * x->NH + at->h) * x->T + at->t] = (float)final_logsumexp(x, row);
}

static void run_row(const struct tiles *x, struct place at, struct partial *row)
{
    const size_t t0 = at.t / x->Br * x->Br;
    for (at.s0 = 0; at.s0 < x->S + x->padded; at.s0 += x->Bc) {
        if (x->visits(x, t0, at.s0)) {
            const struct partial part = part_of(x, &at);
            merge(x, row, &part);
            row->tile_max = part.max;
            row->tile_sum = part.sum;
            row->tiles++;
        }
    }
    end_row(x, &at, row);
}

size_t count_visited(const struct tiles *x)
{
    size_t visited = 0;
    for (size_t t0 = 0; t0 < x->T; t0 += x->Br) {
        for (size_t s0 = 0; s0 < x->S; s0 += x->Bc) {
            visited += x->visits(x, t0, s0);
        }
    }
    return x->B * x->NH * visited;
}

lab_status run_tiles(const struct tiles *x)
{
    if (x->B == 0 || x->NH == 0 || x->T == 0 || x->S == 0 || x->hs == 0 || x->Br == 0 ||
        x->Bc == 0) {
        return LAB_ESHAPE;
    }
    if (x->T * x->S > MOST_SCORES || x->hs > MOST_WIDTH) {
        return LEAVES_ARGUMENTS;
    }
    struct partial *rows = calloc(x->Br, sizeof *rows); // of a tile
    if (rows == NULL) {
        abort();
    }
    for (size_t n = 0; n < x->B * x->NH * x->T; n++) {
        const size_t t = n % x->T, i = n / x->T;
        const bool starts = x->start == IN_EACH_TILE ||
                            (t < x->Br && (x->start == IN_EACH_HEAD || i == 0));
        struct partial *row = &rows[t % x->Br];
        if (starts) {
            *row = (struct partial){.max = -INFINITY};
        }
        run_row(x, (struct place){i / x->NH, i % x->NH, t, 0}, row);
    }
    free(rows);
    return LAB_OK;
}
