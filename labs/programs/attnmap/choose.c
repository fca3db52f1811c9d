// choose.c - which maps to draw.

#include "programs/attnmap/attnmap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/plural.h"

// The weights of one head.
static const float *head_of(const struct attention *a, size_t l, size_t b, size_t h)
{
    return a->weights + ((l * a->B + b) * a->NH + h) * a->T * a->S;
}

// The range that a choice stands for: one number, or 0 ... count - 1.
static void range(int choice, size_t count, size_t *first, size_t *last)
{
    *first = choice >= 0 ? (size_t)choice : 0;
    *last = choice >= 0 ? (size_t)choice : count - 1;
}

static void check(const char *option, long long choice, size_t count, const char *what)
{
    if (choice >= 0 && (size_t)choice >= count) {
        map_fail(MAP_USAGE, "%s %lld: there %s %zu %s%s, numbered from 0", option, choice,
                 count == 1 ? "is" : "are", count, what, plural((double)count));
    }
}

// The mean over the chosen layers and heads.
static float *mean(const struct attention *a, size_t b, int layer, int head)
{
    size_t l0, l1, h0, h1;
    range(layer, a->L, &l0, &l1);
    range(head, a->NH, &h0, &h1);
    const double count = (double)((l1 - l0 + 1) * (h1 - h0 + 1));
    double *sum = map_allocate(a->T * a->S, sizeof *sum);
    float *result = map_allocate(a->T * a->S, sizeof *result);
    for (size_t l = l0; l <= l1; l++) {
        for (size_t h = h0; h <= h1; h++) {
            const float *weights = head_of(a, l, b, h);
            for (size_t i = 0; i < a->T * a->S; i++) {
                sum[i] += (double)weights[i];
            }
        }
    }
    for (size_t i = 0; i < a->T * a->S; i++) {
        result[i] = isfinite(sum[i]) ? (float)(sum[i] / count) : NAN;
    }
    free(sum);
    return result;
}

static void name(struct map *map, const struct attention *a)
{
    char layer[32] = "", head[32] = "";
    if (map->layer == CHOOSE_MEAN) {
        snprintf(layer, sizeof layer, "mean of %zu layer%s", a->L, plural((double)a->L));
    } else if (a->L > 1) {
        snprintf(layer, sizeof layer, "layer %d", map->layer);
    }
    if (map->head == CHOOSE_MEAN) {
        snprintf(head, sizeof head, "mean of %zu head%s", a->NH, plural((double)a->NH));
    } else if (a->NH > 1) {
        snprintf(head, sizeof head, "head %d", map->head);
    }
    snprintf(map->title, sizeof map->title, "%s%s%s", layer, *layer && *head ? ", " : "",
             head);
}

// Is every weight 0 on the keys that the causal rule forbids, in all maps?
static bool is_causal(const struct maps *maps)
{
    const size_t T = maps->T, S = maps->S;
    bool later = false;
    for (size_t n = 0; n < maps->rows * maps->columns; n++) {
        for (size_t i = 0; i < T * S; i++) {
            if (i % S + T > i / S + S) { // key s > t + S - T
                later = true;
                if (maps->all[n].weights[i] != 0) {
                    return false;
                }
            }
        }
    }
    return later;
}

static void blank_later_keys(struct maps *maps)
{
    const size_t T = maps->T, S = maps->S;
    for (size_t n = 0; n < maps->rows * maps->columns; n++) {
        for (size_t i = 0; i < T * S; i++) {
            if (i % S + T > i / S + S) {
                maps->all[n].weights[i] = NAN;
            }
        }
    }
}

static void subtract(struct maps *maps, const struct maps *other)
{
    for (size_t n = 0; n < maps->rows * maps->columns; n++) {
        for (size_t i = 0; i < maps->T * maps->S; i++) {
            maps->all[n].weights[i] -= other->all[n].weights[i];
        }
    }
}

static struct maps take(const struct attention *a, const struct choice *c)
{
    struct maps maps = {.rows = c->layer == CHOOSE_ALL ? a->L : 1,
                        .columns = c->head == CHOOSE_ALL ? a->NH : 1,
                        .T = a->T,
                        .S = a->S,
                        .of = a};
    maps.all = map_allocate(maps.rows * maps.columns, sizeof *maps.all);
    for (size_t n = 0; n < maps.rows * maps.columns; n++) {
        struct map *map = &maps.all[n];
        map->layer = c->layer == CHOOSE_ALL ? (int)(n / maps.columns) : c->layer;
        map->head = c->head == CHOOSE_ALL ? (int)(n % maps.columns) : c->head;
        map->weights = mean(a, c->batch, map->layer, map->head);
        name(map, a);
    }
    return maps;
}

static bool any_below_zero(const struct maps *maps)
{
    for (size_t n = 0; n < maps->rows * maps->columns; n++) {
        for (size_t i = 0; i < maps->T * maps->S; i++) {
            if (maps->all[n].weights[i] < 0) {
                return true;
            }
        }
    }
    return false;
}

struct maps maps_choose(const struct attention *a, const struct attention *other,
                        const struct choice *c)
{
    check("--layer", c->layer, a->L, "layer");
    check("--head", c->head, a->NH, "head");
    check("--batch", (long long)c->batch, a->B, "sequence");
    struct maps maps = take(a, c);
    maps.causal = a->measure == NULL && is_causal(&maps);
    if (other != NULL) {
        if (other->L != a->L || other->NH != a->NH || other->T != a->T ||
            other->S != a->S || c->batch >= other->B) {
            map_fail(
                MAP_FAILED,
                "--compare: %s has %zu layers, %zu heads, %zu queries and %zu keys; %s has "
                "%zu, %zu, %zu and %zu",
                a->source, a->L, a->NH, a->T, a->S, other->source, other->L, other->NH,
                other->T, other->S);
        }
        struct maps second = take(other, c);
        maps.causal = maps.causal && is_causal(&second);
        subtract(&maps, &second);
        maps_free(&second);
    }
    if (maps.causal) {
        blank_later_keys(&maps);
    }
    maps.signed_values = other != NULL || any_below_zero(&maps);
    return maps;
}

void maps_free(struct maps *maps)
{
    for (size_t n = 0; maps->all != NULL && n < maps->rows * maps->columns; n++) {
        free(maps->all[n].weights);
    }
    free(maps->all);
    *maps = (struct maps){0};
}
