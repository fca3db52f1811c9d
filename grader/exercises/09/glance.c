// glance.c - see glance.h.

#include "exercises/exercise.h"
#include "exercises/09/glance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LANES = GLANCE_LANES,
    WARP = 32,
    HALF = WARP / 2
}; // of a block, as in the skeletons' kernels

struct glance right_glance(float *out, float *weights, const float *q, const float *keys,
                           const float *values, size_t S, size_t room, size_t hs)
{
    return (struct glance){
        .out = out,
        .weights = weights,
        .q = q,
        .keys = keys,
        .values = values,
        .S = S,
        .room = room,
        .hs = hs,
        .key_stride = hs,
        .channel_stride = 1,
        .value_stride = hs,
        .may_stride = 1,
        .scale = 1 / sqrt((double)hs),
    };
}

static size_t row_of(const struct glance *g, size_t shift, size_t s)
{
    return g->ring > 0 ? (shift + s) % g->ring : s;
}

static bool allowed(const struct glance *g, size_t s)
{
    return g->may == NULL || (g->may[s * g->may_stride] != 0) != g->may_not;
}

static float score(const struct glance *g, size_t s)
{
    const float *key = g->keys + row_of(g, g->key_shift, s) * g->key_stride;
    double dot = 0;
    if (g->no_score > 0 && s >= g->no_score) {
        return 0.0f;
    }
    for (size_t c = 0; c < g->hs; c++) {
        dot += (double)g->q[c] * (double)key[c * g->channel_stride];
    }
    return (float)(dot * g->scale);
}

static bool none_allowed(const struct glance *g)
{
    for (size_t s = 0; s < g->S; s++) {
        if (allowed(g, s)) {
            return false;
        }
    }
    return true;
}

// What the softmax gets for a score: -INFINITY gives weight 0.
static float masked_score(const struct glance *g, float score, bool may)
{
    switch (g->softmax) {
    case MASK_AFTER:
        return score;
    case MASK_MULTIPLIED:
        return may ? score : 0.0f;
    case MASK_ADDED:
        return score + (may ? 1.0f : 0.0f);
    case EMPTY_ROW_UNIFORM:
        return may ? score : -1e9f;
    case FILLED_1E4:
        return may ? score : -1e4f;
    default:
        return may ? score : -INFINITY;
    }
}

void fill_low_scores(struct test_case *test, const char *keys, size_t keys_each)
{
    enum { WIDTH = 16 }; // the scale is 1/4
    float *q = case_f32(test, "q"), *k = case_f32(test, keys);
    memset(q, 0, case_count(test, "q") * sizeof *q);
    for (size_t row = 0; row < case_count(test, "q") / WIDTH; row++) {
        q[row * WIDTH] = row % 3 == 0 ? 0x1p52f : row % 3 == 1 ? 0x1p-41f : 0.0f;
        q[row * WIDTH + 1] = row % 3 == 2 ? 4.0f : 0.0f;
    }
    for (size_t row = 0; row < case_count(test, keys) / WIDTH; row++) {
        const size_t step = (row / keys_each + row % keys_each) % keys_each;
        k[row * WIDTH] = -0x1p51f * (float)(1 + step);
        k[row * WIDTH + 1] = step == 0 ? 25.0f : -400.0f;
    }
}

static bool unshifted(const struct glance *g)
{
    return g->softmax == NO_MAXIMUM || g->softmax == NO_MAXIMUM_IN_DOUBLE;
}

// Over the keys first, first + step, ...
static float largest_of(const struct glance *g, const double *scores, size_t first,
                        size_t step)
{
    float largest = g->softmax == MAXIMUM_FROM_0     ? 0.0f
                    : g->softmax == MAXIMUM_FROM_1E4 ? -1e4f
                    : g->softmax == MAXIMUM_FROM_1E9 ? -1e9f
                                                     : -INFINITY;
    for (size_t s = first; s < g->S; s += step) {
        largest = fmaxf(largest, (float)scores[s]);
    }
    return unshifted(g) ? 0.0f : largest;
}

// Of what the lanes of a half share, and the first halves of all warps.
static float largest_of_half(const struct glance *g, const double *scores, size_t lane)
{
    float largest = -INFINITY;
    for (size_t s = 0; s < g->S; s++) {
        const bool counts = s % WARP < HALF || s % LANES / HALF == lane / HALF;
        largest = counts ? fmaxf(largest, (float)scores[s]) : largest;
    }
    return largest;
}

// Of the keys that the lanes of a warp have.
static float largest_of_warp(const struct glance *g, const double *scores, size_t lane)
{
    float largest = -INFINITY;
    for (size_t s = 0; s < g->S; s++) {
        if (s % LANES / WARP == lane / WARP) {
            largest = fmaxf(largest, (float)scores[s]);
        }
    }
    return largest;
}

