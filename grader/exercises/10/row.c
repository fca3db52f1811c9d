// row.c - see row.h.

#include "exercises/10/row.h"

#include <math.h>
#include <stdlib.h>

struct row right_row(const float *q, const float *keys, const float *values, size_t N,
                     size_t hs, size_t seen)
{
    return (struct row){.q = q,
                        .keys = keys,
                        .values = values,
                        .N = N,
                        .hs = hs,
                        .key_stride = hs,
                        .channel_stride = 1,
                        .seen = seen,
                        .scale = 1.0 / sqrt((double)hs),
                        .start = -INFINITY};
}

size_t keys_seen(size_t r, size_t N, ptrdiff_t diagonal)
{
    if (diagonal >= (ptrdiff_t)N) {
        return N;
    }
    const ptrdiff_t seen = (ptrdiff_t)r + diagonal + 1;
    return seen < 0 ? 0 : (size_t)seen < N ? (size_t)seen : N;
}

static bool is_seen(const struct row *row, size_t c)
{
    return row->first <= c && c < row->seen;
}

static double score(const struct row *row, size_t c)
{
    double dot = 0;
    for (size_t i = 0; i < row->hs; i++) {
        dot += (double)row->q[i] *
               (double)row->keys[c * row->key_stride + i * row->channel_stride];
    }
    return dot * row->scale;
}

static double masked_score(const struct row *row, size_t c)
{
    if (!is_seen(row, c)) {
        switch (row->unseen) {
        case SCORE_0:
            return 0;
        case SCORE_LOW:
            return -1e9;
        case SKIPPED:
        case TIMES_0:
        case MINUS_INF:
            return -INFINITY;
        }
    }
    return score(row, c);
}

static double largest(const struct row *row)
{
    double max = row->start;
    for (size_t c = 0; c < row->N; c++) {
        const double s = c < row->searched ? score(row, c) : masked_score(row, c);
        max = row->last_score && is_seen(row, c) ? s : fmax(max, s);
    }
    return max;
}

static double exponential(const struct row *row, size_t c, double max)
{
    if (!is_seen(row, c) && row->unseen == TIMES_0) {
        return 0;
    }
    const double x = row->no_maximum ? masked_score(row, c) : masked_score(row, c) - max;
    const double e = row->base_2 ? exp2(x) : exp(x);
    return row->last_score ? (double)(float)e : e; // a float is infinite from 89 on
}

void compute_row(const struct row *row, float *max, float *sum, float *weighted)
{
    const double m = largest(row);
    double so_far =
        row->start; // the largest score, for a loop that looks at each key once
    double total = row->sum_start, *mix = calloc(row->hs, sizeof *mix);
    if (mix == NULL) {
        abort();
    }
    for (size_t c = 0; c < row->N; c++) {
        if (!is_seen(row, c) && row->unseen == SKIPPED) {
            continue;
        }
        so_far = fmax(so_far, masked_score(row, c));
        const double e = exponential(row, c, m), early = exponential(row, c, so_far);
        const double term = row->online == NOT_RESCALED ? early : e;
        const double weight = row->online == TWO_PASSES ? e : early;
        total = row->last_term ? term : total + term;
        for (size_t i = 0; i < row->hs; i++) {
            mix[i] += weight * (double)row->values[c * row->hs + i];
        }
    }
    for (size_t i = 0; i < row->hs; i++) {
        weighted[i] = (float)(row->divided ? mix[i] / total : mix[i]);
    }
    *max = (float)(row->max_unscaled ? m / row->scale : m);
    *sum = (float)total;
    free(mix);
}