static double sum_of_warp(const struct glance *g, const double *powers, size_t lane)
{
    double sum = 0;
    for (size_t s = 0; s < g->S; s++) {
        sum += s % LANES / WARP == lane / WARP ? powers[s] : 0.0;
    }
    return sum;
}

static double sum_of(const struct glance *g, const double *powers, size_t first,
                     size_t step)
{
    double sum = 0;
    for (size_t s = first; s < g->S; s += step) {
        if ((g->softmax == HALF_WARP && s % WARP >= HALF) ||
            (g->softmax == FIRST_WARP && s % LANES >= WARP)) {
            continue;
        }
        sum = g->softmax == IN_FLOAT ? (double)((float)sum + (float)powers[s])
                                     : sum + powers[s];
    }
    return sum;
}

// exp(score - largest) instead of each score. Each lane has a largest score of its own, or all have lane 0's.
static void raise(const struct glance *g, double *row)
{
    float largest[LANES];
    const bool own = g->softmax == OWN_MAXIMUM || g->softmax == OWN_ROW;
    for (size_t lane = 0; lane < LANES; lane++) {
        largest[lane] = g->softmax == HALF_WARP  ? largest_of_half(g, row, lane)
                        : g->softmax == OWN_WARP ? largest_of_warp(g, row, lane)
                        : own                    ? largest_of(g, row, lane, LANES)
                        : lane == 0              ? largest_of(g, row, 0, 1)
                                                 : largest[0];
    }
    for (size_t s = 0; s < g->S; s++) {
        const float top = largest[s % LANES];
        const bool none = row[s] == -INFINITY && g->softmax != EMPTY_ROW_NAN;
        row[s] = none                                 ? 0.0
                 : g->softmax == NO_MAXIMUM_IN_DOUBLE ? exp(row[s])
                 : g->softmax == BASE_2               ? exp2(row[s] - (double)top)
                                                      : (double)expf((float)row[s] - top);
    }
}

// The position of key s's weight.
static float *weight_of(const struct glance *g, size_t s)
{
    return g->weights + (g->reversed ? g->S - 1 - s : s);
}

static bool all_nan(const struct glance *g, const double *powers)
{
    bool all = true;
    for (size_t s = 0; all && s < g->S; s++) {
        all = isnan(powers[s]);
    }
    return all;
}

// Divides each by the sum of its lane, or of all.
static void divide(const struct glance *g, const double *powers)
{
    double sums[LANES];
    const bool own = g->softmax == OWN_SUM || g->softmax == OWN_ROW;
    for (size_t lane = 0; lane < LANES; lane++) {
        sums[lane] = own                      ? sum_of(g, powers, lane, LANES)
                     : g->softmax == OWN_WARP ? sum_of_warp(g, powers, lane)
                     : lane == 0              ? sum_of(g, powers, 0, 1)
                                              : sums[0];
    }
    const bool empty = (g->zeros_if_none_allowed && none_allowed(g)) ||
                       (g->by_functions && all_nan(g, powers));
    for (size_t s = 0; s < g->S; s++) {
        const double sum = sums[s % LANES];
        const bool none =
            empty || (sum == 0.0 && (g->guarded || own || g->softmax == HALF_WARP));
        const double weight = none ? 0.0 : powers[s] / sum;
        const bool after = g->softmax == MASK_AFTER && !allowed(g, s);
        *weight_of(g, s) = after ? 0.0f : (float)weight;
    }
}

static void mix(const struct glance *g, const double *shares)
{
    for (size_t c = 0; c < g->hs; c++) {
        double sum = 0;
        for (size_t s = 0; s < g->S; s++) {
            const float *value =
                g->values + row_of(g, g->value_shift, s) * g->value_stride;
            const double share = shares != NULL ? shares[s] : (double)*weight_of(g, s);
            sum += share * (double)value[c];
        }
        g->out[c] = (float)sum;
    }
}

lab_status glance(const struct glance *g)
{
    if (g->S == 0) {
        return LAB_ESHAPE;
    }
    double *row = malloc(g->S * sizeof *row), *scores = malloc(g->S * sizeof *scores);
    if (row == NULL || scores == NULL) {
        abort();
    }
    for (size_t s = 0; s < g->S; s++) {
        const float x = score(g, s);
        scores[s] = (double)x;
        row[s] = (double)masked_score(g, x, allowed(g, s));
    }
    raise(g, row);
    divide(g, row);
    mix(g, g->scores_applied ? scores : g->softmax == NOT_DIVIDED ? row : NULL);
    for (size_t s = 0; s < g->S && g->powers_kept; s++) {
        *weight_of(g, s) = (float)row[s];
    }
    for (size_t s = g->S; s < g->room && !g->tail_left; s++) {
        g->weights[s] = 0.0f;
    }
    free(row);
    free(scores);
    return LAB_OK;
}
